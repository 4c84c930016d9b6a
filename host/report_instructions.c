/* Profiles by instruction: where samples fell, with the code beside them and the distance from the target. */
#include "host/lines.h"
#include "host/report_code.h"
#include "host/report_page.h"
#include "host/report_picture.h"
#include "host/report_profile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AROUND 2 /* instructions shown before and after a sampled one */

/* ---- the table ---- */

struct listing {
    const struct profile *profile;
    const struct code *code;
    json_t **at; /* of each instruction of the code its line; NULL: no sample */
    bool *shown;
    size_t target; /* the instruction; code->n: there is none */
    bool accesses; /* with levels, */
    bool latency;  /* with latencies, too */
};

/* line: NULL for an instruction without samples. Distances: NaN where they are not known. */
static void put_row(const struct page *p, const struct listing *l, unsigned long long address,
                    const json_t *line, double instructions, double bytes, const char *code)
{
    html(p, instructions == 0 ? "<tr class=\"target\">" : "<tr>");
    html(p, "<td class=\"code\">");
    textf(p, "0x%llx", address);
    cell_end(p);
    cell_begin(p, true);
    if (!isnan(instructions)) textf(p, "%+.0f", instructions);
    cell_end(p);
    cell_begin(p, true);
    if (!isnan(bytes)) textf(p, "%+.0f", bytes);
    cell_end(p);
    cell_number(p, line ? number_of(line, "count") : (double)NAN);
    if (line)
        cell_share(p, number_of(line, "share"));
    else
        html(p, "<td></td>");
    html(p, "<td class=\"code\">");
    text(p, code);
    if (line && *text_of(line, "symbol")) {
        html(p, " <span class=\"faint\">");
        text(p, text_of(line, "symbol"));
        html(p, "</span>");
    }
    if (line && number_of(line, "plus_one") > 0)
        textf(p, " (%.0f of the instruction before)", number_of(line, "plus_one"));
    cell_end(p);
    if (l->accesses) cells_access(p, line, l->latency);
    row_end(p);
}

static void put_gap(const struct page *p, const struct listing *l, size_t n)
{
    if (!n) return;
    html(p, "<tr class=\"gap\">");
    html(p, l->latency ? "<td colspan=\"8\">" : l->accesses ? "<td colspan=\"7\">" : "<td colspan=\"6\">");
    textf(p, "%zu instruction%s without samples", n, n == 1 ? "" : "s");
    cell_end(p);
    row_end(p);
}

/* Without its code: what its own record says. */
static void bare_row(const struct page *p, const struct listing *l, const json_t *line)
{
    char bytes[80];
    snprintf(bytes, sizeof bytes, "%s%.60s", *text_of(line, "code") ? "bytes " : "", text_of(line, "code"));
    put_row(p, l, hex_of(line, "address"), line, number_of(line, "instructions"), number_of(line, "bytes"),
            bytes);
}

static void mark_shown(struct listing *l, size_t at)
{
    const size_t from = at > AROUND ? at - AROUND : 0;
    for (size_t i = from; i <= at + AROUND && i < l->code->n; i++) l->shown[i] = true;
}

static void find_lines(struct listing *l)
{
    const struct profile *f = l->profile;
    for (size_t i = 0; i < f->n; i++) {
        const unsigned long long address = hex_of(f->line[i], "address");
        const size_t at = code_at(l->code, address);
        const double bytes = number_of(f->line[i], "bytes");
        if (at < l->code->n) {
            l->at[at] = f->line[i];
            mark_shown(l, at);
        }
        if (l->target == l->code->n && !isnan(bytes))
            l->target = code_at(l->code, address - (unsigned long long)(long long)bytes);
    }
    if (l->target < l->code->n) mark_shown(l, l->target);
}

