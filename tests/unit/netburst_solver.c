#include "tests/unit/netburst_solver.h"
#include "tests/unit/netburst_manual.h"

struct state {
    uint32_t used, escr[0x42];
    unsigned tag[18];
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

static bool solve_from(const struct item *const *it, unsigned n, const uint32_t *allowed, unsigned k,
                       struct state *s)
{
    if (k == n) return true;
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
                if (i->up && !i->up_escr[side]) continue;
                if (!put(&t, msr, value)) continue;
                if (i->up && !put(&t, i->up_escr[side], i->up | (i->metric ? 1u << 4 | tag << 5 : 0)))
                    continue;
                bool ok = true;
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
bool solvable(const struct item *const *it, unsigned n, const uint32_t *allowed)
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
        struct state s = {.used = 0};
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
