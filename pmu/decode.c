#include "pmu/decode.h"
#include "pmu/driver.h"
#include "pmu/names.h"
#include "pmu/netburst.h"
#include "pmu/perfmon.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT            320
#define PERFMON_ANY_BIT 21
#define PERFMON_PC      (1u << 19) /* pin control: no driver sets it */

/* ---- which register ---- */

/* A register and its place among those of its kind; -1: none in particular. */
struct place {
    const struct pmu_register *r;
    int i;
};

uint32_t pmu_register_msr(const struct pmu *pmu, const struct pmu_register *r, unsigned i)
{
    if (r->msr) return i < r->n ? r->msr + i : 0;
    return i < pmu->perfmon.general ? pmu->counter_msr[i] + (uint32_t)pmu->perfmon.select_offset : 0;
}

/* NetBurst's ESCRs have gaps. */
static bool exists(const struct pmu *pmu, const struct pmu_register *r, unsigned i)
{
    if (r->msr != MSR_NB_ESCR) return true;
    for (int k = 0, escr; (escr = pmu_netburst_escr_at(pmu, (unsigned)k)) >= 0; k++)
        if ((unsigned)escr == i) return true;
    return false;
}

static bool at_msr(const struct pmu *pmu, uint64_t msr, struct place *at)
{
    for (unsigned k = 0; k < pmu->ops->n_registers; k++) {
        const struct pmu_register *r = &pmu->ops->registers[k];
        for (unsigned i = 0; pmu_register_msr(pmu, r, i); i++)
            if (pmu_register_msr(pmu, r, i) == msr && exists(pmu, r, i))
                return *at = (struct place){r, (int)i}, true;
    }
    return false;
}

/* "evntsel", or with its number "evntsel1". */
static bool is_named(const struct pmu *pmu, const struct pmu_register *r, const char *as, size_t len, int *i)
{
    const size_t n = strlen(r->name);
    uint64_t number;
    if (len < n) return false;
    for (size_t k = 0; k < n; k++)
        if (pmu_lower(as[k]) != r->name[k]) return false;
    *i = -1;
    if (len == n) return true;
    if (r->msr == MSR_NB_ESCR) return false; /* the manual names them by their units: by MSR */
    if (!pmu_decode_number(as + n, len - n, &number) || number > PMU_COUNTERS) return false;
    *i = (int)number;
    return pmu_register_msr(pmu, r, (unsigned)number) != 0;
}

static bool no_register(const struct pmu *pmu, const char *as, size_t len, char *why, size_t cap)
{
    char list[128] = "";
    for (unsigned k = 0; k < pmu->ops->n_registers; k++)
        pmu_list_add(list, sizeof list, pmu->ops->registers[k].name, "");
    return pmu_refuse(
        why, cap,
        "a %s has no register \"%.*s\" that selects events. Valid: %s, one of them with its number, "
        "or its MSR, such as 0x%lx",
        pmu->model, (int)(len < 32 ? len : 32), as, list,
        (unsigned long)pmu_register_msr(pmu, pmu->ops->registers, 0));
}

static bool find(const struct pmu *pmu, const char *as, size_t len, struct place *at, char *why, size_t cap)
{
    uint64_t msr;
    for (unsigned k = 0; k < pmu->ops->n_registers; k++) {
        at->r = &pmu->ops->registers[k];
        if (is_named(pmu, at->r, as, len, &at->i)) return true;
    }
    return (pmu_decode_number(as, len, &msr) && at_msr(pmu, msr, at)) || no_register(pmu, as, len, why, cap);
}

/* ---- its fields ---- */

/* One register's value, and where its words go. */
struct decoding {
    const struct pmu *pmu;
    struct place at;
    uint64_t value;
    pmu_decode_line *line;
    void *ctx;
    unsigned names;      /* events that were named */
    char word[PMU_NAME]; /* what events= takes for the same; "": nothing found yet */
    uint64_t compared;   /* bits of the register that a word decides on */
};

static uint64_t part(uint64_t value, const struct pmu_register_field *f)
{
    return value >> f->low & ((1ull << f->bits) - 1);
}

