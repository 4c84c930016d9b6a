/* The grid of a sweep: its parameter's values down, its events across, each cell a median.
 *
 * If a parameter has a range and several events are measured, rows with one value each would be hard to
 * compare. The cells of one value arrive record by record. So the first value's cells are held until it is
 * known whether all of them fit into a line. If they do not, or if another record comes between, they are
 * printed as rows instead.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

#define COLUMNS    6
#define CELL       11 /* at least: a number, a blank, and up to two marks */
#define MARKS      4  /* a blank, the marks, and a blank */
#define NAME       40 /* of each of the two lines of a column's name */
#define HELD_BYTES 8192

struct cell {
    double value;
    bool unmodelled, wide, doubt;
};

static struct {
    enum { NO_SWEEP, HOLDING, GRID, ROWS } mode;
    char what[256]; /* the common properties of this sweep's measurements */
    char parameter[24], value[24], unit[64];
    struct column {
        char name[2][NAME]; /* a long name continues on a second line after its first colon */
        unsigned width;
    } column[COLUMNS];
    struct cell cell[COLUMNS];
    unsigned columns, filled;
    char held[HELD_BYTES]; /* the rows, each ended by a NUL */
    size_t held_bytes;
} grid;

static void hold(const char *line)
{
    size_t len = strlen(line) + 1;
    if (len > sizeof grid.held - grid.held_bytes) return; /* COLUMNS records have fewer lines */
    memcpy(grid.held + grid.held_bytes, line, len);
    grid.held_bytes += len;
}

static void release(text_put put)
{
    if (grid.held_bytes) text_rows_legend();
    for (size_t at = 0; at < grid.held_bytes; at += strlen(grid.held + at) + 1) put(grid.held + at);
    grid.held_bytes = 0;
}

static unsigned width_of_values(void)
{
    size_t n = strlen(grid.parameter);
    return n > 8 ? (unsigned)n : 8;
}

static unsigned width_of_all(void)
{
    unsigned n = 2 + width_of_values();
    for (unsigned i = 0; i < grid.columns; i++) n += 2 + grid.column[i].width;
    return n;
}

static void name_column(struct column *c, const char *name)
{
    const char *colon = strlen(name) > CELL ? strchr(name, ':') : NULL;
    size_t first = colon ? (size_t)(colon - name) : strlen(name), width = CELL;
    snprintf(c->name[0], NAME, "%.*s", (int)first, name);
    snprintf(c->name[1], NAME, "%s", name + first);
    for (unsigned i = 0; i < 2; i++)
        if (strlen(c->name[i]) > width) width = strlen(c->name[i]);
    c->width = (unsigned)width;
}

static bool is_column(const struct column *c, const char *name)
{
    struct column other = {0};
    name_column(&other, name);
    return strcmp(c->name[0], other.name[0]) == 0 && strcmp(c->name[1], other.name[1]) == 0;
}

static void put_trimmed(char *line, text_put put)
{
    for (size_t n = strlen(line); n && line[n - 1] == ' ';) line[--n] = '\0';
    put(line);
}

/* A line of the first n columns: what stands to the left, and each cell. Those that the screen has no room
 * for go on in the next line: of the headings the same ones. */
static void put_line(const char *ahead, unsigned n, void (*cell)(unsigned i, char *s, size_t cap),
                     text_put put)
{
    char line[2 * TEXT_COLUMNS], s[2 * NAME];
    size_t used = (size_t)snprintf(line, sizeof line, "  %*s", (int)width_of_values(), ahead);
    for (unsigned i = 0; i < n; i++) {
        const unsigned width = grid.column[i].width;
        if (i && used + 2 + width > TEXT_COLUMNS) {
            put_trimmed(line, put);
            used = (size_t)snprintf(line, sizeof line, "  %*s", (int)width_of_values(), "");
        }
        cell(i, s, sizeof s);
        used += (size_t)snprintf(line + used, sizeof line - used, "  %*s", (int)width, s);
    }
    put_trimmed(line, put);
}

static void cell_text(unsigned i, char *s, size_t cap)
{
    const struct cell *c = &grid.cell[i];
    char number[32], marks[MARKS + 1] = "    ", *m = marks + 1;
    text_count(number, sizeof number, c->value, __builtin_fabs(c->value));
    if (c->wide) *m++ = '~';
    if (c->doubt) *m++ = '!';
    if (c->unmodelled)
        snprintf(s, cap, "unmodelled");
    else
        snprintf(s, cap, "%s%s", number, marks);
}

static void first_name(unsigned i, char *s, size_t cap) { snprintf(s, cap, "%s", grid.column[i].name[0]); }

static void second_name(unsigned i, char *s, size_t cap) { snprintf(s, cap, "%s", grid.column[i].name[1]); }

static void put_heading(text_put put)
{
    struct para p;
    char line[2 * TEXT_COLUMNS];
    bool second = false;
    put("");
    para_begin(&p, put, "", 0);
    para_str(&p, grid.what);
    para_str(&p, "medians per ");
    para_str(&p, grid.unit);
    if (text_origin()) para_printf(&p, " (%s)", text_origin());
    para_end(&p);
    for (unsigned i = 0; i < grid.columns; i++) second |= grid.column[i].name[1][0] != '\0';
    put_line(grid.parameter, grid.columns, first_name, put);
    if (second) put_line("", grid.columns, second_name, put);
    memset(line, '-', TEXT_COLUMNS);
    line[TEXT_COLUMNS] = '\0';
    put(line);
}

/* A number with more digits than its column has room for gets a wider one. */
static bool widen(unsigned i)
{
    char s[2 * NAME];
    cell_text(i, s, sizeof s);
    const bool wider = strlen(s) > grid.column[i].width;
    if (wider) grid.column[i].width = (unsigned)strlen(s);
    return wider;
}

