/* The oracle's brackets, and the line that each prints: see sim/oracle.h. */
#include "sim/oracle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- events by name ---- */

const struct sim_event *sim_oracle_event(const struct sim *s, const char *name, size_t len)
{
    for (unsigned k = 0; k < s->family->n_events; k++) {
        const struct sim_event *e = &s->family->events[k];
        if (e->models && !(e->models & s->model_bit)) continue;
        if (strlen(e->name) == len && strncmp(e->name, name, len) == 0) return e;
    }
    return NULL;
}

/* The next name of a list, or NULL at its end. */
static const char *next_name(const char **list, size_t *len)
{
    const char *name = *list;
    if (!name || !*name) return NULL;
    *len = strcspn(name, ",");
    *list = name + *len + (name[*len] == ',');
    return name;
}

static bool listed(const char *list, const char *name)
{
    size_t len;
    if (list && strcmp(list, "*") == 0) return true;
    for (const char *n; (n = next_name(&list, &len));) {
        if (strlen(name) == len && strncmp(n, name, len) == 0) return true;
    }
    return false;
}

static void put_events(struct sim_text *t, const struct sim *s)
{
    const struct sim_oracle *o = s->oracle;
    const char *comma = "";
    sim_out(t, ",\"events\":{");
    for (unsigned k = 0; k < s->family->n_events; k++) {
        const struct sim_event *e = &s->family->events[k];
        if (!sim_event_modelled(s, e) || (e->models && !(e->models & s->model_bit))) continue;
        /* Written in one piece, since a run spends its time here. No event's name needs an escape. */
        sim_out(t, "%s\"%s\":{\"k\":%llu,\"u\":%llu}", comma, e->name,
                (unsigned long long)sim_event_value(e, o->sum[0]),
                (unsigned long long)sim_event_value(e, o->sum[1]));
        comma = ",";
    }
    sim_out(t, "},\"unmodelled\":[");
    for (unsigned k = 0; k < o->n_unmodelled; k++) {
        if (k) sim_out(t, ",");
        sim_out_string(t, o->unmodelled[k]);
    }
    sim_out(t, "]");
}

/* Of a processor with others: which one it is, and the lines that it exchanged. */
static void put_lines(struct sim_text *t, const struct sim *s)
{
    const struct sim_lines *from = &s->oracle->lines, *to = &s->lines;
    sim_out(t, ",\"cpu\":%u,\"lines\":{\"in\":%llu,\"out\":%llu,\"lost\":%llu}", s->number,
            (unsigned long long)(to->in - from->in), (unsigned long long)(to->out - from->out),
            (unsigned long long)(to->lost - from->lost));
}

/* What a logic analyser at the pins would have seen: PM0, PM1. */
static void put_pins(struct sim_text *t, const struct sim *s)
{
    uint64_t n[2][2];
    for (unsigned k = 0; k < 4; k++)
        n[k / 2][k % 2] = s->pulses[k / 2][k % 2] - s->oracle->pulses[k / 2][k % 2];
    sim_out(t, ",\"pins\":{\"increment\":[%llu,%llu],\"overflow\":[%llu,%llu]}", (unsigned long long)n[0][0],
            (unsigned long long)n[1][0], (unsigned long long)n[0][1], (unsigned long long)n[1][1]);
}

static int by_event_and_ip(const void *a, const void *b)
{
    const struct bucket *x = a, *y = b;
    if (x->which != y->which) return x->which < y->which ? -1 : 1;
    return x->ip < y->ip ? -1 : x->ip > y->ip;
}

