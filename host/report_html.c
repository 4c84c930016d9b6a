/* Text, numbers and tables of the page. */
#include "host/report_page.h"
#include "report/json.h"
#include "report/text.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

void html(const struct page *p, const char *s) { fputs(s, p->out); }

void html_escape(FILE *to, const char *s)
{
    static const char *const escaped[128] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;"};
    for (const unsigned char *c = (const unsigned char *)s; *c; c++) {
        const bool control = (*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f;
        if (control)
            fputs("\xef\xbf\xbd", to); /* U+FFFD */
        else if (*c < 128 && escaped[*c])
            fputs(escaped[*c], to);
        else if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) { /* C1 controls: Latin-1 faces of bytes */
            fputs("\xef\xbf\xbd", to);
            c++;
        } else
            fputc(*c, to);
    }
}

void text(const struct page *p, const char *s) { html_escape(p->out, s); }

static char *vformatted(const char *format, va_list args)
{
    char *s = NULL;
    size_t len;
    FILE *to = open_memstream(&s, &len);
    if (!to) abort();
    vfprintf(to, format, args);
    if (fclose(to) || !s) abort();
    return s;
}

char *formatted(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *s = vformatted(format, args);
    va_end(args);
    return s;
}

static void vtext(const struct page *p, const char *format, va_list args)
{
    char *s = vformatted(format, args);
    text(p, s);
    free(s);
}

void textf(const struct page *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vtext(p, format, args);
    va_end(args);
}

/* ---- numbers ---- */

void number_text(char to[NUMBER_MAX], double v)
{
    char digits[NUMBER_MAX];
    if (!isfinite(v) || fabs(v) >= 1e19) { /* no time stamp has more digits */
        snprintf(to, NUMBER_MAX, isfinite(v) ? "%.6g" : "-", v);
        return;
    }
    if (v != floor(v) && fabs(v) < 1e5) {
        text_count(to, NUMBER_MAX, v, fabs(v));
        return;
    }
    if (v == floor(v))
        snprintf(digits, sizeof digits, "%.0f", fabs(v));
    else
        real_text(digits, fabs(v));
    const size_t whole = strcspn(digits, ".");
    char *t = to;
    if (v < 0) *t++ = '-';
    for (size_t i = 0; digits[i]; i++) {
        if (i && i < whole && (whole - i) % 3 == 0) *t++ = ',';
        *t++ = digits[i];
    }
    *t = '\0';
}

void number(const struct page *p, double v)
{
    char s[NUMBER_MAX];
    number_text(s, v);
    text(p, s);
}

void bytes_text(char to[NUMBER_MAX], double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    unsigned u = 0;
    for (; u < 3 && bytes >= 1024; u++) bytes /= 1024;
    snprintf(to, NUMBER_MAX, "%.4g %s", bytes, units[u]);
}

/* ---- tables ---- */

/* Whatever scrolls can be reached by keyboard, and says what it is. */
void page_table_begin(const struct page *p, const char *caption, const char *columns)
{
    html(p, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    text(p, caption);
    html(p, "\">\n<table>\n<caption>");
    text(p, caption);
    html(p, "</caption>\n<thead><tr>");
    for (size_t n; *columns; columns += n + (columns[n] == '|')) {
        n = strcspn(columns, "|");
        const bool numeric = *columns == '>';
        char one[64];
        snprintf(one, sizeof one, "%.*s", (int)(n - numeric), columns + numeric);
        page_table_column(p, one, numeric);
    }
}

void page_results_begin(const struct page *p, const char *caption, const char *columns)
{
    const char *origin = runs_origin(p->runs);
    char *whole = *origin ? formatted("%s (%s)", caption, origin) : NULL;
    page_table_begin(p, whole ? whole : caption, columns);
    free(whole);
}

void page_table_column(const struct page *p, const char *s, bool numeric)
{
    html(p, numeric ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
    text(p, s);
    html(p, "</th>");
}

void page_table_body(const struct page *p) { html(p, "</tr></thead>\n<tbody>\n"); }

void row_begin(const struct page *p) { html(p, "<tr>"); }

void row_heading(const struct page *p, size_t columns, const char *s)
{
    fprintf(p->out, "<tr><th scope=\"rowgroup\" class=\"group\" colspan=\"%zu\">", columns);
    text(p, s);
    html(p, "</th></tr>\n");
}

void cell_begin(const struct page *p, bool numeric) { html(p, numeric ? "<td class=\"n\">" : "<td>"); }

void cell_end(const struct page *p) { html(p, "</td>"); }

void cell(const struct page *p, const char *s)
{
    cell_begin(p, false);
    text(p, s);
    cell_end(p);
}

void cell_number(const struct page *p, double v)
{
    cell_begin(p, true);
    if (!isnan(v)) number(p, v);
    cell_end(p);
}

void cell_share(const struct page *p, double share)
{
    if (isnan(share)) {
        cell_number(p, share);
        return;
    }
    if (share < 0) share = 0;
    if (share > 1) share = 1;
    fprintf(p->out,
            "<td class=\"n\"><span class=\"share\">%.1f %%</span> <span class=\"bar\" aria-hidden=\"true\">"
            "<span style=\"width:%.1f%%\"></span></span></td>",
            100 * share, 100 * share);
}

void row_end(const struct page *p) { html(p, "</tr>\n"); }

void page_table_end(const struct page *p) { html(p, "</tbody></table></div>\n"); }

/* ---- others ---- */

void heading(const struct page *p, const char *s)
{
    html(p, "<h3>");
    text(p, s);
    html(p, "</h3>\n");
}

void paragraph(const struct page *p, const char *format, ...)
{
    va_list args;
    html(p, "<p>");
    va_start(args, format);
    vtext(p, format, args);
    va_end(args);
    html(p, "</p>\n");
}