static void put_row(text_put put)
{
    bool wider = false;
    for (unsigned i = 0; i < grid.filled; i++) {
        wider |= widen(i);
        if (grid.cell[i].wide) text_legend_use(LEGEND_WIDE);
        if (grid.cell[i].doubt) text_legend_use(LEGEND_DOUBT);
    }
    if (wider) put_heading(put);
    put_line(grid.value, grid.filled, cell_text, put);
    grid.filled = 0;
}

/* Begin the grid: the values of the held rows form its first line. */
static void begin_grid(text_put put)
{
    grid.held_bytes = 0;
    grid.mode = GRID;
    text_rows_forget();
    put_heading(put);
    put_row(put);
}

/* "stride_thrash stride=8192 n=1000, ring 3: ", without the parameter that is swept. */
static void describe(const struct record *r, const char *sweep, char *s, size_t cap)
{
    const char *variant = rec_text(r, "variant", "");
    const double ring = rec_number(r, "ring", 0);
    int n = snprintf(s, cap, "%s%s%s", rec_text(r, "bench", "?"), *variant ? " " : "", variant);
    for (const struct field *f = members(rec_find(r, "params")); f && n < (int)cap; f = member_next(f))
        if (strcmp(f->key, sweep) != 0)
            n += snprintf(s + n, cap - (size_t)n, " %s=%.0f", f->key, field_number(f, 0));
    if (n < (int)cap) snprintf(s + n, cap - (size_t)n, ring != 0 ? ", ring %.0f: " : ": ", ring);
}

/* False: there is no room for it. */
static bool add_column(const char *name, const struct cell *c)
{
    if (grid.columns == COLUMNS) return false;
    name_column(&grid.column[grid.columns], name);
    grid.cell[grid.columns] = *c;
    widen(grid.columns++);
    if (width_of_all() > TEXT_COLUMNS) grid.columns--;
    const bool fits = grid.filled < grid.columns;
    grid.filled = grid.columns;
    return fits;
}

/* Add a value of the current row. False: it must be printed as a row of its own. */
static bool take(const char *name, const struct cell *c, text_put put)
{
    if (grid.mode == HOLDING) {
        if (!add_column(name, c)) {
            grid.mode = ROWS;
            release(put);
        }
        return false; /* its row is held as well */
    }
    if (grid.mode != GRID) return false;
    if (grid.filled == grid.columns || !is_column(&grid.column[grid.filled], name)) {
        grid_close(put);
        grid.mode = ROWS;
        return false;
    }
    grid.cell[grid.filled++] = *c;
    if (grid.filled == grid.columns) put_row(put);
    return true;
}

/* ---- public ---- */

text_put grid_put(text_put put) { return grid.mode == HOLDING ? hold : put; }

void grid_close(text_put put)
{
    if (grid.mode == HOLDING && put) release(put);
    if (grid.mode == GRID && grid.filled && put) put_row(put);
    grid.mode = NO_SWEEP;
    grid.held_bytes = 0;
}

bool grid_result(const struct record *r, double ci, text_put put)
{
    const char *sweep = rec_text(r, "sweep", "");
    char what[sizeof grid.what], value[sizeof grid.value];
    const struct field *f = member(rec_find(r, "params"), sweep);
    const double median = rec_number(r, "median", 0), mean = rec_number(r, "mean", 0);
    const struct cell c = {.value = median,
                           .unmodelled = has_flag(r, "flags", "unmodelled"),
                           .wide = isfinite(ci) && ci > 0.01 * __builtin_fabs(mean),
                           .doubt = text_has_doubt(r)};
    const char *unit = strrchr(rec_text(r, "unit", ""), '/');
    if (!f || text_has_preset(r)) { /* a cell has no room for what it says */
        grid_close(put);
        return false;
    }
    describe(r, sweep, what, sizeof what);
    snprintf(value, sizeof value, "%.0f", field_number(f, 0));
    if (grid.mode == NO_SWEEP || strcmp(what, grid.what) != 0) {
        grid_close(put);
        grid.mode = HOLDING;
        grid.columns = grid.filled = 0;
        snprintf(grid.what, sizeof grid.what, "%s", what);
        snprintf(grid.parameter, sizeof grid.parameter, "%s", sweep);
        snprintf(grid.value, sizeof grid.value, "%s", value);
        snprintf(grid.unit, sizeof grid.unit, "%s", unit ? unit + 1 : "operation");
    } else if (strcmp(value, grid.value) != 0) {
        if (grid.mode == GRID && grid.filled) put_row(put);
        if (grid.mode == HOLDING && grid.columns > 1) begin_grid(put);
        if (grid.mode == HOLDING) {
            grid.mode = ROWS;
            release(put);
        }
        snprintf(grid.value, sizeof grid.value, "%s", value);
    }
    const bool taken = take(rec_text(r, "event", "?"), &c, put);
    const double per_op = text_core_cycles(r);
    if (per_op > 0)
        take("core cycles", &(struct cell){.value = per_op, .wide = c.wide, .doubt = c.doubt}, put);
    return taken;
}

bool grid_derived(const struct record *r, text_put put)
{
    const char *name = rec_text(r, "name", "?");
    const struct cell c = {.value = rec_number(r, "value", 0), .doubt = text_has_doubt(r)};
    if (grid.mode == HOLDING) add_column(name, &c); /* if there is no room, only the record has it */
    if (grid.mode != GRID) return false;
    if (grid.filled < grid.columns && is_column(&grid.column[grid.filled], name)) take(name, &c, put);
    return true;
}
