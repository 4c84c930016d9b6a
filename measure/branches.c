#include "measure/branches.h"
#include "pmu/lbr.h"
#include <string.h>

/* ---- tables ---- */

/* Lines found by their addresses: open addressing, so that a sample's entries are added where they are met.
 */
struct lines {
    struct branch_line *slot;
    unsigned slots, used; /* slots: a power of two */
};

static bool lines_new(struct lines *l, uint64_t entries, struct arena *arena)
{
    const uint64_t most = entries < BRANCHES_LISTED ? entries : BRANCHES_LISTED;
    *l = (struct lines){.slots = 64};
    while (l->slots < 2 * most) l->slots *= 2;
    l->slot = arena_alloc(arena, l->slots * sizeof *l->slot, sizeof(uint64_t));
    if (l->slot) memset(l->slot, 0, l->slots * sizeof *l->slot);
    return l->slot;
}

static uint32_t hash(uint32_t h, uint64_t v)
{
    h = (h ^ (uint32_t)v) * 0x9e3779b1u;
    h = (h ^ (uint32_t)(v >> 32)) * 0x9e3779b1u;
    return h ^ h >> 15;
}

/* The line of these two; NULL: there are too many. */
static struct branch_line *line_of(struct lines *l, uint64_t from, uint64_t to)
{
    uint32_t i = hash(hash(0, from), to) & (l->slots - 1);
    for (; l->slot[i].times; i = (i + 1) & (l->slots - 1))
        if (l->slot[i].from == from && l->slot[i].to == to) return &l->slot[i];
    if (2 * l->used >= l->slots) return NULL;
    l->used++;
    l->slot[i].from = from;
    l->slot[i].to = to;
    l->slot[i].least = UINT16_MAX;
    return &l->slot[i];
}

static bool ranks_before(const struct branch_line *a, const struct branch_line *b)
{
    if (a->times != b->times) return a->times > b->times;
    return a->from != b->from ? a->from < b->from : a->to < b->to;
}

/* Those in use, most times first (as profile_rank()), with their names. */
static unsigned rank(struct lines *l, const struct code *code)
{
    unsigned n = 0, gap = 1;
    for (unsigned i = 0; i < l->slots; i++)
        if (l->slot[i].times) l->slot[n++] = l->slot[i];
    while (gap < n) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (unsigned i = gap; i < n; i++) {
            const struct branch_line x = l->slot[i];
            unsigned k = i;
            for (; k >= gap && ranks_before(&x, &l->slot[k - gap]); k -= gap) l->slot[k] = l->slot[k - gap];
            l->slot[k] = x;
        }
    for (struct branch_line *b = l->slot; b < l->slot + n; b++) {
        b->named[0] = profile_symbol(code, b->from, &b->symbol[0]);
        b->named[1] = profile_symbol(code, b->to, &b->symbol[1]);
    }
    return n;
}

/* ---- branches and blocks ---- */

static bool in_payload(const struct branch *b)
{
    return b->known & BRANCH_FROM_PAYLOAD && b->known & BRANCH_TO_PAYLOAD;
}

static const uint8_t *bytes_at(const struct code *code, uint64_t at, unsigned *n)
{
    if (at < code->base || at - code->base >= code->size) return NULL;
    *n = code->size - (uint32_t)(at - code->base);
    return code->bytes + (at - code->base);
}

/* The branch itself. The record may have the instruction that was fused with it: one that goes on to a
 * conditional jump right behind it (Linux' branch_type_fused()). */
static uint64_t source(const struct code *code, uint64_t from)
{
    unsigned n, length;
    uint64_t target;
    const uint8_t *p = bytes_at(code, from, &n);
    if (!p || decode_flow(p, n, code->long_mode, from, &length, &target) != FLOW_ON) return from;
    const uint64_t next = from + length;
    p = bytes_at(code, next, &n);
    return p && decode_flow(p, n, code->long_mode, next, &length, &target) == FLOW_MAYBE ? next : from;
}

static unsigned class_of(unsigned cycles) { return cycles ? 32 - (unsigned)__builtin_clz(cycles) : 0; }

