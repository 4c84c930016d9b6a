/* The text face of a record: the choice of the renderer, and the short renderers. */
#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* ---- private ---- */

/* "done" waits for "end" so that both make one closing line; any other record prints it alone. */
static char closing[80];

/* From status 1 on. */
static const char *const status_meaning[] = {
    " (something failed)",
    " (the command line was wrong)",
    " (the kernel could not run)",
};

/* The message may contain these already; then they are not repeated. */
static bool is_new(const char *said, const char *words) { return *words && !strstr(said, words); }

static void text_fault(const struct record *r, text_put put)
{
    struct para p;
    const struct field *f;
    const char *said = rec_text(r, "message", ""), *name = rec_text(r, "name", "exception");
    const char *address = rec_text(r, "address", ""), *code = rec_text(r, "error_code_text", "");

    para_begin(&p, put, "", 6);
    para_printf(&p, "vector %.0f", rec_number(r, "vector", 0));
    if (is_new(said, name)) {
        para_str(&p, ", ");
        para_str(&p, name);
    }
    if (is_new(said, address)) {
        para_str(&p, ", at ");
        para_str(&p, address);
    }
    if (*code) {
        para_str(&p, ", error code ");
        para_str(&p, rec_text(r, "error_code", "?"));
        para_str(&p, ": ");
        para_str(&p, code);
    }
    para_end(&p);

    if (!(f = members(rec_find(r, "registers")))) return;
    para_begin(&p, put, "", 6);
    for (; f; f = member_next(f)) {
        para_str(&p, f->key);
        para_str(&p, "=");
        para_field(&p, f);
        para_str(&p, " ");
    }
    para_end(&p);
}

static void detail(text_put put, const char *label, const char *text)
{
    struct para p;
    para_begin(&p, put, label, 13);
    para_str(&p, text);
    para_end(&p);
}

/* The user's own line, with a caret under the part at fault. A record that another program made may put that
 * anywhere: it is not followed beyond the line's end. */
static void pointed(const struct record *r, text_put put)
{
    struct para p;
    const char *line = rec_text(r, "line", "");
    const double column = rec_number(r, "column", 1), length = rec_number(r, "length", 0);
    const double end = (double)strlen(line);
    para_begin(&p, put, "", 6);
    p.glue = true;
    para_str(&p, line);
    para_end(&p);
    para_begin(&p, put, "", 6);
    p.glue = true;
    for (double at = column <= end ? column : end + 1; at > 1; at--) para_str(&p, " ");
    para_str(&p, "^");
    for (double more = length <= end ? length : end; more > 1; more--) para_str(&p, "~");
    para_end(&p);
}

static void text_error(const struct record *r, text_put put)
{
    struct para p;
    const char *message = rec_text(r, "message", ""), *bench = rec_text(r, "bench", "");
    const char *word = rec_text(r, "word", ""), *valid = rec_text(r, "valid", "");

    para_begin(&p, put, "ERROR", 6);
    para_str(&p, rec_text(r, "what", "?"));
    if (is_new(message, bench)) {
        para_str(&p, " ");
        para_str(&p, bench);
    }
    para_str(&p, ": ");
    para_str(&p, message);
    para_end(&p);

    if (rec_find(r, "line"))
        pointed(r, put);
    else if (is_new(message, word))
        detail(put, "      word:", word);
    if (*valid) detail(put, "      valid:", valid);
    if (rec_find(r, "vector")) text_fault(r, put);
}

static void text_note(const struct record *r, text_put put)
{
    struct para p;
    para_begin(&p, put, "Note", 6);
    para_str(&p, rec_text(r, "what", "?"));
    para_str(&p, ": ");
    para_str(&p, rec_text(r, "message", ""));
    para_end(&p);
}

static void text_section(const struct record *r, text_put put)
{
    const double first = rec_number(r, "first", 0), last = rec_number(r, "last", 0);
    struct para p;
    para_begin(&p, put, "Mark", 6);
    para_str(&p, rec_text(r, "name", "?"));
    if (first == last)
        para_printf(&p, ": record %.0f", first);
    else
        para_printf(&p, ": records %.0f to %.0f", first, last);
    para_end(&p);
}

/* What a program of the user's printed: line by line, behind a bar. */
static void text_printed(const struct record *r, text_put put)
{
    const double cut = rec_number(r, "cut", 0);
    const char *text = rec_text(r, "text", "");
    struct para p;
    if (rec_number(r, "first", 0) == 0) {
        para_begin(&p, put, rec_text(r, "bench", "?"), 2);
        para_str(&p, " printed:");
        para_end(&p);
    }
    while (*text) {
        size_t n = strcspn(text, "\n");
        para_begin(&p, put, "  |", 4);
        p.glue = true;
        for (size_t some; n; text += some, n -= some) {
            some = n < 100 ? n : 100; /* para_printf() takes no more at once */
            para_printf(&p, "%.*s", (int)some, text);
        }
        p.glue = false;
        para_end(&p);
        text += *text == '\n';
    }
    if (!(cut > 0)) return;
    para_begin(&p, put, "  !", 4);
    para_printf(&p, "%.0f more bytes were not kept", cut);
    para_end(&p);
}

