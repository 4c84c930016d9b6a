#include "bench/descriptor_verify.h"
#include "include/anechoic/module.h"
#include "include/anechoic/region.h"
#include "include/anechoic/trace.h"
#include "kernel/module_verify.h"
#include <string.h>

#define TEXT_BYTES 256             /* of a description, with the NUL */
#define VALUE_MOST (INT64_MAX / 4) /* of a parameter and its step: sums and doubles are still numbers */

/* A descriptor that is verified. */
struct checking {
    const struct descriptor_image *image;
    const char *name;
    char *why;
    size_t cap;
};

#define refuse(c, format, ...) \
    module_refuse((c)->why, (c)->cap, "its benchmark %s has " format, (c)->name, __VA_ARGS__)

/* ---- places ---- */

static bool inside(const struct checking *c, const void *from, size_t bytes)
{
    const uintptr_t at = (uintptr_t)from - (uintptr_t)c->image->at;
    return at <= c->image->bytes && bytes <= c->image->bytes - at;
}

static bool is_string(const struct checking *c, const char *s, size_t cap)
{
    for (size_t n = 0; n < cap && inside(c, s, n + 1); n++) {
        if (s[n] == '\0') return true;
        if (s[n] < ' ' || s[n] > '~') return false;
    }
    return false;
}

static bool check_text(const struct checking *c, const char *s, size_t least, size_t cap, const char *what)
{
    if (is_string(c, s, cap) && strlen(s) >= least) return true;
    return refuse(c, "no %s: a string of %u to %u bytes of ASCII is wanted", what, (unsigned)least,
                  (unsigned)cap - 1);
}

/* NULL: it has none. */
static bool check_function(const struct checking *c, uintptr_t fn, const char *what)
{
    const uintptr_t at = fn - (uintptr_t)c->image->at;
    return !fn || (at >= c->image->text && at < c->image->text_end) ||
           refuse(c, "its %s outside of the module's code", what);
}

/* ---- parameters ---- */

static bool is_word(const char *s)
{
    for (const char *at = s; *at; at++)
        if ((*at | 0x20) < 'a' || (*at | 0x20) > 'z')
            if (at == s || ((*at < '0' || *at > '9') && *at != '_')) return false;
    return *s;
}

static bool is_default(const struct bench_param *p)
{
    if (param_is_auto(p, p->def)) return true;
    if (p->def < p->min || p->def > p->max) return false;
    if (p->step == STEP_DOUBLES) return (p->def & (p->def - 1)) == 0;
    return p->step == 0 || (p->def - p->min) % p->step == 0;
}

static bool check_param(const struct checking *c, const struct bench_param *p, unsigned i)
{
    const uint8_t range = *(const uint8_t *)&p->range;
    if (!is_string(c, p->name, MODULE_NAME_BYTES) || !is_word(p->name) || strcmp(p->name, "variant") == 0)
        return refuse(c, "no name of its parameter %u: a letter, then letters, digits or _, but not variant",
                      i);
    if (!is_string(c, p->unit, TEXT_BYTES) || !is_string(c, p->help, TEXT_BYTES))
        return refuse(c, "no unit or no help of its parameter %s", p->name);
    if (p->min < 0 || p->max < p->min || p->max > VALUE_MOST || p->step < STEP_DOUBLES ||
        p->step > VALUE_MOST || (p->step == STEP_DOUBLES && p->min == 0) || range > 1)
        return refuse(
            c, "limits or a step of its parameter %s that are not valid: 0 to 2^61, and powers of two from 1",
            p->name);
    return is_default(p) || refuse(c, "a default of its parameter %s that it does not accept", p->name);
}

static bool check_params(const struct checking *c, struct bench *b, struct bench_param *param)
{
    if (b->params && ((uintptr_t)b->param % _Alignof(struct bench_param) != 0 ||
                      !inside(c, b->param, b->params * sizeof *b->param)))
        return refuse(c, "its %u parameters outside of the module", (unsigned)b->params);
    if (b->params) memcpy(param, b->param, b->params * sizeof *b->param);
    b->param = param;
    for (unsigned i = 0; i < b->params; i++) {
        if (!check_param(c, &param[i], i)) return false;
        for (unsigned k = 0; k < i; k++)
            if (strcmp(param[k].name, param[i].name) == 0)
                return refuse(c, "two parameters %s", param[i].name);
    }
    return true;
}

