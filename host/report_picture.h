/* Pictures of the page: gnuplot draws all of them in one go when the page is complete. */
#pragma once
#include <stdio.h>

/* Units: on a phone some three quarters of a pixel. Few, so that letters stay legible there. */
#define PICTURE_WIDTH  400
#define PICTURE_SERIES 4 /* colours and points that there are */

struct pictures;

struct pictures *pictures_new(void);
void pictures_free(struct pictures *ps);

/* Begins a picture of this height in the page at `page`, with its title and what it shows, both for people
 * who cannot see it too. Comes to where its gnuplot commands go, with terminal, frame and colours set. */
FILE *picture_begin(struct pictures *ps, FILE *page, int height, const char *title, const char *description);
void picture_end(struct pictures *ps, FILE *page);

/* Text as a string of gnuplot; in one for the labels of axes '%' begins a format. At most `most` letters. */
void picture_string(FILE *script, const char *s, size_t most);
void picture_label(FILE *script, const char *s, size_t most);

/* How a series is drawn, by its number from 0: "lc rgb ... pt ...", or the colour alone. */
const char *picture_style(size_t series);
const char *picture_colour(size_t series);

/* From one number at an axis to the next, so that a range has at most so many: 1, 2 or 5 times a power of 10.
 */
double picture_step(double range, unsigned most);

size_t pictures_count(const struct pictures *ps);

/* Runs gnuplot. NULL: good; else why there are no pictures: a sentence. */
const char *pictures_draw(struct pictures *ps);

/* Writes the page with its pictures, or without them where there are none. */
void pictures_fill(const struct pictures *ps, const char *page, FILE *to);

/* ---- one picture (host/report_svg.c) ---- */
/* gnuplot's SVG for a page: ids of its own (a page has many), colours by name, so that dark mode can change
 * them, title and description. svg: from "<svg" on, to `end`. */
void svg_put(FILE *to, const char *svg, const char *end, unsigned number, const char *title,
             const char *description);
