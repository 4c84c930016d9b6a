/* The extended entries of an AMD processor's local APIC (AMD64 manual, vol. 2, 16.4), and what reaches the
 * processor through them: a multiboot 1 program for the modelled processors of run-bochs.sh (--through),
 * which needs no kernel.
 *
 * Prints a line for each check: its name and what was found. tests/boot/cases/interrupts.sh knows what must
 * be there.
 */
#include "tests/boot/bare.h"

#define APIC_VERSION  0x030
#define APIC_FEATURE  0x400
#define APIC_ENTRY(n) (0x500 + 0x10 * (n))
#define ENTRIES       4
#define DISABLED      (APIC_ENABLED & ~0x100) /* by software */
#define MASKED        0x10000
#define NMI           0x400
#define VECTOR        0x50

#define MSR_OP_CTL 0xc0011033
#define MSR_CTL    0xc001103a
#define OP_ENABLE  (1u << 17)
#define INTERVAL   0x10 /* in units of 16 cycles */

volatile uint32_t nmis, interrupts;
extern const char on_nmi[], on_interrupt[];

static void found(const char *what, uint32_t a, uint32_t b)
{
    put(what);
    put_hex(a);
    put_hex(b);
    put("\r\n");
}

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

void program(void)
{
    static const struct handler handlers[] = {{2, on_nmi}, {VECTOR, on_interrupt}};
    descriptors(handlers, 2);
    found("version feature", APIC(APIC_VERSION) >> 31, APIC(APIC_FEATURE) >> 16 & 0xff);
    for (unsigned n = 0; n < ENTRIES; n++) found("reset", n, APIC(APIC_ENTRY(n)));
    APIC(APIC_SVR) = DISABLED; /* masked, and stays so */
    APIC(APIC_ENTRY(1)) = NMI;
    found("disabled", 1, APIC(APIC_ENTRY(1)));
    APIC(APIC_SVR) = APIC_ENABLED;
    for (unsigned n = 0; n < ENTRIES; n++) APIC(APIC_ENTRY(n)) = 0xffffffff - n;
    for (unsigned n = 0; n < ENTRIES; n++) found("bits", n, APIC(APIC_ENTRY(n)));
    for (unsigned n = 0; n < ENTRIES; n++) APIC(APIC_ENTRY(n)) = NMI;
    APIC(APIC_SVR) = DISABLED;
    APIC(APIC_SVR) = APIC_ENABLED;
    for (unsigned n = 0; n < ENTRIES; n++) found("masked", n, APIC(APIC_ENTRY(n)));

    const uint32_t entry = rdmsr(MSR_CTL) & 15;
    found("control", rdmsr(MSR_CTL) >> 8, entry);
    sample("nmi", entry, NMI);
    sample("again", entry, NMI);
    sample("fixed", entry, VECTOR);
    sample("masked", entry, NMI | MASKED);
    APIC(APIC_ENTRY(entry)) = MASKED;
    sample("other", (entry + 1) % ENTRIES, NMI);
    finish("extended");
}

__asm__(".text\n"
        "on_interrupt: incl interrupts\n\t"
        "movl $0, 0xfee000b0\n\t"
        "iret\n"

        "on_nmi: incl nmis\n\t"
        "iret");
