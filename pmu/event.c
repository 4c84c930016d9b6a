/* From event words to codes for the registers. Syntax: docs/events.md. */
#include "pmu/database.h"
#include "pmu/driver.h"
#include "pmu/event_fields.h"
#include "pmu/names.h"
#include <stdio.h>
#include <string.h>

struct parse {
    const struct pmu *pmu;
    const struct pmu_event *row; /* NULL: raw, fields, or a word for fields */
    struct db_pick pick;         /* pick.event NULL: the event is not from the database */
    struct pmu_fields f;
    uint32_t named; /* bit n: field n of the unit mask was named */
    bool raw_umask;
    char *why, *near;
    size_t why_cap, near_cap;
};

#define REFUSE(p, ...) pmu_refuse((p)->why, (p)->why_cap, __VA_ARGS__)

/* ---- /event=0xc4,umask=0x01,cmask=1,inv,edge/u ---- */

static bool one_field(struct parse *p, char *s)
{
    char list[128];
    const struct pmu_field_word *d = pmu_field_named(p->pmu, s);
    if (d) return pmu_field_set(d, s, &p->f, p->why, p->why_cap);
    pmu_field_list(p->pmu, list, sizeof list);
    return REFUSE(p, "\"%s\" is not a field; the fields are %s", s, list);
}

static bool parse_fields(struct parse *p, char *s)
{
    char *end = strchr(++s, '/');
    if (!end) return REFUSE(p, "the fields end with a slash: /event=0xc0/");
    *end++ = '\0';
    if (*end == ':') end++;
    if (*end && !pmu_privilege(end, &p->f.usr, &p->f.os))
        return REFUSE(p, "only u, k or uk may follow the second slash");

    for (char *next; s; s = next) {
        next = pmu_cut(s, ',');
        if (!one_field(p, s)) return false;
    }
    if (!(p->f.given & (FIELD_EVENT | FIELD_CLOCKS))) return REFUSE(p, "the fields need an event=");
    p->f.has_umask = p->f.given & FIELD_UMASK;
    return true;
}

/* ---- r01c4 ---- */

/* perf's raw code, up to nine hexadecimal digits: event select, unit mask, cmask and flags at their places in
 * the register, with AMD's four upper bits of the event in 35:32. The driver sets the other bits. */
#define RAW_FOREIGN 0x0005b0000ull /* USR, OS, PC, INT, EN */

static bool is_raw(const char *s, uint64_t *code)
{
    size_t digits = strspn(s + 1, "0123456789abcdef");
    if (*s != 'r' || digits < 1 || digits > 9 || s[1 + digits]) return false;
    *code = 0;
    for (s++; *s; s++) *code = *code << 4 | (uint64_t)(*s <= '9' ? *s - '0' : *s - 'a' + 10);
    return true;
}

static bool parse_raw(struct parse *p, uint64_t raw)
{
    if (raw & RAW_FOREIGN)
        return REFUSE(
            p, "a raw code may not set bits 16, 17, 19, 20 and 22; :u and :k select the privilege level");
    p->f.event = (raw & 0xff) | (raw >> 24 & 0xf00);
    p->f.umask = raw >> 8 & 0xff;
    p->f.cmask = raw >> 24 & 0xff;
    p->f.edge = raw >> 18 & 1;
    p->f.any = raw >> 21 & 1;
    p->f.inv = raw >> 23 & 1;
    if (p->f.any && !(p->pmu->ops->fields & FIELD_ANY)) return REFUSE(p, "bit 21 is reserved on this family");
    return p->f.has_umask = true;
}

/* ---- name:UMASK:edge:u ---- */

/* The names of a set's unit masks, for an error. */
static void list_umasks(const struct pmu *pmu, unsigned set, char *out, size_t cap)
{
    out[0] = '\0';
    for (unsigned i = 0; i < pmu->ops->n_umasks; i++)
        if (pmu->ops->umasks[i].set == set) pmu_list_add(out, cap, pmu->ops->umasks[i].name, "");
}

static bool modifier(struct parse *p, char *s);

static void set_row(struct parse *p, const struct pmu_event *row)
{
    p->row = p->f.row = row;
    p->f.event = row->code;
    p->f.counters = row->counters;
}

/* The meaning of a unit mask in another spelling: one of the set's names, a modifier, or an event that
 * replaces the named one and has the same bits. */
static bool aliased_umask(struct parse *p, const struct pmu_alias *a)
{
    char text[PMU_NAME];
    if (a->row) return set_row(p, pmu_event_named(p->pmu, a->stands_for)), true;
    snprintf(text, sizeof text, "%s", a->stands_for);
    return modifier(p, text);
}

