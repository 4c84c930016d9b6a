/* Under the kernel's own tables: of code of the user's the source lines. */
#pragma once
#include <jansson.h>
#include <stddef.h>

/* Of the profile whose records come. */
struct show_lines {
    json_t **line;
    size_t n;
    double samples, distinct;
};

/* After a record of `type` was printed; prints the profile by source line after its last record, and of a
 * trap its line. */
void show_lines_record(struct show_lines *s, const json_t *o, const char *type, const char *capture,
                       void (*put)(const char *line));
/* What it keeps, when no more records come. */
void show_lines_end(struct show_lines *s);
