/* ESCRs and counters for a set of events, all constraints at once (SDM vol. 3B 18.15.1 to 18.15.4, table
 * 18-63).
 *
 * A depth-first search. Counters with the same ESCRs are equivalent, except for events of a cascade and
 * events that a caller has tied to a counter. These are placed first; for the others only the first free
 * counter of each half of a block is tried. So the search takes some thousand steps at worst, and is
 * complete. The remaining counters power ESCRs of upstream events; if they do not suffice, the search
 * continues.
 */
#include "pmu/netburst.h"
#include <string.h>

/* ---- what each event needs ---- */

/* The relation of an event to tags. */
enum kind { OTHER, FRONT_METRIC, FRONT_END, UOP_TYPE, EXECUTION_METRIC, EXECUTION, TAGGER, REPLAY };

struct request {
    const struct pmu_code *code;
    const struct netburst_upstream *up; /* NULL: no ESCR besides its own */
    struct request *starter;            /* of a cascade's target */
    uint32_t escr, allowed;
    uint8_t bunch;             /* blocks that must be solved together */
    uint8_t esel, kind, fixed; /* fixed: its given tag value; 0: none */
    bool tied;                 /* its counters are not alike */
    uint8_t counter, tag,
        up_escr; /* the answer; tag: EXECUTION_METRIC's, and what EXECUTION and TAGGER have */
};

struct search {
    const struct pmu *pmu;
    struct netburst_plan *plan;
    struct request r[PMU_COUNTERS], *order[PMU_COUNTERS];
    unsigned n, end;       /* end: of the bunch that is placed now */
    uint32_t used, usable; /* counters */
};

/* row: of pmu_netburst_upstream, from 1; 0: none. */
static enum kind kind_of(const struct request *r, unsigned row)
{
    unsigned code = NB_CODE(r->esel, ESCR_EVENT_OF(r->escr));
    if (row && row <= NB_MEMORY) return FRONT_METRIC;
    if (row && row <= NB_MEMORY + NB_EXECUTIONS) return EXECUTION_METRIC;
    if (r->escr & ESCR_TAG) return TAGGER;
    if (NB_BLOCK_OF(r->code->counters) != 3) return OTHER;
    return code == NB_FRONT_END   ? FRONT_END
           : code == NB_UOP_TYPE  ? UOP_TYPE
           : code == NB_EXECUTION ? EXECUTION
           : code == NB_REPLAY    ? REPLAY
                                  : OTHER;
}

/* The ESCR of r itself. The nth tag value has its own bits in the event mask (table 19-29). */
static uint32_t downstream(const struct request *r)
{
    if (r->kind != EXECUTION_METRIC || r->fixed) return r->escr;
    return (r->escr & ~ESCR_MASK(0xffff)) | ESCR_MASK(ESCR_MASK_OF(r->escr) * r->tag);
}

/* Tags are set at any privilege: the downstream event selects the privilege. */
static uint32_t upstream(const struct request *r)
{
    const uint32_t t1 = ESCR_T1_USR | ESCR_T1_OS, t0 = ESCR_T0_USR | ESCR_T0_OS;
    if (r->up->mask == NB_SAME_MASK) return (r->escr & ~ESCR_EVENT(0x3f)) | ESCR_EVENT(r->up->select);
    return ESCR_EVENT(r->up->select) | ESCR_MASK(r->up->mask) | (r->escr & t1 ? t1 : 0) |
           (r->escr & t0 ? t0 : 0) | (r->kind == EXECUTION_METRIC ? ESCR_TAG | ESCR_TAG_VALUE(r->tag) : 0);
}

/* Would a, a metric, also count b, because b sets the same tag for another purpose or counts a's tag? */
static bool counted_in(const struct request *a, const struct request *b)
{
    if (a->kind == FRONT_METRIC) /* there is only one kind of front-end tag */
        return b->kind == FRONT_METRIC ? a->up != b->up
               : b->kind == UOP_TYPE   ? ESCR_MASK_OF(b->escr) != a->up->mask
                                       : b->kind == FRONT_END;
    if (a->kind != EXECUTION_METRIC || !(a->tag & b->tag)) return false;
    return b->kind == EXECUTION_METRIC ? a->up != b->up
           : b->kind == TAGGER         ? a->up->select != ESCR_EVENT_OF(b->escr)
                                       : b->kind == EXECUTION;
}

