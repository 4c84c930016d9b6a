/* Counts that are known, with the few that disagree first; and the article's figures. */
#include "host/report_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From what asks for attention to what does not. */
static const struct {
    const char *verdict;
    bool notable;
} verdicts[] = {
    {"differs", true},  {"not advancing", true}, {"refused", true}, {"within", true},
    {"answered", true}, {"unmodelled", false},   {"absent", false}, {"agrees", false},
};
#define VERDICTS (sizeof verdicts / sizeof *verdicts)

static size_t rank(const char *verdict)
{
    size_t i = 0;
    while (i < VERDICTS && strcmp(verdicts[i].verdict, verdict) != 0) i++;
    return i < VERDICTS ? i : 0; /* a verdict that this version does not know is worth a look */
}

/* The most notable verdict of a row's runs. */
static size_t row_rank(const json_t *row)
{
    size_t i, best = VERDICTS - 1;
    json_t *o;
    json_array_foreach(row, i, o)
    {
        if (json_is_object(o) && rank(text_of(o, "verdict")) < best) best = rank(text_of(o, "verdict"));
    }
    return best;
}

static bool is_relation(const json_t *o) { return strcmp(text_of(o, "t"), "relation") == 0; }

static void sum(const struct page *p, const json_t *terms)
{
    size_t i;
    json_t *t;
    json_array_foreach(terms, i, t)
    {
        textf(p, "%s%s", i ? " + " : "", json_string_value(t) ? json_string_value(t) : "?");
    }
}

static void verdict_cell(const struct page *p, const json_t *o)
{
    const bool differs = strcmp(text_of(o, "verdict"), "differs") == 0;
    cell_begin(p, false);
    if (differs) html(p, "<span class=\"alarm\">");
    text(p, differs ? "DIFFERS" : text_of(o, "verdict"));
    if (differs) html(p, "</span>");
    cell_end(p);
}

static void expected(const struct page *p, const json_t *o)
{
    cell_begin(p, true);
    if (is_relation(o)) {
        number(p, number_of(o, "left"));
        textf(p, " %s ", text_of(o, "relation"));
        number(p, number_of(o, "right"));
    } else if (!isnan(number_of(o, "expected"))) {
        if (!isnan(number_of(o, "at_least"))) text(p, "at least ");
        number(p, number_of(o, "expected"));
    }
    cell_end(p);
}

static void put_row(const struct page *p, const json_t *row)
{
    const json_t *first = row_first(row);
    size_t i;
    json_t *o;
    row_begin(p);
    cell_begin(p, false);
    if (is_relation(first)) {
        sum(p, json_object_get(first, "left_terms"));
        textf(p, " %s ", text_of(first, "relation"));
        sum(p, json_object_get(first, "right_terms"));
    } else
        text(p, text_of(first, "event"));
    if (number_of(first, "ring") > 0) textf(p, " (CPL %.0f)", number_of(first, "ring"));
    cell_end(p);
    json_array_foreach(row, i, o)
    {
        if (!json_is_object(o)) {
            html(p, "<td></td><td></td><td></td>");
            continue;
        }
        expected(p, o);
        cell_number(p, number_of(o, "measured"));
        verdict_cell(p, o);
    }
    html(p, "<td class=\"long\">");
    text(p, text_of(first, "reason"));
    cell_end(p);
    row_end(p);
}

/* Rows with these ranks, under the names of their programs. */
static void table(const struct page *p, json_t *rows, const char *caption, bool notable)
{
    const size_t columns = 2 + 3 * p->runs->n;
    const char *key;
    char program[300] = "";
    json_t *row;
    page_results_begin(p, caption, "Event");
    for (size_t i = 0; i < p->runs->n; i++) {
        page_table_column(p, p->runs->n > 1 ? p->runs->run[i].name : "Must be", true);
        page_table_column(p, "Measured", true);
        page_table_column(p, "Verdict", false);
    }
    page_table_column(p, "By which rule", false);
    page_table_body(p);
    for (size_t r = 0; r < (notable ? VERDICTS : 1); r++) json_object_foreach(rows, key, row)
        {
            char name[300];
            const json_t *o = row_first(row);
            if (verdicts[row_rank(row)].notable != notable || (notable && row_rank(row) != r)) continue;
            snprintf(name, sizeof name, "%.80s: %.200s", text_of(o, "program"), text_of(o, "desc"));
            if (strcmp(name, program) != 0) row_heading(p, columns, name);
            memcpy(program, name, sizeof program);
            put_row(p, row);
        }
    page_table_end(p);
}

