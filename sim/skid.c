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

/* ---- private ---- */

static uint64_t splitmix(uint64_t seed)
{
    uint64_t z = seed + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return z ? z : 1;
}

static uint64_t draw(struct sim_interrupt *r)
{
    r->random ^= r->random >> 12;
    r->random ^= r->random << 25;
    r->random ^= r->random >> 27;
    return r->random * UINT64_C(0x2545F4914F6CDD1D);
}

/* Index of the one drawn. */
static unsigned skid(struct sim_interrupt *r)
{
    if (r->n <= 1) return 0;
    /* The upper half times the total: a share of it, without the bias of a remainder that would show. */
    uint64_t at = (draw(r) >> 32) * r->total >> 32;
    unsigned k = 0;
    while (at >= r->weight[k]) at -= r->weight[k++];
    return k;
}

static void deliver(struct sim *s)
{
    s->interrupt.pending = false;
    if (s->host.pmi) s->host.pmi(s->host.ctx);
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
                              .seed = seed,
                              .random = splitmix(seed)};
    if (spec && !parse(spec, &r)) return false;
    s->interrupt = r;
    return true;
}

/* RESET starts the generator anew: the second run is as the first. */
void sim_pmi_reset(struct sim *s)
{
    s->interrupt.pending = s->interrupt.line = false;
    s->interrupt.random = splitmix(s->interrupt.seed);
}

void sim_pmi(struct sim *s)
{
    struct sim_interrupt *r = &s->interrupt;
    if (r->pending) return;
    unsigned k = skid(r);
    r->left = r->n ? r->after[k] : 0;
    r->drawn[k]++;
    r->pending = true;
    if (!r->left) deliver(s);
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

void sim_pmi_step(struct sim *s, bool halted)
{
    struct sim_interrupt *r = &s->interrupt;
    if (r->pending) {
        if (!halted && --r->left) return;
        deliver(s);
    } else if (r->line) {
        deliver(s);
    }
}
