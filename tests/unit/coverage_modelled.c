/* The programming of coverage_modelled.h. */
#include "tests/unit/coverage_modelled.h"
#include "sim/netburst.h"
#include <string.h>

static bool all_modelled(struct sim *s)
{
    const char *name;
    return sim_unmodelled(s, &name, 1) == 0;
}

#define ENABLED 0x430000u /* EN, OS, USR of an event select */

/* On one counter after the other, whose selects begin there. */
static bool on_any(struct sim *s, uint32_t first, unsigned n, uint64_t select)
{
    for (uint32_t msr = first; msr < first + n; msr++) {
        if (sim_wrmsr(s, msr, select) == 1 && all_modelled(s)) return true;
        sim_wrmsr(s, msr, 0);
    }
    return false;
}

/* A fixed counter has event select 0 and its number, from 1 on, in the unit mask. The second word goes to
 * IA32_OFFCORE_RSP_n, MSR_PEBS_FRONTEND or MSR_PEBS_LD_LAT. */
bool arch_modelled(struct sim *s, const struct event *e)
{
    const uint32_t select = (uint32_t)e->code[0], code = select & 0xffff;
    uint32_t second = 0;
    if (!(code & 0xff)) {
        /* libpfm4 has 0200h, which are the fixed cycles, also for A4/02 of Ice Lake. */
        if (strncmp(e->name, "TOPDOWN:", 8) == 0) return false;
        if (code >> 8 > 4) return false; /* 8000h to 8700h in later libraries: MSR 329h, no counter */
        return sim_wrmsr(s, 0x38d, UINT64_C(3) << 4 * ((code >> 8) - 1)) == 1 && all_modelled(s);
    }
    if (e->code[1]) second = (code & 0xff) == 0xb7 ? 0x1a6 : (code & 0xff) == 0xbb ? 0x1a7 : 0x3f7;
    if (second && sim_wrmsr(s, second, e->code[1]) != 1) return false;
    return on_any(s, 0x186, 2, select | ENABLED);
}

bool amd_modelled(struct sim *s, const struct event *e)
{
    return on_any(s, 0xc0010000, 4, e->code[0] | ENABLED);
}

/* CESR; the second word says which of the counters have it. */
bool p5_modelled(struct sim *s, const struct event *e)
{
    const uint32_t select = (uint32_t)e->code[0] | 3 << 6, on = (uint32_t)e->code[1];
    return sim_wrmsr(s, 0x11, (on & 1 ? select : 0) | (on & 2 ? select << 16 : 0)) == 1 && all_modelled(s);
}

/* On both counters at once: on the wrong one of an event that is one counter's alone nothing counts, which is
 * modelled. PerfEvtSel1 has no EN. */
bool p6_modelled(struct sim *s, const struct event *e)
{
    const uint64_t select = e->code[0] | ENABLED;
    return sim_wrmsr(s, 0x186, select) == 1 && sim_wrmsr(s, 0x187, select & ~UINT64_C(0x400000)) == 1 &&
           all_modelled(s);
}

/* ESCR, but for the other thread's bits, and CCCR, on the counters that ESEL wires to the event's unit. */
bool netburst_modelled(struct sim *s, const struct event *e)
{
    for (unsigned n = 0, side; n < NB_COUNTERS; n++) {
        if (nb_route(n, CCCR_ESEL(e->code[1]), &side) != e->code[2]) continue;
        const uint32_t escr = nb_escr_msr(s, (enum nb_unit)e->code[2], side);
        if (escr && sim_wrmsr(s, escr, e->code[0] & ~UINT64_C(3)) == 1 && on_any(s, 0x360 + n, 1, e->code[1]))
            return true;
    }
    return false;
}