static bool named_umask(struct parse *p, const char *s)
{
    char list[PMU_NAME];
    const struct pmu_ops *ops = p->pmu->ops;
    const struct pmu_alias *alias;
    if (!p->row->umasks) return REFUSE(p, "%s has no unit masks, so not \"%s\" either", p->row->name, s);
    for (unsigned i = 0; i < ops->n_umasks; i++) {
        const struct pmu_umask *u = &ops->umasks[i];
        if (u->set != p->row->umasks || strcmp(u->name, s) != 0) continue;
        uint32_t field = pmu_umask_field(p->pmu, u), named = 1u << u->field;
        if (u->one_of && (p->named & named))
            return REFUSE(p, "unit mask %s cannot be combined with the one before it", s);
        if (!(p->named & named)) p->f.umask &= ~field; /* no longer the default */
        p->f.umask |= u->value;
        p->named |= named;
        return true;
    }
    if ((alias = pmu_alias_named(p->pmu, p->row->umasks, s)) != NULL) return aliased_umask(p, alias);
    list_umasks(p->pmu, p->row->umasks, list, sizeof list);
    return REFUSE(p, "%s has no unit mask \"%s\"; it has %s", p->row->name, s, list);
}

/* A unit mask that is a threshold of latencies, too. */
static bool threshold(struct parse *p, const char *s, uint32_t n)
{
    if (p->f.given & FIELD_LDLAT) return REFUSE(p, "%s: a threshold is given already", s);
    p->f.ldlat = n;
    p->f.given |= FIELD_LDLAT;
    return true;
}

static bool modifier(struct parse *p, char *s)
{
    uint32_t n;
    if (p->pick.event && !p->raw_umask && pmu_db_threshold(&p->pick, s, &n)) return threshold(p, s, n);
    /* Some unit masks have the name of a modifier (l1d_pend_miss:edge): as in libpfm4, the unit mask takes
     * precedence. */
    enum db_answer answer = p->pick.event ? db_pick_umask(&p->pick, s) : DB_UNKNOWN;
    if (answer == DB_EXCLUDED || (answer == DB_TAKEN && p->raw_umask))
        return REFUSE(p, "unit mask %s cannot be combined with the one before it", s);
    if (answer == DB_TAKEN) return true;
    if (pmu_privilege(s, &p->f.usr, &p->f.os)) return true;
    if (!p->row && !p->pick.event) return REFUSE(p, "\"%s\": only u, k or uk may follow this word", s);
    const struct pmu_field_word *d = pmu_field_named(p->pmu, s);
    if (d && d->modifier) return pmu_field_set(d, s, &p->f, p->why, p->why_cap);
    if (strncmp(s, "0x", 2) != 0) {
        if (p->pick.event) return pmu_db_umasks(&p->pick, s, p->why, p->why_cap);
        return !p->raw_umask ? named_umask(p, s)
                             : REFUSE(p, "a number is the whole unit mask; it takes no names beside it");
    }
    if (!pmu_number(s, &n)) return REFUSE(p, "\"%s\" is not a number", s);
    if (p->raw_umask || p->named || p->pick.classes)
        return REFUSE(p, "a number is the whole unit mask; it takes nothing beside it");
    p->f.umask = n;
    return p->raw_umask = true;
}

static bool unknown(struct parse *p, const char *name)
{
    for (unsigned i = 0; i < p->pmu->ops->n_events; i++)
        if (strcmp(p->pmu->ops->events[i].name, name) == 0)
            return REFUSE(p, "a %s does not have %s; another model of its family does", p->pmu->model, name);
    pmu_nearest(p->pmu, name, p->near, p->near_cap);
    return REFUSE(p, "a %s has no event of this name%s", p->pmu->model, pmu_db_lack(p->pmu));
}

/* Check and remove the family before "::", as libpfm4 writes it. */
static bool family(struct parse *p, char **s)
{
    char *colons = strstr(*s, "::");
    char own[16], prefix[PMU_NAME];
    size_t n = 0;
    if (!colons) return true;
    snprintf(prefix, sizeof prefix, "%.*s", (int)(colons + 2 - *s), *s);
    if (pmu_alias_named(p->pmu, 0, prefix)) return *s = colons + 2, true;
    for (const char *c = p->pmu->ops->family; *c && n < sizeof own - 1; c++) own[n++] = pmu_lower(*c);
    own[n] = '\0';
    *colons = '\0';
    const char *table = p->pmu->database && *p->pmu->database ? p->pmu->database : own;
    if (strcmp(*s, own) != 0 && strcmp(*s, table) != 0)
        return REFUSE(p, "the events of this CPU are %s::, not %s::", table, *s);
    *s = colons + 2;
    return true;
}

static bool resolve(struct parse *p, char *s, bool words);

