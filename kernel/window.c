#include "kernel/window.h"
#include "kernel/hw.h"
#include <string.h>

/* Page-table entry bits, SDM vol. 3A 4.3 and 4.5. */
#define P     0x01u
#define RW    0x02u
#define US    0x04u
#define LARGE 0x80u
#define FRAME (~0xfffull)

const struct paging_form paging_two_levels = {2, 10, 4}, paging_four_levels = {4, 9, 8};

/* PWT alone is PAT entry 1 (kernel/pat.h). Both bits are UC, which no MTRR overrides (SDM vol. 3A, table
 * 11-7). */
static const uint8_t cache_bits[WINDOW_CACHES] = {
    [WINDOW_CACHED] = 0, [WINDOW_COMBINING] = 0x08, [WINDOW_UNCACHED] = 0x18};

static unsigned shift_of(const struct paging_form *form, unsigned level)
{
    return 12 + (level - 1) * form->index_bits;
}

uint64_t window_page_bytes(const struct paging_form *form, unsigned level)
{
    return level && level <= form->levels && level <= 3 ? 1ull << shift_of(form, level) : 0;
}

/* The place of the entry for an address in a table of this level. */
static uint8_t *place(const struct window *w, uint8_t *table, unsigned level, uint64_t at)
{
    const uint64_t index = at >> shift_of(w->form, level) & ((1u << w->form->index_bits) - 1);
    return table + index * w->form->entry_bytes;
}

/* An entry is written whole: the CPU may read it at any time. */
static uint64_t get(const struct window *w, const uint8_t *e)
{
    return w->form->entry_bytes == 8 ? *(const uint64_t *)(const void *)e
                                     : *(const uint32_t *)(const void *)e;
}

static void set(const struct window *w, uint8_t *e, uint64_t value)
{
    if (w->form->entry_bytes == 8)
        *(volatile uint64_t *)(void *)e = value;
    else
        *(volatile uint32_t *)(void *)e = (uint32_t)value;
}

static uint8_t *table_at(uint64_t entry) { return (uint8_t *)(uintptr_t)(entry & FRAME); }

static uint8_t *new_table(struct window *w) /* the tables of higher levels forbid nothing */
{
    uint8_t *t = arena_alloc(w->arena, 4096, 4096);
    return t ? memset(t, 0, 4096) : NULL;
}

/* The entry of this level for an address; tables on the way are made. NULL: no memory for one. */
static uint8_t *entry_for(struct window *w, unsigned level, uint64_t at)
{
    uint8_t *table = w->root;
    for (unsigned l = w->form->levels; l > level; l--) {
        uint8_t *e = place(w, table, l, at);
        if (!(get(w, e) & P)) {
            const uint8_t *made = new_table(w);
            if (!made) return NULL;
            set(w, e, (uintptr_t)made | P | RW | US);
        }
        table = table_at(get(w, e));
    }
    return place(w, table, level, at);
}

void window_open(struct window *w, const struct paging_form *form, void *root, uint64_t from, uint64_t end,
                 struct arena *arena)
{
    const uint64_t each = 1ull << shift_of(form, form->levels);
    *w = (struct window){.form = form, .root = root, .arena = arena, .from = from, .end = end};
    w->next = from + 4096; /* a gap before the first page, too */
    for (uint64_t at = from; at < end; at += each) {
        uint8_t *e = place(w, w->root, form->levels, at);
        w->saved[w->roots++] = get(w, e);
        set(w, e, 0);
    }
    hw_flush_tlbs();
}

void window_close(struct window *w)
{
    const uint64_t each = 1ull << shift_of(w->form, w->form->levels);
    for (unsigned i = 0; i < w->roots; i++) set(w, place(w, w->root, w->form->levels, w->from + i * each), 0);
    hw_flush_tlbs(); /* no address may be in them with both sizes (AMD's family 10h, erratum 383) */
    for (unsigned i = 0; i < w->roots; i++)
        set(w, place(w, w->root, w->form->levels, w->from + i * each), w->saved[i]);
    w->roots = 0;
    hw_flush_tlbs();
}

uint64_t window_map(struct window *w, const struct window_pages *p, const char **why)
{
    const uint64_t bytes = window_page_bytes(w->form, p->level), begin = (w->next + bytes - 1) & -bytes;
    const uint64_t bits =
        P | RW | (p->kernels ? w->no_execute : US) | cache_bits[p->cache] | (p->level > 1 ? LARGE : 0);
    *why = "the window has not so many free addresses";
    if (begin >= w->end || p->pages > (w->end - begin - 4096) / bytes) return 0;
    *why = "there is not enough memory for page tables";
    for (uint64_t i = 0; i < p->pages; i++) {
        uint8_t *e = entry_for(w, p->level, begin + i * bytes);
        if (!e) return 0;
        set(w, e, (p->phys + (p->same ? 0 : i * bytes)) | bits);
    }
    w->next = begin + p->pages * bytes + 4096;
    return begin;
}

bool window_unmap(struct window *w, uint64_t at)
{
    uint8_t *table = w->root;
    if (at < w->from || at >= w->end) return false;
    for (unsigned l = w->form->levels;; l--) {
        uint8_t *e = place(w, table, l, at);
        const uint64_t value = get(w, e);
        if (!(value & P)) return false;
        if (l == 1 || (value & LARGE)) {
            set(w, e, 0);
            hw_flush_page((const void *)(uintptr_t)at);
            return true;
        }
        table = table_at(value);
    }
}
