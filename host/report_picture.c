#include "host/report_picture.h"
#include "host/report_page.h"
#include "host/report_tool.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the page's text, a picture's place is its number between two of these. text() never writes one. */
#define PLACE '\x01'

struct picture {
    char *title, *description;
    char *script;
    size_t script_len;
    const char *svg, *end; /* in drawn */
};

struct pictures {
    struct picture *picture;
    size_t n;
    FILE *script; /* of the last one, while it is written */
    char *drawn;  /* gnuplot's output */
};

struct pictures *pictures_new(void)
{
    struct pictures *ps = calloc(1, sizeof *ps);
    if (!ps) abort();
    return ps;
}

void pictures_free(struct pictures *ps)
{
    for (struct picture *p = ps->picture; p < ps->picture + ps->n; p++) {
        free(p->title);
        free(p->description);
        free(p->script);
    }
    free(ps->picture);
    free(ps->drawn);
    free(ps);
}

size_t pictures_count(const struct pictures *ps) { return ps->n; }

FILE *picture_begin(struct pictures *ps, FILE *page, int height, const char *title, const char *description)
{
    struct picture *more = realloc(ps->picture, (ps->n + 1) * sizeof *more);
    if (!more) abort();
    ps->picture = more;
    struct picture *p = &more[ps->n++];
    *p = (struct picture){.title = strdup(title), .description = strdup(description)};
    if (!p->title || !p->description || !(ps->script = open_memstream(&p->script, &p->script_len))) abort();
    fprintf(ps->script,
            "reset\n"
            "set terminal svg size %d,%d dynamic noenhanced font 'sans-serif,13'\n"
            "set border 3 lc rgb '#101010'\n"
            "set xtics nomirror out\nset ytics nomirror out\nset grid y lc rgb '#808080' dt 3 lw 0.5\n"
            "set key tmargin left vertical maxcols 1 Left reverse samplen 2\n"
            "set style fill solid 0.75 noborder\n",
            PICTURE_WIDTH, height);
    fprintf(page, "<figure>\n<figcaption>");
    html_escape(page, title);
    fputs("</figcaption>\n", page);
    return ps->script;
}

void picture_end(struct pictures *ps, FILE *page)
{
    struct picture *p = &ps->picture[ps->n - 1];
    if (fclose(ps->script)) abort();
    ps->script = NULL;
    fprintf(page, "%c%zu%c<p class=\"what\">", PLACE, ps->n - 1, PLACE);
    html_escape(page, p->description);
    fputs("</p>\n</figure>\n", page);
}

/* Within '...' gnuplot runs no `commands` and knows no escapes but ''. */
static void quoted(FILE *to, const char *s, size_t most, const char *percent)
{
    size_t letters = 0;
    fputc('\'', to);
    for (; *s; s++) {
        const bool begins = ((unsigned char)*s & 0xc0) != 0x80;
        if (begins && ++letters > most) {
            fputs("...", to);
            break;
        }
        if (*s == '\'')
            fputs("''", to);
        else if (*s == '%')
            fputs(percent, to);
        else
            fputc((unsigned char)*s < ' ' || *s == 0x7f ? ' ' : *s, to);
    }
    fputc('\'', to);
}

void picture_string(FILE *script, const char *s, size_t most) { quoted(script, s, most, "%"); }
void picture_label(FILE *script, const char *s, size_t most) { quoted(script, s, most, "%%"); }

const char *picture_style(size_t series)
{
    static const char *const styles[PICTURE_SERIES] = {"lc rgb '#010101' pt 7", "lc rgb '#020202' pt 5",
                                                       "lc rgb '#030303' pt 9", "lc rgb '#040404' pt 13"};
    return styles[series % PICTURE_SERIES];
}

const char *picture_colour(size_t series)
{
    static const char *const colours[PICTURE_SERIES] = {"lc rgb '#010101'", "lc rgb '#020202'",
                                                        "lc rgb '#030303'", "lc rgb '#040404'"};
    return colours[series % PICTURE_SERIES];
}

/* ---- drawing ---- */

const char *pictures_draw(struct pictures *ps)
{
    char *const gnuplot[] = {"gnuplot", "--default-settings", "-", NULL};
    FILE *in = tmpfile();
    if (!in) return "Pictures: none, since no temporary file could be made.";
    for (const struct picture *p = ps->picture; p < ps->picture + ps->n; p++)
        fwrite(p->script, 1, p->script_len, in);
    ps->drawn = ps->n ? tool_run(gnuplot, in) : NULL;
    const int error = errno;
    fclose(in);
    if (!ps->n) return NULL;
    if (!ps->drawn && error == ENOENT)
        return "Pictures: none, since gnuplot is not installed. The package gnuplot-nox has it.";
    if (!ps->drawn) return "Pictures: none, since gnuplot failed.";
    const char *at = ps->drawn;
    for (struct picture *p = ps->picture; p < ps->picture + ps->n; p++) {
        const char *svg = strstr(at, "<svg"), *end = svg ? strstr(svg, "</svg>") : NULL;
        if (!end) return "Pictures: some are missing, since gnuplot stopped early.";
        p->svg = svg;
        p->end = end;
        at = end;
    }
    return NULL;
}

void pictures_fill(const struct pictures *ps, const char *page, FILE *to)
{
    for (const char *place; (place = strchr(page, PLACE)) != NULL;) {
        char *after;
        fwrite(page, 1, (size_t)(place - page), to);
        const size_t n = strtoul(place + 1, &after, 10);
        const struct picture *p = n < ps->n ? &ps->picture[n] : NULL;
        if (p && p->svg) svg_put(to, p->svg, p->end, (unsigned)n, p->title, p->description);
        page = after + 1;
    }
    fputs(page, to);
}

double picture_step(double range, unsigned most)
{
    static const double nice[] = {1, 2, 5, 10};
    if (!(range > 0) || !isfinite(range)) return 1;
    const double power = pow(10, floor(log10(range / most)));
    size_t i = 0;
    while (i < 3 && nice[i] * power * most < range) i++;
    return nice[i] * power;
}