/* ---- payloads ---- */

static bool check_variants(const struct checking *c, struct bench *b)
{
    unsigned n = 0;
    for (; n < BENCH_VARIANTS && b->variant[n].payload; n++)
        if (!check_text(c, b->variant[n].name, 1, MODULE_NAME_BYTES, "name of a variant") ||
            !check_function(c, (uintptr_t)b->variant[n].payload, "payload"))
            return false;
    return n || b->program.payload || b->program.prepare || b->experiment ||
           refuse(c, "no payload, no %s", "prepare() that writes one, and no experiment");
}

/* Of regions, or of channels. NULL: it has none. */
static bool check_labels(const struct checking *c, const char *const *label, unsigned most, const char *many)
{
    unsigned n = 0;
    if (!label) return true;
    for (; n <= most; n++) {
        if ((uintptr_t)&label[n] % sizeof *label != 0 || !inside(c, &label[n], sizeof *label))
            return refuse(c, "labels of %s without a NULL at their end", many);
        if (!label[n]) return true;
        if (!check_text(c, label[n], 1, ANECHOIC_LABEL_BYTES, "label of a region or channel")) return false;
    }
    return refuse(c, "labels of more than %u %s", most, many);
}

/* What only the kernel's own may have. */
static bool check_absent(const struct checking *c, const struct bench *b)
{
    if (b->sampling) return refuse(c, "%s, which is the kernel's: sample= samples it as well", ".sampling");
    if (b->found || b->events_at_once)
        return refuse(c, "%s, which only the kernel's own can have", b->found ? ".found" : ".events_at_once");
    return true;
}

static bool check_functions(const struct checking *c, const struct bench *b)
{
    const struct {
        uintptr_t fn;
        const char *what;
    } list[] = {{(uintptr_t)b->program.payload, "payload"},
                {(uintptr_t)b->program.prepare, "prepare()"},
                {(uintptr_t)b->program.before, "before()"},
                {(uintptr_t)b->experiment, "experiment"},
                {(uintptr_t)b->memory, "memory()"}};
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++)
        if (!check_function(c, list[i].fn, list[i].what)) return false;
    return true;
}

/* Values of a bool that are neither would be anything in C. */
static bool check_bools(const struct checking *c, const struct bench *from)
{
    const void *const at[] = {&from->main_job, &from->hidden, &from->program.users};
    for (unsigned i = 0; i < sizeof at / sizeof *at; i++)
        if (*(const uint8_t *)at[i] > 1) return refuse(c, "%s that is neither true nor false", "a flag");
    return true;
}

bool descriptor_verify(const struct descriptor_image *image, uint32_t at, const char *name,
                       struct bench *bench, struct bench_param *param, char *why, size_t cap)
{
    const struct checking c = {image, name, why, cap};
    const struct bench *from = (const struct bench *)(const void *)(image->at + at);
    if (!inside(&c, from, sizeof *from)) return refuse(&c, "its %s outside of the module", "descriptor");
    if (!check_bools(&c, from)) return false;
    memcpy(bench, from, sizeof *bench);
    if (!is_string(&c, bench->program.name, MODULE_NAME_BYTES) || strcmp(bench->program.name, name) != 0)
        return refuse(&c, "another name in its %s", "descriptor");
    return check_text(&c, bench->program.desc, 0, TEXT_BYTES, ".program.desc") &&
           check_text(&c, bench->op, 1, MODULE_NAME_BYTES, ".op") &&
           check_text(&c, bench->cost, 0, TEXT_BYTES, ".cost") && check_absent(&c, bench) &&
           check_functions(&c, bench) && check_variants(&c, bench) &&
           check_labels(&c, bench->program.regions, REGIONS, "regions") &&
           check_labels(&c, bench->program.channels, TRACE_CHANNELS, "channels") &&
           check_params(&c, bench, param);
}
