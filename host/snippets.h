/* The user's snippets of code: their names and their text, from the command line or from a file, and what the
 * assembler made of them (host/assemble.h). */
#pragma once
#include "include/anechoic/module.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One part of a snippet, as the user wrote it. */
struct snippet_source {
    char *text;         /* NULL: there is none */
    const char *where;  /* the file's name, or what the option is called */
    unsigned long line; /* of the text's beginning: 1.. */
};

/* What the assembler made of a part. */
struct snippet_code {
    uint8_t *bytes; /* NULL: none */
    uint32_t n;
    struct snippet_line {
        uint32_t at; /* byte from which on the code is of this line, ascending */
        unsigned long line;
    } * line;
    size_t lines;
};

struct snippet {
    char name[MODULE_NAME_BYTES];
    struct snippet_source source[SNIPPET_PARTS];
    struct snippet_code code[SNIPPET_PARTS];
};

struct snippets {
    struct snippet *at;
    size_t n, room;
};

/* How the parts are called where users write them: "--init"; "code". */
extern const char *const snippet_part_name[SNIPPET_PARTS];

/* The user's line of a byte of a part. */
unsigned long snippet_line(const struct snippet *s, unsigned part, uint64_t byte);
/* "list.txt, line 3"; "--init, line 1". Until the next call. */
const char *snippet_place(const struct snippet_source *s, unsigned long line);
/* That line's text, without what would take over a terminal. Until the next call. */
const char *snippet_text(const struct snippet_source *s, unsigned long line);

/* Adds a snippet without any part, or finds no memory: NULL. Pointers to others become invalid. */
struct snippet *snippets_add(struct snippets *s, const char *name, size_t len);
void snippets_free(struct snippets *s);

/* The one snippet of a command line. Its name is its code, with blanks squeezed, cut where it is long. False:
 * there is no memory. */
bool snippets_from_option(struct snippets *s, const char *code);

/* Adds the snippets of a file (docs/code.md has its form). False: `why` names the line and what is wrong. */
bool snippets_read(struct snippets *s, const char *name, FILE *in, char *why, size_t size);

/* Gives the text of an option to all snippets that have no such part of their own. False: no memory. */
bool snippets_default(struct snippets *s, enum snippet_part part, const char *text);
