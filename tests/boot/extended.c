/* The extended entries of an AMD processor's local APIC (AMD64 manual, vol. 2, 16.4), and what reaches the
 * processor through them: a multiboot 1 program for the modelled processors of run-bochs.sh (--through),
 * which needs no kernel.
 *
 * Prints a line for each check: its name and what was found. tests/boot/cases/interrupts.sh knows what must
 * be there.
 */
#include <stdint.h>

#define APIC(reg)     (*(volatile uint32_t *)(0xfee00000 + (reg)))
#define APIC_VERSION  0x030
#define APIC_SVR      0x0f0
#define APIC_FEATURE  0x400
#define APIC_ENTRY(n) (0x500 + 0x10 * (n))
#define ENTRIES       4
#define ENABLED       0x1ff
#define MASKED        0x10000
#define NMI           0x400
#define VECTOR        0x50

#define MSR_OP_CTL 0xc0011033
#define MSR_CTL    0xc001103a
#define OP_ENABLE  (1u << 17)
#define INTERVAL   0x10 /* in units of 16 cycles */

volatile uint32_t nmis, interrupts;
extern const char on_nmi[], on_interrupt[], ignore[];

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
    char digits[10] = {' '};
    for (unsigned i = 9; i-- > 1; v >>= 4) digits[i] = "0123456789abcdef"[v & 15];
    put(digits);
}

static void found(const char *what, uint32_t a, uint32_t b)
{
    put(what);
    put_hex(a);
    put_hex(b);
    put("\r\n");
}

/* ---- the machine ---- */

static uint32_t rdmsr(uint32_t msr)
{
    uint32_t lo, hi;
    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
    return lo;
}

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
        const uint32_t at = (uint32_t)(i == 2 ? on_nmi : i == VECTOR ? on_interrupt : ignore);
        idt[i][0] = 8u << 16 | (at & 0xffff);
        idt[i][1] = (at & 0xffff0000) | 0x8e00;
    }
    const struct table gdtr = {sizeof gdt - 1, (uint32_t)gdt}, idtr = {sizeof idt - 1, (uint32_t)idt};
    __asm__ volatile("lgdt %0\n\tljmp $8, $1f\n1:\tmovl $16, %%eax\n\tmovl %%eax, %%ds\n\t"
                     "movl %%eax, %%es\n\tmovl %%eax, %%ss\n\tlidt %1" ::"m"(gdtr),
                     "m"(idtr)
                     : "eax", "memory");
}

/* ---- checks ---- */

/* A sample, with its interrupt by this entry: NMIs and interrupts that came, and what the entry reads after
 * it. */
static void sample(const char *what, uint32_t entry, uint32_t value)
{
    nmis = interrupts = 0;
    APIC(APIC_ENTRY(entry)) = value;
    wrmsr(MSR_OP_CTL, OP_ENABLE | INTERVAL);
    for (volatile unsigned k = 0; k < 1000; k++) {
    }
    __asm__ volatile("sti\n\tnop\n\tcli");
    put(what);
    put_hex(nmis);
    put_hex(interrupts);
    found("", APIC(APIC_ENTRY(entry)), rdmsr(MSR_OP_CTL) >> 18 & 1);
    wrmsr(MSR_OP_CTL, 0);
    APIC(APIC_ENTRY(entry)) = MASKED;
}

void extended_main(void);
void extended_main(void)
{
    descriptors();
    out(0x21, 0xff); /* the 8259s are silent */
    out(0xa1, 0xff);
    found("version feature", APIC(APIC_VERSION) >> 31, APIC(APIC_FEATURE) >> 16 & 0xff);
    for (unsigned n = 0; n < ENTRIES; n++) found("reset", n, APIC(APIC_ENTRY(n)));
    APIC(APIC_SVR) = ENABLED & ~0x100; /* disabled by software: masked, and stays so */
    APIC(APIC_ENTRY(1)) = NMI;
    found("disabled", 1, APIC(APIC_ENTRY(1)));
    APIC(APIC_SVR) = ENABLED;
    for (unsigned n = 0; n < ENTRIES; n++) APIC(APIC_ENTRY(n)) = 0xffffffff - n;
    for (unsigned n = 0; n < ENTRIES; n++) found("bits", n, APIC(APIC_ENTRY(n)));
    for (unsigned n = 0; n < ENTRIES; n++) APIC(APIC_ENTRY(n)) = NMI;
    APIC(APIC_SVR) = ENABLED & ~0x100;
    APIC(APIC_SVR) = ENABLED;
    for (unsigned n = 0; n < ENTRIES; n++) found("masked", n, APIC(APIC_ENTRY(n)));

    const uint32_t entry = rdmsr(MSR_CTL) & 15;
    found("control", rdmsr(MSR_CTL) >> 8, entry);
    sample("nmi", entry, NMI);
    sample("again", entry, NMI);
    sample("fixed", entry, VECTOR);
    sample("masked", entry, NMI | MASKED);
    APIC(APIC_ENTRY(entry)) = MASKED;
    sample("other", (entry + 1) % ENTRIES, NMI);
    put("extended: done, status 0\r\n");
    for (const char *s = "Shutdown"; *s; s++) out(0x8900, (uint8_t)*s);
    for (;;) __asm__ volatile("cli\n\thlt");
}

__asm__(".section .multiboot, \"a\"\n\t"
        ".long 0x1badb002, 3, -(0x1badb002 + 3)\n\t"
        ".text\n"
        ".globl entry\n"
        "entry: movl $stack + 4096, %esp\n\t"
        "call extended_main\n"
        "ignore: iret\n"

        "on_interrupt: incl interrupts\n\t"
        "movl $0, 0xfee000b0\n\t"
        "iret\n"

        "on_nmi: incl nmis\n\t"
        "iret\n\t"

        ".bss\n\t"
        "stack: .skip 4096\n\t"
        ".text");
