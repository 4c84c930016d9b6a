/* A matrix of processors by processors: rows and columns, in blocks of as many columns as fit.
 *
 * Its records come row by row, and all columns of a block have one width, so it is held until it is complete.
 * Of more processors than MOST the first are shown, and the text says so: the records have all. */
#include "report/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST         32
#define LABEL        7 /* of a row */
#define COLUMN_LEAST 6

static struct {
    unsigned rows, columns, all; /* held; all: rows that came */
    unsigned row[MOST], column[MOST];
    unsigned in_row;   /* columns of this row so far */
    unsigned last_row; /* its processor */
    double value[MOST][MOST];
} m;

/* ---- private ---- */

static void hold(const struct record *r)
{
    const unsigned row = natural_number(rec_number(r, "row", 0));
    const struct field *column = members(rec_find(r, "columns")), *value = members(rec_find(r, "values"));
    if (m.all == 0 || row != m.last_row) {
        m.last_row = row;
        m.in_row = 0;
        if (m.all < MOST) m.row[m.rows++] = row;
        m.all++;
    }
    for (; m.all <= MOST && column && value && m.in_row < MOST;
         column = member_next(column), value = member_next(value), m.in_row++) {
        m.column[m.in_row] = natural_number(field_number(column, 0));
        m.value[m.rows - 1][m.in_row] = field_number(value, (double)NAN);
        if (m.in_row >= m.columns) m.columns = m.in_row + 1;
    }
}

/* The same number of decimals for all of them: one below 100, none above. */
static void number(char *s, size_t cap, double v, double greatest)
{
    if (isnan(v))
        snprintf(s, cap, ".");
    else
        snprintf(s, cap, greatest < 100 ? "%.1f" : greatest < 1e18 ? "%.0f" : "%.6g", v);
}

static double greatest(void)
{
    double most = 0;
    for (unsigned i = 0; i < m.rows; i++)
        for (unsigned k = 0; k < m.columns; k++)
            if (m.value[i][k] > most) most = m.value[i][k];
    return most;
}

static unsigned width(double most)
{
    unsigned w = COLUMN_LEAST;
    for (unsigned i = 0; i < m.rows; i++)
        for (unsigned k = 0; k < m.columns; k++) {
            char s[32];
            number(s, sizeof s, m.value[i][k], most);
            if (strlen(s) + 1 > w) w = (unsigned)strlen(s) + 1;
        }
    return w;
}

/* A row's last value in this block: behind it nothing is printed. */
static unsigned end_of(unsigned row, unsigned first, unsigned end)
{
    while (end > first && isnan(m.value[row][end - 1])) end--;
    return end;
}

static void block(unsigned first, unsigned end, unsigned w, double most, text_put put)
{
    char line[2 * TEXT_COLUMNS], s[32];
    int n = snprintf(line, sizeof line, "%*s", LABEL, "cpu");
    for (unsigned k = first; k < end; k++)
        n += snprintf(line + n, sizeof line - (size_t)n, "%*u", (int)w, m.column[k]);
    put(line);
    for (unsigned i = 0; i < m.rows; i++) {
        const unsigned stop = end_of(i, first, end);
        if (stop == first && first) continue; /* an empty row, and not the first block, which has all */
        n = snprintf(line, sizeof line, "%*u", LABEL, m.row[i]);
        for (unsigned k = first; k < stop; k++) {
            number(s, sizeof s, m.value[i][k], most);
            n += snprintf(line + n, sizeof line - (size_t)n, "%*s", (int)w, s);
        }
        put(line);
    }
}

/* ---- public ---- */

void text_matrix_close(void) { memset(&m, 0, sizeof m); }

void text_matrix(const struct record *r, text_put put)
{
    const struct field *last = rec_find(r, "last");
    struct para p;
    hold(r);
    if (!last || !last->b) return;
    const double most = greatest();
    const unsigned w = width(most), fit = (TEXT_COLUMNS - LABEL - 2) / w;
    text_lab_heading(r, put);
    para_begin(&p, put, "", 2);
    para_printf(&p, "%s (%s)", rec_text(r, "name", "?"), rec_text(r, "unit", ""));
    if (m.all > m.rows)
        para_printf(&p, ": the first %u of %u processors; the records have all", m.rows, m.all);
    para_end(&p);
    for (unsigned first = 0; first < m.columns; first += fit)
        block(first, first + fit < m.columns ? first + fit : m.columns, w, most, put);
    text_lab_doubts(r, put);
    text_matrix_close();
}
