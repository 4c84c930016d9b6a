/* One QR code as a picture: lines of text, and below them the code, as large as it gets, with its margin. */
#include "kernel/font.h"
#include "kernel/hw.h"
#include "report/codes.h"
#include "report/frame.h"
#include <qrcodegen/qrcodegen.h>
#include <string.h>

#define GLYPH_W    8u
#define GLYPH_H    16u
#define TEXT_H     (CODES_LINES * GLYPH_H)
#define MARGIN     4u                                    /* modules: ISO/IEC 18004, "quiet zone" */
#define MODULES    (17 + 4 * FRAME_VERSION + 2 * MARGIN) /* a side, with the margin */
#define LEAST_DOTS 2u                                    /* of a module's side */

static uint8_t row[GRAPHICS_WIDTH_MAX / 8];

/* White dots from x on. */
static void white(unsigned x, unsigned n)
{
    for (; n; n--, x++) row[x / 8] |= (uint8_t)(0x80 >> x % 8);
}

static void text_row(const char *s, unsigned y, unsigned width)
{
    for (unsigned i = 0; i < width / GLYPH_W && s[i]; i++)
        if (s[i] >= ' ' && s[i] <= '~') row[i] = font_8x16[s[i] - ' '][y];
}

/* y: the module's, with the margin. */
static void code_row(const uint8_t *code, unsigned y, unsigned left, unsigned dots)
{
    for (unsigned x = 0; x < MODULES; x++) /* outside of the code, and so in the margin, all are light */
        if (!qrcodegen_getModule(code, (int)x - (int)MARGIN, (int)y - (int)MARGIN))
            white(left + x * dots, dots);
}

static bool encode(const struct codes *c, unsigned number, uint8_t *code)
{
    static uint8_t scratch[qrcodegen_BUFFER_LEN_FOR_VERSION(FRAME_VERSION)];
    static uint8_t bits[qrcodegen_BUFFER_LEN_FOR_VERSION(FRAME_VERSION)];
    static char text[FRAME_TEXT];
    const size_t at = (size_t)(number - 1) * FRAME_BYTES;
    struct frame f = {.run = c->run, .number = number, .count = c->count};
    f.n = c->n - at < FRAME_BYTES ? c->n - at : FRAME_BYTES;
    memcpy(f.bytes, c->stream + at, f.n);
    frame_write(&f, text);
    const struct qrcodegen_Segment all = qrcodegen_makeAlphanumeric(text, bits);
    return qrcodegen_encodeSegmentsAdvanced(&all, 1, qrcodegen_Ecc_MEDIUM, FRAME_VERSION, FRAME_VERSION,
                                            qrcodegen_Mask_AUTO, true, scratch, code);
}

bool codes_draw(const struct codes *c, unsigned number, const char *const text[CODES_LINES],
                const struct graphics *to)
{
    static uint8_t code[qrcodegen_BUFFER_LEN_FOR_VERSION(FRAME_VERSION)];
    if (to->width < LEAST_DOTS * MODULES || to->height < LEAST_DOTS * MODULES + TEXT_H) return false;
    if (number && !encode(c, number, code)) return false;
    const unsigned across = to->width / MODULES, down = (to->height - TEXT_H) / MODULES;
    const unsigned dots = across < down ? across : down, left = (to->width - dots * MODULES) / 2;
    for (unsigned y = 0; y < to->height; y++) {
        const unsigned module = y < TEXT_H ? 0 : (y - TEXT_H) / dots;
        memset(row, 0, sizeof row);
        if (y < TEXT_H)
            text_row(text[y / GLYPH_H], y % GLYPH_H, to->width);
        else if (number && module < MODULES)
            code_row(code, module, left, dots);
        to->line(y, row);
    }
    hw_display_done();
    return true;
}
