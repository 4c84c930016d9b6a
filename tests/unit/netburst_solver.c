#include "tests/unit/netburst_solver.h"
#include "tests/unit/netburst_manual.h"

#define COUNTERS   18
#define ESCR_FIRST 0x3a0
#define ESCRS      0x42
#define TAG_ENABLE (1u << 4) /* bits of an ESCR; the tag's value is in bits 8:5, the event mask in 24:9 */

/* Where the items before number k have been put, and what that has taken. */
struct state {
    uint32_t usable, used; /* counters */
    uint32_t escr[ESCRS];  /* what is in each; 0: nothing yet */
    struct {
        bool enabled;
        uint8_t esel;
    } counter[COUNTERS];
    struct {
        unsigned tag;      /* the execution tag that a metric was given */
        unsigned upstream; /* the MSR of the ESCR that it has besides its own; 0: none */
    } item[COUNTERS];
};

/* ---- the manual's tables ---- */

static unsigned column_of(unsigned counter)
{
    unsigned column = 0;
    while (!(nb_column[column] >> counter & 1)) column++;
    return column;
}

/* The ESCR that a counter selects with this value, and the other one of its pair; 0: there is none. */
static unsigned escr_of(unsigned counter, unsigned esel) { return nb_route[esel][column_of(counter)]; }
static unsigned pair_of(unsigned counter, unsigned esel) { return nb_route[esel][column_of(counter) ^ 1]; }

/* ---- tags ---- */

/* Would the metric m, with its tag, count what the item o has tagged for another purpose? Or would o count
 * what m tags? */
static bool mixed_up(const struct item *m, unsigned tag, const struct item *o, unsigned other_tag)
{
    if (m->front_metric && (o->front_plain || (o->front && o->front != m->front)))
        return true; /* one front-end tag */
    if (!m->metric) return false;
    if (tag & o->sees) return true;
    const unsigned also_sets = o->sets | (o->metric ? other_tag : 0);
    return o->kind != m->kind && (tag & also_sets);
}

static bool tags_agree(const struct item *const *it, const struct state *s, unsigned a, unsigned b)
{
    const struct item *x = it[a], *y = it[b];
    if (x->is_replay && y->is_replay && x->replay != y->replay) return false; /* one replay tag */
    return !mixed_up(x, s->item[a].tag, y, s->item[b].tag) && !mixed_up(y, s->item[b].tag, x, s->item[a].tag);
}

/* ---- power ---- */

/* Facts 3.3: an enabled counter selects this ESCR or the other one of its pair, and there is an event there.
 */
static bool gives_power(const struct state *s, unsigned counter, unsigned esel, unsigned msr)
{
    const unsigned own = escr_of(counter, esel);
    return own && s->escr[own - ESCR_FIRST] && (own == msr || pair_of(counter, esel) == msr);
}

static bool has_power(const struct state *s, unsigned msr)
{
    for (unsigned c = 0; c < COUNTERS; c++)
        if (s->counter[c].enabled && gives_power(s, c, s->counter[c].esel, msr)) return true;
    return false;
}

/* Can free counters be enabled so that every upstream ESCR has power? */
static bool can_power(const struct state *s)
{
    unsigned k = 0;
    while (k < COUNTERS && (!s->item[k].upstream || has_power(s, s->item[k].upstream))) k++;
    if (k == COUNTERS) return true;
    for (unsigned c = 0; c < COUNTERS; c++)
        for (unsigned esel = 0; esel < 8; esel++) {
            struct state next = *s;
            if (!(s->usable & ~s->used & 1u << c) || s->counter[c].enabled) continue;
            if (!gives_power(s, c, esel, s->item[k].upstream)) continue;
            next.counter[c].enabled = true;
            next.counter[c].esel = (uint8_t)esel;
            if (can_power(&next)) return true;
        }
    return false;
}

/* Nobody selects this ESCR or its pair, and no counter is left that could: whatever comes, it has no power.
 */
static bool hopeless(const struct state *s, unsigned msr)
{
    for (unsigned c = 0; c < COUNTERS; c++)
        for (unsigned esel = 0; esel < 8; esel++) {
            if (escr_of(c, esel) != msr && pair_of(c, esel) != msr) continue;
            if (s->used >> c & 1 ? s->counter[c].esel == esel : s->usable >> c & 1) return false;
        }
    return true;
}

/* ---- trying everything ---- */