static bool clash(const struct request *a, const struct request *b)
{
    if (a->kind == REPLAY && b->kind == REPLAY) /* and only one kind of replay tag */
        return a->code->netburst.pebs_enable != b->code->netburst.pebs_enable ||
               a->code->netburst.pebs_matrix != b->code->netburst.pebs_matrix;
    return counted_in(a, b) || counted_in(b, a);
}

/* ---- the search ---- */

static bool place(struct search *s, unsigned i);

/* An ESCR for one selection; events with the same selection share it. */
static bool take(struct search *s, unsigned escr, uint32_t value, uint32_t *before)
{
    *before = s->plan->escr[escr];
    if (*before && *before != value) return false;
    s->plan->escr[escr] = value;
    return true;
}

/* The free counters that can select an upstream event's ESCR of this side. *on: one is enabled for it. */
static uint32_t supply(const struct search *s, const struct netburst_upstream *up, unsigned side, bool *on)
{
    uint32_t idle = 0;
    for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
        const uint32_t cccr = s->plan->cccr[c];
        if (NB_BLOCK(c) != up->block || NB_COUNTER_ESCR1(c) != side) continue;
        *on |= (cccr & CCCR_ENABLE) && CCCR_ESEL_OF(cccr) == up->esel;
        if (!cccr) idle |= s->usable & 1u << c;
    }
    return idle;
}

/* An ESCR may be powered down unless it or its pair selects an event that a counter is enabled for
 * (18.15.5.9): takes a free counter for each upstream event that has none, its own rather than the pair's.
 * False: none is free. */
static bool power(struct search *s)
{
    uint32_t added = 0;
    for (unsigned i = 0; i < s->end; i++) {
        const struct netburst_upstream *up = s->order[i]->up;
        bool on = false;
        if (!up) continue;
        const unsigned side = s->order[i]->up_escr != up->escr;
        const uint32_t pair = supply(s, up, !side, &on);
        uint32_t idle = supply(s, up, side, &on);
        if (on) continue;
        if (!idle && s->plan->escr[up->escr + !side]) idle = pair;
        if (!idle) {
            for (unsigned c = 0; c < NETBURST_COUNTERS; c++)
                if (added & 1u << c) s->plan->cccr[c] = 0;
            return false;
        }
        added |= idle & -idle;
        s->plan->cccr[__builtin_ctz(idle)] = CCCR_IDLE | CCCR_ENABLE | CCCR_ESEL(up->esel);
    }
    return true;
}

static bool place_upstream(struct search *s, unsigned i)
{
    struct request *r = s->order[i];
    uint32_t before;
    bool on = false;
    if (!r->up) return place(s, i + 1);
    const uint32_t first = supply(s, r->up, 0, &on), second = supply(s, r->up, 1, &on);
    if (!on && !(first | second)) return false; /* it cannot get power in any case */
    for (unsigned k = 0; k < 2; k++) {
        const unsigned side = on || first ? k : !k;
        r->up_escr = (uint8_t)(r->up->escr + side);
        if (!(r->up->sides >> side & 1) || !take(s, r->up_escr, upstream(r), &before)) continue;
        if (place(s, i + 1)) return true;
        s->plan->escr[r->up->escr + side] = before;
    }
    return false;
}

static bool place_on(struct search *s, unsigned i, unsigned counter)
{
    struct request *r = s->order[i];
    int escr = pmu_netburst_escr(counter, r->esel);
    const bool choose = r->kind == EXECUTION_METRIC && !r->fixed;
    uint32_t before;
    if (escr < 0) return false;
    r->counter = (uint8_t)counter;
    s->used |= 1u << counter;
    s->plan->cccr[counter] =
        r->code->netburst.cccr |
        (r->starter ? pmu_netburst_cascade(s->pmu, r->starter->counter, counter) : CCCR_ENABLE);
    for (unsigned tag = 1; tag <= (choose ? 8 : 1); tag *= 2) {
        bool clashes = false;
        if (choose) r->tag = (uint8_t)tag;
        for (unsigned j = 0; j < i; j++) clashes |= clash(r, s->order[j]);
        if (clashes || !take(s, (unsigned)escr, downstream(r), &before)) continue;
        if (place_upstream(s, i)) return true;
        s->plan->escr[escr] = before;
    }
    s->used &= ~(1u << counter);
    s->plan->cccr[counter] = 0;
    return false;
}

static bool place(struct search *s, unsigned i)
{
    unsigned tried = 0; /* halves */
    if (i == s->end) return power(s);
    const struct request *r = s->order[i];
    for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
        unsigned half = 1u << NB_COUNTER_ESCR1(c);
        if (!(r->allowed & ~s->used & 1u << c) || (!r->tied && (tried & half))) continue;
        tried |= half;
        if (r->starter && !pmu_netburst_cascade(s->pmu, r->starter->counter, c)) continue;
        if (place_on(s, i, c)) return true;
    }
    return false;
}

