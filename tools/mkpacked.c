/* Host program: packs texts in the compiler's assembly (kernel/packed.h):  mkpacked PAIRS.c IN.s...
 *
 * A text is a mergeable string with a blank, or a format, and without a byte beyond ASCII or an escape but of
 * a quote: names and words stay as they are. The commonest pair of bytes of all texts becomes one byte from
 * 80h on, or a control character, 159 times or until no pair is common (byte-pair encoding: Gage, C Users
 * Journal, February 1994). For each IN.s an IN.packed.s is written, with the texts in section .packed, and as
 * they were in section .texts, which is not loaded (tools/formatcheck.sh reads it); and the pairs as C
 * source. Exit status: 0, or 1 with the reason on stderr. */
#include "kernel/packed.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, TEXTS = 8192, PAIRS = UNPACK_PAIRS, WORTH = 3 /* occurrences; a pair costs two bytes */ };

static uint8_t *texts[TEXTS], pairs[PAIRS][2];
static size_t n_texts, n_pairs;

static void die(const char *what, const char *which)
{
    fprintf(stderr, "mkpacked: %s: %s\n", which, what);
    exit(1);
}

/* ---- the compiler's assembly ---- */

/* The text in a line like  .string "..."; false: something else, or not one to pack. */
static bool text_of(const char *line, char *out)
{
    static const char before[] = "\t.string\t\"";
    if (strncmp(line, before, sizeof before - 1) != 0) return false;
    char *to = out;
    for (const char *s = line + sizeof before - 1; *s != '"'; *to++ = *s++)
        if ((*s == '\\' && *++s != '"') || *s == '\n' || (uint8_t)*s >= 0x80) return false;
    *to = '\0';
    return strpbrk(out, " %") && strlen(out) < UNPACK_MAX;
}

static bool is_section(const char *line)
{
    return strncmp(line, "\t.section\t", 10) == 0 || strcmp(line, "\t.text\n") == 0;
}
static bool is_strings(const char *line) { return strstr(line, ".str1.") != NULL; }

/* Calls use for each text in a file, with out (NULL: the texts are looked for only) as the copy to be
 * written. */
static void read_file(const char *path, FILE *out, void (*use)(const char *text, FILE *out))
{
    static char line[LINE], label[LINE], section[LINE], text[LINE];
    FILE *in = fopen(path, "r");
    if (!in) die("cannot be read", path);
    section[0] = label[0] = '\0';
    while (fgets(line, sizeof line, in)) {
        if (!strchr(line, '\n')) die("has a line that is too long", path);
        if (is_section(line)) strcpy(section, line);
        bool packed = is_strings(section) && label[0] && text_of(line, text);
        if (out && packed) fputs("\t.section\t.packed,\"aMS\",@progbits,1\n", out);
        if (out) fputs(label, out);
        label[0] = '\0';
        if (packed) {
            use(text, out);
            if (out) fputs(section, out);
        } else if (line[0] == '.' && strchr(line, ':')) {
            strcpy(label, line);
        } else if (out) {
            fputs(line, out);
        }
    }
    if (out) fputs(label, out);
    fclose(in);
}

/* ---- texts and pairs ---- */

static void collect(const char *text, FILE *out)
{
    (void)out;
    for (size_t i = 0; i < n_texts; i++)
        if (strcmp((char *)texts[i], text) == 0) return;
    if (n_texts == TEXTS) die("too many texts", text);
    if (!(texts[n_texts] = (uint8_t *)strdup(text))) die("no memory for", text);
    n_texts++;
}

static void replace(uint8_t *s, size_t pair)
{
    uint8_t *to = s;
    for (; *s; s++) {
        bool here = s[0] == pairs[pair][0] && s[1] == pairs[pair][1];
        *to++ = here ? UNPACK_CODE(pair) : *s;
        s += here;
    }
    *to = '\0';
}

static void find_pairs(void)
{
    static unsigned seen[256][256];
    for (; n_pairs < PAIRS; n_pairs++) {
        unsigned most = 0;
        memset(seen, 0, sizeof seen);
        for (size_t i = 0; i < n_texts; i++)
            for (const uint8_t *s = texts[i]; s[0] && s[1]; s++) seen[s[0]][s[1]]++;
        for (unsigned a = 0; a < 256; a++)
            for (unsigned b = 0; b < 256; b++)
                if (seen[a][b] > most) {
                    most = seen[a][b];
                    pairs[n_pairs][0] = (uint8_t)a;
                    pairs[n_pairs][1] = (uint8_t)b;
                }
        if (most < WORTH) break;
        for (size_t i = 0; i < n_texts; i++) replace(texts[i], n_pairs);
    }
}

static void write_text(const char *text, FILE *out)
{
    char packed[UNPACK_MAX];
    strcpy(packed, text);
    for (size_t i = 0; i < n_pairs; i++) replace((uint8_t *)packed, i);
    char again[UNPACK_MAX * 2], *end = again;
    for (const char *s = packed; *s && end < again + UNPACK_MAX; s++)
        end = unpack_byte(pairs, end, (uint8_t)*s);
    *end = '\0';
    if (strcmp(again, text) != 0) die("does not come out as it went in", text);
    fputs("\t.byte\t", out);
    for (const char *s = packed; *s; s++) fprintf(out, "%u,", (uint8_t)*s);
    fputs("0\n\t.section\t.texts,\"MS\",@progbits,1\n\t.string\t\"", out);
    for (const char *s = text; *s; s++) fprintf(out, *s == '"' ? "\\%c" : "%c", *s);
    fputs("\"\n", out);
}

/* ---- output ---- */

static FILE *create(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) die("cannot be written", path);
    return f;
}

static void finish(FILE *f, const char *path)
{
    if (ferror(f) | fclose(f)) die("cannot be written", path);
}

int main(int argc, char **argv)
{
    if (argc < 3) die("usage: mkpacked PAIRS.c IN.s...", "arguments");
    for (int i = 2; i < argc; i++) read_file(argv[i], NULL, collect);
    find_pairs();
    for (int i = 2; i < argc; i++) {
        char path[LINE];
        size_t stem = strlen(argv[i]);
        if (stem < 3 || stem > LINE - 16 || strcmp(argv[i] + stem - 2, ".s") != 0)
            die("is no .s file", argv[i]);
        snprintf(path, sizeof path, "%.*s.packed.s", (int)stem - 2, argv[i]);
        FILE *out = create(path);
        read_file(argv[i], out, write_text);
        finish(out, path);
    }
    FILE *out = create(argv[1]);
    fprintf(out, "const unsigned char packed_pairs[%zu][2] = {\n", n_pairs ? n_pairs : 1);
    for (size_t i = 0; i < n_pairs; i++) fprintf(out, "    {%u, %u},\n", pairs[i][0], pairs[i][1]);
    fputs("};\n", out);
    finish(out, argv[1]);
}