static void rows(const struct page *p, const struct listing *l)
{
    const struct code *c = l->code;
    const struct profile *f = l->profile;
    size_t gap = 0, stray = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct instruction *in = &c->instruction[i];
        /* Samples between instructions, and before the code: they have no line here, and are not left out. */
        for (; stray < f->n && hex_of(f->line[stray], "address") <= in->address; stray++) {
            if (hex_of(f->line[stray], "address") == in->address) continue;
            put_gap(p, l, gap);
            gap = 0;
            bare_row(p, l, f->line[stray]);
        }
        if (!l->shown[i]) {
            gap++;
            continue;
        }
        put_gap(p, l, gap);
        gap = 0;
        const bool known = l->target < c->n;
        put_row(p, l, in->address, l->at[i], known ? (double)i - (double)l->target : (double)NAN,
                known ? (double)(long long)(in->address - c->instruction[l->target].address) : (double)NAN,
                in->text);
    }
    put_gap(p, l, gap);
    for (; stray < f->n; stray++)
        if (code_at(c, hex_of(f->line[stray], "address")) == c->n) bare_row(p, l, f->line[stray]);
}

static void table(const struct page *p, const struct profile *f, const struct code *code)
{
    char *name = profile_name(p->runs, f);
    const json_t *o = f->record;
    struct listing l = {.profile = f, .code = code, .target = code->n};
    l.latency = profile_has(f, "latency_median");
    l.accesses = l.latency || profile_has(f, "levels");
    l.at = calloc(code->n + 1, sizeof(json_t *));
    l.shown = calloc(code->n + 1, sizeof *l.shown);
    if (!l.at || !l.shown) abort();
    find_lines(&l);
    page_results_begin(p, name, "Address|>Instructions from the target|>Bytes|>Samples|>Share|Instruction");
    if (l.latency) page_table_column(p, "Latency, median", true);
    if (l.accesses) page_table_column(p, "Level", false);
    page_table_body(p);
    if (code->n)
        rows(p, &l);
    else
        for (size_t i = 0; i < f->n; i++) bare_row(p, &l, f->line[i]);
    page_table_end(p);
    html(p, "<p class=\"what\">");
    textf(p, "%.0f samples, one every %.0f%s.", number_of(o, "samples"), number_of(o, "period"),
          json_is_true(json_object_get(o, "jitter")) ? " on average" : "");
    if (number_of(o, "unknown") > 0) textf(p, " Of %.0f the place is not known.", number_of(o, "unknown"));
    if (number_of(o, "lost") > 0) textf(p, " %.0f more were lost.", number_of(o, "lost"));
    if (code->failure) textf(p, " Not disassembled: %s", code->failure);
    html(p, "</p>\n");
    free(l.at);
    free(l.shown);
    free(name);
}

/* ---- by source line ---- */

static void table_of_lines(const struct page *p, const struct profile *f)
{
    const json_t *o = f->record;
    const char *why, *debug = *text_of(o, "build_id") ? lines_find(o, f->run->file, &why) : NULL;
    size_t n = 0;
    if (!*text_of(o, "build_id")) return;
    struct source_line *l = debug ? lines_profile(debug, f->line, f->n, hex_of(o, "base"), &n) : NULL;
    if (!l) {
        html(p, "<p class=\"what\">");
        textf(p, "No source lines: %s.",
              debug ? "addr2line, of the package binutils, is not there or failed" : why);
        html(p, "</p>\n");
        return;
    }
    char *name = profile_name(p->runs, f), *title = formatted("%s: source lines", name);
    page_results_begin(p, title, "Line|>Samples|>Share|Source");
    page_table_body(p);
    for (size_t i = 0; i < n; i++) {
        html(p, "<tr><td class=\"code\">");
        text(p, l[i].where);
        cell_end(p);
        cell_number(p, l[i].count);
        cell_share(p, l[i].count / number_of(o, "samples"));
        html(p, "<td class=\"code\">");
        text(p, l[i].text);
        cell_end(p);
        row_end(p);
    }
    page_table_end(p);
    free(title);
    free(name);
    lines_free(l, n);
}

/* ---- the picture: figure 5 of the article of 2002 ---- */

static bool same_payload(const struct profile *a, const struct profile *b)
{
    return strcmp(text_of(a->record, "bench"), text_of(b->record, "bench")) == 0 &&
           strcmp(text_of(a->record, "variant"), text_of(b->record, "variant")) == 0;
}

