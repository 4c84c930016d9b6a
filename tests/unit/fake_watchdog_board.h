/* A machine for the watchdog: an 8254, two 8259s, a real-time clock, a P6's counters and a local APIC, whose
 * time passes with each access and whose NMIs come between any two of them. */
#pragma once
#include "kernel/hw.h"
#include "kernel/pic.h"
#include "kernel/vectors.h"
#include "measure/watchdog.h"
#include "pmu/p6.h"
#include "tests/unit/fake_trap.h"
#include "tests/unit/unit.h"
#include <string.h>

#define HZ (1000ull * PIT_HZ) /* of the TSC: 1,000 ticks for a clock of the 8254 */
#define MS (HZ / 1000)

#define SET(kind) (1u << WATCHDOG_##kind)

extern struct fake_board {
    bool no_timer, unwired; /* no 8254; the 8259 does not reach LINT0 */
    /* QEMU's requests do not fall with the input, Bochs's are not acknowledged by the poll command. */
    enum { DATA_SHEET, QEMU, BOCHS, KINDS } kind;
    uint64_t now, fires;   /* fires: when the 8254's output rises; 0: it does not */
    unsigned bytes, count; /* written behind the control word */
    bool one_shot, output;
    uint8_t mask, requested, in_service, step;
    bool polled, requests_read, service_read, pin;
    bool rtc, binary, updating; /* there is a real-time clock; its time is not in BCD */
    uint64_t ticked, periodic;  /* seconds and 1/1024 s that have begun */
    uint8_t reg[16], index, slave_mask;
    bool rtc_line, slave_requests;
    bool masks; /* the APIC's performance entry, at delivery */
    uint64_t select[2], counter[2], counted;
    bool halted;
    bool no_apic;
    bool enabled, in_handler; /* interrupts: IF */
    unsigned handled;
    unsigned latency, nmi_in; /* accesses from an NMI to its handler; those left */
} b;

extern struct machine machine;
extern struct cpu *cpu;
extern struct pmu pmu;

/* A new machine with an 8254, of which nothing is used; cpu and machine are its. */
void plug(enum apic_mode mode);

/* ... and a real-time clock; its time is binary, or BCD. */
void plug_rtc(bool binary);

/* ... and counters. masks: the APIC's performance entry is masked with each interrupt. */
void plug_counters(bool masks);

/* So many ticks pass. */
void pass(uint64_t ticks);

/* The CPU takes this interrupt now. */
void interrupt(uint32_t vector);

/* A call of so many ticks, at CPL 3 where by is the interrupt. */
void call(unsigned by, uint64_t ticks);
extern unsigned so_far; /* disturbances before the last call */

/* As it was found: everything masked, nobody's interrupts. An NMI on its way while its request was withdrawn
 * is a stray. */
void is_quiet(void);
