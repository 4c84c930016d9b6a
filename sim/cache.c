/* Set-associative arrays with true LRU or tree pseudo-LRU: caches with MESI states, and TLBs. */
#include "sim/core.h"
#include <stdlib.h>
#include <string.h>

/* ---- replacement ---- */

#define MOST_WAYS 64

/* The use of a way: it clears these bits of its set's tree, and then sets those. */
struct tree_use {
    uint64_t clear, set;
};

/* The tree's bits point to the half that was not used last (Embedded Pentium Processor Family Developer's
 * Manual 1998, figure 3-7, for four ways). Node n has children 2n+1 and 2n+2. */
static void tree_init(struct tree_use use[MOST_WAYS], unsigned ways)
{
    for (unsigned way = 0; way < ways; way++) {
        unsigned node = 0;
        for (unsigned half = ways >> 1; half; half >>= 1) {
            const unsigned right = (way & half) != 0;
            use[way].clear |= UINT64_C(1) << node;
            if (!right) use[way].set |= UINT64_C(1) << node;
            node = 2 * node + 1 + right;
        }
    }
}

static inline void tree_touch(uint64_t *tree, const struct tree_use *use)
{
    *tree = (*tree & ~use->clear) | use->set;
}

static unsigned tree_victim(uint64_t tree, unsigned ways)
{
    unsigned node = 0, way = 0;
    for (unsigned half = ways >> 1; half; half >>= 1) {
        unsigned right = tree >> node & 1;
        if (right) way |= half;
        node = 2 * node + 1 + right;
    }
    return way;
}

/* ---- the lines used last ---- */

static bool hot_new(struct sim_hot *h, unsigned sets, unsigned shift)
{
    h->mask = sets - 1;
    h->shift = shift;
    h->line = malloc(sets * sizeof *h->line);
    return h->line != NULL;
}

static void hot_forget(struct sim_hot *h)
{
    for (uint64_t set = 0; set <= h->mask; set++) h->line[set] = SIM_NOT_HOT;
}

static inline void hot_set(struct sim_hot *h, uint64_t line, bool modified)
{
    h->line[line & h->mask] = line << 1 | modified;
}

/* ---- caches ---- */

/* A line in the least space, since a look-up reads a whole set: its tag, which is the number of the line
 * (address / line size), above its state. */
typedef uint64_t line;
#define STATE_BITS       3
#define STATE_MASK       ((UINT64_C(1) << STATE_BITS) - 1)
#define LINE(tag, how)   ((tag) << STATE_BITS | (how))
#define LINE_TAG(line)   ((line) >> STATE_BITS)
#define LINE_STATE(line) ((enum sim_line_state)((line)&STATE_MASK))

struct sim_cache {
    struct sim_hot hot; /* first: sim_cache_hot() */
    struct sim_cache_geometry g;
    unsigned sets;
    uint64_t clock;
    line *lines;     /* sets x ways */
    uint64_t *used;  /* true LRU: when each was last; else NULL */
    uint64_t *trees; /* per set */
    uint32_t *valid; /* per set: how many of its lines are not LINE_I */
    struct tree_use use[MOST_WAYS];
    /* The sets that were filled since all lines were invalidated. A kernel that flushes between repetitions
     * has filled few. */
    bool *is_filled; /* per set */
    uint32_t *filled;
    unsigned n_filled;
};

static bool power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

struct sim_cache *sim_cache_new(const struct sim_cache_geometry *g)
{
    if (!power_of_two(g->line) || !g->ways || g->bytes % (g->line * g->ways)) return NULL;
    uint32_t sets = g->bytes / (g->line * g->ways);
    if (!power_of_two(sets) || (!g->lru && (!power_of_two(g->ways) || g->ways > MOST_WAYS))) return NULL;
    struct sim_cache *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->g = *g;
    c->sets = sets;
    unsigned shift = 0;
    while (UINT32_C(1) << shift < g->line) shift++;
    c->lines = calloc((size_t)sets * g->ways, sizeof *c->lines);
    if (g->lru)
        c->used = calloc((size_t)sets * g->ways, sizeof *c->used);
    else
        tree_init(c->use, g->ways);
    c->trees = calloc(sets, sizeof *c->trees);
    c->valid = calloc(sets, sizeof *c->valid);
    c->is_filled = calloc(sets, sizeof *c->is_filled);
    c->filled = malloc(sets * sizeof *c->filled);
    if (!c->lines || (g->lru && !c->used) || !c->trees || !c->valid || !c->is_filled || !c->filled ||
        !hot_new(&c->hot, sets, shift)) {
        sim_cache_free(c);
        return NULL;
    }
    hot_forget(&c->hot);
    return c;
}

void sim_cache_free(struct sim_cache *c)
{
    if (!c) return;
    free(c->lines);
    free(c->used);
    free(c->trees);
    free(c->valid);
    free(c->is_filled);
    free(c->filled);
    free(c->hot.line);
    free(c);
}

