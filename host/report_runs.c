/* Keeps the records of captures for the page. */
#include "host/report_runs.h"
#include "host/records.h"
#include "report/schema.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPETITIONS_MAX 50000000 /* of one measurement: beyond, a number is wrong */

struct reading {
    struct runs *to;
    const char *file;
    struct capture *run;         /* at hand; NULL: its session's first record has not come */
    json_t *by_measurement;      /* of its repetitions: which measurement -> index */
    char *early[RUN_FAULTS_MAX]; /* faults before the first record */
    unsigned long faults, before;
    bool short_of_memory;
};

/* ---- a run ---- */

/* A name in any encoding becomes UTF-8: what cannot be, is '?'. */
static char *utf8(const char *s)
{
    char *copy = strdup(s);
    json_t *whole = json_string(s);
    for (char *p = copy; p && *p && !whole; p++)
        if (*p & 0x80) *p = '?';
    json_decref(whole);
    return copy;
}

static struct capture *begin_run(struct reading *g)
{
    struct capture *more = realloc(g->to->run, (g->to->n + 1) * sizeof *more);
    if (!more) return NULL;
    g->to->run = more;
    struct capture *r = &more[g->to->n++];
    *r = (struct capture){.file = utf8(g->file), .types = json_object(), .passed = json_object()};
    for (; r->faults < g->before; r->faults++)
        if (r->faults < RUN_FAULTS_MAX) r->fault[r->faults] = g->early[r->faults];
    g->before = 0;
    json_decref(g->by_measurement);
    g->by_measurement = json_object();
    return r;
}

static void fault(void *ctx, const struct fault *f)
{
    struct reading *g = ctx;
    char text[FAULT_TEXT_BYTES];
    g->faults++;
    unsigned long *n = g->run ? &g->run->faults : &g->before;
    char **to = g->run ? g->run->fault : g->early;
    if (*n < RUN_FAULTS_MAX) to[*n] = strdup(fault_text(f, text));
    ++*n;
}

/* ---- repetitions ---- */

