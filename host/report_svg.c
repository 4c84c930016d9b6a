/* gnuplot's SVG, made fit for a page with many of them. Nothing here looks beyond the picture's end: what
 * follows may be long. */
#define _GNU_SOURCE /* memmem() */
#include "host/report_page.h"
#include "host/report_picture.h"
#include <stdbool.h>
#include <string.h>

/* What the scripts draw with, and what the page's style calls it (host/report_style.c). The colour behind
 * the comma is for a reader that knows no such name. */
static const struct {
    int red, green, blue;
    const char *name;
} colours[] = {
    {0x10, 0x10, 0x10, "var(--ink,#111)"},      {0x80, 0x80, 0x80, "var(--line,#888)"},
    {0x01, 0x01, 0x01, "var(--c1,#0072b2)"},    {0x02, 0x02, 0x02, "var(--c2,#c04a00)"},
    {0x03, 0x03, 0x03, "var(--c3,#00795a)"},    {0x04, 0x04, 0x04, "var(--c4,#9b4d83)"},
    {0x05, 0x05, 0x05, "var(--alarm,#b00020)"},
};

/* "rgb(16,16,16)" at *s, with or without blanks: its name, and *s behind it; NULL: it is none of ours. */
static const char *colour(const char **s)
{
    int red, green, blue, n = 0;
    char start[32]; /* sscanf() measures the whole string that it is given, which is all pictures */
    if (strncmp(*s, "rgb(", 4) != 0) return NULL;
    snprintf(start, sizeof start, "%.31s", *s);
    if (sscanf(start, "rgb(%d,%d,%d)%n", &red, &green, &blue, &n) != 3 || !n) return NULL;
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++) {
        if (colours[i].red != red || colours[i].green != green || colours[i].blue != blue) continue;
        *s += n;
        return colours[i].name;
    }
    return NULL;
}

/* What is left out: titles of gnuplot's own, and two filters that nothing uses. */
static const char *without(const char *s, const char *end)
{
    static const struct {
        const char *from, *to;
    } parts[] = {{"<title>", "</title>"}, {"<desc>", "</desc>"}, {"<filter ", "</filter>"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strncmp(s, parts[i].from, strlen(parts[i].from)) != 0) continue;
        const char *last = memmem(s, (size_t)(end - s), parts[i].to, strlen(parts[i].to));
        return last ? last + strlen(parts[i].to) : s;
    }
    return s;
}

/* gnuplot's words that change; %u is the picture's number. */
static const struct {
    const char *from, *to;
} words[] = {
    {"xlink:href=", "href="},           {"'#gp", "'#p%u-gp"},
    {"id='gp", "id='p%u-gp"},           {"id=\"gnuplot_", "id=\"p%u-gnuplot_"},
    {"='black'", "='var(--ink,#111)'"}, {"=\"black\"", "=\"var(--ink,#111)\""},
};

/* One of the words at s: writes the other, and comes to what is behind; s: none. */
static const char *word(FILE *to, const char *s, unsigned number)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i].from);
        if (strncmp(s, words[i].from, n) != 0) continue;
        const char *place = strstr(words[i].to, "%u");
        if (place)
            fprintf(to, "%.*s%u%s", (int)(place - words[i].to), words[i].to, number, place + 2);
        else
            fputs(words[i].to, to);
        return s + n;
    }
    return s;
}

/* The tag's own name space is HTML's affair. */
static const char *open_svg(FILE *to, const char *svg, const char *end, unsigned number)
{
    static const char box[] = "viewBox=\"";
    const char *tag_end = memchr(svg, '>', (size_t)(end - svg));
    const char *found = tag_end ? memmem(svg, (size_t)(tag_end - svg), box, sizeof box - 1) : NULL;
    if (!found) return NULL;
    const char *numbers = found + sizeof box - 1;
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.*s\" role=\"img\" "
            "aria-labelledby=\"p%u-title p%u-desc\">\n",
            (int)strcspn(numbers, "\""), numbers, number, number);
    return tag_end + 1;
}

void svg_put(FILE *to, const char *svg, const char *end, unsigned number, const char *title,
             const char *description)
{
    const char *s = open_svg(to, svg, end, number);
    if (!s) return;
    fprintf(to, "<title id=\"p%u-title\">", number);
    html_escape(to, title);
    fprintf(to, "</title>\n<desc id=\"p%u-desc\">", number);
    html_escape(to, description);
    fputs("</desc>\n", to);
    bool in_tag = false; /* words of ours in text stay as they are */
    while (s < end) {
        const char *next = without(s, end), *name;
        if (next == s && in_tag) next = word(to, s, number);
        if (next == s && in_tag && (name = colour(&next))) fputs(name, to);
        if (next == s) {
            in_tag = *s == '<' || (in_tag && *s != '>');
            if (*s != '\n' || s[-1] != '\n') fputc(*s, to);
            next++;
        }
        s = next;
    }
    fputs("</svg>\n", to);
}
