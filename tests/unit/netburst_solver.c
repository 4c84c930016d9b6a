#include "tests/unit/netburst_solver.h"
#include "tests/unit/netburst_manual.h"

struct state {
    uint32_t used, usable, escr[0x42];
    unsigned tag[18];
    unsigned up[18];    /* the ESCR that item k has besides its own; 0: none */
    bool enabled[18];   /* by counter */
    uint8_t select[18]; /* ESEL of those that are */
};

static bool fits(const struct item *const *it, const struct state *s, unsigned a, unsigned b)
{
    const struct item *x = it[a], *y = it[b];
    if (x->is_replay && y->is_replay && x->replay != y->replay) return false;
    for (unsigned swap = 0; swap < 2; swap++) {
        const struct item *m = swap ? y : x, *o = swap ? x : y;
        unsigned tag = s->tag[swap ? b : a], other = s->tag[swap ? a : b];
        if (m->front_metric && (o->front_plain || (o->front && o->front != m->front))) return false;
        if (!m->metric) continue;
        if (o->metric && o->kind != m->kind && (tag & other)) return false;
        if (o->sets && o->kind != m->kind && (tag & o->sets)) return false;
        if (tag & o->sees) return false;
    }
    return true;
}

static bool put(struct state *s, unsigned msr, uint32_t value)
{
    if (s->escr[msr - 0x3a0] && s->escr[msr - 0x3a0] != value) return false;
    s->escr[msr - 0x3a0] = value;
    return true;
}

/* Facts 3.3: an enabled counter selects this ESCR or the other of its pair, and there is an event there. */
static bool gives_power(const struct state *s, unsigned counter, unsigned esel, unsigned msr)
{
    unsigned column = 0;
    while (!(nb_column[column] >> counter & 1)) column++;
    const unsigned own = nb_route[esel][column], pair = nb_route[esel][column ^ 1];
    return own && s->escr[own - 0x3a0] && (own == msr || pair == msr);
}

static bool has_power(const struct state *s, unsigned msr)
{
    for (unsigned c = 0; c < 18; c++)
        if (s->enabled[c] && gives_power(s, c, s->select[c], msr)) return true;
    return false;
}

/* Can free counters be enabled so that every upstream ESCR has power? */
static bool can_power(const struct state *s)
{
    unsigned k = 0;
    while (k < 18 && (!s->up[k] || has_power(s, s->up[k]))) k++;
    if (k == 18) return true;
    for (unsigned c = 0; c < 18; c++)
        for (unsigned e = 0; e < 8; e++) {
            struct state t = *s;
            if (s->used >> c & 1 || !(s->usable >> c & 1) || s->enabled[c]) continue;
            if (!gives_power(s, c, e, s->up[k])) continue;
            t.enabled[c] = true;
            t.select[c] = (uint8_t)e;
            if (can_power(&t)) return true;
        }
    return false;
}

/* Nothing is left in the block of this ESCR, and nothing there selects it or its pair. */
static bool hopeless(const struct state *s, unsigned msr)
{
    for (unsigned c = 0; c < 18; c++)
        for (unsigned e = 0; e < 8; e++) {
            unsigned column = 0;
            while (!(nb_column[column] >> c & 1)) column++;
            if (nb_route[e][column] != msr && nb_route[e][column ^ 1] != msr) continue;
            if (s->used >> c & 1 ? s->select[c] == e : s->usable >> c & 1) return false;
        }
    return true;
}

static bool solve_from(const struct item *const *it, unsigned n, const uint32_t *allowed, unsigned k,
                       struct state *s)
{
    if (k == n) return can_power(s);
    const struct item *i = it[k];
    for (unsigned c = 0; c < 18; c++) {
        if (!(allowed[k] & ~s->used & 1u << c)) continue;
        unsigned column = 0;
        while (!(nb_column[column] >> c & 1)) column++;
        unsigned msr = nb_route[i->esel][column];
        if (!msr) continue;
        for (unsigned tag = 1; tag <= (i->metric ? 8 : 1); tag *= 2)
            for (unsigned side = 0; side < (i->up ? 2 : 1); side++) {
                struct state t = *s;
                uint32_t value = i->value;
                if (i->metric) value = (value & ~(0xffffu << 9)) | ((value >> 9 & 0xffff) * tag) << 9;
                t.used |= 1u << c;
                t.tag[k] = tag;
                t.enabled[c] = true;
                t.select[c] = (uint8_t)i->esel;
                if (i->up && !i->up_escr[side]) continue;
                if (!put(&t, msr, value)) continue;
                if (i->up && !put(&t, i->up_escr[side], i->up | (i->metric ? 1u << 4 | tag << 5 : 0)))
                    continue;
                if (i->up) t.up[k] = i->up_escr[side];
                bool ok = !i->up || !hopeless(&t, t.up[k]);
                for (unsigned j = 0; j < k; j++) ok &= fits(it, &t, j, k);
                if (ok && solve_from(it, n, allowed, k + 1, &t)) return true;
            }
    }
    return false;
}

unsigned block(const struct item *i)
{
    return i->counters & 0xf ? 0 : i->counters & 0xf0 ? 1 : i->counters & 0xf00 ? 2 : 3;
}

/* Blocks meet only where an item of one programs an ESCR of another: each such bunch by itself. */
bool solvable(const struct item *const *it, unsigned n, const uint32_t *allowed, uint32_t usable)
{
    unsigned bunch[4] = {0, 1, 2, 3};
    for (unsigned k = 0; k < n; k++) {
        unsigned own = block(it[k]), other = own;
        for (unsigned e = 0; it[k]->up && e < 8; e++)
            for (unsigned c = 0; c < 8; c++)
                if (nb_route[e][c] &&
                    (nb_route[e][c] == it[k]->up_escr[0] || nb_route[e][c] == it[k]->up_escr[1]))
                    other = c / 2;
        unsigned from = bunch[other], to = bunch[own];
        if (it[k]->metric || it[k]->sets || it[k]->sees) from = bunch[2]; /* tags, too */
        for (unsigned b = 0; b < 4; b++)
            if (bunch[b] == from) bunch[b] = to;
    }
    for (unsigned b = 0; b < 4; b++) {
        const struct item *part[18];
        uint32_t part_allowed[18];
        unsigned m = 0;
        for (unsigned k = 0; k < n; k++)
            if (bunch[block(it[k])] == b) {
                part[m] = it[k];
                part_allowed[m++] = allowed[k];
            }
        struct state s = {.usable = usable};
        for (unsigned blk = 0; blk < 4; blk++) { /* not more than there are counters */
            static const unsigned room[] = {3, 4, 4, 6};
            unsigned in = 0;
            for (unsigned k = 0; k < m; k++) in += block(part[k]) == blk;
            if (in > room[blk]) return false;
        }
        if (!solve_from(part, m, part_allowed, 0, &s)) return false;
    }
    return true;
}
