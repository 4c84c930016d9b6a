/* Instruction-based sampling: what is written of a tagged op or fetch. An instruction is one op, and
 * latencies are the model's own (docs/pmu-model.md). The oracle's trace says the same accesses in its own
 * words. */
#include "sim/amd.h"
#include "sim/text.h"

/* The model's own: cycles of an op that misses no cache, from its tag to its retirement and from its
 * completion to it; and of a fetch that hits. */
#define TAG_TO_RETIRE        10
#define COMPLETION_TO_RETIRE 2
#define FETCH_HIT            1

static struct amd_ibs *ibs_of(struct sim *s) { return &((struct amd *)s->state)->ibs; }

/* ---- the data ---- */

static bool prefetches(const struct sim_insn *i)
{
    return i->cache_op >= CACHE_PREFETCH_T0 && i->cache_op <= CACHE_PREFETCH_W;
}

void amd_look(struct sim *s, const struct sim_insn *i)
{
    struct amd *p = s->state;
    struct amd_seen *seen = &p->seen;

    seen->access = NULL;
    seen->kinds = 0;
    seen->prefetch = prefetches(i);
    if (seen->prefetch) {
        seen->line = (struct sim_access){
            .lin = i->line.lin, .phys = i->line.phys, .kind = SIM_READ, .uncached = i->line.uncached};
        seen->access = &seen->line;
        seen->kinds = SIM_READ;
    }
    for (unsigned k = 0; k < i->n_access; k++) {
        const struct sim_access *a = &i->access[k];
        if (!a->bytes) continue;
        if (!seen->access || (a->kind & SIM_READ && !(seen->kinds & SIM_READ))) seen->access = a;
        seen->kinds |= a->kind;
    }
    if (!seen->access) return;
    seen->from_others = s->lines.in;
    seen->found =
        seen->access->uncached ? FOUND_UNCACHED : amd_find(&p->memory, seen->access->phys, p->memory.l1d);
}

/* After the caches have seen it: what was in memory by our own may have been modified in another one's. */
static enum amd_found found(const struct sim *s)
{
    const struct amd_seen *seen = &((const struct amd *)s->state)->seen;
    const bool beyond = seen->found == FOUND_L3 || seen->found == FOUND_MEMORY;
    return beyond && s->lines.in != seen->from_others ? FOUND_OTHER : seen->found;
}

/* IbsOpMemWidth (PPR): 1 for a byte, 2 for two, 3 for four ... Of 10 bytes the first 8. */
static unsigned width(unsigned bytes)
{
    unsigned code = 0;
    for (; bytes && code < 7; bytes >>= 1) code++;
    return code;
}

static bool misaligned(const struct amd_ibs_traits *t, const struct sim_access *a)
{
    const unsigned n = t->aligned;
    return (a->lin + a->bytes - 1) / n - a->lin / n + 1 > (a->bytes + n - 1) / n;
}

/* IbsOpData2's data source: of a load that misses the L2. The node's own caches, another node's, memory. From
 * Zen on Linux' two tables; before, L3 is 1 and another core's cache 2, with bit 4 of another node (AMD's IBS
 * toolkit, ibs_decoder.c; HPCToolkit's IBS metrics, after the BKDG's NbIbsReqSrc). */
static uint64_t source(const struct amd_ibs_traits *t, enum amd_found where)
{
    switch (where) {
    case FOUND_L3:
        return t->from_l3 | DATA2_HIT_O;
    case FOUND_OTHER:
        return t->from_other | DATA2_REMOTE;
    case FOUND_MEMORY:
        return 3;
    default:
        return 0;
    }
}

static void data(struct sim *s, const struct sim_insn *i, uint64_t *latency)
{
    const struct amd_seen *seen = &((struct amd *)s->state)->seen;
    struct amd_ibs *b = ibs_of(s);
    const struct amd_ibs_traits *t = b->traits;
    const struct sim_access *a = seen->access;
    uint64_t d = 0;

    b->reg[IBS_DATA2] = b->reg[IBS_DATA3] = 0;
    if (!a) return;
    const enum amd_found where = found(s);
    const bool load = seen->kinds & SIM_READ, cached = where != FOUND_UNCACHED;
    const bool demanded = load && !seen->prefetch;
    if (load) d |= DATA3_LOAD;
    if (seen->kinds & SIM_WRITE) d |= DATA3_STORE;
    if (seen->prefetch) d |= DATA3_PREFETCH;
    if (i->op & OP_LOCK) d |= DATA3_LOCKED;
    if (a->bytes && misaligned(t, a)) d |= DATA3_MISALIGNED;
    d |= DATA3_WIDTH(width(a->bytes)) | DATA3_LIN_VALID;
    if (!seen->prefetch || cached) d |= DATA3_PHYS_VALID;
    if (!cached && !seen->prefetch) d |= DATA3_UNCACHED;
    if (cached && where > FOUND_L1) d |= DATA3_DC_MISS;
    if (cached && where > FOUND_L2) d |= DATA3_L2_MISS;
    if (demanded) *latency = t->latency[where];
    if (demanded && cached) d |= DATA3_LATENCY(t->latency[where]);
    if (load) b->reg[IBS_DATA2] = source(t, where) & t->data2;
    b->reg[IBS_DATA3] = d & t->data3;
    b->reg[IBS_DC_LIN] = a->lin;
    if (d & DATA3_PHYS_VALID) b->reg[IBS_DC_PHYS] = a->phys & IBS_PHYSICAL;
}