/* ---- a plan ---- */

/* If a request may use one counter of a half, may it use all usable counters of that half? */
static bool tied(uint32_t allowed, uint32_t usable)
{
    static const uint32_t half[] = {0x3, 0xc, 0x30, 0xc0, 0x300, 0xc00, 0x13000, 0x2c000};
    for (unsigned i = 0; i < 8; i++)
        if ((allowed & half[i]) && ((allowed ^ usable) & half[i])) return true;
    return false;
}

/* Blocks are connected only by upstream events: if one bunch of blocks has no solution, choices in another
 * cannot help. */
static void bunch(struct search *s)
{
    uint8_t of[] = {0, 1, 2, 3};
    for (unsigned i = 0; i < s->n; i++) {
        struct request *r = &s->r[i];
        r->bunch = NB_BLOCK_OF(r->code->counters);
        uint8_t from = of[r->up ? r->up->block : r->bunch], to = of[r->bunch];
        for (unsigned b = 0; b < 4; b++)
            if (of[b] == from) of[b] = to;
    }
    for (unsigned i = 0; i < s->n; i++) s->r[i].bunch = of[s->r[i].bunch];
}

/* Bunch by bunch; starters before their targets before others that are tied; those with an upstream event,
 * which have the most choices, last; otherwise block by block. */
static unsigned rank(const struct request *r)
{
    const unsigned role = r->code->cascade;
    const unsigned class = role == CASCADE_STARTER  ? 0
                           : role == CASCADE_TARGET ? 1
                           : r->tied                ? 2
                           : r->up                  ? 4
                                                    : 3;
    return (unsigned)r->bunch << 24 | class << 20 | (r->allowed & 0xfffff);
}

static void sort(struct request **order, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        for (unsigned j = i; j > 0 && rank(order[j - 1]) > rank(order[j]); j--) {
            struct request *swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
}

/* Find each target's own starter. */
static bool pair(struct search *s)
{
    uint32_t taken = 0;
    for (unsigned i = 0; i < s->n; i++) {
        struct request *r = &s->r[i];
        if (r->code->cascade != CASCADE_TARGET) continue;
        for (unsigned j = 0; j < s->n && !r->starter; j++)
            if (!(taken & 1u << j) && pmu_code_starts(s->r[j].code, r->code)) {
                r->starter = &s->r[j];
                taken |= 1u << j;
            }
        if (!r->starter) return false;
    }
    return true;
}

bool pmu_netburst_plan(const struct pmu *pmu, const struct pmu_code *const *codes, const uint32_t *allowed,
                       unsigned n, struct netburst_plan *plan)
{
    const uint32_t usable = pmu->usable ? pmu->usable : (1u << NETBURST_COUNTERS) - 1 - 2;
    struct search s = {.pmu = pmu, .plan = plan, .n = n, .usable = usable & ~2u};
    memset(plan, 0, sizeof *plan);
    if (n > NETBURST_COUNTERS) return false;
    for (unsigned k = 0; k < n; k++) {
        const struct netburst_code *c = &codes[k]->netburst;
        struct request *r = s.order[k] = &s.r[k];
        r->code = codes[k];
        r->escr = c->escr;
        r->esel = CCCR_ESEL_OF(c->cccr);
        r->allowed = allowed[k];
        r->kind = kind_of(r, c->upstream);
        r->fixed = r->tag = c->tag;
        if (r->kind == TAGGER) r->tag = ESCR_TAG_OF(r->escr);
        if (r->kind == EXECUTION) r->tag = (ESCR_MASK_OF(r->escr) | ESCR_MASK_OF(r->escr) >> 4) & 15;
        r->tied = tied(allowed[k], usable) || codes[k]->cascade != CASCADE_NONE;
        if (c->upstream && pmu_netburst_upstream[c->upstream - 1].sides)
            r->up = &pmu_netburst_upstream[c->upstream - 1];
    }
    bunch(&s);
    sort(s.order, n);
    if (!pair(&s)) return false;
    for (unsigned i = 0; i < n; i = s.end) {
        for (s.end = i; s.end < n && s.order[s.end]->bunch == s.order[i]->bunch;) s.end++;
        if (!place(&s, i)) return false;
    }
    for (unsigned i = 0; i < n; i++) plan->counter[i] = s.r[i].counter;
    return true;
}
