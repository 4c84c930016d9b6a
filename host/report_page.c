/* The page: its sections in their order, and what is around them. */
#include "host/report_page.h"
#include "host/report_picture.h"
#include "host/report_style.h"
#include "report/emit.h"
#include <stdlib.h>
#include <string.h>

static const struct section {
    const char *id, *heading;
    void (*put)(const struct page *p);
} sections[] = {
    {"doubts", "What may be doubted", section_doubts},
    {"unlike", "Unlike the others", section_unlike},
    {"article", "The article's figures", section_experiments},
    {"truth", "Counts that are known", section_truth},
    {"results", "Results", section_results},
    {"sweeps", "Sweeps", section_sweeps},
    {"repetitions", "Repetitions", section_repetitions},
    {"sampling", "Sampling runs", section_sampling},
    {"profiles", "Profiles by instruction", section_profiles},
    {"memory", "Memory accesses", section_memory},
    {"addresses", "Data addresses", section_addresses},
    {"branches", "Branches", section_branches},
    {"regions", "Regions", section_regions},
    {"printed", "Printed", section_printed},
    {"lists", "Events and benchmarks", section_lists},
    {"machine", "Machine", section_runs},
};
#define SECTIONS (sizeof sections / sizeof *sections)

/* A section's text; empty where it has nothing to say. */
static char *write_section(struct page *p, const struct section *s)
{
    char *text = NULL;
    size_t len;
    if (!(p->out = open_memstream(&text, &len))) abort();
    s->put(p);
    if (fclose(p->out) || !text) abort();
    p->out = NULL;
    return text;
}

static void put_head(const struct page *p, const char *title)
{
    html(p, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
            "<meta charset=\"utf-8\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
            /* Nothing is fetched, whatever the text may hold. */
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
            "'unsafe-inline'; img-src data:\"/>\n<title>");
    text(p, title);
    html(p, "</title>\n<style>\n");
    html(p, report_style);
    html(p, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n"
            "<header>\n<h1>");
    text(p, title);
    html(p, "</h1>\n");
}

static void put_sections(const struct page *p, char *const written[])
{
    html(p, "<nav aria-label=\"Sections\">\n<ul>\n");
    for (size_t i = 0; i < SECTIONS; i++)
        if (*written[i])
            fprintf(p->out, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id, sections[i].heading);
    html(p, "</ul>\n</nav>\n</header>\n<main id=\"main\">\n");
    for (size_t i = 0; i < SECTIONS; i++)
        if (*written[i])
            fprintf(p->out,
                    "<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n%s</section>\n",
                    sections[i].id, sections[i].id, sections[i].id, sections[i].heading, written[i]);
    html(p, "</main>\n<footer><p>Made by anechoic " ANECHOIC_VERSION
            " from the records of the Anechoic kernel.</p></footer>\n</body>\n</html>\n");
}

const char *page_put(FILE *to, const struct runs *runs, const char *title, size_t *pictures)
{
    struct page p = {.runs = runs, .pictures = pictures_new()};
    char *written[SECTIONS], *whole = NULL, *usual = page_title(runs);
    size_t len;
    for (size_t i = 0; i < SECTIONS; i++) written[i] = write_section(&p, &sections[i]);
    const char *missing = pictures_draw(p.pictures);
    *pictures = missing ? 0 : pictures_count(p.pictures);

    if (!(p.out = open_memstream(&whole, &len))) abort();
    put_head(&p, title ? title : usual);
    put_banner(&p);
    if (missing) {
        html(&p, "<p class=\"alarm\">");
        text(&p, missing);
        html(&p, "</p>\n");
    }
    put_sections(&p, written);
    if (fclose(p.out) || !whole) abort();
    pictures_fill(p.pictures, whole, to);

    for (size_t i = 0; i < SECTIONS; i++) free(written[i]);
    free(whole);
    free(usual);
    pictures_free(p.pictures);
    return missing;
}
