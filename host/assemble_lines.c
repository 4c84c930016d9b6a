/* The user's line of each byte, from as's listing: it has data and macros too, which debugging information
 * lacks. Rows are "  14 0002 0F0B   \t.byte 0x0f, 0x0b": line of the assembler's input, address, bytes. */
#include "host/assemble_batch.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Which part the rows are of: from its "# LINE "INDEX/PART"" on. */
struct listed {
    struct snippet *snippet; /* NULL: no part */
    unsigned part;
    unsigned long first, row; /* LINE; the input's line after it */
};

static void add(const struct listed *l, unsigned long row, uint32_t at)
{
    struct snippet_code *c = &l->snippet->code[l->part];
    struct snippet_line *line = realloc(c->line, (c->lines + 1) * sizeof *line);
    if (!line) return;
    c->line = line;
    c->line[c->lines++] = (struct snippet_line){at, l->first + (row - l->row)};
}

static void take_row(const struct batch *b, struct listed *l, const char *text)
{
    char *at;
    size_t index;
    unsigned part;
    unsigned long first;
    const unsigned long row = strtoul(text, &at, 10);
    const char *source = strchr(at, '\t');
    if (!row || !source) return;
    if (sscanf(source + 1, "# %lu \"%zu/%u\"", &first, &index, &part) == 3 && index < b->n &&
        part < SNIPPET_PARTS)
        *l = (struct listed){b->at[index], part, first, row + 1};
    else if (strncmp(source + 1, ASSEMBLE_PART_END, strlen(ASSEMBLE_PART_END)) == 0)
        l->snippet = NULL;
    else if (l->snippet && at[0] == ' ' && isxdigit((unsigned char)at[1]) && row >= l->row)
        add(l, row, (uint32_t)strtoul(at + 1, NULL, 16));
}

void assemble_lines(struct batch *b, const char *listing)
{
    char *text = NULL;
    size_t room = 0;
    struct listed l = {NULL};
    FILE *in = fopen(listing, "r");
    while (in && getline(&text, &room, in) >= 0) take_row(b, &l, text);
    free(text);
    if (in) fclose(in);
}
