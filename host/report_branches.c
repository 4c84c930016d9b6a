/* Branches of samples: which were taken how often, how long the code between them took, who called whom. */
#include "host/report_page.h"
#include "host/report_runs.h"
#include <stdlib.h>
#include <string.h>

#define ROWS_SHOWN 100 /* of one table: the captures have the others */

/* A record type's table. */
struct kind {
    const char *type, *caption, *columns;
    void (*row)(const struct page *p, const json_t *line);
};

static void code(const struct page *p, const json_t *line, const char *symbol, const char *address)
{
    const char *name = text_of(line, symbol);
    html(p, "<td class=\"code\">");
    text(p, *name ? name : text_of(line, address));
    cell_end(p);
}

static void times(const struct page *p, const json_t *line)
{
    cell_number(p, number_of(line, "times"));
    cell_share(p, number_of(line, "share"));
}

static void branch(const struct page *p, const json_t *line)
{
    code(p, line, "from_symbol", "from");
    code(p, line, "to_symbol", "to");
    times(p, line);
    cell_number(p, number_of(line, "mispredicted"));
}

static void block(const struct page *p, const json_t *line)
{
    static const char *const cycles[] = {"cycles_mean", "cycles_least", "cycles_most"};
    code(p, line, "from_symbol", "from");
    code(p, line, "to_symbol", "to");
    times(p, line);
    for (size_t i = 0; i < 3; i++) cell_number(p, number_of(line, cycles[i]));
    cell_share(p, number_of(line, "cycles_share"));
}

static void untimed_block(const struct page *p, const json_t *line)
{
    code(p, line, "from_symbol", "from");
    code(p, line, "to_symbol", "to");
    times(p, line);
}

static void stack(const struct page *p, const json_t *line)
{
    html(p, "<td class=\"code long\">");
    text(p, text_of(line, "functions"));
    cell_end(p);
    times(p, line);
}

static const struct kind kinds[] = {
    {"branches", "Branches taken", "From|To|>Times|>Share|>Mispredicted", branch},
    {"blocks", "Blocks between two of them, in core cycles",
     "From|To|>Times|>Share|>Cycles, mean|>Least|>Most|>Share of all", block},
    {"stacks", "Call stacks", "Functions, the outermost first|>Samples|>Share", stack},
};

/* In place of the one of kinds[] where no cycles are recorded, or they are the PMU model's. */
static const struct kind untimed = {"blocks", "Blocks between two of them", "From|To|>Times|>Share",
                                    untimed_block};

static void begin(const struct page *p, const struct capture *run, const json_t *o)
{
    char *of = event_of(o);
    char *name = formatted("%s%s%s, branches=lbr:%s", p->runs->n > 1 ? run->name : "",
                           p->runs->n > 1 ? ", " : "", of, text_of(o, "filter"));
    heading(p, name);
    html(p, "<p>");
    textf(p, "%.0f samples with up to %.0f branches each; %.0f branches lie outside of the payload.",
          number_of(o, "samples"), number_of(o, "depth"), number_of(o, "outside"));
    if (strcmp(text_of(o, "predictions"), "unmodelled") == 0)
        text(p, " Mispredictions are unmodelled: the PMU model predicts nothing.");
    if (flag_of(o, "modelled")) text(p, " Cycles are unmodelled.");
    html(p, "</p>\n");
    free(name);
    free(of);
}

/* All records of one table follow each other; the first begins at line 0. */
static void table(const struct page *p, const struct capture *run, const struct kind *k)
{
    const json_t *records = run_records(run, k->type);
    bool open = false;
    size_t i, n, at = 0;
    json_t *o, *line;
    json_array_foreach(records, i, o)
    {
        if (k->row == block && strcmp(text_of(o, "cycles"), "recorded") != 0) k = &untimed;
        if (!(number_of(o, "first") > 0)) {
            if (open) page_table_end(p);
            if (strcmp(k->type, "blocks") != 0) begin(p, run, o);
            page_results_begin(p, k->caption, k->columns);
            page_table_body(p);
            open = true;
            at = 0;
        }
        json_array_foreach(json_object_get(o, "lines"), n, line)
        {
            if (!open || at++ >= ROWS_SHOWN) break;
            row_begin(p);
            k->row(p, line);
            row_end(p);
        }
    }
    if (open) page_table_end(p);
}

void section_branches(const struct page *p)
{
    for (size_t i = 0; i < p->runs->n; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) table(p, &p->runs->run[i], &kinds[k]);
}
