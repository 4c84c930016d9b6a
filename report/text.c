/* The text face of a record: which renderer shows it, and the short ones themselves. */
#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* ---- private ---- */

/* "done" waits for "end" so that both make one closing line; whatever else comes puts it out alone. */
static char closing[80];

static const char *const status_meaning[] = {
    "",
    " (a benchmark failed)",
    " (the command line was wrong)",
    " (the kernel could not run)",
};

static void text_fault(const struct record *r, text_put put)
{
    struct para p;
    const struct field *f;

    para_begin(&p, put, "", 6);
    para_str(&p, rec_text(r, "name", "exception"));
    para_printf(&p, ", vector %.0f", rec_number(r, "vector", 0));
    if ((f = rec_find(r, "address"))) {
        para_str(&p, ", at ");
        para_field(&p, f);
    }
    if ((f = rec_find(r, "error_code"))) {
        const char *text = rec_text(r, "error_code_text", "");
        para_str(&p, ", error code ");
        para_field(&p, f);
        if (*text) para_str(&p, ": ");
        para_str(&p, text);
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

static void text_error(const struct record *r, text_put put)
{
    struct para p;
    const struct field *bench = rec_find(r, "bench"), *word = rec_find(r, "word");
    const char *place = rec_text(r, "place", ""), *valid = rec_text(r, "valid", "");

    para_begin(&p, put, "ERROR", 6);
    para_str(&p, rec_text(r, "what", "?"));
    if (bench) {
        para_str(&p, " ");
        para_field(&p, bench);
    }
    if (*place) {
        para_str(&p, ", ");
        para_str(&p, place);
    }
    para_str(&p, ": ");
    para_str(&p, rec_text(r, "message", ""));
    para_end(&p);

    if (word) {
        para_begin(&p, put, "      word:", 13);
        para_field(&p, word);
        para_end(&p);
    }
    if (*valid) {
        para_begin(&p, put, "      valid:", 13);
        para_str(&p, valid);
        para_end(&p);
    }
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

static void text_done(const struct record *r, text_put put)
{
    double benches = rec_number(r, "benches", 0);
    (void)put;
    snprintf(closing, sizeof closing, "done: %.0f benchmark%s, %.0f failed", benches, benches == 1 ? "" : "s",
             rec_number(r, "failed", 0));
}

static void text_end(const struct record *r, text_put put)
{
    char line[160];
    double status = rec_number(r, "status", 0);
    const char *meaning = status >= 0 && status <= 3 ? status_meaning[(unsigned)status] : "";

    put("");
    snprintf(line, sizeof line, "%s%.0f records, status %.0f%s",
             *closing ? "; " : "end: ", rec_number(r, "records", 0), status, meaning);
    if (strlen(closing) + strlen(line) <= TEXT_COLUMNS) {
        memmove(line + strlen(closing), line, strlen(line) + 1);
        memcpy(line, closing, strlen(closing));
    } else {
        put(closing);
    }
    put(line);
    closing[0] = '\0';
}

static const struct {
    const char *type;
    void (*render)(const struct record *r, text_put put);
} faces[] = {
    {"boot", text_boot},   {"cpu", text_cpu},       {"quiet", text_quiet},
    {"bench", text_bench}, {"result", text_result}, {"error", text_error},
    {"note", text_note},   {"done", text_done},     {"end", text_end},
};

/* ---- public ---- */

void text_begin(void)
{
    closing[0] = '\0';
    text_table_close();
}

void text_render(const struct record *r, void (*put)(const char *line))
{
    for (size_t i = 0; i < sizeof faces / sizeof *faces; i++) {
        if (strcmp(r->type, faces[i].type) != 0) continue;
        if (faces[i].render != text_result) text_table_close();
        if (*closing && faces[i].render != text_end) {
            put(closing);
            closing[0] = '\0';
        }
        faces[i].render(r, put);
        return;
    }
}