static inline line *find(const struct sim_cache *c, uint64_t tag)
{
    line *l = c->lines + (tag & (c->sets - 1)) * c->g.ways;
    for (line *end = l + c->g.ways; l < end; l++) {
        if ((*l ^ LINE(tag, 0)) - 1 < STATE_MASK) return l; /* only the state differs, which is not LINE_I */
    }
    return NULL;
}

/* Used, with its new state. */
static inline void touch(struct sim_cache *c, line *l)
{
    const uint64_t tag = LINE_TAG(*l), set = tag & (c->sets - 1);
    hot_set(&c->hot, tag, LINE_STATE(*l) == LINE_M);
    if (c->g.lru)
        c->used[l - c->lines] = ++c->clock;
    else
        tree_touch(&c->trees[set], &c->use[(size_t)(l - c->lines) - set * c->g.ways]);
}

static line *victim(struct sim_cache *c, unsigned set)
{
    const size_t first = (size_t)set * c->g.ways, end = first + c->g.ways;
    for (size_t k = first; c->valid[set] < c->g.ways && k < end; k++)
        if (LINE_STATE(c->lines[k]) == LINE_I) return &c->lines[k];
    if (!c->g.lru) return &c->lines[first + tree_victim(c->trees[set], c->g.ways)];
    size_t oldest = first;
    for (size_t k = first; k < end; k++)
        if (c->used[k] < c->used[oldest]) oldest = k;
    return &c->lines[oldest];
}

static struct sim_cache_result replace(struct sim_cache *c, uint64_t tag, enum sim_line_state state)
{
    const unsigned set = (unsigned)(tag & (c->sets - 1));
    line *l = victim(c, set);
    if (!c->is_filled[set]) {
        c->is_filled[set] = true;
        c->filled[c->n_filled++] = set;
    }
    struct sim_cache_result r = {.before = LINE_I};
    const enum sim_line_state evicted = LINE_STATE(*l);
    if (evicted != LINE_I) {
        r.evicted = true;
        r.evicted_state = evicted;
        r.evicted_modified = sim_line_dirty(evicted);
        r.evicted_phys = LINE_TAG(*l) << c->hot.shift;
    } else {
        c->valid[set]++;
    }
    *l = LINE(tag, state);
    touch(c, l);
    return r;
}

struct sim_cache_result sim_cache_access(struct sim_cache *c, uint64_t phys, bool write)
{
    uint64_t tag = phys >> c->hot.shift;
    line *l = find(c, tag);
    if (l) {
        struct sim_cache_result r = {.hit = true, .before = LINE_STATE(*l)};
        if (write) *l = LINE(tag, LINE_M);
        touch(c, l);
        return r;
    }
    if (write && !c->g.write_allocate) return (struct sim_cache_result){.before = LINE_I};
    return replace(c, tag, write ? LINE_M : LINE_E);
}

bool sim_cache_present(const struct sim_cache *c, uint64_t phys, enum sim_line_state *state)
{
    const line *l = find(c, phys >> c->hot.shift);
    if (state) *state = l ? LINE_STATE(*l) : LINE_I;
    return l != NULL;
}

struct sim_cache_result sim_cache_fill(struct sim_cache *c, uint64_t phys, enum sim_line_state state)
{
    uint64_t tag = phys >> c->hot.shift;
    line *l = find(c, tag);
    if (!l) return replace(c, tag, state);
    struct sim_cache_result r = {.hit = true, .before = LINE_STATE(*l)};
    *l = LINE(tag, state);
    touch(c, l);
    return r;
}

enum sim_line_state sim_cache_change(struct sim_cache *c, uint64_t phys, enum sim_line_state state)
{
    const uint64_t tag = phys >> c->hot.shift;
    line *l = find(c, tag);
    if (!l) return LINE_I;
    const enum sim_line_state before = LINE_STATE(*l);
    *l = LINE(tag, state);
    c->valid[tag & (c->sets - 1)] -= state == LINE_I;
    if (c->hot.line[tag & c->hot.mask] >> 1 == tag)
        c->hot.line[tag & c->hot.mask] = state == LINE_I ? SIM_NOT_HOT : tag << 1 | (state == LINE_M);
    return before;
}

enum sim_line_state sim_cache_drop(struct sim_cache *c, uint64_t phys)
{
    return sim_cache_change(c, phys, LINE_I);
}

void sim_cache_invalidate_all(struct sim_cache *c)
{
    for (unsigned k = 0; k < c->n_filled; k++) {
        const unsigned set = c->filled[k];
        const size_t first = (size_t)set * c->g.ways;
        memset(&c->lines[first], 0, c->g.ways * sizeof *c->lines);
        if (c->used) memset(&c->used[first], 0, c->g.ways * sizeof *c->used);
        c->trees[set] = 0;
        c->valid[set] = 0;
        c->is_filled[set] = false;
        c->hot.line[set] = SIM_NOT_HOT;
    }
    c->n_filled = 0;
}

