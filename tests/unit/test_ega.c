/* Text mode: what is displayed from the CRT controller's start address on, as lines come in. */
#include "kernel/screen.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { COLS = 80, ROWS = 25, CELLS = 0x8000 / 2, JUNK = 0x1111 };

static volatile uint16_t *const vram = (uint16_t *)0xb8000, *const mono = (uint16_t *)0xb0000;

static uint8_t crtc[32], crtc_index;

static void crtc_out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    (void)ctx;
    assert_int_equal(width, 1);
    assert_true(offset || value < sizeof crtc);
    if (offset)
        crtc[crtc_index] = (uint8_t)value;
    else
        crtc_index = (uint8_t)value;
}

static uint16_t port; /* of the controller in use, as the BIOS says */
static bool bios;
static struct screen_ops ops;

static bool init(struct boot_fb fb)
{
    static const struct fake_device vga = {0x3d4, 2, NULL, crtc_out, NULL};
    for (unsigned i = 0; i < CELLS; i++) vram[i] = mono[i] = JUNK;
    memset(crtc, 0x77, sizeof crtc);
    memset(&ops, 0, sizeof ops);
    fake_reset();
    fake_port(&vga);
    if (bios) fake_memory(0x463, &port, sizeof port);
    return ega_init(&fb, &ops);
}

static unsigned start(void) { return crtc[0x0c] << 8 | crtc[0x0d]; }

/* What is seen: rows of characters, grey on black. */
static void expect(char rows[ROWS][COLS])
{
    for (unsigned i = 0; i < ROWS * COLS; i++)
        assert_int_equal(vram[start() + i], 0x0700 | (uint8_t)rows[i / COLS][i % COLS]);
}

static void test_lines(void **state)
{
    char rows[ROWS][COLS], text[COLS + 1];
    unsigned last = 0, wraps = 0;
    (void)state;
    bios = true;
    port = 0x3d4;
    assert_true(init((struct boot_fb){0}));
    assert_int_equal(ops.cols, COLS);
    assert_int_equal(ops.rows, ROWS);
    memset(rows, ' ', sizeof rows);
    expect(rows);
    assert_int_equal(start(), 0);
    assert_int_equal(crtc[0x0e] << 8 | crtc[0x0f], 0xffff); /* the cursor is nowhere */
    for (unsigned i = 0; i < sizeof crtc; i++) assert_true((crtc[i] == 0x77) == (i < 0x0c || i > 0x0f));
    for (unsigned i = ROWS * COLS; i < CELLS; i++) assert_int_equal(vram[i], JUNK);
    ops.put(3, 2, "put there", 7); /* no more than told */
    memcpy(&rows[2][3], "put the", 7);
    ops.put(78, 24, "\xe4~", 2);
    memcpy(&rows[24][78], "\xe4~", 2);
    expect(rows);

    for (unsigned line = 1; line < 500; line++) {
        assert_int_equal(ops.scroll(), 1);
        memmove(rows[0], rows[1], sizeof rows - COLS);
        memset(rows[ROWS - 1], ' ', COLS);
        expect(rows);
        snprintf(text, sizeof text, "line %u", line);
        ops.put(line % 70, ROWS - 1, text, (unsigned)strlen(text));
        ops.put(0, ROWS - 1, "#", 1);
        memcpy(&rows[ROWS - 1][line % 70], text, strlen(text));
        rows[ROWS - 1][0] = '#';
        expect(rows);
        /* A line further, as long as a screen fits behind it; then from the beginning again. */
        const bool fits = last + COLS + ROWS * COLS <= CELLS;
        assert_int_equal(start(), fits ? last + COLS : 0);
        last = start();
        wraps += !fits;
    }
    assert_int_equal(wraps, 2);
}

static void test_which(void **state)
{
    static const struct {
        struct boot_fb fb;
        bool taken;
    } cases[] = {
        {{.addr = 0xb8000, .width = 80, .height = 25}, true},
        {{.addr = 0xb0000, .width = 80, .height = 25}, true}, /* the loader knows where */
        {{.addr = 0xb8000, .width = 81, .height = 25}, false},
        {{.addr = 0xb8000, .width = 80, .height = 50}, false},
        {{.addr = 0x100000, .width = 80, .height = 25}, false},
        {{.addr = 0x1000b8000, .width = 80, .height = 25}, false},
    };
    static const uint16_t ports[] = {0x3d4, 0x3b4, 0x3d5, 0};
    (void)state;
    for (unsigned i = 0; i < 8; i++) { /* without a loader's word a BIOS must have set up a colour adapter */
        bios = i / 4;
        port = ports[i % 4];
        assert_int_equal(init((struct boot_fb){0}), bios && port == 0x3d4);
        assert_true(init((struct boot_fb){.addr = 0xb8000, .width = 80, .height = 25}));
    }
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool low = cases[i].fb.addr == 0xb0000;
        assert_int_equal(init(cases[i].fb), cases[i].taken);
        assert_int_equal(vram[0], cases[i].taken && !low ? 0x0720 : JUNK);
        assert_int_equal(mono[0], low ? 0x0720 : JUNK);
        assert_int_equal(ops.cols, cases[i].taken ? COLS : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_which)};
    void *memory = mmap((void *)0xb0000, 0x10000, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != (void *)0xb0000) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
