/* The consoles: which line goes to which, and what they report. Serial ports are 16550s in software. */
#include "kernel/console.h"
#include "kernel/paging.h"
#include "kernel/screen.h"
#include "kernel/uart.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

/* ---- the devices ---- */

static struct chip {
    uint8_t lcr, latch[2];
    char sent[256], keys[16];
    unsigned n, n_keys, n_status; /* status: how often it was read */
    unsigned endless;             /* the port of a chip that has gone: keys for ever; how many were read */
    bool dead;
} chips[2];

static uint32_t chip_in(void *ctx, uint16_t offset, unsigned width)
{
    struct chip *c = ctx;
    (void)width;
    if (offset < 2 && c->lcr & 0x80) return c->latch[offset];
    if (offset == 5) c->n_status++;
    if (c->endless && (offset == 0 || offset == 5)) return offset ? 0x61 : (c->endless++, 'x');
    if (offset == 0 && c->n_keys) return (uint8_t)c->keys[--c->n_keys];
    if (offset == 3) return c->lcr;
    return offset != 5 || c->dead ? 0 : c->n_keys ? 0x61 : 0x60;
}

static void chip_out(void *ctx, uint16_t offset, uint32_t v, unsigned width)
{
    struct chip *c = ctx;
    (void)width;
    if (offset < 2 && c->lcr & 0x80)
        c->latch[offset] = (uint8_t)v;
    else if (offset == 0)
        c->sent[c->n++] = (char)v;
    else if (offset == 3)
        c->lcr = (uint8_t)v;
}

static struct fake_device devices[] = {{0x3f8, 8, chip_in, chip_out, &chips[0]},
                                       {0x2f8, 8, chip_in, chip_out, &chips[1]}};

bool paging_map_device(uint64_t addr, uint64_t len) { return addr + len <= 1ull << 32; }

static const struct bootinfo boot = {.map_source = MAP_MMAP};
static char on_screen[256];
static enum screen_kind kind;
static bool is_off;

enum screen_kind screen_init(const struct bootinfo *bi)
{
    (void)bi;
    return kind;
}
void screen_off(void) { is_off = true; }
void screen_write(const char *s) { strcat(on_screen, s); }
const char *screen_name(void) { return kind == SCREEN_NONE ? "none" : "ega"; }
const char *screen_trouble(void) { return kind == SCREEN_NONE ? "there is no screen" : NULL; }

static void plug(unsigned ports, enum screen_kind screen)
{
    memset(chips, 0, sizeof chips);
    on_screen[0] = '\0';
    is_off = false;
    kind = screen;
    fake_reset();
    for (unsigned i = 0; i < ports; i++) fake_port(&devices[i]);
}

static void expect(unsigned chip, const char *sent)
{
    assert_string_equal(chips[chip].sent, sent);
    memset(chips[chip].sent, 0, sizeof chips[chip].sent);
    chips[chip].n = 0;
}

/* ---- tests; records= is never taken back, so its test is the last ---- */

TEST(both_faces)
{
    plug(1, SCREEN_EGA);
    console_init(&boot, "com1,9600", false);
    expect(0, "\r\n");
    console_text("a line");
    console_record("{}", 2);
    expect(0, "a line\r\n{}\r\n");
    assert_string_equal(on_screen, "a line\n");
    assert_string_equal(console_name(0), "0x3f8,9600");
    assert_string_equal(console_name(1), "ega");
    assert_null(console_name(2));
    assert_null(console_trouble(0));
}

TEST(nothing_answers)
{
    plug(0, SCREEN_NONE);
    console_init(&boot, "nonsense", false);
    console_text("a line");
    assert_null(console_name(0));
    assert_string_equal(console_trouble(0), "no UART answers at port 0x3f8");
    assert_string_equal(console_trouble(1), "there is no screen");
    assert_null(console_trouble(2));
    assert_false(console_cancelled());
}

/* screen=off: obeyed where a port answers; elsewhere text would go nowhere. */
TEST(without_a_screen)
{
    plug(1, SCREEN_EGA);
    console_init(&boot, NULL, true);
    assert_true(is_off);
    console_text("a line");
    assert_string_equal(console_name(0), "0x3f8,115200");
    assert_null(console_name(1));
    plug(0, SCREEN_EGA);
    console_init(&boot, NULL, true);
    assert_false(is_off);
    assert_string_equal(console_name(0), "ega");
}

