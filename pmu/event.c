/* Event words to programmed codes. The syntax stands in docs/pmu-drivers.md. */
#include "pmu/driver.h"
#include <stdio.h>
#include <string.h>

struct parse {
    const struct pmu *pmu;
    const struct pmu_event *row; /* NULL: raw, fields, or a word for fields */
    struct pmu_fields f;
    uint8_t named; /* bits of the unit mask whose field was named */
    bool raw_umask;
    char *why, *near;
    size_t why_cap, near_cap;
};

#define REFUSE(p, ...) pmu_refuse((p)->why, (p)->why_cap, __VA_ARGS__)

/* ---- numbers and flags ---- */

/* "0x1f" or "31"; nothing else, not even a sign. */
static bool number(const char *s, uint32_t *value)
{
    unsigned base = s[0] == '0' && s[1] == 'x' ? 16 : 10;
    uint64_t v = 0;
    if (base == 16) s += 2;
    if (!*s) return false;
    for (; *s; s++) {
        unsigned digit = *s >= '0' && *s <= '9'   ? (unsigned)(*s - '0')
                         : *s >= 'a' && *s <= 'f' ? (unsigned)(*s - 'a') + 10
                                                  : base;
        if (digit >= base) return false;
        v = v * base + digit;
        if (v > UINT32_MAX) return false;
    }
    *value = (uint32_t)v;
    return true;
}

/* "u", "k", "uk": adds to what was said before. False: something else. */
static bool privilege(const char *s, struct pmu_fields *f)
{
    if (!*s || s[strspn(s, "uk")]) return false;
    f->usr |= strchr(s, 'u') != NULL;
    f->os |= strchr(s, 'k') != NULL;
    return true;
}

/* Cut s at its first c: returns what follows, NULL where there is no c. */
static char *cut(char *s, char c)
{
    char *at = strchr(s, c);
    if (!at) return NULL;
    *at = '\0';
    return at + 1;
}

/* ---- /event=0xc4,umask=0x01,cmask=1,inv,edge/u ---- */

enum { SEEN_EVENT = 1, SEEN_UMASK = 2, SEEN_CMASK = 4, SEEN_INV = 8, SEEN_EDGE = 16, SEEN_CLOCKS = 32 };

static const struct {
    const char *name;
    unsigned seen;
    bool flag;
} fields[] = {{"event", SEEN_EVENT, false}, {"umask", SEEN_UMASK, false}, {"cmask", SEEN_CMASK, false},
              {"inv", SEEN_INV, true},      {"edge", SEEN_EDGE, true},    {"clocks", SEEN_CLOCKS, true}};

static bool one_field(struct parse *p, char *s, unsigned *seen)
{
    char *value = cut(s, '=');
    uint32_t n = 1;
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(s, fields[i].name) != 0) continue;
        if (*seen & fields[i].seen) return REFUSE(p, "%s stands twice", s);
        if (fields[i].flag && value) return REFUSE(p, "%s takes no value", s);
        if (!fields[i].flag && !(value && number(value, &n)))
            return REFUSE(p, "%s= takes a number, like 0xc4 or 196", s);
        *seen |= fields[i].seen;
        switch (fields[i].seen) {
        case SEEN_EVENT:
            p->f.event = n;
            break;
        case SEEN_UMASK:
            p->f.umask = n;
            break;
        case SEEN_CMASK:
            p->f.cmask = n;
            break;
        }
        return true;
    }
    return REFUSE(p, "\"%s\" is no field; fields are event=, umask=, cmask=, inv, edge, clocks", s);
}

