/* The parts of a PC that a Linux process does not have: each answers that it is not there. Words that mean
 * one are refused when they are read. */
#include "kernel/apic.h"
#include "kernel/breakpoint.h"
#include "kernel/graphics.h"
#include "kernel/keyboard.h"
#include "kernel/paging.h"
#include "kernel/pci.h"
#include "kernel/pic.h"
#include "kernel/power_off.h"
#include "kernel/rtc.h"
#include "kernel/window.h"

/* ---- local APIC ---- */

void apic_init(const struct cpu_id *id, struct apic *a, bool enable)
{
    (void)id, (void)enable;
    *a = (struct apic){.mode = APIC_ABSENT};
}

const char *apic_mode_name(enum apic_mode m) { return (void)m, "absent"; }
const char *apic_entry_name(enum apic_entry entry) { return (void)entry, ""; }
int apic_pending(const struct apic *a) { return (void)a, -1; }
bool apic_has_pmi(const struct apic *a) { return (void)a, false; }
void apic_pmi(const struct apic *a, uint32_t entry) { (void)a, (void)entry; }
void apic_extended(const struct apic *a, unsigned n, uint32_t entry) { (void)a, (void)n, (void)entry; }
void apic_timer(const struct apic *a, uint32_t entry, uint32_t ticks) { (void)a, (void)entry, (void)ticks; }
void apic_timer_again(const struct apic *a, uint32_t ticks) { (void)a, (void)ticks; }
uint32_t apic_timer_left(const struct apic *a) { return (void)a, 0; }
void apic_extint(const struct apic *a, bool through) { (void)a, (void)through; }
void apic_nmi(const struct apic *a, bool through) { (void)a, (void)through; }
void apic_eoi(const struct apic *a) { (void)a; }
volatile uint32_t *apic_pmi_register(const struct apic *a) { return (void)a, NULL; }
volatile uint32_t *apic_timer_register(const struct apic *a) { return (void)a, NULL; }
volatile uint32_t *apic_eoi_register(const struct apic *a) { return (void)a, NULL; }

/* ---- the board ---- */

void pic_mask_all(void) {}
void pic_eoi(void) {}
bool pit_interrupts(unsigned ticks) { return (void)ticks, false; }
void pit_next(unsigned ticks) { (void)ticks; }
bool rtc_interrupts(unsigned ticks) { return (void)ticks, false; }
void rtc_acknowledge(void) {}
bool pci_probe(const struct bootinfo *bi, bool acpi) { return (void)bi, (void)acpi, false; }
unsigned pci_find(uint16_t class, struct pci_function *list, unsigned max)
{
    (void)class, (void)list, (void)max;
    return 0;
}
uint32_t pci_read32(const struct pci_function *f, unsigned reg) { return (void)f, (void)reg, UINT32_MAX; }
void pci_write8(const struct pci_function *f, unsigned reg, uint8_t value)
{
    (void)f, (void)reg, (void)value;
}
void pci_write16(const struct pci_function *f, unsigned reg, uint16_t value)
{
    (void)f, (void)reg, (void)value;
}
void pci_write32(const struct pci_function *f, unsigned reg, uint32_t value)
{
    (void)f, (void)reg, (void)value;
}
void power_off(const struct acpi_s5 *s5) { (void)s5; }

/* ---- keyboard and screen ---- */

enum keyboard_state keyboard_init(void) { return KEYBOARD_ABSENT; }
int keyboard_key(void) { return KEYBOARD_NONE; }
int keyboard_scan(void) { return KEYBOARD_NONE; }

static const char no_screen[] = "a Linux process has no screen of its own.";
bool graphics_found(const char **why) { return *why = no_screen, false; }
bool graphics_open(struct graphics *g, const char **why) { return (void)g, *why = no_screen, false; }

/* ---- linear addresses, breakpoints ---- */

const struct paging_form paging_two_levels, paging_four_levels;
void *paging_root(void) { return NULL; }
uint64_t paging_no_execute(void) { return 0; }
bool paging_map_device(uint64_t addr, uint64_t len) { return (void)addr, (void)len, false; }
uint64_t window_page_bytes(const struct paging_form *form, unsigned level)
{
    return (void)form, (void)level, 0;
}
void window_open(struct window *w, const struct paging_form *form, void *root, uint64_t from, uint64_t end,
                 struct arena *arena)
{
    (void)form, (void)root, (void)from, (void)end, (void)arena;
    w->roots = 0;
}
uint64_t window_map(struct window *w, const struct window_pages *p, const char **why)
{
    (void)w, (void)p;
    *why = "a Linux process cannot map pages as it likes";
    return 0;
}
bool window_unmap(struct window *w, uint64_t at) { return (void)w, (void)at, false; }
void window_close(struct window *w) { (void)w; }
void breakpoint_describe(unsigned n, uintptr_t at, enum breakpoint_kind kind, unsigned len)
{
    (void)n, (void)at, (void)kind, (void)len;
}