TEST(dies)
{
    plug(1, SCREEN_EGA);
    console_init(&boot, NULL, false);
    console_text("hello");
    chips[0].dead = true;
    console_text("not heard");
    assert_non_null(strstr(console_trouble(0), "port 0x3f8"));
    assert_non_null(strstr(console_trouble(0), "9 sent, 11 lost")); /* with the first line end */
    assert_string_equal(on_screen, "hello\nnot heard\n");
}

TEST(keys)
{
    plug(1, SCREEN_NONE);
    console_init(&boot, NULL, false);
    assert_false(console_cancelled());
    chips[0].n_keys = (unsigned)strlen(strcpy(chips[0].keys, "ab\3c"));
    assert_true(console_cancelled()); /* also behind another key */
    assert_int_equal(chips[0].n_keys, 0);
    assert_false(console_cancelled()); /* once */
    chips[0].n_keys = (unsigned)strlen(strcpy(chips[0].keys, "q"));
    assert_false(console_cancelled());
    assert_true(console_has_keys());
    assert_int_equal(console_key(), CONSOLE_NO_KEY);
    chips[0].n_keys = (unsigned)strlen(strcpy(chips[0].keys, "ba"));
    assert_int_equal(console_key(), 'a'); /* one at a time; the fake gives the last first */
    assert_int_equal(console_key(), 'b');
    assert_int_equal(console_key(), CONSOLE_NO_KEY);
    chips[0].endless = 1;
    assert_false(console_cancelled());
    assert_int_equal(chips[0].endless - 1, 64);
    plug(0, SCREEN_EGA);
    console_init(&boot, NULL, false);
    assert_false(console_has_keys());
    assert_int_equal(console_key(), CONSOLE_NO_KEY);
}

/* At the prompt keys wait in their order while something is measured, as many as there is room for; then one
 * is damaged. */
TEST(typed)
{
    plug(1, SCREEN_NONE);
    console_init(&boot, NULL, false);
    console_keep_typed();
    chips[0].n_keys = (unsigned)strlen(strcpy(chips[0].keys, "cba"));
    assert_false(console_cancelled());
    chips[0].n_keys = (unsigned)strlen(strcpy(chips[0].keys, "d"));
    for (int key = 'a'; key <= 'd'; key++) assert_int_equal(console_typed(), key);
    assert_int_equal(console_typed(), CONSOLE_NO_KEY);
    chips[0].n_keys = (unsigned)strlen(strcpy(chips[0].keys, "z\3a"));
    assert_true(console_cancelled()); /* what was typed before Ctrl-C goes with it */
    assert_int_equal(console_typed(), 'z');
    assert_int_equal(console_typed(), CONSOLE_NO_KEY);
    for (unsigned i = 0; i <= CONSOLE_TYPED; i++) {
        chips[0].n_keys = (unsigned)strlen(strcpy(chips[0].keys, "x"));
        assert_false(console_cancelled());
    }
    for (unsigned i = 1; i < CONSOLE_TYPED; i++) assert_int_equal(console_typed(), 'x');
    assert_int_equal(console_typed(), UART_DAMAGED);
    assert_int_equal(console_typed(), CONSOLE_NO_KEY);
}

TEST(records_elsewhere)
{
    plug(1, SCREEN_NONE);
    console_init(&boot, NULL, false);
    expect(0, "\r\n");
    assert_non_null(console_records_to("com9"));
    assert_non_null(console_records_to("com1,9600")); /* the console's own, at another rate */
    assert_null(console_records_to("com1"));
    assert_non_null(console_records_to("com2")); /* none there */
    assert_string_equal(console_trouble(0), "no UART answers at port 0x2f8");
    console_record("{}", 2);
    expect(0, "{}\r\n");

    plug(2, SCREEN_NONE);
    console_init(&boot, NULL, false);
    assert_null(console_records_to("com2,1200"));
    expect(0, "\r\n");
    expect(1, "\r\n");
    console_text("a line");
    console_record("{}", 2);
    expect(0, "a line\r\n");
    expect(1, "{}\r\n");
    assert_string_equal(console_name(0), "0x3f8,115200");
    assert_string_equal(console_name(1), "0x2f8,1200");
    chips[1].n_keys = (unsigned)strlen(strcpy(chips[1].keys, "r"));
    assert_int_equal(console_key(), 'r'); /* the port of the records is heard, too */
    chips[0].n_status = chips[1].n_status = 0;
    console_drain();
    assert_true(chips[0].n_status && chips[1].n_status);
    assert_null(console_records_to("com1")); /* and back */
    console_record("{}", 2);
    expect(0, "{}\r\n");
    expect(1, "");
}
