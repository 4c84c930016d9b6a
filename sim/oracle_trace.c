/* The oracle's trace: the occurrences of one event in their order, with what is known of each (sim.h,
 * sim_oracle_trace()). A test compares the k-th sample with the entry that its period leads to.
 *
 * Its keys stay as they are; a family adds its own by sim_family.trace.
 */
#include "sim/oracle.h"
#include <stdlib.h>
#include <string.h>

#define LIMIT 100000 /* entries, unless the spec has another number */

struct sim_trace {
    const struct sim_event *event;
    bool user, kernel, regs; /* levels that count; with registers */
    uint64_t every, limit;
    uint64_t n, kept;  /* occurrences; entries */
    uint64_t branches; /* so many of the last transfers with each entry; 0: none */
    struct sim_transfers last;
    struct sim_text at;
};

/* ---- the spec ---- */

static bool is(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && strncmp(word, name, len) == 0;
}

/* NAME=N with N above 0. */
static bool number(const char *word, size_t len, const char *name, uint64_t *value)
{
    const size_t from = strlen(name);
    uint64_t v = 0;
    if (len <= from || strncmp(word, name, from) != 0 || len - from > 18) return false;
    for (size_t k = from; k < len; k++) {
        if (word[k] < '0' || word[k] > '9') return false;
        v = v * 10 + (uint64_t)(word[k] - '0');
    }
    *value = v;
    return v != 0;
}

static bool parse(const struct sim *s, const char *spec, struct sim_trace *t)
{
    size_t len = strcspn(spec, ",");
    *t = (struct sim_trace){.event = sim_oracle_event(s, spec, len), .every = 1, .limit = LIMIT};
    if (!t->event || !sim_event_modelled(s, t->event)) return false;
    while (spec[len]) {
        spec += len + 1;
        len = strcspn(spec, ",");
        if (is(spec, len, "user"))
            t->user = true;
        else if (is(spec, len, "kernel"))
            t->kernel = true;
        else if (is(spec, len, "regs"))
            t->regs = true;
        else if (!number(spec, len, "every=", &t->every) && !number(spec, len, "limit=", &t->limit) &&
                 !number(spec, len, "branches=", &t->branches))
            return false;
    }
    if (!t->user && !t->kernel) t->user = t->kernel = true;
    return t->branches <= SIM_TRANSFERS;
}

/* ---- entries ---- */

static void put_registers(struct sim_text *o, const struct sim *s)
{
    const struct sim_registers r = sim_after(s);
    sim_out(o, ",\"regs\":[");
    for (unsigned k = 0; k < 16; k++) sim_out(o, "%s\"%llx\"", k ? "," : "", (unsigned long long)r.reg[k]);
    sim_out(o, "],\"flags\":\"%llx\"", (unsigned long long)r.flags);
}

/* The n-th occurrence and, in the same instruction, times - 1 more. */
static void put_entry(struct sim_trace *t, const struct sim *s, uint64_t n, uint64_t times)
{
    struct sim_text *o = &t->at;
    const struct sim_insn *i = s->current;
    sim_out(o, "%s{\"n\":%llu", t->kept ? "," : "", (unsigned long long)n);
    if (times > 1) sim_out(o, ",\"times\":%llu", (unsigned long long)times);
    if (i) {
        sim_out(o, ",\"ip\":\"%llx\",\"next\":\"%llx\",\"cpl\":%u", (unsigned long long)i->lin,
                (unsigned long long)sim_next(i), i->cpl);
        if ((i->op & (OP_BRANCH | OP_TAKEN)) == (OP_BRANCH | OP_TAKEN)) sim_out(o, ",\"taken\":true");
        if (s->family->trace) s->family->trace(s, o);
        if (t->regs) put_registers(o, s);
        if (t->branches) sim_transfers_put(&t->last, (unsigned)t->branches, o);
    } else {
        sim_out(o, ",\"delivery\":true");
    }
    sim_out(o, "}");
    t->kept++;
}

/* ---- public ---- */

bool sim_oracle_trace(struct sim *s, const char *spec)
{
    struct sim_trace t;
    if (!s->oracle || s->oracle->trace || !parse(s, spec, &t)) return false;
    if (!(s->oracle->trace = malloc(sizeof t))) return false;
    t.last.last = s->clocks;
    *s->oracle->trace = t;
    return true;
}

void sim_trace_transfer(struct sim_trace *t, const struct sim *s, const struct sim_branch *b,
                        const char *kind)
{
    if (t->branches) sim_transfers_add(&t->last, b, kind, s->clocks);
}

void sim_trace_add(struct sim_trace *t, const struct sim *s)
{
    const uint64_t times = sim_event_value(t->event, s->tally.count), n = t->n;
    if (!times || !(s->cpl ? t->user : t->kernel)) return;
    t->n += times;
    /* Is one of these at a multiple of every? */
    if ((n + t->every - 1) / t->every * t->every >= t->n || t->kept == t->limit) return;
    put_entry(t, s, n, times);
}

void sim_trace_put(const struct sim_trace *t, struct sim_text *line)
{
    sim_out(line, ",\"trace\":{\"event\":");
    sim_out_string(line, t->event->name);
    sim_out(line, ",\"n\":%llu,\"kept\":%llu,\"at\":[", (unsigned long long)t->n,
            (unsigned long long)t->kept);
    sim_out_text(line, &t->at);
    sim_out(line, "]}");
}

void sim_trace_free(struct sim_trace *t)
{
    if (!t) return;
    free(t->at.at);
    free(t);
}