/* ---- an op ---- */

/* Family 10h lacks the target's register: nobody reads it there. */
static void branch(struct amd_ibs *b, const struct sim_insn *i, uint64_t *d)
{
    if (!(i->op & OP_BRANCH)) return;
    *d |= DATA1_BRANCH;
    if (i->op & OP_TAKEN) *d |= DATA1_TAKEN;
    if (i->op & OP_RET && !(i->op & OP_FAR)) *d |= DATA1_RETURN;
    b->reg[IBS_BR_TARGET] = sim_next(i);
}

/* "Execution IBS only reports samples with L3 miss" (APM, table 13-7). */
static bool passes(const struct sim *s, const struct amd_ibs *b)
{
    const struct amd_seen *seen = &((const struct amd *)s->state)->seen;
    if (!(b->reg[IBS_OP_CTL] & OP_L3_MISS_ONLY)) return true;
    return seen->access && (found(s) == FOUND_MEMORY || found(s) == FOUND_OTHER);
}

void amd_ibs_sample(struct sim *s, const struct sim_insn *i)
{
    struct amd_ibs *b = ibs_of(s);
    uint64_t latency = 0, d = 0;

    if (!passes(s, b)) {
        ibs_restart_op(b);
        return;
    }
    b->reg[IBS_OP_RIP] = i->lin;
    data(s, i, &latency);
    branch(b, i, &d);
    b->reg[IBS_DATA1] = d | (TAG_TO_RETIRE + latency) << 16 | COMPLETION_TO_RETIRE;
    b->reg[IBS_OP_CTL] |= OP_VAL;
    b->op.running = b->op.tagging = false;
    sim_ibs(s, b->reg[IBS_CTL] & 15);
}

/* ---- fetches ---- */

/* The tagged fetch of this address, which was asked for because of the code there. */
static void fetched(struct sim *s, uint64_t lin, uint64_t phys)
{
    struct amd_ibs *b = ibs_of(s);
    const struct amd_memory *m = amd_memory_of(s);
    const enum amd_found where = amd_find(m, phys, m->l1i);
    const uint64_t keep = FETCH_MAX | FETCH_EN | FETCH_RAND | FETCH_L3_MISS_ONLY;
    uint64_t d = FETCH_VAL | FETCH_COMPLETE | FETCH_PHYS_VALID | FETCH_OC_MISS;

    if (b->reg[IBS_FETCH_CTL] & FETCH_L3_MISS_ONLY && where <= FOUND_L3) {
        ibs_restart_fetch(b);
        return;
    }
    if (where > FOUND_L1) d |= FETCH_IC_MISS;
    if (where > FOUND_L2) d |= FETCH_L2_MISS;
    if (where > FOUND_L3) d |= FETCH_L3_MISS;
    d |= (uint64_t)(FETCH_HIT + b->traits->latency[where]) << 32;
    b->reg[IBS_FETCH_CTL] = (b->reg[IBS_FETCH_CTL] & keep) | (d & b->traits->fetch_ctl);
    b->reg[IBS_FETCH_LIN] = lin;
    b->reg[IBS_FETCH_PHYS] = phys & IBS_PHYSICAL;
    b->fetch.running = b->fetch.tagging = false;
    sim_ibs(s, b->reg[IBS_CTL] & 15);
}

void amd_ibs_fetches(struct sim *s, const struct sim_insn *i)
{
    struct amd_ibs *b = ibs_of(s);
    const unsigned size = b->traits->block;
    const uint64_t last = (i->lin + i->len - 1) / size;

    for (uint64_t block = i->lin / size; block <= last && b->fetch.running; block++) {
        if (block == b->block) continue;
        b->block = block;
        const uint64_t at = block * size > i->lin ? block * size : i->lin;
        if (b->fetch.tagging)
            fetched(s, at, sim_phys(at, i->lin, i->phys, i->phys_high));
        else
            ibs_advance(&b->fetch, 1);
    }
    if ((i->op & (OP_BRANCH | OP_TAKEN)) == (OP_BRANCH | OP_TAKEN)) b->block = AMD_NOWHERE;
}

/* ---- the oracle ---- */

void amd_trace(const struct sim *s, struct sim_text *entry)
{
    static const char *const names[AMD_FOUND] = {
        [FOUND_L1] = "L1",       [FOUND_L2] = "L2",         [FOUND_L3] = "L3",
        [FOUND_OTHER] = "other", [FOUND_MEMORY] = "memory", [FOUND_UNCACHED] = "uncached"};
    static const char *const kinds[] = {[SIM_READ] = "load", [SIM_WRITE] = "store", [SIM_RMW] = "load-store"};
    const struct amd_seen *seen = &((const struct amd *)s->state)->seen;
    const uint32_t op = s->current->op;

    if (seen->access) {
        const struct sim_access *a = seen->access;
        sim_out(entry, ",\"access\":\"%s\",\"data\":\"%llx\",\"phys\":\"%llx\",\"bytes\":%u,\"level\":\"%s\"",
                seen->prefetch ? "prefetch" : kinds[seen->kinds & SIM_RMW], (unsigned long long)a->lin,
                (unsigned long long)a->phys, a->bytes, names[found(s)]);
    }
    if (op & OP_BRANCH) sim_out(entry, ",\"branch\":true");
}
