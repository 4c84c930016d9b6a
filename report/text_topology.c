/* The topology as a drawing: what the machine has, what is inside of what, who shares which cache. Equal
 * neighbours are drawn once, so that two packages of 64 cores take a few lines. */
#include "report/topology_text.h"
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

static struct shown shown;

static uint16_t number(const struct record *r, const char *key)
{
    const double v = rec_number(r, key, UNTOLD);
    return v >= 0 && v < UNTOLD ? (uint16_t)v : UNTOLD;
}

/* Keys of a level: in `place`, and in `topology`. */
static const char *const keys[TOPOLOGY_LEVELS][2] = {
    [LEVEL_CORE] = {"core", "cores"},
    [LEVEL_MODULE] = {"module", "modules"},
    [LEVEL_COMPLEX] = {"complex", "complexes"},
    [LEVEL_TILE] = {"tile", "tiles"},
    [LEVEL_DIE] = {"die", "dies"},
    [LEVEL_DIE_GROUP] = {"die_group", "die_groups"},
    [LEVEL_PACKAGE] = {"package", "packages"},
};

/* ---- the order: by package, core and thread ---- */

static bool comes_before(const struct shown_place *a, const struct shown_place *b)
{
    if (a->unit[LEVEL_PACKAGE] != b->unit[LEVEL_PACKAGE])
        return a->unit[LEVEL_PACKAGE] < b->unit[LEVEL_PACKAGE];
    if (a->unit[LEVEL_CORE] != b->unit[LEVEL_CORE]) return a->unit[LEVEL_CORE] < b->unit[LEVEL_CORE];
    return a->thread < b->thread;
}

static void insert(const struct shown_place *p)
{
    unsigned at = shown.places++;
    for (; at && comes_before(p, &shown.place[at - 1]); at--) shown.place[at] = shown.place[at - 1];
    shown.place[at] = *p;
}

/* ---- what is inside of what ---- */

/* A unit is a level's or a cache's; both divide the ordered places into ranges. */
#define UNITS (TOPOLOGY_LEVELS + TOPOLOGY_CACHE_KINDS)

static unsigned unit_of(unsigned place, unsigned unit)
{
    const struct shown_place *p = &shown.place[place];
    return unit < TOPOLOGY_LEVELS ? p->unit[unit] : p->cache[unit - TOPOLOGY_LEVELS];
}

struct range {
    unsigned from, to; /* without to */
};

static unsigned size_of(struct range r) { return r.to - r.from; }

/* The part of `in` that is the unit which begins at this place. Empty where none does. */
static struct range part(struct range in, unsigned at, unsigned unit)
{
    struct range r = {at, at};
    const unsigned which = unit_of(at, unit);
    if (which == UNTOLD || (at > 0 && unit_of(at - 1, unit) == which)) return r;
    while (r.to < in.to && unit_of(r.to, unit) == which) r.to++;
    return r;
}

/* The largest unit from `at` on that is smaller than the range; a thread, where there is none. */
static struct range child(struct range in, unsigned at)
{
    struct range best = {at, at + 1};
    for (unsigned unit = 0; unit < UNITS; unit++) {
        const struct range r = part(in, at, unit);
        if (size_of(r) < size_of(in) && size_of(r) > size_of(best)) best = r;
    }
    return best;
}

/* Does the unit hold exactly this range? */
static bool is_unit(struct range r, unsigned unit)
{
    return part((struct range){0, shown.places}, r.from, unit).to == r.to;
}

/* Two ranges look alike: the same units begin at the same distances, and the kinds are the same. */
static bool alike(struct range a, struct range b)
{
    if (size_of(a) != size_of(b)) return false;
    for (unsigned i = 0; i < size_of(a); i++) {
        if (shown.place[a.from + i].kind != shown.place[b.from + i].kind) return false;
        for (unsigned unit = 0; unit < UNITS; unit++) {
            if ((unit_of(a.from + i, unit) == UNTOLD) != (unit_of(b.from + i, unit) == UNTOLD)) return false;
            if (i && (unit_of(a.from + i, unit) == unit_of(a.from + i - 1, unit)) !=
                         (unit_of(b.from + i, unit) == unit_of(b.from + i - 1, unit)))
                return false;
        }
    }
    return true;
}

