/* The parts of event words. */
#include "pmu/event_fields.h"
#include "pmu/names.h"
#include <stddef.h>
#include <string.h>

bool pmu_number(const char *s, uint32_t *value)
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

bool pmu_privilege(const char *s, bool *usr, bool *os)
{
    if (!*s || s[strspn(s, "uk")]) return false;
    *usr |= strchr(s, 'u') != NULL;
    *os |= strchr(s, 'k') != NULL;
    return true;
}

char *pmu_cut(char *s, char c)
{
    char *at = strchr(s, c);
    if (!at) return NULL;
    *at = '\0';
    return at + 1;
}

static const struct pmu_field_word words[] = {
#define FIELD(name, bit, takes, modifier)                                            \
    {                                                                                \
#name, bit, offsetof(struct pmu_fields, name), FIELD_TAKES_##takes, modifier \
    }
    FIELD(event, FIELD_EVENT, NUMBER, false),
    FIELD(umask, FIELD_UMASK, NUMBER, false),
    FIELD(cmask, FIELD_CMASK, NUMBER, true),
    FIELD(inv, FIELD_INV, NOTHING, true),
    FIELD(edge, FIELD_EDGE, NOTHING, true),
    FIELD(clocks, FIELD_CLOCKS, NOTHING, false),
    FIELD(thr, FIELD_THR, NUMBER, true),
    FIELD(cmpl, FIELD_CMPL, NOTHING, true),
    FIELD(force_ovf, FIELD_FORCE_OVF, NOTHING, true),
    FIELD(active, FIELD_ACTIVE, NUMBER, true),
    FIELD(t0, FIELD_T0, PRIVILEGE, true),
    FIELD(t1, FIELD_T1, PRIVILEGE, true),
    FIELD(tag, FIELD_TAG, NUMBER, true),
    FIELD(escr, FIELD_ESCR, NUMBER, false),
    FIELD(any, FIELD_ANY, NOTHING, true),
    FIELD(ldlat, FIELD_LDLAT, NUMBER, true),
#undef FIELD
};
#define WORDS_END (words + sizeof words / sizeof words[0])

static bool accepted(const struct pmu *pmu, const struct pmu_field_word *w)
{
    return w->bit & (FIELDS_COMMON | pmu->ops->fields);
}

void pmu_field_list(const struct pmu *pmu, char *out, size_t cap)
{
    out[0] = '\0';
    for (const struct pmu_field_word *w = words; w < WORDS_END; w++)
        if (accepted(pmu, w)) pmu_list_add(out, cap, w->name, w->takes == FIELD_TAKES_NUMBER ? "=" : "");
}

const struct pmu_field_word *pmu_field_named(const struct pmu *pmu, const char *s)
{
    size_t n = strcspn(s, "=");
    for (const struct pmu_field_word *w = words; w < WORDS_END; w++)
        if (strlen(w->name) == n && strncmp(w->name, s, n) == 0) return accepted(pmu, w) ? w : NULL;
    return NULL;
}

bool pmu_field_set(const struct pmu_field_word *word, char *s, struct pmu_fields *f, char *why,
                   size_t why_cap)
{
    char *value = pmu_cut(s, '=');
    void *at = (char *)f + word->at;
    struct pmu_thread *thread = at;
    if (f->given & word->bit) return pmu_refuse(why, why_cap, "%s is given twice", word->name);
    f->given |= word->bit;
    switch (word->takes) {
    case FIELD_TAKES_NOTHING:
        return value ? pmu_refuse(why, why_cap, "%s takes no value", word->name) : (*(bool *)at = true);
    case FIELD_TAKES_PRIVILEGE:
        thread->counted = true;
        return !value || pmu_privilege(value, &thread->usr, &thread->os) ||
               pmu_refuse(why, why_cap, "%s= takes u, k or uk", word->name);
    default:
        return (value && pmu_number(value, at)) ||
               pmu_refuse(why, why_cap, "%s= takes a number, such as 0xc4 or 196", word->name);
    }
}