/* An ESCR takes one value; items that want the same share it. */
static bool put(struct state *s, unsigned msr, uint32_t value)
{
    uint32_t *escr = &s->escr[msr - ESCR_FIRST];
    if (*escr && *escr != value) return false;
    *escr = value;
    return true;
}

/* Item k on this counter with this tag, an upstream event on this side of its pair of ESCRs. False: that
 * cannot be. */
static bool put_item(const struct item *const *it, unsigned k, unsigned counter, unsigned tag, unsigned side,
                     struct state *s)
{
    const struct item *i = it[k];
    const unsigned msr = escr_of(counter, i->esel);
    uint32_t value = i->value, upstream = i->up;
    if (i->metric) { /* the nth tag has its own bits in the event mask */
        value = (i->value & ~(0xffffu << 9)) | ((i->value >> 9 & 0xffff) * tag) << 9;
        upstream |= TAG_ENABLE | tag << 5;
    }
    s->used |= 1u << counter;
    s->counter[counter].enabled = true;
    s->counter[counter].esel = (uint8_t)i->esel;
    s->item[k].tag = tag;
    if (!msr || !put(s, msr, value)) return false;
    if (i->up) {
        s->item[k].upstream = i->up_escr[side];
        if (!i->up_escr[side] || !put(s, i->up_escr[side], upstream) || hopeless(s, i->up_escr[side]))
            return false;
    }
    for (unsigned j = 0; j < k; j++)
        if (!tags_agree(it, s, j, k)) return false;
    return true;
}

static bool solve_from(unsigned k, const struct item *const *it, unsigned n, const uint32_t *allowed,
                       const struct state *s)
{
    if (k == n) return can_power(s);
    const unsigned last_tag = it[k]->metric ? 8 : 1, sides = it[k]->up ? 2 : 1;
    for (unsigned c = 0; c < COUNTERS; c++) {
        if (!(allowed[k] & ~s->used & 1u << c)) continue;
        for (unsigned tag = 1; tag <= last_tag; tag *= 2)
            for (unsigned side = 0; side < sides; side++) {
                struct state next = *s;
                if (put_item(it, k, c, tag, side, &next) && solve_from(k + 1, it, n, allowed, &next))
                    return true;
            }
    }
    return false;
}

/* ---- blocks ---- */

#define BLOCKS 4
static const unsigned room[BLOCKS] = {3, 4, 4, 6}; /* counters, with number 1 out */

unsigned block(const struct item *i)
{
    return i->counters & 0xf ? 0 : i->counters & 0xf0 ? 1 : i->counters & 0xf00 ? 2 : 3;
}

/* The block whose counters see the ESCR of an item's upstream event; its own without one. */
static unsigned upstream_block(const struct item *i)
{
    for (unsigned esel = 0; i->up && esel < 8; esel++)
        for (unsigned column = 0; column < 8; column++) {
            const unsigned msr = nb_route[esel][column];
            if (msr && (msr == i->up_escr[0] || msr == i->up_escr[1])) return column / 2;
        }
    return block(i);
}

static void join(unsigned *bunch, unsigned a, unsigned b)
{
    const unsigned from = bunch[a], to = bunch[b];
    for (unsigned k = 0; k < BLOCKS; k++)
        if (bunch[k] == from) bunch[k] = to;
}

/* Blocks meet only where an item of one programs an ESCR of another, and in tags, which FLAME's set: each
 * such bunch of blocks by itself, since trying everything takes too long for all of them. */
bool solvable(const struct item *const *it, unsigned n, const uint32_t *allowed, uint32_t usable)
{
    unsigned bunch[BLOCKS] = {0, 1, 2, 3}, in[BLOCKS] = {0};
    for (unsigned k = 0; k < n; k++) {
        if (++in[block(it[k])] > room[block(it[k])]) return false;
        join(bunch, upstream_block(it[k]), block(it[k]));
        if (it[k]->metric || it[k]->sets || it[k]->sees) join(bunch, 2, block(it[k]));
    }
    for (unsigned b = 0; b < BLOCKS; b++) {
        const struct item *part[COUNTERS];
        uint32_t part_allowed[COUNTERS];
        unsigned m = 0;
        const struct state nothing = {.usable = usable};
        for (unsigned k = 0; k < n; k++)
            if (bunch[block(it[k])] == b) {
                part[m] = it[k];
                part_allowed[m++] = allowed[k];
            }
        if (!solve_from(0, part, m, part_allowed, &nothing)) return false;
    }
    return true;
}
