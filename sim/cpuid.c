/* Queries of the model: CPUID, with its own leaves of kernel/model.h, and programmed events that are not
 * modelled. */
#include "kernel/model.h"
#include "sim/core.h"
#include <string.h>

unsigned sim_unmodelled(const struct sim *s, const char **names, unsigned max)
{
    unsigned k = 0;
    for (unsigned n = 0; n < s->family->general + s->family->fixed; n++)
        k += s->family->unmodelled(s, n, names + k, max - k);
    return k;
}

bool sim_has_clocks(const struct sim *s, const uint8_t *terms, unsigned n)
{
    const struct sim_clocks *c = &s->family->clocks;
    for (unsigned k = 0; k < n && terms[k]; k++) {
        if (terms[k] == c->running || terms[k] == c->halted || terms[k] == c->all) return true;
        for (const uint8_t *d = c->durations; d && *d; d++)
            if (*d == terms[k]) return true;
    }
    return false;
}

/* MODEL_LEAF_COUNTS, of a counter by RDPMC's number for it. */
static uint32_t counts(const struct sim *s, uint32_t rdpmc)
{
    const char *name;
    const struct sim_family *f = s->family;
    const bool fixed = rdpmc & MODEL_FIXED;
    const uint32_t i = rdpmc & ~MODEL_FIXED, n = fixed ? f->general + i : i;
    if (i >= (fixed ? f->fixed : f->general)) return 0;
    return (f->unmodelled(s, n, &name, 1) ? MODEL_LACKS : 0) | (f->counts_clocks(s, n) ? MODEL_CLOCKS : 0);
}

static void name(const struct sim *s, uint32_t regs[4])
{
    char text[MODEL_NAME_BYTES] = {0};
    memcpy(text, s->model->name, strnlen(s->model->name, sizeof text));
    memcpy(regs, text, sizeof text);
}

void sim_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const uint32_t who[4] = {MODEL_LEAF_NAME, MODEL_SIGNATURE};
    const uint32_t answer[4] = {leaf == MODEL_LEAF_COUNTS ? counts(s, subleaf) : 0};
    const uint32_t parts[4] = {(s->family->predicts ? 0 : MODEL_NO_PREDICTOR) |
                               (s->family->translates ? 0 : MODEL_NO_TLBS)};
    if (leaf == MODEL_LEAF)
        memcpy(regs, who, sizeof who);
    else if (leaf == MODEL_LEAF_COUNTS)
        memcpy(regs, answer, sizeof answer);
    else if (leaf == MODEL_LEAF_PARTS)
        memcpy(regs, parts, sizeof parts);
    else if (leaf == MODEL_LEAF_NAME)
        name(s, regs);
    else
        s->family->cpuid(s, leaf, subleaf, regs);
    if (s->bus || s->sibling) sim_topology_cpuid(s, leaf, subleaf, regs);
}
