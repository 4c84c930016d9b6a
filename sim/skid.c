/* The way of a counter's interrupt to the local APIC: how many instructions retire in between, drawn from a
 * distribution by a seeded generator, so that a run can be repeated; and a line that stays asserted.
 *
 * The generator is xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators,
 * scrambled", 2016), its state taken from the seed by one step of splitmix64, so that every seed, 0 too,
 * does.
 */
#include "sim/core.h"
#include <string.h>

#define MOST 1000000u

/* ---- the generator ---- */

uint64_t sim_random_seed(uint64_t seed)
{
    uint64_t z = seed + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return z ? z : 1;
}

uint64_t sim_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* ---- private ---- */

/* Index of the one drawn. */
static unsigned skid(struct sim_interrupt *r)
{
    if (r->n <= 1) return 0;
    /* The upper half times the total: a share of it, without the bias of a remainder that would show. */
    uint64_t at = (sim_random(&r->random) >> 32) * r->total >> 32;
    unsigned k = 0;
    while (at >= r->weight[k]) at -= r->weight[k++];
    return k;
}

static void deliver(struct sim *s)
{
    s->interrupt.pending = false;
    if (s->host.pmi) s->host.pmi(s->host.ctx);
}

static void deliver_ibs(struct sim *s)
{
    s->interrupt.ibs.pending = false;
    if (s->host.ibs) s->host.ibs(s->host.ctx, s->interrupt.ibs.entry);
}

/* The instructions until the one that is asked for now. */
static uint32_t draw_skid(struct sim_interrupt *r)
{
    const unsigned k = skid(r);
    r->drawn[k]++;
    return r->n ? r->after[k] : 0;
}

/* A decimal number up to MOST; moves *at behind it. */
static bool number(const char **at, uint32_t *value)
{
    const char *p = *at;
    uint32_t v = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        v = v * 10 + (uint32_t)(*p - '0');
        if (v > MOST) return false;
    }
    if (p == *at) return false;
    *at = p;
    *value = v;
    return true;
}

static bool parse(const char *spec, struct sim_interrupt *r)
{
    for (bool more = true; more; r->n++) {
        if (r->n == SIM_SKIDS || !number(&spec, &r->after[r->n])) return false;
        r->weight[r->n] = 1;
        if (*spec == 0) {
            more = false;
            if (r->n) return false; /* one without a weight among others */
        } else {
            if (*spec++ != ':' || !number(&spec, &r->weight[r->n]) || !r->weight[r->n]) return false;
            more = *spec == ',';
            if (*spec && *spec++ != ',') return false;
        }
        r->total += r->weight[r->n];
    }
    return true;
}

/* ---- public ---- */

bool sim_skid(struct sim *s, const char *spec, uint64_t seed)
{
    struct sim_interrupt r = {.pending = s->interrupt.pending,
                              .line = s->interrupt.line,
                              .left = s->interrupt.left,
                              .ibs = s->interrupt.ibs,
                              .seed = seed,
                              .random = sim_random_seed(seed)};
    if (spec && !parse(spec, &r)) return false;
    s->interrupt = r;
    return true;
}

/* RESET starts the generator anew: the second run is as the first. */
void sim_pmi_reset(struct sim *s)
{
    s->interrupt.pending = s->interrupt.line = s->interrupt.ibs.pending = false;
    s->interrupt.random = sim_random_seed(s->interrupt.seed);
}

void sim_pmi(struct sim *s)
{
    struct sim_interrupt *r = &s->interrupt;
    if (r->pending) return;
    r->left = draw_skid(r);
    r->pending = true;
    if (!r->left) deliver(s);
}

void sim_ibs(struct sim *s, unsigned entry)
{
    struct sim_interrupt *r = &s->interrupt;
    if (r->ibs.pending) return;
    r->ibs.left = draw_skid(r);
    r->ibs.entry = (uint8_t)entry;
    r->ibs.pending = true;
    if (!r->ibs.left) deliver_ibs(s);
}

void sim_pmi_line(struct sim *s, bool asserted)
{
    struct sim_interrupt *r = &s->interrupt;
    const bool before = r->line;
    r->line = asserted;
    if (!asserted)
        r->pending = false;
    else if (!before)
        sim_pmi(s);
}

void sim_pmi_step(struct sim *s, unsigned busy, bool halted)
{
    struct sim_interrupt *r = &s->interrupt;
    if (busy & SIM_BUSY_PMI && (r->pending ? halted || !--r->left : r->line)) deliver(s);
    if (busy & SIM_BUSY_IBS && r->ibs.pending && (halted || !--r->ibs.left)) deliver_ibs(s);
}
