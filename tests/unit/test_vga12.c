/* VGA mode 12h: what a VGA's registers hold afterwards, which adapters are refused, and what a scan line
 * writes. */
#include "kernel/graphics.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

/* Registers behind an index port. locked: CRTC 0 to 7 while bit 7 of 11h is set. */
static struct vga {
    uint8_t sequencer[256], crtc[256], graphics[256], attribute[256], dac[256][3], misc, mask;
    uint8_t index[4], dac_index, dac_at, attribute_index;
    bool attribute_data, shown, unreadable, dark_while_clocked;
} vga;

enum { SEQ, GC, CRTC_ };

static void out(void *ctx, uint16_t offset, uint32_t value, unsigned width)
{
    const unsigned port = 0x3c0 + offset;
    uint8_t *const set[] = {vga.sequencer, vga.graphics, vga.crtc};
    (void)ctx;
    assert_int_equal(width, 1);
    switch (port) {
    case 0x3c0:
        if (vga.attribute_data)
            vga.attribute[vga.attribute_index & 0x1f] = (uint8_t)value;
        else {
            vga.attribute_index = (uint8_t)value;
            vga.shown = value & 0x20;
        }
        vga.attribute_data = !vga.attribute_data;
        break;
    case 0x3c2:
        vga.dark_while_clocked = vga.sequencer[0] == 1; /* the clock changes during a reset only */
        vga.misc = (uint8_t)value;
        break;
    case 0x3c6:
        vga.mask = (uint8_t)value;
        break;
    case 0x3c8:
        vga.dac_index = (uint8_t)value;
        vga.dac_at = 0;
        break;
    case 0x3c9:
        vga.dac[vga.dac_index][vga.dac_at++] = (uint8_t)value;
        break;
    case 0x3c4:
    case 0x3ce:
    case 0x3d4:
        vga.index[port == 0x3c4 ? SEQ : port == 0x3ce ? GC : CRTC_] = (uint8_t)value;
        break;
    case 0x3c5:
    case 0x3cf:
    case 0x3d5: {
        const unsigned which = port == 0x3c5 ? SEQ : port == 0x3cf ? GC : CRTC_;
        if (which == CRTC_ && vga.index[which] < 8 && vga.crtc[0x11] & 0x80) break;
        set[which][vga.index[which]] = (uint8_t)value;
        break;
    }
    default:
        fail();
    }
}

static uint32_t in(void *ctx, uint16_t offset, unsigned width)
{
    (void)ctx, (void)width;
    if (0x3c0 + offset == 0x3da) vga.attribute_data = false;
    return 0x3c0 + offset == 0x3cf && !vga.unreadable ? vga.graphics[vga.index[GC]] : 0xff;
}

static uint32_t memory[640 * 480 / 32];
static bool no_memory;
static uint32_t read_memory(void *ctx, uint32_t offset)
{
    (void)ctx;
    return no_memory ? UINT32_MAX : memory[offset / 4];
}
static void write_memory(void *ctx, uint32_t offset, uint32_t value)
{
    (void)ctx;
    memory[offset / 4] = value;
}

/* In text mode, with the CRTC protected and in the middle of an attribute write. */
static void begin(void)
{
    static const struct fake_device ports = {0x3c0, 0x20, in, out, NULL};
    static const struct fake_registers at = {0xa0000, sizeof memory, read_memory, write_memory, NULL};
    memset(&vga, 0x77, sizeof vga);
    vga.unreadable = vga.shown = vga.dark_while_clocked = no_memory = false;
    vga.attribute_data = true;
    vga.crtc[0x11] = 0x8e;
    fake_reset();
    fake_port(&ports);
    fake_registers(&at);
    fake_display(0xa0000, memory, sizeof memory);
}

TEST(registers)
{
    /* SeaBIOS's and IBM's, as "Video Subsystem" lists them for mode 12h. */
    static const uint8_t crtc[] = {0x5f, 0x4f, 0x50, 0x82, 0x54, 0x80, 0x0b, 0x3e, 0x00,
                                   0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xea, 0x0c,
                                   0xdf, 0x28, 0x00, 0xe7, 0x04, 0xe3, 0xff};
    static const uint8_t sequencer[] = {0x03, 0x01, 0x0f, 0x00, 0x06}, white[] = {63, 63, 63}, black[3];
    static const uint8_t graphics[] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x0f, 0xff};
    struct graphics g;
    begin();
    assert_true(vga12_open(&g));
    assert_true(g.width == 640 && g.height == 480);
    assert_memory_equal(vga.crtc, crtc, sizeof crtc);
    assert_memory_equal(vga.sequencer, sequencer, sizeof sequencer);
    assert_memory_equal(vga.graphics, graphics, sizeof graphics);
    assert_int_equal(vga.misc, 0xe3);
    assert_true(vga.dark_while_clocked && vga.shown);
    assert_int_equal(vga.mask, 0xff);
    /* Colours 0 and 15, through the palette and the DAC. */
    assert_memory_equal(vga.dac[vga.attribute[0]], black, 3);
    assert_memory_equal(vga.dac[vga.attribute[15]], white, 3);
    assert_int_equal(vga.attribute[0x10], 0x01);
    assert_int_equal(vga.attribute[0x12], 0x0f);
    assert_int_equal(vga.crtc[0x19], 0x77); /* no register that a VGA has not */
}

TEST(adapters)
{
    struct graphics g;
    begin();
    vga.graphics[8] = 0x3c;
    assert_true(vga12_found());
    assert_int_equal(vga.graphics[8], 0x3c); /* nothing is changed */
    assert_int_equal(vga.misc, 0x77);
    vga.unreadable = true; /* an EGA */
    assert_false(vga12_found());
    begin();
    no_memory = true;
    assert_false(vga12_open(&g));
    fake_reset(); /* nothing at all */
    assert_false(vga12_found());
}

TEST(lines)
{
    uint8_t dots[80];
    struct graphics g;
    begin();
    assert_true(vga12_open(&g));
    memset(memory, 0, sizeof memory);
    for (unsigned i = 0; i < 80; i++) dots[i] = (uint8_t)(i * 3);
    g.line(0, dots);
    g.line(479, dots);
    assert_memory_equal(memory, dots, 80);
    assert_memory_equal((uint8_t *)memory + 479 * 80, dots, 80);
    for (unsigned i = 80; i < 479 * 80; i++) assert_int_equal(((uint8_t *)memory)[i], 0);
}
