/* Which processors a word means. */
#include "kernel/topology.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What is being read: one part of a list, and where its fault is told. */
struct part {
    const struct topology *t;
    const char *text;
    size_t len;
    struct cpu_set *out;
    char *why;
    size_t size;
};

static bool is(const struct part *p, const char *word)
{
    return p->len == strlen(word) && memcmp(p->text, word, p->len) == 0;
}

/* The part itself comes first; of a long one the beginning, and what no screen shows as a question mark. */
static bool fault(const struct part *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fault(const struct part *p, const char *fmt, ...)
{
    enum { SHOWN = 24 };
    va_list ap;
    size_t n = 0;
    for (; n < p->len && n < SHOWN && n + 1 < p->size; n++)
        p->why[n] = p->text[n] >= ' ' && p->text[n] <= '~' ? p->text[n] : '?';
    n += (size_t)snprintf(p->why + n, p->size - n, "%s: ", p->len > SHOWN ? "..." : "");
    if (n >= p->size) return false;
    va_start(ap, fmt);
    vsnprintf(p->why + n, p->size - n, fmt, ap);
    va_end(ap);
    return false;
}

/* what: "" or "core". */
static bool beyond(const struct part *p, const char *what, unsigned n)
{
    const char *const blank = *what ? " " : "";
    if (n == 1) return fault(p, "this machine has %s%s0 only", what, blank);
    return fault(p, "this machine has %s%s%s0-%u", what, *what ? "s" : "", blank, n - 1);
}

/* Digits up to the end or the first '-'. 0 to 99999; more is -1, as is no number. */
static long number(const char **at, const char *end)
{
    long v = 0;
    const char *from = *at;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) v = v > 99999 ? v : v * 10 + **at - '0';
    return *at > from ? v : -1;
}

struct range {
    long first, last;
};

/* N or N-M. False: it is none. */
static bool range(const char *at, const char *end, struct range *r)
{
    r->first = r->last = number(&at, end);
    if (r->first >= 0 && at < end && *at == '-') {
        at++;
        r->last = number(&at, end);
    }
    return r->first >= 0 && r->last >= 0 && at == end;
}

static bool bounded(const struct part *p, const struct range *r, const char *what, unsigned n)
{
    if (r->first >= (long)n || r->last >= (long)n) return beyond(p, what, n);
    if (r->first > r->last) return fault(p, "the range runs backwards; valid: %ld-%ld", r->last, r->first);
    return true;
}

static bool select_numbers(const struct part *p)
{
    struct range r;
    if (!range(p->text, p->text + p->len, &r)) return fault(p, "no processor; valid: " TOPOLOGY_SELECT_HELP);
    if (!bounded(p, &r, "", p->t->processors)) return false;
    for (long i = r.first; i <= r.last; i++) cpu_set_add(p->out, (unsigned)i);
    return true;
}

#define CORE "core:"

static bool select_cores(const struct part *p)
{
    struct range r;
    if (!range(p->text + strlen(CORE), p->text + p->len, &r))
        return fault(p, "no core; valid: core:N, core:N-M");
    if (!bounded(p, &r, "core", p->t->units[LEVEL_CORE])) return false;
    for (unsigned i = 0; i < p->t->processors; i++) {
        const long core = p->t->place[i].unit[LEVEL_CORE];
        if (core >= r.first && core <= r.last) cpu_set_add(p->out, i);
    }
    return true;
}

static bool select_kind(const struct part *p, enum core_kind kind)
{
    if (!p->t->kinds[kind])
        return fault(p, "no processor says that it is %s %s-core", kind == CORE_KIND_E ? "an" : "a",
                     core_kind_name(kind));
    for (unsigned i = 0; i < p->t->processors; i++)
        if (p->t->place[i].kind == kind) cpu_set_add(p->out, i);
    return true;
}

static bool select_part(const struct part *p)
{
    for (int kind = CORE_KIND_P; kind <= CORE_KIND_E; kind++)
        if (is(p, core_kind_name((enum core_kind)kind))) return select_kind(p, (enum core_kind)kind);
    if (p->len >= strlen(CORE) && memcmp(p->text, CORE, strlen(CORE)) == 0) return select_cores(p);
    if (!is(p, "all") && !is(p, "each")) return select_numbers(p);
    for (unsigned i = 0; i < p->t->processors; i++) cpu_set_add(p->out, i);
    return true;
}

bool topology_select(const struct topology *t, const char *text, size_t len, struct cpu_set *out, char *why,
                     size_t size)
{
    struct part p = {t, text, 0, out, why, size};
    const char *const end = text + len;
    memset(out, 0, sizeof *out);
    for (;; p.text += p.len + 1) {
        const char *comma = memchr(p.text, ',', (size_t)(end - p.text));
        p.len = (size_t)((comma ? comma : end) - p.text);
        if (!select_part(&p)) {
            memset(out, 0, sizeof *out);
            return false;
        }
        if (!comma) return true;
    }
}