/* Versions from 5 on reserve ANY. */
static bool has(const struct decoding *d, const struct pmu_register_field *f)
{
    const struct place *at = &d->at;
    if (f->low == PERFMON_ANY_BIT && at->r->msr == 0 && !d->pmu->any_thread) return false;
    return !f->instances || at->i < 0 || f->instances >> at->i & 1;
}

static __attribute__((format(printf, 3, 4))) void put(struct decoding *d, const char *label, const char *fmt,
                                                      ...)
{
    char text[TEXT];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    d->line(d->ctx, label, text);
}

/* The i-th of "of 0|of 1|...". */
static void put_choice(struct decoding *d, const struct pmu_register_field *f, unsigned i)
{
    const char *s = f->text;
    for (; i && strchr(s, '|'); i--) s = strchr(s, '|') + 1;
    put(d, f->name, "%.*s", (int)strcspn(s, "|"), s);
}

static void put_number(struct decoding *d, const struct pmu_register_field *f, uint64_t v)
{
    put(d, f->name, "0x%02llx%s%s", (unsigned long long)v, f->text ? ": " : "", f->text ? f->text : "");
}

/* ---- the event ---- */

#define SELECT_MODIFIERS (PERFMON_CMASK(0xff) | PERFMON_INV | PERFMON_ANY | PERFMON_EDGE)

/* The register's event as a word for events=, if there is one. */
static void try_word(struct decoding *d, const char *word)
{
    struct pmu_code code;
    char why[8];
    if (d->word[0] || strlen(word) >= PMU_NAME) return;
    if (!pmu_event_parse(d->pmu, word, strlen(word), &code, why, sizeof why, NULL, 0)) return;
    if (((code.select ^ d->value) & d->compared) || code.extra_msr)
        return; /* which this value does not tell */
    strcpy(d->word, word);
}

/* What follows a name. */
static void suffix(const struct decoding *d, bool whole, char *out, size_t cap)
{
    const uint32_t v = (uint32_t)d->value;
    const uint32_t level = v & (PERFMON_USR | PERFMON_OS);
    char cmask[16] = "";
    if (PERFMON_CMASK(0xff) & v) snprintf(cmask, sizeof cmask, ":cmask=%u", (unsigned)(v >> 24));
    snprintf(out, cap, "%s%s%s%s%s", whole ? "" : cmask, !whole && cmask[0] && v & PERFMON_INV ? ":inv" : "",
             !whole && v & PERFMON_EDGE ? ":edge" : "",
             !whole && v & PERFMON_ANY && d->pmu->any_thread ? ":any" : "",
             level == PERFMON_USR  ? ":u"
             : level == PERFMON_OS ? ":k"
                                   : "");
}

static void put_name(struct decoding *d, const char *word, const char *desc)
{
    put(d, d->names++ ? "  or" : "  is", "%s: %s", word, desc);
}

static void one_name(void *ctx, const char *word, const char *desc, bool whole)
{
    struct decoding *d = ctx;
    char with[3 * PMU_NAME], tail[48];
    put_name(d, word, desc);
    if (!d->compared) return;
    suffix(d, whole, tail, sizeof tail);
    snprintf(with, sizeof with, "%s%s", word, tail);
    try_word(d, with);
}

/* An event without a name. */
static void try_fields(struct decoding *d, const struct pmu_sought *s)
{
    const uint32_t v = (uint32_t)d->value, level = v & (PERFMON_USR | PERFMON_OS);
    char word[PMU_NAME], cmask[16] = "";
    if (PERFMON_CMASK(0xff) & v) snprintf(cmask, sizeof cmask, ",cmask=%u", (unsigned)(v >> 24));
    snprintf(word, sizeof word, "/event=0x%lx,umask=0x%lx%s%s%s%s/%s", (unsigned long)s->event,
             (unsigned long)s->umask, cmask, cmask[0] && v & PERFMON_INV ? ",inv" : "",
             v & PERFMON_EDGE ? ",edge" : "", v & PERFMON_ANY && d->pmu->any_thread ? ",any" : "",
             level == PERFMON_USR  ? "u"
             : level == PERFMON_OS ? "k"
                                   : "");
    try_word(d, word);
}

