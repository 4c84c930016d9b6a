/* QR codes after the session: turning by time and by key, and where they cannot be shown. What is displayed
 * is read back as text by its glyphs. The keys are those of a serial line. */
#include "kernel/font.h"
#include "kernel/graphics.h"
#include "report/codes.h"
#include "report/codes_show.h"
#include "report/kept.h"
#include "report/record.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the screen ---- */

static struct graphics screen;
static const char *trouble;
static unsigned char top[16][GRAPHICS_WIDTH_MAX / 8];
static char drawn[4096]; /* "1 2 3 ": the numbers of the codes, in order; "-": text alone */
static unsigned count, lines_drawn;

static void read_top(void)
{
    char text[GRAPHICS_WIDTH_MAX / 8 + 1] = "";
    unsigned number, of;
    for (unsigned i = 0; i < screen.width / 8; i++)
        for (unsigned g = 0; g < 95; g++) {
            unsigned y = 0;
            while (y < 16 && top[y][i] == font_8x16[g][y]) y++;
            if (y == 16) text[i] = (char)(' ' + g);
        }
    assert_true(strlen(drawn) + 8 < sizeof drawn);
    if (sscanf(text, "QR code %u of %u, run ", &number, &of) == 2) {
        sprintf(drawn + strlen(drawn), "%u ", number);
        count = of;
    } else
        strcat(drawn, "- ");
}

/* Below the text, a code's 97 modules a side have four light ones around them (ISO/IEC 18004:2015, 5.3.8
 * "quiet zone"), as large as they fit, and no light dot is left or right of those. A picture of text alone is
 * dark there. */
static void check_frame(unsigned y, const uint8_t *dots)
{
    enum { SIDE = 97, QUIET = 4, ALL = SIDE + 2 * QUIET, TEXT = CODES_LINES * 16 };
    const unsigned across = screen.width / ALL, down = (screen.height - TEXT) / ALL,
                   side = across < down ? across : down, left = (screen.width - ALL * side) / 2;
    const bool code = drawn[strlen(drawn) - 2] != '-' && (y - TEXT) / side < ALL;
    const unsigned module = (y - TEXT) / side;
    const bool above = module < QUIET || module >= QUIET + SIDE; /* or below */
    for (unsigned x = 0; x < screen.width; x++) {
        const bool light = dots[x / 8] >> (7 - x % 8) & 1, within = x >= left && x < left + ALL * side;
        const unsigned column = within ? (x - left) / side : 0;
        if (!code || !within)
            assert_false(light);
        else if (above || column < QUIET || column >= QUIET + SIDE)
            assert_true(light);
    }
}

static void line(unsigned y, const uint8_t *dots)
{
    assert_int_equal(y, lines_drawn);
    lines_drawn = (lines_drawn + 1) % screen.height;
    if (y >= 16 * CODES_LINES) check_frame(y, dots);
    if (y < 16) memcpy(top[y], dots, screen.width / 8);
    if (y == 15) read_top();
}

bool graphics_found(const char **why)
{
    *why = trouble;
    return !trouble;
}
bool graphics_open(struct graphics *g, const char **why)
{
    *g = screen;
    return graphics_found(why);
}

/* ---- keys: "5000n" is an n at the 5000th question ---- */

static const char *keys;
static unsigned asked;
bool console_has_keys(void) { return true; }
int console_key(void)
{
    char *end;
    asked++;
    if (!*keys || strtoul(keys, &end, 10) > asked) return -1;
    keys = end + 1;
    return *end;
}

/* ---- a show ---- */

#define SECOND 100 /* questions */

static void fill(unsigned lines)
{
    static uint32_t memory[256 * 1024 / 4];
    kept_begin(memory, sizeof memory, KEPT_RESULTS);
    for (unsigned n = 0; n < lines; n++) {
        char text[100];
        const int len = snprintf(text, sizeof text, "{\"n\":%u,\"t\":\"result\",\"x\":\"%08x%08x%08x%08x\"}",
                                 n, n * 2654435761u, n * 2246822519u, n * 3266489917u, n * 668265263u);
        kept_add(n, text, (size_t)len);
    }
}