static void time_block(struct branch_line *b, unsigned cycles)
{
    b->timed++;
    b->cycles += cycles;
    if (cycles < b->least) b->least = (uint16_t)cycles;
    if (cycles > b->most) b->most = (uint16_t)cycles;
    b->histogram[class_of(cycles)]++;
}

struct reduction {
    const struct code *code;
    bool fused, blocks;
    struct lines branch, block;
    struct branches *out;
};

static void add_branch(struct reduction *r, const struct branch *b)
{
    if (!in_payload(b)) {
        r->out->outside++;
        return;
    }
    struct branch_line *l = line_of(&r->branch, r->fused ? source(r->code, b->from) : b->from, b->to);
    r->out->entries++;
    if (!l) {
        r->out->unlisted++;
        return;
    }
    l->times++;
    l->predictions += (b->known & BRANCH_PREDICTION) != 0;
    l->mispredicted += b->mispredicted;
}

/* From the target of a branch to the source of the next one. Both lie in the payload; it was entered from
 * there or by the bracket's call, and left there or back to the bracket. After an interrupt it goes on in the
 * middle. */
static void add_block(struct reduction *r, const struct branch *entered, const struct branch *left)
{
    struct branches *out = r->out;
    const unsigned in = BRANCH_FROM_PAYLOAD | BRANCH_FROM_BRACKET, to = BRANCH_TO_PAYLOAD | BRANCH_TO_BRACKET;
    if (!(entered->known & BRANCH_TO_PAYLOAD) || !(entered->known & in)) return;
    if (!(left->known & BRANCH_FROM_PAYLOAD) || !(left->known & to)) return;
    if (entered->to > left->from) {
        out->impossible++;
        return;
    }
    const bool timed = left->known & BRANCH_CYCLES;
    struct branch_line *l =
        line_of(&r->block, entered->to, r->fused ? source(r->code, left->from) : left->from);
    out->block_times++;
    if (timed) out->block_cycles += left->cycles;
    if (!l) {
        out->unlisted_blocks++;
        return;
    }
    l->times++;
    if (timed) time_block(l, left->cycles);
}

/* The entries whose transaction was aborted, and the aborts: bit i for entry i, of which 0 is the newest. An
 * interrupt and a pending PEBS record abort, too (SDM vol. 1 16.3.8.2, vol. 3B 18.11.5): so a transaction that
 * is the newest was aborted by the sample. */
static uint32_t aborted(const struct branch *b, unsigned n)
{
    uint32_t entries = 0;
    bool abort = true; /* of what is older, as long as it is in a transaction */
    for (unsigned i = 0; i < n; i++) {
        if (b[i].known & BRANCH_ABORT)
            abort = true;
        else if (!(b[i].known & BRANCH_IN_TX))
            abort = false;
        if (abort) entries |= 1u << i;
    }
    return entries;
}

/* A sample's entries. What was undone ran, but is neither a branch that was taken nor a block; the code after
 * an abort is one. */
static void add_entries(struct reduction *r, const struct branch *b, unsigned n)
{
    const uint32_t undone = aborted(b, n);
    for (unsigned i = 0; i < n; i++) {
        if (undone >> i & 1) {
            r->out->aborted++;
            continue;
        }
        add_branch(r, &b[i]);
        if (r->blocks && i + 1 < n) add_block(r, &b[i + 1], &b[i]);
    }
}

/* ---- call stacks ---- */

static struct branch_function function_of(const struct code *code, uint64_t ip)
{
    struct branch_function f = {.at = ip};
    f.named = profile_symbol(code, ip, &f.symbol);
    if (f.named) f.at -= f.symbol.offset;
    return f;
}

/* The functions of a sample, the outermost first: those that were called, and the one that runs, which is the
 * called one unless something jumped. */
static unsigned functions(const struct sample *s, const struct branch *b, const struct code *code,
                          struct branch_function *to)
{
    unsigned n = 0;
    for (unsigned i = s->branches; i-- > 0;)
        if (b[i].known & BRANCH_TO_PAYLOAD) to[n++] = function_of(code, b[i].to);
    if (!(s->valid & SAMPLE_IP)) return n;
    const struct branch_function runs = function_of(code, s->ip);
    if (!n || to[n - 1].at != runs.at) to[n++] = runs;
    return n;
}