/* What tells one measurement from another. */
static char *measurement(const json_t *o)
{
    json_t *key =
        json_pack("[O*O*O*O*O*O*O*]", json_object_get(o, "bench"), json_object_get(o, "variant"),
                  json_object_get(o, "params"), json_object_get(o, "cpu"), json_object_get(o, "ring"),
                  json_object_get(o, "event"), json_object_get(o, "with"));
    char *text = json_dumps(key, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(key);
    return text;
}

static struct repetitions *repetitions_of(struct reading *g, json_t *o)
{
    char *key = measurement(o);
    json_t *known = key ? json_object_get(g->by_measurement, key) : NULL;
    struct capture *r = g->run;
    /* The same measurement again begins again at 0. */
    const bool again = known && number_of(o, "first") == 0;
    if (key && (!known || again)) {
        struct repetitions *more = realloc(r->reps, (r->n_reps + 1) * sizeof *more);
        if (more) {
            r->reps = more;
            more[r->n_reps++] = (struct repetitions){.record = json_incref(o)};
            json_object_set_new(g->by_measurement, key, json_integer((json_int_t)r->n_reps - 1));
            known = json_object_get(g->by_measurement, key);
        }
    }
    free(key);
    return known ? &r->reps[json_integer_value(known)] : NULL;
}

static bool longer(struct repetitions *to, size_t n)
{
    double *raw = realloc(to->raw, n * sizeof *raw);
    if (raw) to->raw = raw;
    bool *disturbed = realloc(to->disturbed, n * sizeof *disturbed);
    if (disturbed) to->disturbed = disturbed;
    if (!raw || !disturbed) return false;
    for (; to->n < n; to->n++) {
        to->raw[to->n] = (double)NAN;
        to->disturbed[to->n] = false;
    }
    return true;
}

static void reps(struct reading *g, json_t *o)
{
    struct repetitions *to = repetitions_of(g, o);
    const json_t *raw = json_object_get(o, "raw");
    const double first = number_of(o, "first");
    const size_t n = json_array_size(raw);
    size_t i;
    json_t *v;
    if (!to || !(first >= 0) || first + (double)n > REPETITIONS_MAX) return;
    const size_t from = (size_t)first;
    if (n && from + n > to->n && !longer(to, from + n)) {
        g->short_of_memory = true;
        return;
    }
    for (i = 0; i < n; i++) to->raw[from + i] = integer_value(json_array_get(raw, i));
    json_array_foreach(json_object_get(o, "flagged"), i, v)
    {
        const double rep = number_of(v, "rep");
        if (rep >= 0 && rep < (double)to->n) to->disturbed[(size_t)rep] = true;
    }
    json_object_del(o, "raw");
    json_object_del(o, "flagged");
}

/* ---- the reader's calls ---- */

static void record(void *ctx, const struct received *v)
{
    struct reading *g = ctx;
    if (!g->run && !(g->run = begin_run(g))) {
        g->short_of_memory = true;
        return;
    }
    if (strcmp(v->type, "reps") == 0) {
        reps(g, v->object);
        return;
    }
    if (strcmp(v->type, "sample") == 0) return;      /* the profiles are made of them */
    if (strcmp(v->type, "region_reps") == 0) return; /* the region has the least and the most of them */
    const bool known = schema_record(v->type) != SCHEMA_SETS;
    json_t *of = json_object_get(known ? g->run->types : g->run->passed, v->type);
    if (known) {
        if (!of) json_object_set_new(g->run->types, v->type, of = json_array());
        json_array_append(of, v->object);
    } else
        json_object_set_new(g->run->passed, v->type, json_integer(json_integer_value(of) + 1));
}

static void session(void *ctx, const struct session_seen *s)
{
    struct reading *g = ctx;
    if (!g->run) return;
    g->run->ended = s->ended;
    g->run->status = s->status;
    g->run->records = (long long)s->received;
    g->run = NULL;
}

/* ---- public ---- */

bool runs_read(struct runs *rs, const char *file, FILE *in, unsigned long *faults)
{
    struct reading g = {.to = rs, .file = file};
    const struct records_sink sink = {.record = record, .fault = fault, .session = session, .ctx = &g};
    const bool good = records_read(in, &sink);
    for (unsigned long i = 0; i < g.before && i < RUN_FAULTS_MAX; i++) free(g.early[i]);
    json_decref(g.by_measurement);
    *faults = g.faults;
    if (good && g.short_of_memory) errno = ENOMEM;
    return good && !g.short_of_memory;
}

void runs_name(struct runs *rs)
{
    const bool differ = rs->n > 1 && !*runs_origin(rs);
    for (size_t i = 0; i < rs->n; i++) {
        struct capture *r = &rs->run[i];
        size_t session = 1, sessions = 0;
        const char *slash = strrchr(r->file, '/'), *base = slash && slash[1] ? slash + 1 : r->file;
        const char *origin = differ ? run_origin(r) : "";
        char name[340], number[24] = "", of[32] = "";
        for (size_t k = 0; k < rs->n; k++) {
            if (strcmp(rs->run[k].file, r->file) != 0) continue;
            sessions++;
            session += k < i;
        }
        if (rs->n > 1) snprintf(number, sizeof number, "%zu: ", i + 1);
        if (sessions > 1) snprintf(of, sizeof of, ", session %zu", session);
        snprintf(name, sizeof name, "%s%.255s%s%s%s%s", number, base, of, *origin ? " (" : "", origin,
                 *origin ? ")" : "");
        r->name = utf8(name);
    }
}

/* Does any of its records say so? */
static bool has_flag_of(const struct capture *r, const char *flag)
{
    const char *type;
    json_t *records, *o;
    size_t i;
    json_object_foreach(r->types, type, records)
    {
        json_array_foreach(records, i, o)
        {
            if (flag_of(o, flag)) return true;
        }
    }
    return false;
}

const char *run_origin(const struct capture *r)
{
    static const struct {
        const char *origin, *platforms;
    } origins[] = {{"modelled", ""},
                   {"emulated", "qemu-tcg|bochs"},
                   {"hosted", "linux"},
                   {"virtualized", "kvm|hypervisor"}};
    const json_t *boot = run_record(r, "boot");
    const char *platform = text_of(boot, "platform");
    if (*text_of(boot, "modelled")) return "modelled";
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
        if ((*platform && schema_has_value(origins[i].platforms, platform)) ||
            has_flag_of(r, origins[i].origin))
            return origins[i].origin;
    return "";
}

const char *runs_origin(const struct runs *rs)
{
    const char *origin = rs->n ? run_origin(&rs->run[0]) : "";
    for (size_t i = 1; i < rs->n; i++)
        if (strcmp(run_origin(&rs->run[i]), origin) != 0) return "";
    return origin;
}

void runs_free(struct runs *rs)
{
    for (struct capture *r = rs->run; r < rs->run + rs->n; r++) {
        for (struct repetitions *p = r->reps; p < r->reps + r->n_reps; p++) {
            json_decref(p->record);
            free(p->raw);
            free(p->disturbed);
        }
        for (size_t i = 0; i < RUN_FAULTS_MAX; i++) free(r->fault[i]);
        free(r->reps);
        free(r->file);
        free(r->name);
        json_decref(r->types);
        json_decref(r->passed);
    }
    free(rs->run);
    *rs = (struct runs){0};
}
