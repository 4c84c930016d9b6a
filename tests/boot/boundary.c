/* Interrupts at every boundary of a few instructions, for the glue between Bochs and the model (sim/bochs/):
 * a multiboot 1 program for a P6 (run-bochs.sh --through).
 *
 * In each pass a counter of retired instructions overflows one instruction later than in the pass before, and
 * asks for an NMI; at one boundary, `edge_from`, an interrupt from the local APIC to itself becomes due as
 * well. There the NMI goes first (SDM vol. 3A 6.9, table 6-2). The oracle's brackets are edge_from to
 * edge_to, and what path_7 calls, until its RET.
 *
 * For each pass a line: how many NMIs came and where the last one was to return to, and the same of the
 * interrupt. tests/boot/cases/interrupts.sh knows what must be there.
 */
#include <stdint.h>

#define MSR_SELECT0  0x186 /* SDM vol. 3B 18.6: the P6's counter 0 */
#define MSR_COUNTER0 0x0c1
#define INST_RETIRED 0x5300c0 /* at CPL 0 and 3, with interrupt, enabled */
#define PASSES       18       /* as many as the path has boundaries */

#define APIC(reg)      (*(volatile uint32_t *)(0xfee00000 + (reg)))
#define APIC_SVR       0x0f0
#define APIC_LVT_PC    0x340
#define LVT_NMI        0x400
#define SELF_VECTOR_50 0x44050 /* interrupt command 300h: to this CPU, edge */

uint32_t nmi_eip, nmi_count, interrupt_eip, interrupt_count;
extern const char on_nmi[], on_interrupt[], ignore[];
void edges(uint32_t count, uint32_t command);

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

struct table {
    uint16_t limit;
    uint32_t base;
} __attribute__((packed));

static void descriptors(void)
{
    static const uint64_t gdt[] = {0, 0x00cf9a000000ffff, 0x00cf92000000ffff};
    static uint32_t idt[256][2];
    for (unsigned i = 0; i < 256; i++) {
        const uint32_t at = (uint32_t)(i == 2 ? on_nmi : i == 0x50 ? on_interrupt : ignore);
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

void boundary_main(void);
void boundary_main(void)
{
    descriptors();
    paging();
    out(0x21, 0xff); /* the 8259s are silent */
    out(0xa1, 0xff);
    APIC(APIC_SVR) = 0x1ff;
    wrmsr(MSR_SELECT0, INST_RETIRED);
    for (uint32_t n = 1; n <= PASSES; n++) {
        nmi_eip = nmi_count = interrupt_eip = interrupt_count = 0;
        APIC(APIC_LVT_PC) = LVT_NMI;
        edges(n, SELF_VECTOR_50);
        put("pass");
        put_hex(nmi_count);
        put_hex(nmi_eip);
        put_hex(interrupt_count);
        put_hex(interrupt_eip);
        put("\r\n");
    }
    put("boundary: done, status 0\r\n");
    for (const char *s = "Shutdown"; *s; s++) out(0x8900, (uint8_t)*s);
    for (;;) __asm__ volatile("cli\n\thlt");
}

/* The path that a counter sees: path_0 to path_2, edge_from, the interrupt's handler, edge_from again and on.
 */
__asm__(".section .multiboot, \"a\"\n\t"
        ".long 0x1badb002, 3, -(0x1badb002 + 3)\n\t"
        ".text\n"
        ".globl entry\n"
        "entry: movl $stack + 4096, %esp\n\t"
        "call boundary_main\n"
        "ignore: iret\n"

        ".globl edges\n"
        "edges: pushl %ebx\n\t"
        "movl 12(%esp), %ebx\n\t"
        "movl 8(%esp), %eax\n\t"
        "negl %eax\n\t"
        "xorl %edx, %edx\n\t"
        "movl $0xc1, %ecx\n\t"
        "sti\n\t"
        "nop\n\t"
        "wrmsr\n"
        "path_0: nop\n"
        "path_1: nop\n"
        "path_2: movl %ebx, 0xfee00300\n"
        "edge_from: nop\n"
        "path_4: nop\n"
        "path_5: nop\n"
        "edge_to: nop\n"
        "path_7: call callee\n"
        "path_10: cli\n\t"
        "popl %ebx\n\t"
        "ret\n"

        "callee: nop\n"
        "path_9: ret\n"

        "on_interrupt: pushl %eax\n"
        "int_1: movl 4(%esp), %eax\n"
        "int_2: movl %eax, interrupt_eip\n"
        "int_3: incl interrupt_count\n"
        "int_4: movl $0, 0xfee000b0\n"
        "int_5: popl %eax\n"
        "int_6: iret\n"

        "on_nmi: pushl %eax\n\t"
        "movl 4(%esp), %eax\n\t"
        "movl %eax, nmi_eip\n\t"
        "incl nmi_count\n\t"
        "popl %eax\n\t"
        "iret\n\t"

        ".bss\n\t"
        "stack: .skip 4096\n\t"
        ".text");