static bool parse_fields(struct parse *p, char *s)
{
    char *end = strchr(++s, '/');
    if (!end) return REFUSE(p, "fields end with a slash: /event=0xc0/");
    *end++ = '\0';
    if (*end == ':') end++;
    if (*end && !privilege(end, &p->f)) return REFUSE(p, "behind the second slash only u, k or uk can stand");

    unsigned seen = 0;
    for (char *next; s; s = next) {
        next = cut(s, ',');
        if (!one_field(p, s, &seen)) return false;
    }
    if (!(seen & (SEEN_EVENT | SEEN_CLOCKS))) return REFUSE(p, "fields want an event=");
    p->f.has_umask = seen & SEEN_UMASK;
    p->f.inv = seen & SEEN_INV;
    p->f.edge = seen & SEEN_EDGE;
    p->f.clocks = seen & SEEN_CLOCKS;
    return true;
}

/* ---- r01c4 ---- */

/* perf's raw code: up to four hexadecimal digits, unit mask before event. */
static bool is_raw(const char *s, uint32_t *code)
{
    char hex[8] = "0x";
    size_t digits = strspn(s + 1, "0123456789abcdef");
    if (*s != 'r' || digits < 1 || digits > 4 || s[1 + digits]) return false;
    memcpy(hex + 2, s + 1, digits);
    return number(hex, code);
}

/* ---- name:UMASK:edge:u ---- */

/* What the unit masks of a set are called, for an error. */
static void list_umasks(const struct pmu *pmu, const char *set, char *out, size_t cap)
{
    size_t len = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < pmu->ops->n_umasks && len < cap; i++)
        if (strcmp(pmu->ops->umasks[i].set, set) == 0)
            len += (size_t)snprintf(out + len, cap - len, "%s%s", len ? ", " : "", pmu->ops->umasks[i].name);
}

static bool named_umask(struct parse *p, const char *s)
{
    char list[PMU_NAME];
    const struct pmu_ops *ops = p->pmu->ops;
    if (!p->row->umasks) return REFUSE(p, "%s has no unit mask named \"%s\", nor any other", p->row->name, s);
    for (unsigned i = 0; i < ops->n_umasks; i++) {
        const struct pmu_umask *u = &ops->umasks[i];
        if (strcmp(u->set, p->row->umasks) != 0 || strcmp(u->name, s) != 0) continue;
        if (u->one_of && (p->named & u->field))
            return REFUSE(p, "unit mask %s and the one before it exclude each other", s);
        if (!(p->named & u->field)) p->f.umask &= ~(uint32_t)u->field; /* no longer the default */
        p->f.umask |= u->value;
        p->named |= u->field;
        return true;
    }
    list_umasks(p->pmu, p->row->umasks, list, sizeof list);
    return REFUSE(p, "%s has no unit mask \"%s\"; it has %s", p->row->name, s, list);
}

static bool modifier(struct parse *p, char *s)
{
    uint32_t n;
    if (privilege(s, &p->f)) return true;
    if (!p->row) return REFUSE(p, "\"%s\": behind this word only u, k or uk can stand", s);
    if (strcmp(s, "edge") == 0) return p->f.edge = true;
    if (strcmp(s, "inv") == 0) return p->f.inv = true;
    if (strncmp(s, "cmask=", 6) == 0)
        return number(s + 6, &p->f.cmask) || REFUSE(p, "cmask= takes a number, like 1 or 0x10");
    if (strncmp(s, "0x", 2) != 0) {
        p->f.has_umask = true;
        return !p->raw_umask ? named_umask(p, s)
                             : REFUSE(p, "a number is the whole unit mask: no names beside it");
    }
    if (!number(s, &n)) return REFUSE(p, "\"%s\" is no number", s);
    if (p->raw_umask || p->named) return REFUSE(p, "a number is the whole unit mask: nothing beside it");
    p->f.umask = n;
    return p->f.has_umask = p->raw_umask = true;
}

static const struct pmu_word *find_word(const struct pmu *pmu, const char *s)
{
    const struct pmu_word *w = NULL;
    for (unsigned i = 0; (w = pmu_word_at(pmu, i)) && strcmp(w->word, s) != 0; i++) {
    }
    return w;
}