static const char *show(bool for_ever, const char *pressed)
{
    static uint8_t memory[1 << 20];
    static const struct clock clock = {.tsc_hz =
                                           2 * SECOND}; /* the time is asked for twice a turn, or once */
    drawn[0] = '\0';
    asked = lines_drawn = 0;
    keys = pressed;
    fake_reset();
    fake_tsc(0, 1);
    const char *why = codes_show(&(struct codes_show){for_ever, {memory, sizeof memory, 0}, &clock});
    assert_int_equal(lines_drawn, 0); /* whole pictures */
    return why;
}

static void setup_screen(unsigned width, unsigned height)
{
    screen = (struct graphics){width, height, line};
    trouble = NULL;
}

TEST(turns)
{
    char want[200] = "";
    unsigned draws = 0;
    setup_screen(800, 600);
    fill(100);
    show(true, "3000q");
    assert_in_range(count, 4, 20);
    for (const char *s = drawn; (s = strchr(s, ' ')); s++) draws++;
    assert_in_range(draws, 14, 33); /* 3000 questions are 15 to 30 seconds */
    for (unsigned i = 0; i < 8; i++) sprintf(want + strlen(want), "%u ", i % count + 1);
    assert_memory_equal(drawn, want, strlen(want));

    sprintf(want, "1 2 3 2 1 %u 1 - ", count); /* by key, over the end as well; they turn no longer */
    show(true, "5n10n15p20p25p30n9000q");
    assert_string_equal(drawn, want);
    show(true, "5 9000q"); /* stopped */
    assert_string_equal(drawn, "1 - ");
    show(true, "5\r9000\003");
    assert_string_equal(drawn, "1 - ");
    show(true, "20\x1b"
               "21[22C30q"); /* an arrow key of a terminal's is none */
    assert_string_equal(drawn, "1 - ");
    show(true, "5 4000 4300q"); /* and going on */
    assert_memory_equal(drawn, "1 2 ", 4);

    fill(2); /* one code */
    show(true, "5n10p300q");
    assert_int_equal(count, 1);
    assert_memory_equal(drawn, "1 1 1 ", 6);
}

/* ---- what is in no code ---- */

static char reduced[RECORD_MAX_BYTES + 1];
static unsigned kept;
static void keep(const char *record, size_t len)
{
    if (strstr(record, "\"reduced\"")) memcpy(reduced, record, len + 1);
    kept_add(session_records() - 1, record, len);
}
static void count_kept(const char *record, size_t len) { (void)record, (void)len, kept++; }

/* What "reduced" says is still true when "end" has been kept too, in a store that is full. */
TEST(announced)
{
    static uint32_t memory[4096 / 4];
    static const struct session_sinks sinks = {keep, NULL};
    for (unsigned notes = 0; notes < 200; notes++) {
        unsigned left_out = 0;
        reduced[0] = '\0';
        kept_begin(memory, sizeof memory, KEPT_LAST);
        session_begin(&sinks);
        for (unsigned i = 0; i < notes; i++)
            report_note("test", "%.*s", (int)(i % 60),
                        "sixty or fewer characters of text, so that lengths differ ...");
        codes_announce();
        session_end(0);
        if (reduced[0]) assert_int_equal(sscanf(strstr(reduced, "left_out") + 10, "%u", &left_out), 1);
        kept = 0;
        kept_each(0, UINT32_MAX, count_kept);
        assert_int_equal(kept + left_out, session_records());
        if (notes < 20 || notes > 100)
            assert_int_equal(left_out > 0, notes > 100); /* all fit, or they do not */
    }
}

/* Where something is to follow, an hour without a key is enough. */
TEST(limit)
{
    setup_screen(640, 480);
    fill(100);
    show(false, "5 ");
    assert_string_equal(drawn, "1 - ");
    assert_in_range(asked, CODES_LIMIT_S * SECOND / 2, CODES_LIMIT_S * SECOND * 2 + 10);
}

TEST(impossible)
{
    setup_screen(640, 480);
    fill(100);
    trouble = "no screen of any kind";
    assert_string_equal(codes_impossible(), trouble);
    assert_string_equal(show(true, ""), trouble);
    assert_string_equal(drawn, "");
    setup_screen(208, 480);
    assert_null(codes_impossible());
    assert_string_equal(show(true, ""), "the screen has fewer than 258 lines of 210 dots");
    setup_screen(640, 257);
    assert_non_null(show(true, ""));
    assert_string_equal(drawn, "");
    setup_screen(216, 258);
    assert_null(show(true, "5q"));
    assert_string_equal(drawn, "1 - ");
}