static bool is_stack(const struct branch_stack *s, const struct branch_function *function, unsigned n)
{
    if (s->depth != n) return false;
    while (n > 0 && s->function[n - 1].at == function[n - 1].at) n--;
    return n == 0;
}

static bool add_stack(struct branches *out, unsigned slots, const struct branch_function *function,
                      unsigned n, struct arena *arena)
{
    uint32_t i = 0;
    for (unsigned k = 0; k < n; k++) i = hash(i, function[k].at);
    for (i &= slots - 1; out->stack[i].times; i = (i + 1) & (slots - 1)) {
        if (!is_stack(&out->stack[i], function, n)) continue;
        out->stack[i].times++;
        return true;
    }
    if (2 * out->n_stacks >= slots) {
        out->unlisted++;
        return true;
    }
    struct branch_function *own = arena_alloc(arena, n * sizeof *own, sizeof(uint64_t));
    if (!own) return false;
    memcpy(own, function, n * sizeof *own);
    out->stack[i] = (struct branch_stack){own, n, 1};
    out->n_stacks++;
    return true;
}

static void rank_stacks(struct branches *out, unsigned slots)
{
    unsigned n = 0;
    for (unsigned i = 0; i < slots; i++)
        if (out->stack[i].times) out->stack[n++] = out->stack[i];
    for (unsigned i = 1; i < n; i++) { /* few; those of equal times stay as they are */
        const struct branch_stack x = out->stack[i];
        unsigned k = i;
        for (; k > 0 && x.times > out->stack[k - 1].times; k--) out->stack[k] = out->stack[k - 1];
        out->stack[k] = x;
    }
}

/* ---- public ---- */

static bool passes(const struct sample *s, const struct profile_filter *f)
{
    return s->valid & SAMPLE_BRANCHES && profile_passes(s, f);
}

static bool reduce_stacks(const struct samples *s, const struct profile_filter *filter,
                          const struct code *code, unsigned deep, struct arena *arena, struct branches *out)
{
    struct branch_function function[BRANCHES_MOST + 1];
    unsigned slots = 64;
    while (slots < 2 * s->n && slots < 2 * BRANCHES_LISTED) slots *= 2;
    out->stack = arena_alloc(arena, slots * sizeof *out->stack, sizeof(uint64_t));
    if (!out->stack) return false;
    memset(out->stack, 0, slots * sizeof *out->stack);
    for (unsigned i = 0; i < s->n; i++) {
        const struct branch *b = s->branch + (size_t)i * BRANCHES_MOST;
        if (!passes(&s->at[i], filter)) continue;
        const unsigned n = functions(&s->at[i], b, code, function);
        out->samples++;
        out->cut += s->at[i].branches == deep && b[deep - 1].known & BRANCH_FROM_PAYLOAD;
        for (unsigned k = 0; k < s->at[i].branches; k++)
            if (!(b[k].known & BRANCH_TO_PAYLOAD)) out->outside++;
        if (n && !add_stack(out, slots, function, n, arena)) return false;
    }
    rank_stacks(out, slots);
    return true;
}

bool branches_reduce(const struct samples *s, const struct profile_filter *filter, const struct code *code,
                     unsigned what, unsigned deep, bool fused, struct arena *arena, struct branches *out)
{
    struct reduction r = {.code = code, .fused = fused, .blocks = (what & LBR_ANY) == LBR_ANY, .out = out};
    uint64_t entries = 0;
    *out = (struct branches){.samples = 0};
    if (what & LBR_CALL_STACK) return reduce_stacks(s, filter, code, deep, arena, out);
    for (unsigned i = 0; i < s->n; i++)
        if (passes(&s->at[i], filter)) entries += s->at[i].branches;
    if (!lines_new(&r.branch, entries, arena) || (r.blocks && !lines_new(&r.block, entries, arena)))
        return false;
    for (unsigned i = 0; i < s->n; i++) {
        const struct branch *b = s->branch + (size_t)i * BRANCHES_MOST;
        if (!passes(&s->at[i], filter)) continue;
        out->samples++;
        add_entries(&r, b, s->at[i].branches);
    }
    out->branch = r.branch.slot;
    out->n_branches = rank(&r.branch, code);
    if (!r.blocks) return true;
    out->block = r.block.slot;
    out->n_blocks = rank(&r.block, code);
    return true;
}
