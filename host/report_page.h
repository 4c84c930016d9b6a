/* The page of `anechoic report`: what its sections write with. */
#pragma once
#include "host/report_runs.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pictures;

struct page {
    FILE *out; /* of the section at hand */
    const struct runs *runs;
    struct pictures *pictures;
};

/* ---- text (host/report_html.c) ---- */
/* HTML as it is. */
void html(const struct page *p, const char *s);
/* Text: escaped for HTML, quotes too, so that it may stand in attributes. What no HTML may hold is U+FFFD. */
void text(const struct page *p, const char *s);
void textf(const struct page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same text to a stream. */
void html_escape(FILE *to, const char *s);

/* A number for people: integers whole, with commas; others with some five digits. "-" where it is none. */
#define NUMBER_MAX 40
void number_text(char to[NUMBER_MAX], double v);
void number(const struct page *p, double v);
/* "32 KiB" */
void bytes_text(char to[NUMBER_MAX], double bytes);

/* ---- tables ---- All are in a box of their own that scrolls, so that the page never is too wide. */
/* caption: text. columns: "left|>right|...": headings; '>' before those of numbers. */
void page_table_begin(const struct page *p, const char *caption, const char *columns);
/* Of measurements: the caption also says where they come from, unless the runs' names do. */
void page_results_begin(const struct page *p, const char *caption, const char *columns);
/* One further heading, text as it is, for columns of runs; before page_table_body(). */
void page_table_column(const struct page *p, const char *heading, bool numeric);
void page_table_body(const struct page *p);
void row_begin(const struct page *p);
/* A row that spans the table: a heading over those that follow. */
void row_heading(const struct page *p, size_t columns, const char *heading);
void cell_begin(const struct page *p, bool numeric);
void cell_end(const struct page *p);
void cell(const struct page *p, const char *s);
void cell_number(const struct page *p, double v);
/* A share, 0 to 1, as a bar beside its percentage. */
void cell_share(const struct page *p, double share);
void row_end(const struct page *p);
void page_table_end(const struct page *p);

void heading(const struct page *p, const char *s);
void paragraph(const struct page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Doubts in words: "2 of 20 slow; ...". To be freed; empty if there is no mark. */
char *doubts_of(const json_t *o);

/* ---- sections, in the page's order (host/report_page.c has the table) ---- Each writes nothing where the
 * runs have nothing of it. */
void section_runs(const struct page *p);
void section_unlike(const struct page *p);
void section_doubts(const struct page *p);
void section_experiments(const struct page *p);
void section_truth(const struct page *p);
void section_results(const struct page *p);
void section_sweeps(const struct page *p);
void section_repetitions(const struct page *p);
void section_profiles(const struct page *p);
void section_addresses(const struct page *p);
void section_memory(const struct page *p);
void section_branches(const struct page *p); /* host/report_branches.c */
void section_regions(const struct page *p);
void section_sampling(const struct page *p);
void section_printed(const struct page *p);
void section_lists(const struct page *p);

/* The picture of a benchmark's rows (rows_of()), unless a sweep's has them (host/report_intervals.c). */
void put_intervals(const struct page *p, const char *name, const json_t *rows);

/* ---- the page's head (host/report_head.c) ---- */
/* "l1_miss, fwq on Intel(R) Pentium(R) 4, 2026-11-27": what was measured, on what, when. To be freed. */
char *page_title(const struct runs *runs);
/* Says first if a processor was not measured, or not alone. */
void put_banner(const struct page *p);

/* The whole page. title: NULL for the usual one. *pictures: how many it has. NULL: good; else why it has no
 * pictures, in a sentence that stands on the page, too. What could not be written is an error of `to`. */
const char *page_put(FILE *to, const struct runs *runs, const char *title, size_t *pictures);