static const struct pmu_register_field *field_of(const struct pmu_register *r, enum pmu_register_kind kind)
{
    for (unsigned i = 0; i < r->n_fields; i++)
        if (r->fields[i].kind == kind) return &r->fields[i];
    return NULL;
}

static void put_event(struct decoding *d, const struct pmu_register_field *f)
{
    const struct pmu_register_field *high = field_of(d->at.r, REGISTER_EVENT_HIGH),
                                    *mask = field_of(d->at.r, REGISTER_MASK);
    struct pmu_sought s = {.event = (uint32_t)part(d->value, f), .escr = -1};
    if (high) s.event |= (uint32_t)part(d->value, high) << 8;
    put(d, f->name, "0x%02lx", (unsigned long)s.event);
    if (mask) s.umask = (uint32_t)part(d->value, mask);
    if (mask) put(d, mask->name, "0x%02lx", (unsigned long)s.umask);
    d->names = 0;
    d->word[0] = '\0';
    d->compared = 0;
    if (d->pmu->classes & CLASS_P5)
        s.counters = 1u << f->low / 16;
    else if (d->pmu->classes & CLASS_NETBURST)
        s.escr = d->at.i;
    else {
        s.modifiers = (uint32_t)d->value & SELECT_MODIFIERS;
        d->compared = ~(uint64_t)(PERFMON_INT | PERFMON_EN | PERFMON_PC);
        if (!(d->value & PERFMON_CMASK(0xff)))
            d->compared &= ~(uint64_t)PERFMON_INV; /* which is ignored then */
    }
    if (pmu_decode_names(d->pmu, &s, one_name, d) == 0)
        put(d, "", "%s", s.event ? "this CPU has no event with a name for it" : "no event");
    if (d->compared) try_fields(d, &s);
    if (d->word[0]) put(d, "events=", "%s", d->word);
}

/* ---- one register ---- */

/* An ESCR has no number, and is where its counters' ESEL leads. */
static void put_title(struct decoding *d)
{
    char name[48];
    size_t n = 0;
    for (const char *c = d->at.r->name; *c && n < 30; c++)
        name[n++] = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    name[n] = '\0';
    const uint32_t msr = d->at.i >= 0 || d->at.r->n == 1
                             ? pmu_register_msr(d->pmu, d->at.r, d->at.i < 0 ? 0 : (unsigned)d->at.i)
                             : 0;
    if (d->at.i >= 0 && d->at.r->n != 1 && d->at.r->msr != MSR_NB_ESCR)
        snprintf(name + n, sizeof name - n, "%d", d->at.i);
    n = strlen(name);
    if (msr) snprintf(name + n, sizeof name - n, " (MSR 0x%lx)", (unsigned long)msr);
    put(d, "", "%s = 0x%llx", name, (unsigned long long)d->value);
}

/* A CCCR's ESEL names an ESCR where the counter is known. */
static void put_escr(struct decoding *d)
{
    if (d->at.r->msr != MSR_NB_CCCR0 || d->at.i < 0) return;
    const int escr = pmu_netburst_escr((unsigned)d->at.i, CCCR_ESEL_OF((uint32_t)d->value));
    if (escr >= 0)
        put(d, "ESCR", "MSR 0x%x selects its event", (unsigned)escr + MSR_NB_ESCR);
    else
        put(d, "ESCR", "none: this counter has no ESCR of this number");
}

