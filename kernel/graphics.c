#include "kernel/graphics.h"
#include "kernel/screen.h"

bool graphics_found(const char **why)
{
    *why = screen_trouble();
    switch (screen_in_use()) {
    case SCREEN_FRAMEBUFFER:
        return true;
    case SCREEN_EGA:
        *why = "the screen is in text mode, and its adapter is older than VGA";
        return vga12_found();
    default:
        return false;
    }
}

bool graphics_open(struct graphics *g, const char **why)
{
    if (!graphics_found(why)) return false;
    if (screen_in_use() == SCREEN_FRAMEBUFFER) {
        framebuffer_graphics(g);
        return true;
    }
    *why = "VGA mode 12h: no memory answers at A0000h";
    return vga12_open(g);
}