/* ---- the lines ---- */

static void put_cache(struct para *p, const struct shown_cache *c)
{
    p->glue = true;
    para_printf(p, "L%u%s ", c->level, c->suffix);
    para_bytes(p, c->bytes);
    p->glue = false;
}

static bool is_core(struct range r) { return is_unit(r, LEVEL_CORE); }

/* "8 P-cores of 2 threads", "2 dies/complexes", "2 groups": caches of their own, which no level names. */
static void put_name(struct para *p, struct range r, unsigned times)
{
    bool many = times != 1;
    const char *slash = "";
    const char kind = shown.place[r.from].kind;
    para_printf(p, "%u ", times);
    if (is_core(r)) {
        if (is_unit(r, LEVEL_PACKAGE)) {
            para_printf(p, "%s of one ", topology_level_name(LEVEL_PACKAGE, many));
            many = false;
        }
        if (kind != ' ') para_printf(p, "%c-", kind);
        para_str(p, topology_level_name(LEVEL_CORE, many));
        if (size_of(r) > 1) para_printf(p, " of %u threads", size_of(r));
        return;
    }
    for (unsigned level = TOPOLOGY_LEVELS; level-- > 0;) {
        if (!is_unit(r, level)) continue;
        para_str(p, slash);
        para_str(p, topology_level_name((enum topology_level)level, many));
        slash = "/";
        if (level == LEVEL_PACKAGE) break;
    }
    if (*slash) return;
    para_str(p, size_of(r) == 1 ? "thread" : "group");
    if (many) para_str(p, "s");
}

/* The outer ones first. */
static void put_own_caches(struct para *p, struct range r, const char *before)
{
    for (unsigned level = 9; level > 0; level--)
        for (unsigned c = 0; c < shown.caches; c++) {
            if (shown.cache[c].level != level || !is_unit(r, TOPOLOGY_LEVELS + c)) continue;
            para_str(p, before);
            put_cache(p, &shown.cache[c]);
            before = ", ";
        }
}

static void put_unit(struct range r, unsigned times, unsigned depth, text_put put)
{
    struct para p;
    para_begin(&p, put, "", TEXT_INDENT + 2 * depth);
    p.indent += 4; /* of the lines that follow, so that these are no units of their own */
    put_name(&p, r, times);
    put_own_caches(&p, r, times > 1 ? ", each with " : " with ");
    para_end(&p);
}

/* Is there more to draw in it? The threads of a core are named with it, so only their own caches are. */
static bool is_drawn_inside(struct range r)
{
    if (size_of(r) == 1 || !is_core(r)) return size_of(r) > 1;
    for (unsigned c = 0; c < shown.caches; c++)
        if (is_unit((struct range){r.from, r.from + 1}, TOPOLOGY_LEVELS + c)) return true;
    return false;
}

/* The children of a range, equal neighbours once. */
static void put_inside(struct range in, unsigned depth, text_put put)
{
    enum { DEEPEST = 8 };
    for (unsigned at = in.from; at < in.to;) {
        const struct range first = child(in, at);
        struct range last = first;
        unsigned times = 1;
        while (last.to < in.to) {
            const struct range next = child(in, last.to);
            if (!alike(first, next)) break;
            last = next;
            times++;
        }
        put_unit(first, times, depth, put);
        if (depth < DEEPEST && is_drawn_inside(first)) put_inside(first, depth + 1, put);
        at = last.to;
    }
}

/* Of a machine with one package, that is the whole range. */
static void put_tree(text_put put)
{
    const struct range all = {0, shown.places};
    unsigned depth = 0;
    if (part(all, 0, LEVEL_PACKAGE).to == all.to) put_unit(all, 1, depth++, put);
    put_inside(all, depth, put);
}

