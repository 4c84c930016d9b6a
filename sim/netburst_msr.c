/* The registers of the NetBurst PMU: existence, writable bits, and RDPMC. */
#include "sim/netburst.h"

enum {
    MSR_MISC_ENABLE = 0x1a0,
    MSR_COUNTER0 = 0x300,
    MSR_CCCR0 = 0x360,
    MSR_TC_PRECISE_EVENT = 0x3f0,
    MSR_PEBS_ENABLE = 0x3f1,
    MSR_PEBS_MATRIX_VERT = 0x3f2,
    MSR_DS_AREA = 0x600,
};

/* IA32_MISC_ENABLE (SDM table 35-41): bits that report features are read-only. */
#define MISC_PERFMON  (UINT64_C(1) << 7)
#define MISC_NO_BTS   (UINT64_C(1) << 11)
#define MISC_NO_PEBS  (UINT64_C(1) << 12)
#define MISC_READONLY (MISC_PERFMON | MISC_NO_BTS | MISC_NO_PEBS)

/* ---- writing ---- */

/* The register behind an MSR number, NULL if it is none of the ESCRs. */
static uint32_t *find_escr(struct sim *s, uint32_t msr)
{
    if (msr < NB_ESCR_FIRST || msr > NB_ESCR_LAST) return NULL;
    for (unsigned unit = 0; unit < NB_UNITS; unit++)
        for (unsigned side = 0; side < 2; side++)
            if (nb_escr_msr(s, unit, side) == msr) return &nb_of(s)->escr[msr - NB_ESCR_FIRST];
    return NULL;
}

static void resolve_all(struct sim *s)
{
    nb_resolve_tags(s);
    for (unsigned n = 0; n < NB_COUNTERS; n++) nb_resolve(s, n);
    nb_update_running(s);
}

/* The CCCRs with a bit for an extended cascade (SDM table 18-65): of IQ_COUNTER0, 3, 4 and 5. */
static bool has_extended_cascade(const struct sim *s, unsigned n)
{
    return nb_of(s)->traits->extended_cascade && (n == 12 || n >= 15);
}

static int write_cccr(struct sim *s, unsigned n, uint64_t value)
{
    struct nb_counter *c = &nb_of(s)->counter[n];
    const bool two = nb_of(s)->two;
    const uint64_t reserved = CCCR_RESERVED & ~(has_extended_cascade(s, n) ? (uint64_t)CCCR_CASCNT : 0) &
                              ~(two ? (uint64_t)CCCR_OVF_PMI_T1 : 0);
    const uint32_t pmi = CCCR_OVF_PMI | (two ? CCCR_OVF_PMI_T1 : 0);
    const bool starts = value & (CCCR_ENABLE | CCCR_CASCADE | CCCR_CASCNT);

    /* "Must be set to 11B" (SDM figure 18-45), but drivers stop a counter by clearing the whole register. */
    if (value & reserved || (starts && !two && (value & CCCR_THREAD) != CCCR_THREAD)) return 0;
    c->cccr = (uint32_t)value;
    if (!(value & CCCR_ENABLE) || !(value & pmi)) c->due = false;
    if (!(value & CCCR_OVF) || !(value & pmi)) c->line = false;
    c->above = c->written = false;
    const unsigned precise = nb_pebs_thread(nb_of(s), n);
    if (precise < NB_THREADS && !starts) nb_of(s)->pebs_armed[precise] = false;
    nb_update_line(s);
    resolve_all(s);
    return 1;
}

/* All 40 bits; higher ones are ignored: OProfile writes all ones there. */
static int write_counter(struct sim *s, unsigned n, uint64_t value)
{
    struct nb_counter *c = &nb_of(s)->counter[n];
    /* N15: to a running counter, only the second of two consecutive writes works. */
    c->written = s->errata & NB_N15 && c->runs && !c->written;
    if (!c->written) c->value = value & NB_COUNTER_MASK;
    nb_update_wants(s);
    return 1;
}

static int write_escr(struct sim *s, uint32_t *escr, uint64_t value)
{
    if (value & ESCR_RESERVED & ~(nb_of(s)->two ? (uint64_t)(ESCR_T1_USR | ESCR_T1_OS) : 0)) return 0;
    *escr = (uint32_t)value;
    resolve_all(s);
    return 1;
}

static int write_limited(struct sim *s, uint64_t *reg, uint64_t value, uint64_t allowed)
{
    if (value & ~allowed) return 0;
    *reg = value;
    resolve_all(s);
    return 1;
}

