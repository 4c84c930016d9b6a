/* Writes a module of snippets for the boots, from bytes in hexadecimal.
 *
 *   mkmodule FILE 32|64 SNIPPET...
 *   mkmodule FILE 32|64 --count N MOST BYTES...
 *
 * SNIPPET  NAME=BODY[,init=BYTES][,late=BYTES][,once=BYTES]. BYTES: pairs of hexadecimal digits; none: no
 * bytes.
 * --count  N snippets of the names s0, s1, ...: the i-th has BYTES i % MOST + 1 times. Of several BYTES the
 *          first are in the first MOST snippets, the second in the next MOST, and so on from the beginning.
 * Exit status: 0 written, 2 wrong usage. */
#include "tests/unit/module_builder.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096 /* bytes of a part */

static void wrong(const char *what)
{
    fprintf(stderr, "mkmodule: %s\n", what);
    exit(2);
}

static struct built_part bytes_of(const char *hex)
{
    uint8_t *bytes = malloc(MOST);
    struct built_part part = {bytes, 0};
    unsigned value;
    for (; *hex; hex += 2) {
        if (part.n == MOST || sscanf(hex, "%2x", &value) != 1 || !hex[1]) wrong(hex);
        bytes[part.n++] = (uint8_t)value;
    }
    return part;
}

/* Cuts the text up. */
static struct built_snippet snippet_of(char *text)
{
    static const struct {
        const char *key;
        enum snippet_part part;
    } keys[] = {{"init", SNIPPET_INIT}, {"late", SNIPPET_LATE}, {"once", SNIPPET_ONE_TIME}};
    struct built_snippet s = {.name = text};
    char *save, *value = strchr(text, '=');
    if (!value) wrong(text);
    *value++ = '\0';
    for (char *word = strtok_r(value, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        char *of = strchr(word, '=');
        enum snippet_part part = SNIPPET_BODY;
        for (unsigned i = 0; of && i < sizeof keys / sizeof *keys; i++)
            if (strncmp(word, keys[i].key, (size_t)(of - word)) == 0) part = keys[i].part;
        s.part[part] = bytes_of(of ? of + 1 : word);
    }
    return s;
}

static struct built_snippet *counted(unsigned n, unsigned most, char *const *hex, unsigned kinds)
{
    struct built_snippet *s = calloc(n, sizeof *s);
    struct built_part *many = calloc(kinds, sizeof *many);
    for (unsigned k = 0; k < kinds; k++) {
        const struct built_part one = bytes_of(hex[k]);
        uint8_t *copies = malloc(most * (size_t)one.n + 1);
        for (unsigned i = 0; i < most; i++) memcpy(copies + i * one.n, one.bytes, one.n);
        many[k] = (struct built_part){copies, one.n};
    }
    for (unsigned i = 0; i < n; i++) {
        const struct built_part *of = &many[i / most % kinds];
        char *name = malloc(16);
        snprintf(name, 16, "s%u", i);
        s[i].name = name;
        s[i].part[SNIPPET_BODY] = (struct built_part){of->bytes, (i % most + 1) * of->n};
    }
    return s;
}

int main(int argc, char **argv)
{
    if (argc < 4) wrong("FILE 32|64 SNIPPET... are needed");
    const bool many = strcmp(argv[3], "--count") == 0;
    if (many && argc < 7) wrong("--count N MOST BYTES...");
    unsigned n = many ? (unsigned)atoi(argv[4]) : (unsigned)argc - 3;
    struct built_snippet *s =
        many ? counted(n, (unsigned)atoi(argv[5]), argv + 6, (unsigned)argc - 6) : calloc(n, sizeof *s);
    for (unsigned i = 0; !many && i < n; i++) s[i] = snippet_of(argv[3 + i]);
    size_t cap = sizeof(struct module_header);
    for (unsigned i = 0; i < n; i++) {
        cap += sizeof(struct module_snippet) + strlen(s[i].name) + 1;
        for (unsigned p = 0; p < SNIPPET_PARTS; p++) cap += s[i].part[p].n;
    }
    uint8_t *module = malloc(cap);
    const size_t size = module_build(module, cap, (uint32_t)atoi(argv[2]), s, n);
    FILE *to = fopen(argv[1], "wb");
    if (!to || fwrite(module, size, 1, to) != 1 || fclose(to) != 0) wrong(argv[1]);
    return 0;
}
