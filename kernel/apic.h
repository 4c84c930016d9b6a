/* The local APIC: found, software-enabled, every local interrupt masked at its source. */
#pragma once
#include "kernel/cpuid.h"
#include "kernel/hw.h"
#include <stdbool.h>

enum apic_mode { APIC_ABSENT, APIC_DISABLED, APIC_XAPIC, APIC_X2APIC };

/* Entries of the local vector table, in the order in which apic_init() visits them. */
enum apic_entry {
    APIC_ERROR,
    APIC_TIMER,
    APIC_LINT0,
    APIC_LINT1,
    APIC_PC,
    APIC_THERMAL,
    APIC_CMCI,
    APIC_ENTRIES
};

struct apic {
    enum apic_mode mode;        /* DISABLED: by the firmware, or out of reach */
    bool firmware_off;          /* MSR 1Bh had it disabled at first */
    bool asked;                 /* apic=on asked to enable it */
    unsigned left;              /* interrupts found in service or pending */
    uint64_t base;              /* physical address (xAPIC) */
    uint32_t id, version, lvts; /* lvts: number of local vector table entries */
    uint32_t extended;          /* AMD: of the extended table */
    uint32_t extended_smi;      /* bit n: the firmware handles its entry n by SMI */
    volatile bool draining;     /* apic_init() lets pending interrupts in */
    uint32_t
        smi[APIC_ENTRIES]; /* those whose interrupts the firmware handles, by SMI; 0: the entry is not one */
};

const char *apic_mode_name(enum apic_mode m); /* "absent", "disabled", "xapic", "x2apic" */
/* The lowest vector pending in the interrupt request register, or -1. One that is pending means that some
 * device is not silenced; and on some cores a pending masked interrupt changes how instructions retire. */
int apic_pending(const struct apic *a);

/* The word for an entry: "thermal", "performance counter", ... */
const char *apic_entry_name(enum apic_entry entry);

/* Find it, mask its entries except those that raise SMIs, which are the firmware's, clear what the firmware
 * left in service or pending, and let only our vectors' priority class through. Needs gates for all vectors.
 * enable: enable an APIC that the firmware disabled (apic=on). Laptops of 1999-2005 hang in their firmware
 * after that, so Linux, too, does it on request only
 * ("lapic"). Handlers find a in this CPU's block (kernel/percpu.h). */
void apic_init(const struct cpu_id *id, struct apic *a, bool enable);

/* On a started processor, after its apic_init(): INIT has cleared the firmware's entries for thermal
 * interrupts, CMCI and counters, so it gets those of the processor that booted (Linux, intel_init_thermal()).
 */
void apic_restore_smi(struct apic *a, const struct apic *booted);

/* For handlers; a may be NULL. True: this vector was in service, and the EOI was sent. */
bool apic_acknowledge(const struct apic *a, uint32_t vector);
void apic_eoi(const struct apic *a);

/* For handlers, while apic_init() lets pending interrupts in: one at a time, and each returns with interrupts
 * disabled. Otherwise a device that requests for ever would keep the CPU. */
static inline bool apic_draining(const struct apic *a) { return a && a->draining; }

/* ---- other processors ---- */

/* What an interrupt command delivers (SDM vol. 3A figure 10-12), with the vector where it has one. */
#define IPI_FIXED         0x4000u
#define IPI_NMI           0x4400u
#define IPI_INIT          0xc500u /* level-triggered, asserted; a Pentium needs the de-assertion, too */
#define IPI_INIT_DEASSERT 0x8500u
#define IPI_STARTUP       0x4600u /* the vector is the number of the page */

/* Send it to the processor with this APIC ID, above 255 with x2APIC only. False: the APIC is still busy with
 * the one before. In handlers, too. */
bool apic_ipi(const struct apic *a, uint32_t id, uint32_t command);

/* ---- sampling ---- */

/* Fields of a local vector table entry (SDM vol. 3A figure 10-8): the vector, and */
#define LVT_MODE     (7u << 8) /* delivery mode: */
#define LVT_SMI      (2u << 8) /* to the firmware; the vector is 0 */
#define LVT_NMI      (4u << 8) /* delivery mode; the vector is ignored */
#define LVT_EXTINT   (7u << 8) /* likewise: the 8259s supply the vector */
#define LVT_MASKED   (1u << 16)
#define LVT_PERIODIC (1u << 17) /* timer only */

/* Does the table have an entry for the performance counters? Since the P6. */
bool apic_has_pmi(const struct apic *a);
/* Set that entry. NetBurst and all CPUs since the Pentium M mask it at delivery, so each handler sets it
 * again (struct apic_pmi_entry); an interrupt of fixed mode needs an EOI after that, an NMI none (10.8.4,
 * 10.5.1).
 */
void apic_pmi(const struct apic *a, uint32_t entry);

/* The same for an entry of AMD's extended table, from 0 to extended - 1: IBS interrupts through one. Nothing
 * masks it at delivery. (APM vol. 2, 16.4.5; in x2APIC mode these are MSRs too, 16.11.) */
void apic_extended(const struct apic *a, unsigned n, uint32_t entry);

/* The registers in memory, for a handler; NULL with x2APIC, whose registers are MSRs. */
volatile uint32_t *apic_pmi_register(const struct apic *a);
volatile uint32_t *apic_timer_register(const struct apic *a); /* its initial count */
#define APIC_TIMER_LEFT 4                                     /* words further: the current count */
volatile uint32_t *apic_eoi_register(const struct apic *a);   /* takes 0 */
#define X2APIC_EOI    0x80b
#define X2APIC_LVT_PC 0x834

/* The performance entry, as a handler sets it again. at is in memory; with x2APIC it is a word that nothing
 * reads. */
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
/* While it counts: from ticks again, at once, with the entry that it has. */
void apic_timer_again(const struct apic *a, uint32_t ticks);

/* Let the interrupts of the 8259s through, on LINT0, or not. Where no APIC is enabled they always come
 * through. */
void apic_extint(const struct apic *a, bool through);

/* Let them through as NMIs, which IF does not hold back; the handler asks the 8259 (pic_poll_timer()). Only
 * with an APIC that is enabled. apic_extint() ends it. */
void apic_pic_nmi(const struct apic *a);

/* The same for NMIs from the board, on LINT1 (a Pentium's pin NMI is LINT1, and PM0 may be wired to it). */
void apic_nmi(const struct apic *a, bool through);