unsigned sim_cache_lines(const struct sim_cache *c, enum sim_line_state state)
{
    unsigned n = state == LINE_I ? (c->sets - c->n_filled) * c->g.ways : 0;
    for (unsigned k = 0; k < c->n_filled; k++) {
        const line *set = &c->lines[(size_t)c->filled[k] * c->g.ways];
        for (unsigned way = 0; way < c->g.ways; way++) n += LINE_STATE(set[way]) == state;
    }
    return n;
}

/* ---- TLBs ---- */

#define NO_PAGE UINT64_MAX
#define HINTS   64

struct sim_tlb {
    struct sim_hot hot; /* first: sim_tlb_hot() */
    unsigned sets, ways;
    uint64_t *pages; /* sets x ways */
    uint64_t *trees; /* per set */
    struct tree_use use[MOST_WAYS];
    unsigned hint[HINTS]; /* by low bits of the page: its last position, so that 64 ways need no search */
};

struct sim_tlb *sim_tlb_new(unsigned entries, unsigned ways)
{
    if (!power_of_two(ways) || ways > MOST_WAYS || entries % ways || !power_of_two(entries / ways))
        return NULL;
    struct sim_tlb *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->ways = ways;
    t->sets = entries / ways;
    tree_init(t->use, ways);
    t->pages = calloc(entries, sizeof *t->pages);
    t->trees = calloc(t->sets, sizeof *t->trees);
    if (!t->pages || !t->trees || !hot_new(&t->hot, t->sets, SIM_PAGE_LOG2)) {
        sim_tlb_free(t);
        return NULL;
    }
    sim_tlb_flush_all(t);
    return t;
}

void sim_tlb_free(struct sim_tlb *t)
{
    if (!t) return;
    free(t->pages);
    free(t->trees);
    free(t->hot.line);
    free(t);
}

/* Index of the page's entry; of a free one or the victim where it is absent. */
static unsigned locate(const struct sim_tlb *t, uint64_t page)
{
    unsigned set = (unsigned)(page & (t->sets - 1)), base = set * t->ways, free_one = UINT32_MAX;
    for (unsigned k = base; k < base + t->ways; k++) {
        if (t->pages[k] == page) return k;
        if (t->pages[k] == NO_PAGE && free_one == UINT32_MAX) free_one = k;
    }
    return free_one != UINT32_MAX ? free_one : base + tree_victim(t->trees[set], t->ways);
}

static inline void use_entry(struct sim_tlb *t, uint64_t page, unsigned k)
{
    hot_set(&t->hot, page, false);
    tree_touch(&t->trees[page & (t->sets - 1)], &t->use[k & (t->ways - 1)]);
}

bool sim_tlb_again(struct sim_tlb *t, uint64_t lin)
{
    const uint64_t page = lin >> SIM_PAGE_LOG2;
    const unsigned k = t->hint[page % HINTS];
    if (t->pages[k] != page) return false;
    use_entry(t, page, k);
    return true;
}

bool sim_tlb_access(struct sim_tlb *t, uint64_t lin)
{
    if (sim_tlb_again(t, lin)) return true;
    const uint64_t page = lin >> SIM_PAGE_LOG2;
    const unsigned k = locate(t, page);
    const bool hit = t->pages[k] == page;
    t->pages[k] = page;
    t->hint[page % HINTS] = k;
    use_entry(t, page, k);
    return hit;
}

bool sim_tlb_present(const struct sim_tlb *t, uint64_t lin)
{
    const uint64_t page = lin >> SIM_PAGE_LOG2;
    return t->pages[locate(t, page)] == page;
}

void sim_tlb_flush_all(struct sim_tlb *t)
{
    for (unsigned k = 0; k < t->sets * t->ways; k++) t->pages[k] = NO_PAGE;
    for (unsigned k = 0; k < t->sets; k++) t->trees[k] = 0;
    hot_forget(&t->hot);
}

void sim_tlb_flush_some(struct sim_tlb *t, uint64_t lin, uint64_t mask)
{
    for (unsigned k = 0; k < t->sets * t->ways; k++)
        if (t->pages[k] != NO_PAGE && !((t->pages[k] << SIM_PAGE_LOG2 ^ lin) & mask)) t->pages[k] = NO_PAGE;
    hot_forget(&t->hot);
}

void sim_tlb_drop(struct sim_tlb *t, uint64_t lin)
{
    unsigned k = locate(t, lin >> SIM_PAGE_LOG2);
    if (t->pages[k] != lin >> SIM_PAGE_LOG2) return;
    t->pages[k] = NO_PAGE;
    if (sim_tlb_hot(t, lin)) t->hot.line[lin >> SIM_PAGE_LOG2 & t->hot.mask] = SIM_NOT_HOT;
}
