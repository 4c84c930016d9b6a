/* Host program: turns a console font (PSF 1 or PSF 2, 8 x 16) on stdin into C source on stdout, the glyphs of
 * ASCII 32 to 126 for the framebuffer console:  zcat FONT.psf.gz | mkfont > font.c
 * Formats: linux-kbd's "PC Screen Font" description (psf.h): PSF 1 has a 4-byte header and 16-bit Unicode
 * values, PSF 2 a 32-byte header and UTF-8. Exit status: 0, or 1 with the reason on stderr. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 32, LAST = 126, HEIGHT = 16, NO_GLYPH = -1, FILE_MAX = 4 << 20 };

enum { PSF1_HEADER = 4, PSF1_MODE_512 = 1, PSF1_MODE_TABLE = 2 | 4 };
enum { PSF1_SEQUENCE = 0xfffe, PSF1_END = 0xffff };

enum { PSF2_HEADER_MIN = 32, PSF2_HAS_TABLE = 1 };
enum { PSF2_SEQUENCE = 0xfe, PSF2_END = 0xff };
enum {
    PSF2_AT_HEADER = 8,
    PSF2_AT_FLAGS = 12,
    PSF2_AT_COUNT = 16,
    PSF2_AT_BYTES = 20,
    PSF2_AT_HEIGHT = 24,
    PSF2_AT_WIDTH = 28
};

struct font {
    const uint8_t *glyphs; /* n of them, HEIGHT bytes each, one byte a row, leftmost pixel in bit 7 */
    size_t n;
    const uint8_t *table, *end; /* Unicode table, or both NULL */
    int version;                /* 1 or 2 */
};

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
    va_list args;

    fputs("mkfont: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static uint32_t le32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Where the two formats differ: the header. */
static struct font open_font(const uint8_t *data, size_t size)
{
    static const uint8_t magic1[2] = {0x36, 0x04}, magic2[4] = {0x72, 0xb5, 0x4a, 0x86};
    struct font font = {0};
    size_t header;
    uint32_t width = 8, height, bytes;
    bool has_table;

    if (size >= PSF1_HEADER && memcmp(data, magic1, sizeof magic1) == 0) {
        font.version = 1;
        header = PSF1_HEADER;
        font.n = data[2] & PSF1_MODE_512 ? 512 : 256;
        has_table = data[2] & PSF1_MODE_TABLE;
        height = bytes = data[3];
    } else if (size >= PSF2_HEADER_MIN && memcmp(data, magic2, sizeof magic2) == 0) {
        font.version = 2;
        header = le32(data + PSF2_AT_HEADER);
        font.n = le32(data + PSF2_AT_COUNT);
        has_table = le32(data + PSF2_AT_FLAGS) & PSF2_HAS_TABLE;
        bytes = le32(data + PSF2_AT_BYTES);
        height = le32(data + PSF2_AT_HEIGHT);
        width = le32(data + PSF2_AT_WIDTH);
    } else {
        die("stdin is not a PSF 1 or PSF 2 font (%zu bytes; compressed ones go through zcat first)", size);
    }
    if (width != 8 || height != HEIGHT || bytes != HEIGHT)
        die("the font is %u x %u with %u bytes a glyph; it must be 8 x 16 with 16", width, height, bytes);
    if (header > size || font.n > (size - header) / HEIGHT)
        die("the font is cut short: %zu bytes do not hold %zu glyphs", size, font.n);
    font.glyphs = data + header;
    if (has_table) {
        font.table = font.glyphs + font.n * HEIGHT;
        font.end = data + size;
    }
    return font;
}

/* Both tables list, glyph by glyph, single code points, then (after a marker) sequences of them, then an end
 * mark. Only single ASCII code points matter here; UTF-8 writes those as the byte itself, and every other
 * byte of UTF-8 is above 7fh, so no decoding is needed. */
static void read_table(const struct font *font, int glyph_of[LAST + 1])
{
    size_t step = font->version == 1 ? 2 : 1;
    unsigned end_mark = font->version == 1 ? PSF1_END : PSF2_END;
    unsigned sequence_mark = font->version == 1 ? PSF1_SEQUENCE : PSF2_SEQUENCE;
    const uint8_t *p = font->table;

    for (size_t glyph = 0; glyph < font->n; glyph++) {
        bool in_sequence = false;
        unsigned value;

        do {
            if ((size_t)(font->end - p) < step)
                die("the Unicode table is cut short at glyph %zu of %zu", glyph, font->n);
            value = step == 2 ? p[0] | (unsigned)p[1] << 8 : p[0];
            p += step;
            if (value == sequence_mark)
                in_sequence = true;
            else if (!in_sequence && value >= FIRST && value <= LAST && glyph_of[value] == NO_GLYPH)
                glyph_of[value] = (int)glyph;
        } while (value != end_mark);
    }
}

static void map_glyphs(const struct font *font, int glyph_of[LAST + 1])
{
    for (int c = FIRST; c <= LAST; c++) glyph_of[c] = font->table || (size_t)c >= font->n ? NO_GLYPH : c;
    if (font->table) read_table(font, glyph_of);
    for (int c = FIRST; c <= LAST; c++) {
        if (glyph_of[c] == NO_GLYPH) die("the font has no glyph for ASCII %d ('%c')", c, c);
    }
}

static void write_source(const struct font *font, const int glyph_of[LAST + 1])
{
    printf("/* Made by tools/mkfont.c from a console font. ASCII %d to %d, a byte a row, leftmost pixel in "
           "bit 7. */\n"
           "#include <stdint.h>\n\n"
           "extern const uint8_t font_8x16[%d][%d];\n"
           "const uint8_t font_8x16[%d][%d] = {\n",
           FIRST, LAST, LAST - FIRST + 1, HEIGHT, LAST - FIRST + 1, HEIGHT);
    for (int c = FIRST; c <= LAST; c++) {
        const uint8_t *rows = font->glyphs + (size_t)glyph_of[c] * HEIGHT;

        printf("    {");
        for (int row = 0; row < HEIGHT; row++) printf("%s0x%02x", row ? ", " : "", rows[row]);
        printf("}, /* 0x%02x */\n", (unsigned)c);
    }
    printf("};\n");
}

int main(void)
{
    static uint8_t data[FILE_MAX];
    int glyph_of[LAST + 1];
    size_t size = fread(data, 1, sizeof data, stdin);

    if (ferror(stdin)) die("cannot read stdin");
    if (size == sizeof data) die("stdin is too long for a font (4 MiB or more)");

    struct font font = open_font(data, size);

    map_glyphs(&font, glyph_of);
    write_source(&font, glyph_of);
    if (fflush(stdout) != 0 || ferror(stdout)) die("cannot write stdout");
    return 0;
}