static void put_untold(text_put put)
{
    struct para p;
    const char *comma = "";
    for (unsigned c = 0; c < shown.caches; c++) {
        if (shown.cache[c].number > 0) continue;
        if (*comma != ',') para_begin(&p, put, "", TEXT_INDENT);
        para_str(&p, *comma == ',' ? ", " : "not told: who shares ");
        put_cache(&p, &shown.cache[c]);
        comma = ",";
    }
    if (*comma == ',') para_end(&p);
}

static void draw(text_put put)
{
    if (shown.places < shown.expected) {
        char line[TEXT_COLUMNS + 1];
        snprintf(line, sizeof line, "            only %u of %u processors are in these records", shown.places,
                 shown.expected);
        put(line);
    }
    if (!shown.places) return;
    put_tree(put);
    put_untold(put);
    text_places(&shown, put);
}

static void take_caches(const struct record *r)
{
    for (const struct field *f = members(rec_find(r, "caches")); f; f = member_next(f)) {
        if (shown.caches == TOPOLOGY_CACHE_KINDS) return;
        struct shown_cache *c = &shown.cache[shown.caches++];
        const char *kind = member_text(f, "kind", "");
        const double level = field_number(member(f, "level"), 0);
        c->level = level >= 0 && level < 10 ? (unsigned)level : 0;
        c->suffix = strcmp(kind, "data") == 0 ? "d" : strcmp(kind, "code") == 0 ? "i" : "";
        c->bytes = field_number(member(f, "bytes"), 0);
        c->number = field_number(member(f, "number"), 0);
        c->first = field_number(member(f, "first"), 0);
    }
}

/* Whose number it is. */
static void take_cache(struct shown_place *p, double of)
{
    for (unsigned c = 0; c < shown.caches; c++)
        if (of >= shown.cache[c].first && of < shown.cache[c].first + shown.cache[c].number && of < UNTOLD)
            p->cache[c] = (uint16_t)of;
}

/* ---- public ---- */

void text_topology(const struct record *r, text_put put)
{
    struct para p;
    memset(&shown, 0, sizeof shown);
    shown.open = true;
    shown.expected = number(r, "processors");
    take_caches(r);
    para_begin(&p, put, "  Topology", TEXT_INDENT);
    para_printf(&p, "%u processors", shown.expected);
    const char *comma = ": ";
    for (unsigned level = TOPOLOGY_LEVELS; level-- > 0; comma = ", ") {
        const unsigned n = number(r, keys[level][1]);
        if (n == UNTOLD || n == 0) continue;
        para_str(&p, comma);
        p.glue = true;
        para_printf(&p, "%u %s", n, topology_level_name((enum topology_level)level, n != 1));
        p.glue = false;
    }
    if (members(rec_find(r, "leaves"))) {
        para_str(&p, " (");
        para_list(&p, r, "leaves");
        para_str(&p, ")");
    }
    if (strcmp(rec_text(r, "ids", ""), "apic") == 0)
        para_str(&p, "; CPUID gives an ID twice, so those of the local APICs count");
    para_end(&p);
}

void text_place(const struct record *r, text_put put)
{
    struct shown_place p = {.cpu = number(r, "cpu"), .thread = number(r, "thread")};
    const char *kind = rec_text(r, "kind", "");
    if (!shown.open || shown.places == PROCESSORS_MAX) return;
    const double id = rec_number(r, "apic_id", 0);
    p.apic_id = id >= 0 && id <= UINT32_MAX ? (uint32_t)id : 0;
    p.kind = *kind && !kind[1] ? *kind : ' ';
    for (unsigned level = 0; level < TOPOLOGY_LEVELS; level++) p.unit[level] = number(r, keys[level][0]);
    for (unsigned c = 0; c < TOPOLOGY_CACHE_KINDS; c++) p.cache[c] = UNTOLD;
    for (const struct field *f = members(rec_find(r, "caches")); f; f = member_next(f))
        take_cache(&p, field_number(f, UNTOLD));
    insert(&p);
    if (shown.places == shown.expected) text_topology_close(put);
}

void text_topology_close(text_put put)
{
    if (!shown.open) return;
    shown.open = false;
    if (put) draw(put);
}