static void text_reduced(const struct record *r, text_put put)
{
    struct para p;
    const double n = rec_number(r, "left_out", 0);
    para_begin(&p, put, "Note", 6);
    para_printf(&p, "qr: %.0f record%s not among the QR codes", n, n == 1 ? " is" : "s are");
    para_str(&p, ": raw values, samples and what programs printed go first");
    para_end(&p);
}

static void text_done(const struct record *r, text_put put)
{
    double benches = rec_number(r, "measurements", 0);
    text_legend_put(rec_text(r, "intervals", "repetitions of this boot"), put);
    text_certificate(r, put);
    snprintf(closing, sizeof closing, "done: %.0f measurement%s, %.0f failed", benches,
             benches == 1 ? "" : "s", rec_number(r, "failed", 0));
}

static void text_end(const struct record *r, text_put put)
{
    struct para p;
    double records = rec_number(r, "records", 0), status = rec_number(r, "status", 0);

    put("");
    para_begin(&p, put, *closing ? closing : "end:", 5);
    if (*closing) para_str(&p, "; ");
    para_printf(&p, "%.0f record%s, status %.0f", records, records == 1 ? "" : "s", status);
    if (status >= 1 && status <= 3) para_str(&p, status_meaning[(unsigned)status - 1]);
    para_end(&p);
    closing[0] = '\0';
}

static const struct {
    const char *type;
    void (*render)(const struct record *r, text_put put);
} faces[] = {
    {"boot", text_boot},
    {"cpu", text_cpu},
    {"quiet", text_quiet},
    {"bench", text_bench},
    {"event", text_event},
    {"derived", text_derived},
    {"levels", text_levels},
    {"result", text_result},
    {"error", text_error},
    {"note", text_note},
    {"mark", text_section},
    {"region", text_region},
    {"steps", text_steps},
    {"step", text_step},
    {"trace", text_trace},
    {"trace_entries", text_trace_entries},
    {"done", text_done},
    {"end", text_end},
    {"truth", text_truth},
    {"relation", text_relation},
    {"truths", text_truths},
    {"printed", text_printed},
    {"profile", text_profile},
    {"deduction", text_deduction},
    {"memory", text_memory},
    {"branches", text_branches},
    {"blocks", text_blocks},
    {"stacks", text_stacks},
    {"sampling", text_sampling},
    {"experiment", text_experiment},
    {"value", text_lab_value},
    {"row", text_lab_row},
    {"series", text_lab_series},
    {"reduced", text_reduced},
    {"processors", text_processors},
    {"topology", text_topology},
    {"place", text_place},
    {"measuring", text_measuring},
    {"pair", text_pair},
    {"matrix", text_matrix},
    {"interval", text_interval},
};

/* The next row of any table gets a new head. NULL: nothing that was held back is printed. */
static void close_tables(text_put put)
{
    text_table_close(put);
    text_region_close();
    text_steps_close(put);
    text_truth_close();
    text_experiment_close();
    text_pair_close();
    text_lab_close();
    text_topology_close(put);
    text_matrix_close();
    text_interval_close();
}

/* ---- public ---- */

void text_begin(void)
{
    text_origin_begin(NULL);
    text_machine_begin();
    closing[0] = '\0';
    text_finish(NULL);
}

void text_finish(text_put put)
{
    close_tables(put);
    if (*closing) put(closing);
    closing[0] = '\0';
    text_legend_begin();
    text_memory_begin();
}

void text_render(const struct record *r, void (*put)(const char *line))
{
    const char *origin = text_origin_other(r);
    if (origin) {
        close_tables(put); /* under the heads that they have */
        text_origin_begin(origin);
    }
    for (size_t i = 0; i < sizeof faces / sizeof *faces; i++) {
        if (strcmp(r->type, faces[i].type) != 0) continue;
        if (faces[i].render != text_result && faces[i].render != text_derived &&
            faces[i].render != text_levels)
            text_table_close(put);
        if (faces[i].render != text_truth && faces[i].render != text_relation) text_truth_close();
        if (faces[i].render != text_place) text_topology_close(put);
        if (faces[i].render != text_region) text_region_close();
        if (faces[i].render != text_step) text_steps_close(put);
        if (faces[i].render != text_experiment) text_experiment_close();
        if (faces[i].render != text_pair) text_pair_close();
        if (faces[i].render != text_lab_value && faces[i].render != text_lab_row &&
            faces[i].render != text_lab_series && faces[i].render != text_matrix)
            text_lab_close();
        if (faces[i].render != text_matrix) text_matrix_close();
        if (faces[i].render != text_interval) text_interval_close();
        if (*closing && faces[i].render != text_end) {
            put(closing);
            closing[0] = '\0';
        }
        faces[i].render(r, put);
        return;
    }
}
