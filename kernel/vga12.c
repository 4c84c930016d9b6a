/* VGA mode 12h, 640 x 480 in 16 colours, two of which are used. IBM VGA technical reference (PS/2 Hardware
 * Interface Technical Reference, "Video Subsystem"): its registers, and the values that IBM's BIOS loads for
 * this mode. */
#include "kernel/graphics.h"
#include "kernel/hw.h"

#define WIDTH  640u
#define HEIGHT 480u
#define MEMORY 0xa0000u

#define ATTRIBUTE      0x3c0 /* index and data in turn */
#define MISC_OUTPUT    0x3c2
#define SEQUENCER      0x3c4 /* index; data one port higher, as with all that follow */
#define DAC_MASK       0x3c6
#define DAC_WRITE      0x3c8 /* index; three data at one port higher */
#define GRAPHICS_INDEX 0x3ce
#define CRTC           0x3d4
#define INPUT_STATUS   0x3da /* read: the attribute controller's next write is an index */

#define MISC_640_480      0xe3 /* 25.175 MHz, both syncs negative: 480 lines; CRTC at 3D4h */
#define SEQ_RESET         0x00
#define SEQ_RESET_HELD    0x01 /* synchronous reset */
#define SEQ_RESET_OVER    0x03
#define CRTC_UNLOCK_INDEX 0x11 /* vertical retrace end: bit 7 protects registers 0 to 7 */
#define CRTC_PROTECT      0x80
#define GC_BIT_MASK       0x08
#define ATTRIBUTE_SHOW    0x20 /* in the index: the palette belongs to the display again */
#define DAC_BLACK         0x00
#define DAC_WHITE         0x3f /* what the palette makes of colours 0 and 15 */

static const uint8_t sequencer[] = {SEQ_RESET_HELD, 0x01, 0x0f, 0x00, 0x06}; /* all planes, no chains */
static const uint8_t crtc[] = {0x5f, 0x4f, 0x50, 0x82, 0x54, 0x80, 0x0b, 0x3e, 0x00, 0x40, 0x00, 0x00, 0x00,
                               0x00, 0x00, 0x00, 0xea, 0x0c, 0xdf, 0x28, 0x00, 0xe7, 0x04, 0xe3, 0xff};
/* Write mode 0, no set/reset, read plane 0, memory at A0000h, all bits. */
static const uint8_t graphics[] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x0f, 0xff};
static const uint8_t attribute[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x14, 0x07, 0x38, 0x39, 0x3a,
                                    0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x01, 0x00, 0x0f, 0x00, 0x00};
#define COUNT(table) ((unsigned)(sizeof(table) / sizeof *(table)))

static void put(uint16_t port, unsigned index, unsigned value)
{
    hw_outb(port, (uint8_t)index);
    hw_outb((uint16_t)(port + 1), (uint8_t)value);
}

static void colour(unsigned index, unsigned level)
{
    hw_outb(DAC_WRITE, (uint8_t)index);
    for (unsigned i = 0; i < 3; i++) hw_outb(DAC_WRITE + 1, (uint8_t)level);
}

static void set_mode(void)
{
    put(SEQUENCER, SEQ_RESET, SEQ_RESET_HELD); /* before the clock changes */
    hw_outb(MISC_OUTPUT, MISC_640_480);
    for (unsigned i = 0; i < COUNT(sequencer); i++) put(SEQUENCER, i, sequencer[i]);
    put(SEQUENCER, SEQ_RESET, SEQ_RESET_OVER);
    put(CRTC, CRTC_UNLOCK_INDEX, crtc[CRTC_UNLOCK_INDEX] & ~CRTC_PROTECT);
    for (unsigned i = 0; i < COUNT(crtc); i++) put(CRTC, i, crtc[i]);
    for (unsigned i = 0; i < COUNT(graphics); i++) put(GRAPHICS_INDEX, i, graphics[i]);
    hw_inb(INPUT_STATUS);
    for (unsigned i = 0; i < COUNT(attribute); i++) {
        hw_outb(ATTRIBUTE, (uint8_t)i);
        hw_outb(ATTRIBUTE, attribute[i]);
    }
    hw_outb(DAC_MASK, 0xff);
    colour(DAC_BLACK, 0);
    colour(DAC_WHITE, 0x3f);
    hw_outb(ATTRIBUTE, ATTRIBUTE_SHOW);
}

/* A byte goes to all four planes: its dots are colour 15 or colour 0. */
static void line(unsigned y, const uint8_t *dots)
{
    hw_display_write(MEMORY + y * WIDTH / 8, dots, WIDTH / 8);
}

static bool reads_back(uint8_t value)
{
    put(GRAPHICS_INDEX, GC_BIT_MASK, value);
    return hw_inb(GRAPHICS_INDEX + 1) == value;
}

/* ---- public ---- */

/* An EGA's registers cannot be read; a CGA has none there. */
bool vga12_found(void)
{
    hw_outb(GRAPHICS_INDEX, GC_BIT_MASK);
    const uint8_t mask = hw_inb(GRAPHICS_INDEX + 1);
    const bool vga = reads_back(0x5a) && reads_back(0xa5);
    put(GRAPHICS_INDEX, GC_BIT_MASK, mask);
    return vga;
}

bool vga12_open(struct graphics *g)
{
    static const uint32_t pattern[] = {0x55aa33cc, 0xaa55cc33};
    set_mode();
    for (unsigned i = 0; i < COUNT(pattern); i++) {
        hw_mmio_write(MEMORY, pattern[i]);
        if (hw_mmio_read(MEMORY) != pattern[i]) return false;
    }
    *g = (struct graphics){WIDTH, HEIGHT, line};
    return true;
}
