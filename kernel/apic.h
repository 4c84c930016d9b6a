/* The local APIC: found, software-enabled, every local interrupt masked at its source. */
#pragma once
#include "kernel/cpuid.h"
#include "kernel/hw.h"
#include <stdbool.h>

enum apic_mode { APIC_ABSENT, APIC_DISABLED, APIC_XAPIC, APIC_X2APIC };

struct apic {
    enum apic_mode mode;        /* DISABLED: by the firmware, or out of reach */
    bool firmware_off;          /* MSR 1Bh said so when it was found */
    bool asked;                 /* apic=on: it was to be enabled then */
    unsigned left;              /* interrupts that were found in service or waiting */
    uint64_t base;              /* physical address (xAPIC) */
    uint32_t id, version, lvts; /* lvts: number of local vector table entries */
};

const char *apic_mode_name(enum apic_mode m); /* "absent", "disabled", "xapic", "x2apic" */
/* The lowest vector that waits in the interrupt request register, -1 when none does: some device that nobody
 * has silenced asks for attention, and on some cores a pending masked interrupt changes how instructions
 * retire. */
int apic_pending(const struct apic *a);

/* Find it, mask its entries, forget what the firmware left in service or waiting, and let only our vectors'
 * priority class through. Needs gates for all vectors. enable: one that the firmware disabled shall be
 * enabled (apic=on); laptops of 1999-2005 hang in their firmware after that, so Linux needs to be told, too
 * ("lapic"). a is kept, for handlers. */
void apic_init(const struct cpu_id *id, struct apic *a, bool enable);

/* For handlers. True: this vector was in service, and has its EOI. */
bool apic_acknowledge(uint32_t vector);
void apic_eoi(const struct apic *a);

/* While apic_init() lets in what waits: one interrupt at a time, each returns with interrupts disabled, or a
 * device that asks for ever would keep the CPU. */
extern volatile bool apic_draining;

/* ---- sampling ---- */

/* Of an entry of the local vector table (SDM vol. 3A figure 10-8): the vector, and */
#define LVT_NMI      (4u << 8) /* delivery mode; the vector means nothing then */
#define LVT_EXTINT   (7u << 8) /* likewise: the 8259s say it */
#define LVT_MASKED   (1u << 16)
#define LVT_PERIODIC (1u << 17) /* timer only */

/* Does the table have the performance counters' entry? From the P6 on. */
bool apic_has_pmi(const struct apic *a);
/* Set it. NetBurst and all since the Pentium M mask it when they deliver, so that each handler sets it again
 * (struct apic_pmi_entry); an interrupt of fixed mode needs an EOI after that, an NMI none (10.8.4, 10.5.1).
 */
void apic_pmi(const struct apic *a, uint32_t entry);

/* Where a handler finds them in memory, NULL with x2APIC: there they are MSRs. */
volatile uint32_t *apic_pmi_register(const struct apic *a);
volatile uint32_t *apic_eoi_register(const struct apic *a); /* takes 0 */
#define X2APIC_EOI    0x80b
#define X2APIC_LVT_PC 0x834

/* It, as a handler sets it again: at is in memory, and with x2APIC a word that nobody reads. */
struct apic_pmi_entry {
    volatile uint32_t *at;
    uint32_t entry;
    bool x2apic;
};
static inline __attribute__((always_inline)) void apic_pmi_again(const struct apic_pmi_entry *e)
{
    *e->at = e->entry;
    if (__builtin_expect(e->x2apic, 0)) hw_wrmsr(X2APIC_LVT_PC, e->entry);
}

/* Set the timer's entry and let it count down from ticks of its input clock (0: stop). */
void apic_timer(const struct apic *a, uint32_t entry, uint32_t ticks);
uint32_t apic_timer_left(const struct apic *a);

/* Let the interrupts of the 8259s through, on LINT0, or not. Where no APIC is on they need nobody's leave. */
void apic_extint(const struct apic *a, bool through);

/* The same for NMIs from the board, on LINT1 (a Pentium's pin NMI is LINT1, and PM0 may be wired to it). */
void apic_nmi(const struct apic *a, bool through);
