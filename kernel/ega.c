/* EGA/VGA text mode. Scrolls by moving the display's start address, since reading and rewriting display
 * memory line by line is slow on real adapters and slower in emulators. */
#include "kernel/hw.h"
#include "kernel/screen.h"

/* VGA CRT controller, IBM VGA technical reference: index port 3D4h, start address in registers 0Ch and 0Dh,
 * cursor in 0Eh and 0Fh. */
#define CRTC_INDEX  0x3d4
#define CRTC_DATA   0x3d5
#define CRTC_START  0x0c
#define CRTC_CURSOR 0x0e

#define BDA_CRTC    0x463 /* BIOS data area: port of the CRT controller in use */
#define CRTC_COLOUR 0x3d4

#define COLS  80u
#define ROWS  25u
#define CELLS 16384u /* 32 KiB of display memory */
#define BLANK 0x0720 /* grey on black */

static volatile uint16_t *vram;
static unsigned top; /* cell shown at the upper left */

static void crtc_write(unsigned reg, unsigned value)
{
    hw_outb(CRTC_INDEX, reg);
    hw_outb(CRTC_DATA, value >> 8);
    hw_outb(CRTC_INDEX, reg + 1);
    hw_outb(CRTC_DATA, value & 0xff);
}

static void put(unsigned col, unsigned row, const char *s, unsigned n)
{
    for (unsigned i = 0; i < n; i++) vram[top + row * COLS + col + i] = 0x0700 | (uint8_t)s[i];
}

static void blank_row(unsigned cell)
{
    for (unsigned i = 0; i < COLS; i++) vram[cell + i] = BLANK;
}

static unsigned scroll(void)
{
    if (top + (ROWS + 1) * COLS > CELLS) { /* the end of display memory: continue at its start */
        for (unsigned i = 0; i < (ROWS - 1) * COLS; i++) vram[i] = vram[top + COLS + i];
        top = 0;
    } else {
        top += COLS;
    }
    blank_row(top + (ROWS - 1) * COLS);
    crtc_write(CRTC_START, top);
    return 1;
}

bool ega_init(const struct boot_fb *fb, struct screen_ops *ops)
{
    /* B8000h is displayed only if a BIOS has set up a colour adapter: a monochrome one has its memory
     * elsewhere, and without a BIOS there may be RAM or a graphics mode. A loader that reports text mode is
     * trusted (coreboot has no BIOS data area). */
    const uint16_t *crtc = phys_peek(BDA_CRTC, sizeof *crtc);
    if (!fb->addr && (!crtc || *crtc != CRTC_COLOUR)) return false;
    vram = (volatile uint16_t *)(uintptr_t)(fb->addr ? fb->addr : 0xb8000);
    if (fb->addr && (fb->width != COLS || fb->height != ROWS || fb->addr >> 20)) return false;
    vram[0] = 0x0755; /* is there memory at all? */
    vram[1] = 0x07aa;
    if (vram[0] != 0x0755 || vram[1] != 0x07aa) return false;
    top = 0;
    for (unsigned r = 0; r < ROWS; r++) blank_row(r * COLS);
    crtc_write(CRTC_START, 0);
    crtc_write(CRTC_CURSOR, 0xffff); /* off the screen */
    *ops = (struct screen_ops){COLS, ROWS, put, scroll};
    return true;
}
