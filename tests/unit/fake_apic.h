/* A CPU with a local APIC for host tests: an x2APIC, whose registers are MSRs, so that they can do something;
 * where the mode does not matter a page of memory is an xAPIC that does nothing.
 *
 * It stands in the place of fake_hw.h's CPUID, MSRs and TSC. */
#pragma once
#include "kernel/apic.h"

#define MSR_BASE    0x1b
#define BASE_ENABLE (1u << 11)
#define BASE_X2APIC (1u << 10)
#define VERSION     0x00060015u

/* MSR 800h + register / 16 */
enum {
    ESR = 0x28,
    ID = 2,
    VERSION_REG = 3,
    TPR = 8,
    EOI = 0xb,
    SVR = 0xf,
    ISR = 0x10,
    TMR = 0x18,
    IRR = 0x20,
    CMCI = 0x2f,
    ICR = 0x30,
    LVT_FIRST = 0x32,
    LVT_LAST = 0x37,
    LINT0 = 0x35,
    ERROR = 0x37,
    TIMER_INIT = 0x38,
    TIMER_NOW = 0x39,
    DIVIDE = 0x3e
};

/* The machine. */
extern struct fake_apic {
    uint64_t base;
    bool no_base, stuck, cpuid_stuck; /* no MSR 1Bh; its enable bit cannot be set; CPUID does not follow it */
    bool deaf;                        /* no MSR 800h and so on */
    uint32_t edx;                     /* CPUID.1 */
    uint32_t reg[0x54];
    uint32_t high;                                  /* of the last MSR that was written */
    bool serialized;                                /* a serializing instruction stands before this write */
    bool in_service[256], waiting[256], again[256]; /* again: of a device that asks for ever */
    unsigned taken[256], eois, written, esr;        /* written: WRMSRs of MSR 1Bh; esr: writes of that */
    uint8_t order[64];                              /* which registers were written */
    unsigned n_order;
    bool open; /* to interrupts */
    unsigned opened;
} m;

extern uint8_t *page; /* the xAPIC's registers, where 36 bits reach; after plug_xapic() */

/* A machine whose APIC is enabled and idle, as an x2APIC, or an xAPIC that may be disabled. */
void plug_x2apic(void);
void plug_xapic(bool enabled);

/* apic_init() on it. */
struct apic init(bool enable);

/* The highest vector of in_service or waiting, -1 for none. */
int highest(const bool *set);