/* One of perf's words, which does not accept a unit mask. */
static bool word_event(struct parse *p, const struct pmu_word *word)
{
    char event[PMU_NAME];
    if (!word->event) return REFUSE(p, "%s is absent on a %s", word->word, p->pmu->model);
    if (word->msr)
        return REFUSE(p, "%s also needs MSR %Xh, which this kernel does not program", word->word, word->msr);
    snprintf(event, sizeof event, "%s", word->event);
    if (!resolve(p, event, false)) return false;
    p->row = NULL;
    return true;
}

static bool parse_name(struct parse *p, char *s, bool words)
{
    if (!family(p, &s)) return false;
    char *rest = pmu_cut(s, ':');
    const struct pmu_word *word = NULL;
    const struct pmu_alias *alias = NULL;
    const struct pmu_event *row = pmu_event_named(p->pmu, s);
    if (row) {
        set_row(p, row);
        p->f.umask = row->umask;
        p->f.has_umask = true;
    } else if (words && (word = pmu_word_named(p->pmu, s, strlen(s))) != NULL) {
        if (!word_event(p, word)) return false;
    } else if (pmu_db_pick(p->pmu, s, &rest, &p->pick)) { /* below */
    } else if (words && (alias = pmu_alias_named(p->pmu, 0, s)) != NULL) {
        char event[PMU_NAME];
        snprintf(event, sizeof event, "%s", alias->stands_for); /* no other alias */
        if (!resolve(p, event, true)) return false;
    } else {
        return unknown(p, s);
    }
    for (char *next; rest; rest = next) {
        next = pmu_cut(rest, ':');
        if (!modifier(p, rest)) return false;
    }
    return !p->pick.event || pmu_db_fields(p->pmu, &p->pick, &p->f, p->raw_umask, p->why, p->why_cap);
}

/* ---- any word ---- */

static bool resolve(struct parse *p, char *s, bool words)
{
    uint64_t raw;
    if (*s == '/') return parse_fields(p, s);
    char *rest = strchr(s, ':');
    size_t head = rest ? (size_t)(rest - s) : strlen(s);
    char code[PMU_NAME];
    memcpy(code, s, head);
    code[head] = '\0';
    if (!is_raw(code, &raw)) return parse_name(p, s, words);
    if (!parse_raw(p, raw)) return false;
    if (rest && !pmu_privilege(rest + 1, &p->f.usr, &p->f.os))
        return REFUSE(p, "only :u, :k or :uk may follow a raw code");
    return true;
}

bool pmu_event_parse(const struct pmu *pmu, const char *word, size_t len, struct pmu_code *out, char *why,
                     size_t why_cap, char *near, size_t near_cap)
{
    struct parse p = {.pmu = pmu, .why = why, .why_cap = why_cap, .near = near, .near_cap = near_cap};
    char s[PMU_NAME];
    if (why_cap) why[0] = '\0';
    if (near_cap) near[0] = '\0';
    if (!pmu->ops) return REFUSE(&p, "this CPU has no performance counters that this kernel knows");
    if (len == 0) return REFUSE(&p, "the name is missing, such as cycles");
    if (len >= sizeof s) return REFUSE(&p, "longer than any event (%u characters)", (unsigned)sizeof s - 1);
    for (size_t i = 0; i < len; i++) s[i] = pmu_lower(word[i]);
    s[len] = '\0';
    if (strlen(s) != len) return REFUSE(&p, "it contains a NUL");
    if (strstr(s, PMU_CASCADE)) return REFUSE(&p, "a cascade (A+>B) is two events, and here one is expected");
    memset(out, 0, sizeof *out);
    if (!pmu_take_preset(pmu, s, out, why, why_cap) || !resolve(&p, s, true)) return false;
    if (p.f.usr != p.f.os) out->privilege = p.f.usr ? PRIVILEGE_USER : PRIVILEGE_KERNEL;
    if (!pmu->ops->encode(pmu, &p.f, out, why, why_cap)) return false;
    memcpy(out->name, word, len);
    return true;
}

bool pmu_event_by_pebs(const struct pmu_code *code, char *why, size_t cap)
{
    if (!code->extra_msr) return false;
    pmu_refuse(why, cap, "%s needs MSR %Xh, which only sample=pebs programs", code->name, code->extra_msr);
    return true;
}

bool pmu_event_never(const struct pmu_code *code, unsigned ring, char *why, size_t cap)
{
    const bool user = code->privilege == PRIVILEGE_USER;
    if (code->privilege == PRIVILEGE_ANY || user == (ring == 3)) return false;
    snprintf(why, cap,
             "%s counts at CPL %u only, but the payload runs at CPL %u: use ring=%u, or leave :%c out",
             code->name, user ? 3 : 0, ring, user ? 3 : 0, user ? 'u' : 'k');
    return true;
}