static void put_histograms(struct sim_text *t, struct sim_oracle *o, const char *wanted)
{
    const char *comma = "";
    size_t n = 0;
    for (size_t k = 0; k < o->size; k++) {
        if (o->buckets[k].count) o->buckets[n++] = o->buckets[k];
    }
    qsort(o->buckets, n, sizeof *o->buckets, by_event_and_ip);
    sim_out(t, ",\"histogram\":{");
    for (size_t k = 0, which = 0; which < o->n_kept; which++) {
        const char *inner = "";
        bool print = listed(wanted, o->kept[which]->name);
        if (print) {
            sim_out(t, "%s", comma);
            sim_out_string(t, o->kept[which]->name);
            sim_out(t, ":{");
            comma = ",";
        }
        for (; k < n && o->buckets[k].which == which; k++) {
            if (!print) continue;
            if (o->buckets[k].ip == ORACLE_DELIVERY)
                sim_out(t, "%s\"delivery\"", inner);
            else
                sim_out(t, "%s\"%llx\"", inner, (unsigned long long)o->buckets[k].ip);
            sim_out(t, ":%llu", (unsigned long long)o->buckets[k].count);
            inner = ",";
        }
        if (print) sim_out(t, "}");
    }
    sim_out(t, o->lost ? "},\"histogram_lost\":true" : "}");
}

/* Interrupts that counters have asked for, by the instructions that it takes until one is delivered. */
static void put_interrupts(struct sim_text *t, const struct sim *s)
{
    const struct sim_interrupt *r = &s->interrupt;
    const char *comma = ",\"interrupts\":{";
    for (unsigned k = 0; k < SIM_SKIDS; k++) {
        const uint64_t n = r->drawn[k] - s->oracle->drawn[k];
        if (!n) continue;
        sim_out(t, "%s\"%u\":%llu", comma, (unsigned)(r->n ? r->after[k] : 0), (unsigned long long)n);
        comma = ",";
    }
    if (comma[1] == 0) sim_out(t, "}");
}

/* ---- public ---- */

bool sim_oracle_begin_histogram(struct sim *s, const char *label, const char *events)
{
    struct sim_oracle *o = calloc(1, sizeof *o);
    size_t len;
    if (!o) return false;
    for (const char *name; (name = next_name(&events, &len));) {
        const struct sim_event *e = sim_oracle_event(s, name, len);
        if (!e || !sim_event_modelled(s, e) || o->n_kept == MAX_HISTOGRAMS) {
            free(o);
            return false;
        }
        o->kept[o->n_kept++] = e;
    }
    if (o->n_kept) {
        o->size = 1024;
        o->buckets = calloc(o->size, sizeof *o->buckets);
        if (!o->buckets) {
            free(o);
            return false;
        }
    }
    snprintf(o->label, sizeof o->label, "%s", label);
    sim_settle(s); /* earlier happenings do not belong to the bracket */
    o->retired = s->retired;
    memcpy(o->drawn, s->interrupt.drawn, sizeof o->drawn);
    memcpy(o->pulses, s->pulses, sizeof o->pulses);
    o->lines = s->lines;
    o->outer = s->oracle;
    s->oracle = o;
    sim_activate(s);
    sim_oracle_programmed(s);
    return true;
}

void sim_oracle_begin(struct sim *s, const char *label) { sim_oracle_begin_histogram(s, label, NULL); }

void sim_oracle_end(struct sim *s, void (*put)(void *ctx, const char *line), void *ctx, const char *histogram)
{
    struct sim_oracle *o = s->oracle;
    struct sim_text t = {0};
    if (!o) return;
    sim_settle(s);
    sim_out(&t, "{\"label\":");
    sim_out_string(&t, o->label);
    sim_out(&t, ",\"model\":\"%s\",\"insns\":%llu", s->model->name,
            (unsigned long long)(s->retired - o->retired));
    if (s->bus) put_lines(&t, s);
    put_events(&t, s);
    put_interrupts(&t, s);
    if (s->host.pin) put_pins(&t, s);
    if (histogram && o->n_kept) put_histograms(&t, o, histogram);
    if (o->trace) sim_trace_put(o->trace, &t);
    sim_out(&t, "}");
    put(ctx, t.failed ? "{\"error\":\"oracle: out of memory\"}" : t.at);
    free(t.at);
    sim_oracle_drop(s);
}
