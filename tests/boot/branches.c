/* Each kind of transfer of control once, with last branch records on: a multiboot 1 program for Core 2 and
 * later, and for zen4 (run-bochs.sh --through).
 *
 * Between the two WRMSRs of path, 16 transfers are made, each from a label to a label. A line is printed for
 * each record of the stack, the newest first: from, to, and LBR_INFO where there is one.
 * tests/boot/cases/branches.sh knows what must be there.
 */
#include <stdint.h>

#define APIC(reg) (*(volatile uint32_t *)(0xfee00000 + (reg)))
#define APIC_SVR  0x0f0

extern const char on_interrupt[], on_ud[], on_int60[], ignore[], t_sysenter[];
/* Enable by this MSR's bits, go, and disable. */
void path(uint32_t msr, uint32_t bits);

/* ---- serial line, and switching Bochs off ---- */

static uint8_t in(uint16_t port)
{
    uint8_t v;
    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static void out(uint16_t port, uint8_t v) { __asm__ volatile("outb %0, %1" ::"a"(v), "Nd"(port)); }

static void put(const char *s)
{
    for (; *s; s++) {
        while (!(in(0x3fd) & 0x20)) {
        }
        out(0x3f8, (uint8_t)*s);
    }
}

static void put_hex(uint32_t v)
{
    char digits[9] = {0};
    for (unsigned i = 8; i-- > 0; v >>= 4) digits[i] = "0123456789abcdef"[v & 15];
    put(" ");
    put(digits);
}

/* ---- the machine ---- */

static void wrmsr(uint32_t msr, uint32_t lo) { __asm__ volatile("wrmsr" ::"c"(msr), "a"(lo), "d"(0)); }

static uint32_t rdmsr(uint32_t msr)
{
    uint32_t lo, hi;
    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
    return lo;
}

struct table {
    uint16_t limit;
    uint32_t base;
} __attribute__((packed));

static void descriptors(void)
{
    static const uint64_t gdt[] = {0, 0x00cf9a000000ffff, 0x00cf92000000ffff};
    static uint32_t idt[256][2];
    for (unsigned i = 0; i < 256; i++) {
        const char *handler = i == 6 ? on_ud : i == 0x50 ? on_interrupt : i == 0x60 ? on_int60 : ignore;
        const uint32_t at = (uint32_t)handler;
        idt[i][0] = 8u << 16 | (at & 0xffff);
        idt[i][1] = (at & 0xffff0000) | 0x8e00;
    }
    const struct table gdtr = {sizeof gdt - 1, (uint32_t)gdt}, idtr = {sizeof idt - 1, (uint32_t)idt};
    __asm__ volatile("lgdt %0\n\tljmp $8, $1f\n1:\tmovl $16, %%eax\n\tmovl %%eax, %%ds\n\t"
                     "movl %%eax, %%es\n\tmovl %%eax, %%ss\n\tlidt %1" ::"m"(gdtr),
                     "m"(idtr)
                     : "eax", "memory");
}

/* One to one, in pages of 4 MiB; without paging the oracle takes us for a loader. */
static void paging(void)
{
    static uint32_t directory[1024] __attribute__((aligned(4096)));
    for (uint32_t i = 0; i < 1024; i++)
        directory[i] = i << 22 | 0x83 | (i >= 0x3fb ? 0x18 : 0); /* devices: uncached */
    __asm__ volatile("movl %%cr4, %%eax\n\torl $0x10, %%eax\n\tmovl %%eax, %%cr4\n\tmovl %0, %%cr3\n\t"
                     "movl %%cr0, %%eax\n\torl $0x80000000, %%eax\n\tmovl %%eax, %%cr0" ::"r"(directory)
                     : "eax", "memory");
}

/* ---- the stack ---- */

static int is_amd(void)
{
    uint32_t a = 0, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return b == 0x68747541; /* "Auth" */
}

static void record(uint32_t from, uint32_t to, uint32_t info)
{
    put("record");
    put_hex(rdmsr(from));
    put_hex(rdmsr(to));
    if (info) put_hex(rdmsr(info));
    put("\r\n");
}

/* AMD64 manual, vol. 2, 13.1.1.8 and 13.1.1.9. */
static void amd(void)
{
    path(0xc000010f, 1 << 6);
    for (uint32_t n = 0; n < 16; n++) record(0xc0010300 + 2 * n, 0xc0010301 + 2 * n, 0);
}

/* SDM vol. 3, 17.4.8, by the format in IA32_PERF_CAPABILITIES. */
static void intel(void)
{
    const uint32_t format = rdmsr(0x345) & 0x3f;
    const uint32_t depth = format < 3 ? 4 : format < 5 ? 16 : 32;
    const uint32_t from = format < 3 ? 0x40 : 0x680, to = format < 3 ? 0x60 : 0x6c0;
    path(0x1d9, 1);
    const uint32_t top = rdmsr(0x1c9);
    for (uint32_t n = 0; n < depth && n < 16; n++) {
        const uint32_t i = (top - n) & (depth - 1);
        record(from + i, to + i, format < 5 ? 0 : 0xdc0 + i);
    }
}

void branches_main(void);
void branches_main(void)
{
    descriptors();
    paging();
    out(0x21, 0xff); /* the 8259s are silent */
    out(0xa1, 0xff);
    APIC(APIC_SVR) = 0x1ff;
    wrmsr(0x174, 8);
    wrmsr(0x176, (uint32_t)t_sysenter);
    if (is_amd())
        amd();
    else
        intel();
    put("branches: done, status 0\r\n");
    for (const char *s = "Shutdown"; *s; s++) out(0x8900, (uint8_t)*s);
    for (;;) __asm__ volatile("cli\n\thlt");
}

__asm__(".section .multiboot, \"a\"\n\t"
        ".long 0x1badb002, 3, -(0x1badb002 + 3)\n\t"
        ".text\n"
        ".globl entry\n"
        "entry: movl $stack + 4096, %esp\n\t"
        "call branches_main\n"
        "ignore: iret\n"

        ".globl path\n"
        "path: pushl %ebx\n\t"
        "pushl %esi\n\t"
        "movl %esp, %eax\n\t" /* SYSENTER's stack is this one */
        "xorl %edx, %edx\n\t"
        "movl $0x175, %ecx\n\t"
        "wrmsr\n\t"
        "movl $icall_to, %ebx\n\t"
        "movl $ijmp_to, %esi\n\t"
        "movl 12(%esp), %ecx\n\t"
        "movl 16(%esp), %eax\n\t"
        "sti\n\t"
        "wrmsr\n"
        "begin: cmpl %eax, %eax\n"
        "jcc: je jcc_to\n\t"
        "nop\n"
        "jcc_to: jne jcc\n"
        "call: call call_to\n"
        "icall: call *%ebx\n"
        "int: int $0x60\n"
        "ud: ud2\n"
        "ljmp: ljmp $8, $lcall\n"
        "lcall: lcall $8, $lcall_to\n"
        "ijmp: jmp *%esi\n\t"
        "nop\n"
        "ijmp_to: movl $0x44050, 0xfee00300\n" /* an interrupt to this CPU, edge, vector 50h */
        "sysenter: sysenter\n"
        "t_sysenter: rdmsr\n\t"
        "xorl %eax, %eax\n\t"
        "wrmsr\n"
        "end: popl %esi\n\t"
        "popl %ebx\n\t"
        "ret\n"

        "call_to: nop\n"
        "ret1: ret\n"
        "icall_to: nop\n"
        "ret2: ret\n"
        "lcall_to: lret\n"

        "on_int60: nop\n"
        "iret1: iret\n"
        "on_ud: addl $2, (%esp)\n" /* behind UD2 */
        "iret2: iret\n"
        "on_interrupt: movl $0, 0xfee000b0\n"
        "iret3: iret\n\t"

        ".bss\n\t"
        "stack: .skip 4096\n\t"
        ".text");
