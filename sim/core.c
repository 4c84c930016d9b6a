/* The model's core: models by name, and the way of each fact through its family to counters and oracle. */
#include "sim/core.h"
#include <stdlib.h>
#include <string.h>

static const struct sim_model *const tables[] = {sim_p5_models, sim_p6_models};

#define N_TABLES (sizeof tables / sizeof *tables)

/* ---- private ---- */

static const struct sim_model *find_model(const char *name)
{
    for (unsigned t = 0; t < N_TABLES; t++) {
        for (const struct sim_model *m = tables[t]; m->name; m++) {
            if (strcmp(m->name, name) == 0) return m;
        }
    }
    return NULL;
}

/* Bits of the switches named in list, by index into names. */
static bool parse_errata(const char *const *names, const char *list, uint32_t *bits)
{
    *bits = 0;
    if (!list) return true;
    while (*list) {
        size_t len = strcspn(list, ",");
        unsigned k = 0;
        while (names[k] && (strlen(names[k]) != len || strncmp(names[k], list, len) != 0)) k++;
        if (!names[k]) return false;
        *bits |= 1u << k;
        list += len;
        if (*list == ',' && *++list == 0) return false;
    }
    return true;
}

/* What is in the tally was done at one privilege level. */
static inline void at_level(struct sim *s, unsigned cpl)
{
    if (s->cpl == cpl) return;
    sim_settle(s);
    s->cpl = cpl;
}

static void clear(struct sim_tally *y)
{
    for (unsigned k = 0; k < y->n_touched; k++) y->count[y->touched[k]] = 0;
    y->n_touched = 0;
}

/* ---- public ---- */

struct sim *sim_new(const char *model, const char *errata, const struct sim_host *host)
{
    const struct sim_model *m = find_model(model);
    uint32_t bits;
    if (!m || !parse_errata(m->family->errata, errata, &bits)) return NULL;
    struct sim *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->model = m;
    s->family = m->family;
    s->model_bit = (uint8_t)(1u << (m - m->family->models));
    s->errata = bits;
    if (host) s->host = *host;
    if (!s->family->init(s)) {
        sim_free(s);
        return NULL;
    }
    sim_reset(s);
    return s;
}

void sim_free(struct sim *s)
{
    if (!s) return;
    sim_oracle_free(s);
    s->family->fini(s);
    free(s);
}

const char *sim_model_name(unsigned i)
{
    for (unsigned t = 0; t < N_TABLES; t++) {
        for (const struct sim_model *m = tables[t]; m->name; m++) {
            if (i-- == 0) return m->name;
        }
    }
    return NULL;
}

void sim_reset(struct sim *s)
{
    sim_settle(s);
    s->active = s->oracle != NULL;
    s->cpl = 0;
    s->family->reset(s);
}

bool sim_wants_facts(const struct sim *s) { return s->active; }

void sim_settle_tally(struct sim *s)
{
    s->family->count(s);
    if (s->oracle) sim_oracle_add(s);
    clear(&s->tally);
}

void sim_instruction(struct sim *s, const struct sim_insn *i)
{
    if (!s->active) return;
    at_level(s, i->cpl);
    s->ip = i->lin;
    s->retired++;
    s->family->instruction(s, i);
    sim_settle(s);
}

void sim_more_accesses(struct sim *s, const struct sim_access *a, unsigned n, unsigned cpl)
{
    if (!s->active) return;
    at_level(s, cpl);
    s->family->accesses(s, a, n);
}

void sim_exception(struct sim *s, unsigned vector, unsigned cpl)
{
    if (!s->active) return;
    at_level(s, cpl);
    s->family->exception(s, vector);
    sim_settle(s);
}

void sim_interrupt(struct sim *s, unsigned vector, bool nmi, unsigned cpl)
{
    if (!s->active) return;
    at_level(s, cpl);
    s->family->interrupt(s, vector, nmi);
    sim_settle(s);
}

void sim_stray_access(struct sim *s, const struct sim_access *a, unsigned cpl)
{
    if (!s->active) return;
    at_level(s, cpl);
    s->family->accesses(s, a, 1);
    sim_settle(s);
}

void sim_walk_access(struct sim *s, uint64_t phys, unsigned cpl)
{
    if (!s->active) return;
    at_level(s, cpl);
    s->family->walk(s, phys);
}

void sim_tlb_flush(struct sim *s, bool globals)
{
    if (s->active) s->family->tlb_flush(s, globals);
}

void sim_tlb_invalidate(struct sim *s, uint64_t lin)
{
    if (s->active) s->family->tlb_invalidate(s, lin);
}

void sim_cache_flush(struct sim *s, bool write_back)
{
    if (!s->active) return;
    at_level(s, 0); /* WBINVD and INVD are for CPL 0 */
    s->family->cache_flush(s, write_back);
}

void sim_debug_registers(struct sim *s, const uint64_t dr[4], uint32_t dr7)
{
    if (s->family->debug_registers) s->family->debug_registers(s, dr, dr7);
}

void sim_ticks(struct sim *s, uint64_t cycles, bool halted, unsigned cpl)
{
    if (!s->active) return;
    at_level(s, cpl);
    s->family->ticks(s, cycles, halted);
    if (halted)
        sim_settle(s); /* no instruction will come to do it, and an overflow may have to end the HLT */
}

int sim_rdmsr(struct sim *s, uint32_t msr, uint64_t *value)
{
    sim_settle(s);
    return s->family->rdmsr(s, msr, value);
}

/* What came before belongs to the old programming, WRMSR's own retirement to the new. */
int sim_wrmsr(struct sim *s, uint32_t msr, uint64_t value)
{
    sim_settle(s);
    int done = s->family->wrmsr(s, msr, value);
    if (done == 1 && s->oracle) sim_oracle_programmed(s);
    return done;
}

enum sim_rdpmc sim_rdpmc(struct sim *s, uint32_t ecx, unsigned cpl, bool cr4_pce, bool cr0_pe,
                         uint64_t *value)
{
    sim_settle(s);
    return s->family->rdpmc(s, ecx, cpl, cr4_pce, cr0_pe, value);
}

void sim_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    s->family->cpuid(s, leaf, subleaf, regs);
}