static bool unknown(struct parse *p, const char *name)
{
    for (unsigned i = 0; i < p->pmu->ops->n_events; i++)
        if (strcmp(p->pmu->ops->events[i].name, name) == 0)
            return REFUSE(p, "a %s does not have %s, another model of its family does", p->pmu->model, name);
    pmu_nearest(p->pmu, name, p->near, p->near_cap);
    return REFUSE(p, "a %s has no event of this name", p->pmu->model);
}

/* Family before "::", as libpfm4 writes it: cut off, checked. */
static bool family(struct parse *p, char **s)
{
    char *colons = strstr(*s, "::");
    char own[8];
    size_t n = 0;
    if (!colons) return true;
    for (const char *c = p->pmu->ops->family; *c && n < sizeof own - 1; c++)
        own[n++] = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    own[n] = '\0';
    *colons = '\0';
    if (strcmp(*s, own) != 0) return REFUSE(p, "the events of this CPU are %s::, not %s::", own, *s);
    *s = colons + 2;
    return true;
}

static bool resolve(struct parse *p, char *s, bool words);

static bool parse_name(struct parse *p, char *s, bool words)
{
    if (!family(p, &s)) return false;
    char *rest = cut(s, ':');
    const struct pmu_word *word = NULL;
    p->row = pmu_event_named(p->pmu, s);
    if (p->row) {
        p->f.event = p->row->code;
        p->f.umask = p->row->umask;
        p->f.has_umask = p->row->umasks != NULL || p->row->umask != 0;
        p->f.counters = p->row->counters;
    } else if (words && (word = find_word(p->pmu, s)) != NULL) {
        char event[PMU_NAME];
        if (!word->event) return REFUSE(p, "%s is absent on a %s", s, p->pmu->model);
        snprintf(event, sizeof event, "%s", word->event);
        if (!resolve(p, event, false)) return false;
        p->row = NULL; /* a word takes no unit mask of the user's */
    } else {
        return unknown(p, s);
    }
    for (char *next; rest; rest = next) {
        next = cut(rest, ':');
        if (!modifier(p, rest)) return false;
    }
    return true;
}

/* ---- any word ---- */

static bool resolve(struct parse *p, char *s, bool words)
{
    uint32_t raw;
    if (*s == '/') return parse_fields(p, s);
    char *rest = strchr(s, ':');
    size_t head = rest ? (size_t)(rest - s) : strlen(s);
    char code[PMU_NAME];
    memcpy(code, s, head);
    code[head] = '\0';
    if (!is_raw(code, &raw)) return parse_name(p, s, words);
    p->f.event = raw & 0xff;
    p->f.umask = raw >> 8;
    p->f.has_umask = true;
    if (rest && !privilege(rest + 1, &p->f))
        return REFUSE(p, "behind a raw code only :u, :k or :uk can stand");
    return true;
}

bool pmu_event_parse(const struct pmu *pmu, const char *word, size_t len, struct pmu_code *out, char *why,
                     size_t why_cap, char *near, size_t near_cap)
{
    struct parse p = {.pmu = pmu, .why = why, .why_cap = why_cap, .near = near, .near_cap = near_cap};
    char s[PMU_NAME];
    if (why_cap) why[0] = '\0';
    if (near_cap) near[0] = '\0';
    if (!pmu->ops) return REFUSE(&p, "this CPU has no performance counters that are known here");
    if (len == 0) return REFUSE(&p, "an event has a name, like cycles");
    if (len >= sizeof s) return REFUSE(&p, "longer than any event (%u characters)", (unsigned)sizeof s - 1);
    for (size_t i = 0; i < len; i++)
        s[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a' : word[i]);
    s[len] = '\0';
    if (strlen(s) != len) return REFUSE(&p, "there is a NUL in it");
    memset(out, 0, sizeof *out);
    if (!resolve(&p, s, true) || !pmu->ops->encode(pmu, &p.f, out, why, why_cap)) return false;
    memcpy(out->name, word, len);
    return true;
}