static bool has_distances(const struct profile *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (!isnan(number_of(f->line[i], "instructions"))) return true;
    return false;
}

static void series_name(const struct page *p, FILE *to, const struct profile *f)
{
    char name[400];
    snprintf(name, sizeof name, "%s%s%s: %s", text_of(f->record, "method"), p->runs->n > 1 ? " " : "",
             p->runs->n > 1 ? f->run->name : "", text_of(f->record, "event"));
    picture_string(to, name, 36);
}

static void draw(const struct page *p, const struct profile *of, size_t n)
{
    const struct profile *series[16];
    size_t used = 0;
    double low = 0, high = 0;
    char *title, *description;
    for (size_t i = 0; i < n && used < sizeof series / sizeof *series; i++)
        if (same_payload(of, &of[i]) && has_distances(&of[i])) series[used++] = &of[i];
    const char *bench = text_of(of->record, "bench");
    for (size_t s = 0; s < used; s++)
        for (size_t i = 0; i < series[s]->n; i++) {
            const double d = number_of(series[s]->line[i], "instructions");
            low = fmin(low, isnan(d) ? 0 : d);
            high = fmax(high, isnan(d) ? 0 : d);
        }
    title = formatted("%s%s%s: samples by distance from the target", bench,
                      *text_of(of->record, "variant") ? " " : "", text_of(of->record, "variant"));
    description =
        formatted("The target stands at 0. Precise samples name it; others name instructions that ran "
                  "later: here from %+.0f to %+.0f.",
                  low, high);
    FILE *to = picture_begin(p->pictures, p->out, 230 + 16 * (int)used, title, description);
    const double margin = fmax(2, (high - low) * 0.04), width = fmax(0.4, (high - low) / 120);
    for (size_t s = 0; s < used; s++) {
        fprintf(to, "$d%zu << EOD\n", s);
        for (size_t i = 0; i < series[s]->n; i++) {
            const double d = number_of(series[s]->line[i], "instructions");
            if (!isnan(d))
                fprintf(to, "%.17g %.17g\n", d + ((double)s - (double)(used - 1) / 2) * width,
                        100 * number_of(series[s]->line[i], "share"));
        }
        fputs("EOD\n", to);
    }
    fprintf(
        to,
        "set xrange [%.17g:%.17g]\nset yrange [0:105]\nset ytics 25\nset xtics %.17g\nset format x '%%+.0f'\n"
        "set boxwidth %.17g\nset xlabel 'instructions from the target'\nset ylabel '%% of the samples'\n",
        low - margin, high + margin, picture_step(high - low + 2 * margin, 6), width);
    for (size_t s = 0; s < used; s++) {
        fprintf(to, "%s$d%zu using 1:2 with boxes %s title ", s ? ", " : "plot ", s, picture_colour(s));
        series_name(p, to, series[s]);
    }
    fputc('\n', to);
    picture_end(p->pictures, p->out);
    free(title);
    free(description);
}

/* No picture before it has shown this payload. */
static bool is_first(const struct profile *all, size_t i)
{
    if (!has_distances(&all[i])) return false;
    for (size_t k = 0; k < i; k++)
        if (same_payload(&all[k], &all[i]) && has_distances(&all[k])) return false;
    return true;
}

void section_profiles(const struct page *p)
{
    size_t n;
    struct profile *all = profiles_of(p->runs, "instruction", &n);
    struct code code = {0};
    for (size_t i = 0; i < n; i++) {
        const struct profile *f = &all[i];
        /* objdump runs once for the profiles of one payload, which follow each other. */
        if (!i || f->run != all[i - 1].run || !same_payload(f, &all[i - 1])) {
            code_free(&code);
            code_of(f->run, text_of(f->record, "bench"), text_of(f->record, "variant"), &code);
        }
        if (is_first(all, i)) draw(p, f, n - i);
        table_of_lines(p, f);
        table(p, f, &code);
    }
    code_free(&code);
    profiles_free(all, n);
}