static void put_register(struct decoding *d)
{
    const struct pmu_register *r = d->at.r;
    uint64_t known = 0;
    char list[160] = "", bits[16];
    put_title(d);
    for (unsigned i = 0; i < r->n_fields; i++) {
        const struct pmu_register_field *f = &r->fields[i];
        const uint64_t v = part(d->value, f);
        if (!has(d, f)) continue;
        known |= ((1ull << f->bits) - 1) << f->low;
        if (f->kind == REGISTER_EVENT) put_event(d, f);
        if (f->kind == REGISTER_FLAG && v) put(d, f->name, "%s", f->text);
        if (f->kind == REGISTER_NUMBER && v) put_number(d, f, v);
        if (f->kind == REGISTER_CHOICE) put_choice(d, f, (unsigned)v);
    }
    put_escr(d);
    const uint64_t reserved = d->value & ~known;
    for (unsigned i = 0, last; i < 64; i = last + 1) {
        for (last = i; last < 63 && reserved >> last & reserved >> (last + 1) & 1;) last++;
        if (!(reserved >> i & 1)) continue;
        snprintf(bits, sizeof bits, last > i ? "%u to %u" : "%u", i, last);
        pmu_list_add(list, sizeof list, bits, "");
    }
    if (list[0]) put(d, "reserved", "but set: %s %s", reserved & (reserved - 1) ? "bits" : "bit", list);
}

/* ---- public ---- */

bool pmu_decode_value(const struct pmu *pmu, uint64_t value, const char *as, size_t len,
                      pmu_decode_line *line, void *ctx, char *why, size_t cap)
{
    struct decoding d = {.pmu = pmu, .at.i = -1, .value = value, .line = line, .ctx = ctx};
    if (!pmu->ops)
        return pmu_refuse(why, cap,
                          "this CPU has no performance counters that are known here, so their registers "
                          "are not known either");
    if (len) {
        if (!find(pmu, as, len, &d.at, why, cap)) return false;
        put_register(&d);
        return true;
    }
    for (unsigned k = 0; k < pmu->ops->n_registers; k++) {
        d.at.r = &pmu->ops->registers[k];
        if (d.at.r->by_default) put_register(&d);
    }
    return true;
}

bool pmu_decode_event(const struct pmu *pmu, const char *word, size_t len, pmu_decode_line *line, void *ctx,
                      char *why, size_t cap, char *near, size_t near_cap)
{
    struct pmu_code code;
    struct pmu_setting s[PMU_SETTINGS];
    struct decoding d = {.pmu = pmu, .line = line, .ctx = ctx};
    if (!pmu_event_parse(pmu, word, len, &code, why, cap, near, near_cap)) return false;
    const uint32_t usable = code.counters & pmu->usable ? code.counters & pmu->usable : code.counters;
    unsigned n = 0, counter = 0;
    for (uint32_t left = usable; left && !n; left &= left - 1) {
        counter = (unsigned)__builtin_ctz(left);
        n = pmu->ops->settings(pmu, &code, counter, s);
    }
    if (!n) return pmu_refuse(why, cap, "no counter of this CPU can count %s by itself", code.name);
    put(&d, "", "%s on counter %u%s", code.name, counter, pmu->usable >> counter & 1 ? "" : ", if it worked");
    for (unsigned i = 0; i < n; i++)
        put(&d, "", "wrmsr 0x%lx 0x%llx", (unsigned long)s[i].msr, (unsigned long long)s[i].value);
    for (unsigned i = 0; i < n; i++) {
        d.value = s[i].value;
        if (at_msr(pmu, s[i].msr, &d.at)) put_register(&d);
    }
    return true;
}

/* Of one hexadecimal digit. */
static unsigned digit(char c)
{
    const char l = pmu_lower(c);
    return l >= '0' && l <= '9' ? (unsigned)(l - '0') : l >= 'a' && l <= 'f' ? (unsigned)(l - 'a') + 10 : 16;
}

bool pmu_decode_number(const char *s, size_t len, uint64_t *value)
{
    uint64_t v = 0;
    unsigned base = 10;
    if (len > 2 && s[0] == '0' && pmu_lower(s[1]) == 'x')
        base = 16, s += 2, len -= 2;
    else if (len > 1 && pmu_lower(s[len - 1]) == 'h')
        base = 16, len--;
    for (size_t i = 0; i < len; i++) {
        const unsigned d = digit(s[i]);
        if (d >= base || v > (UINT64_MAX - d) / base) return false;
        v = v * base + d;
    }
    *value = v;
    return len > 0;
}