static void totals(const struct page *p)
{
    page_results_begin(p, "Verdicts", p->runs->n > 1 ? "Run" : "");
    for (size_t v = VERDICTS; v--;) page_table_column(p, verdicts[v].verdict, true);
    page_table_body(p);
    for (size_t k = 0; k < p->runs->n; k++) {
        static const char *const types[] = {"truth", "relation"};
        size_t n[VERDICTS] = {0}, i;
        json_t *o;
        for (size_t t = 0; t < 2; t++) json_array_foreach(run_records(&p->runs->run[k], types[t]), i, o)
            {
                n[rank(text_of(o, "verdict"))]++;
            }
        row_begin(p);
        if (p->runs->n > 1) cell(p, p->runs->run[k].name);
        for (size_t v = VERDICTS; v--;) cell_number(p, (double)n[v]);
        row_end(p);
    }
    page_table_end(p);
}

void section_truth(const struct page *p)
{
    json_t *rows = rows_of(p->runs, "truth", "program|ring|event"), *row;
    json_t *relations = rows_of(p->runs, "relation", "program|ring|left_terms|relation|right_terms");
    const char *key;
    size_t notable = 0;
    json_object_update(rows, relations);
    json_decref(relations);
    const size_t all = json_object_size(rows);
    json_object_foreach(rows, key, row) { notable += verdicts[row_rank(row)].notable; }
    if (all) totals(p);
    if (notable) table(p, rows, "What does not plainly agree", true);
    if (all && !notable) paragraph(p, "None disagrees.");
    if (all > notable) {
        html(p, "<details><summary>");
        textf(p, "The other %zu rows", all - notable);
        html(p, "</summary>\n");
        table(p, rows, "What agrees, is absent, or is not modelled", false);
        html(p, "</details>\n");
    }
    json_decref(rows);
}

/* ---- the article's figures ---- */

static void ours(const struct page *p, const json_t *o)
{
    cell_begin(p, true);
    if (json_is_object(o)) {
        if (isnan(number_of(o, "ours")))
            text(p, "not measured");
        else
            number(p, number_of(o, "ours"));
        if (!isnan(number_of(o, "low"))) {
            text(p, " (");
            number(p, number_of(o, "low"));
            text(p, " to ");
            number(p, number_of(o, "high"));
            textf(p, ", %.0f %%)", number_of(o, "conf"));
        }
    }
    cell_end(p);
}

void section_experiments(const struct page *p)
{
    json_t *rows = rows_of(p->runs, "experiment", "experiment|what|event|unit"), *row, *o;
    const char *key;
    char last[100] = "";
    if (json_object_size(rows)) {
        page_results_begin(p, "B. Sprunt, IEEE Micro 22(4), 2002", "Figure|Unit|>The article");
        for (size_t i = 0; i < p->runs->n; i++)
            page_table_column(p, p->runs->n > 1 ? p->runs->run[i].name : "Here", true);
        page_table_column(p, "Why they differ", false);
        page_table_body(p);
        json_object_foreach(rows, key, row)
        {
            size_t i;
            const json_t *first = row_first(row);
            if (strncmp(last, text_of(first, "experiment"), sizeof last - 1) != 0)
                row_heading(p, 4 + p->runs->n, text_of(first, "experiment"));
            snprintf(last, sizeof last, "%s", text_of(first, "experiment"));
            row_begin(p);
            cell(p, text_of(first, "what"));
            cell(p, text_of(first, "unit"));
            cell_number(p, number_of(first, "article"));
            json_array_foreach(row, i, o) { ours(p, o); }
            html(p, "<td class=\"long\">");
            text(p, text_of(first, "note"));
            cell_end(p);
            row_end(p);
        }
        page_table_end(p);
    }
    json_decref(rows);
}
