/* Source lines of the user's programs: binutils' addr2line finds them in the debug information that `anechoic
 * payload build` keeps beside the module. */
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* --debug: a file with debug information, or a directory in which NAME.mod.debug is looked for. May be called
 * again; path stays the caller's. False: too often. */
bool lines_debug(const char *path);

/* The file with the debug information of the program that a record is about (its fields module and build_id):
 * one of
 * --debug, else NAME.mod.debug in the directory of the capture, else in the current one. NULL: *why says why
 * not. Both texts are valid until the next call. */
const char *lines_find(const json_t *o, const char *capture, const char **why);

/* A line of the source, and the samples of its instructions. */
struct source_line {
    char *where; /* "sort.c:12"; "?": none is known */
    char *text;  /* the line itself, without the blanks around it; "": it cannot be read */
    double count;
};

/* A profile by instruction (its lines of records: fields address, count) by source line, most samples first.
 * base: where the program lay. To be freed by lines_free(); NULL: addr2line failed, and errno is ENOENT where
 * it is not installed. */
struct source_line *lines_profile(const char *debug, json_t *const *line, size_t n, unsigned long long base,
                                  size_t *lines);
void lines_free(struct source_line *l, size_t n);