/* "My thread" and "the other one" are those of whoever executes the WRMSR (SDM 18.16.3, figure 18-49). */
static int write_pebs_enable(struct sim *s, uint64_t value)
{
    struct netburst *nb = nb_of(s);
    if (value & ~(PEBS_TAG_BITS | PEBS_ON | (nb->two ? PEBS_ON_OTHER : 0))) return 0;
    nb->pebs_tags = value & PEBS_TAG_BITS;
    nb->pebs_on[s->thread] = value & PEBS_ON;
    nb->pebs_on[!s->thread] = value & PEBS_ON_OTHER;
    for (unsigned t = 0; t < NB_THREADS; t++) nb->pebs_armed[t] &= nb->pebs_on[t];
    resolve_all(s);
    return 1;
}

static uint64_t read_pebs_enable(const struct sim *s)
{
    const struct netburst *nb = nb_of(s);
    return nb->pebs_tags | (nb->pebs_on[s->thread] ? PEBS_ON : 0) |
           (nb->pebs_on[!s->thread] ? PEBS_ON_OTHER : 0);
}

/* A linear address: canonical where it has 64 bits. */
static int write_ds_area(struct sim *s, uint64_t value)
{
    struct netburst *nb = nb_of(s);
    const uint64_t top = value >> 47;
    if (nb->traits->ds_64bit ? top != 0 && top != 0x1ffff : value >> 32 != 0) return 0;
    nb->ds_area[s->thread] = value;
    return 1;
}

int nb_wrmsr(struct sim *s, uint32_t msr, uint64_t value)
{
    struct netburst *nb = nb_of(s);
    uint32_t *escr;
    if (msr - MSR_COUNTER0 < NB_COUNTERS) return write_counter(s, msr - MSR_COUNTER0, value);
    if (msr - MSR_CCCR0 < NB_COUNTERS) return write_cccr(s, msr - MSR_CCCR0, value);
    if ((escr = find_escr(s, msr))) return write_escr(s, escr, value);
    switch (msr) {
    case MSR_MISC_ENABLE:
        nb->misc_enable = (value & ~MISC_READONLY) | (nb->misc_enable & MISC_READONLY);
        return 1;
    case MSR_TC_PRECISE_EVENT:
        return write_limited(s, &nb->tc_precise, value, UINT32_MAX);
    case MSR_PEBS_ENABLE:
        return write_pebs_enable(s, value);
    case MSR_PEBS_MATRIX_VERT:
        return write_limited(s, &nb->pebs_matrix, value, PEBS_MATRIX_BITS);
    case MSR_DS_AREA:
        return write_ds_area(s, value);
    default:
        return -1;
    }
}

/* ---- reading ---- */

int nb_rdmsr(struct sim *s, uint32_t msr, uint64_t *value)
{
    struct netburst *nb = nb_of(s);
    const uint32_t *escr;
    if (msr - MSR_COUNTER0 < NB_COUNTERS)
        *value = nb->counter[msr - MSR_COUNTER0].value;
    else if (msr - MSR_CCCR0 < NB_COUNTERS)
        *value = nb->counter[msr - MSR_CCCR0].cccr;
    else if ((escr = find_escr(s, msr)))
        *value = *escr;
    else if (msr == MSR_MISC_ENABLE)
        *value = nb->misc_enable;
    else if (msr == MSR_TC_PRECISE_EVENT)
        *value = nb->tc_precise;
    else if (msr == MSR_PEBS_ENABLE)
        *value = read_pebs_enable(s);
    else if (msr == MSR_PEBS_MATRIX_VERT)
        *value = nb->pebs_matrix;
    else if (msr == MSR_DS_AREA)
        *value = nb->ds_area[s->thread];
    else
        return -1;
    return 1;
}

/* ECX bit 31: the fast read, of the low half only (SDM vol. 2, RDPMC). */
enum sim_rdpmc nb_rdpmc(struct sim *s, uint32_t ecx, uint64_t *value)
{
    const uint32_t n = ecx & 0x7fffffff;
    if (n >= NB_COUNTERS) return SIM_RDPMC_GP;
    *value = nb_of(s)->counter[n].value;
    /* N17: unreliable above bit 31. */
    if (ecx >> 31 || s->errata & NB_N17) *value &= UINT32_MAX;
    return SIM_RDPMC_OK;
}
