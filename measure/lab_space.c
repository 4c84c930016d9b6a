/* An experiment's address space, caches and TLBs. */
#include "kernel/linear.h"
#include "kernel/paging.h"
#include "kernel/pat.h"
#include "measure/lab.h"

#define X1_EDX_HUGE (1u << 26) /* leaf 80000001h: pages of 1 GiB */

/* ---- the window ---- */

static const struct paging_form *form(void)
{
    return sizeof(void *) == 8 ? &paging_four_levels : &paging_two_levels;
}

static void open_window(struct lab_work *w)
{
    const struct machine *m = w->cpu->machine;
    _Static_assert(WINDOW_BYTES_I586 == LINEAR_RANGE, "kernel/linear.h");
    uint64_t from = WINDOW_FROM, bytes = 1ull << 39;
    if (w->window.roots) return;
    if (!m->paging) lab_fail(&w->lab, "this CPU has no 4 MiB pages, so paging is off: nothing can be mapped");
    if (sizeof(void *) == 4) {
        bytes = WINDOW_BYTES_I586;
        from = linear_find(m);
        if (!from) lab_fail(&w->lab, "no 256 MiB of linear addresses are free for a window");
    }
    window_open(&w->window, form(), paging_root(), from, from + bytes, w->arena);
}

uint64_t lab_page_bytes(const struct lab *lab, enum lab_page size)
{
    const struct lab_work *w = (const struct lab_work *)(const void *)lab;
    if (size == LAB_HUGE && !(w->cpu->id.x1_edx & X1_EDX_HUGE)) return 0;
    return w->cpu->machine->paging ? window_page_bytes(form(), size) : 0;
}

void *lab_map(struct lab *lab, const struct lab_mapping *m)
{
    struct lab_work *w = lab_work(lab);
    const enum lab_page size = m->size ? m->size : LAB_SMALL;
    const uint64_t bytes = lab_page_bytes(lab, size), shown = m->same ? 1 : m->pages;
    const char *why = "";
    lab_alive(w);
    open_window(w);
    if (!bytes) lab_fail(lab, "this CPU or this kernel has no pages of 1 GiB");
    if (m->cache == LAB_COMBINING && !pat_combine_writes(&w->cpu->id))
        lab_fail(lab, "this CPU has no page attribute table, so no page can be write-combining");
    if (m->pages == 0 || shown > SIZE_MAX / bytes) lab_fail(lab, "a mapping of too many pages, or of none");
    uint8_t *memory =
        m->memory ? m->memory
                  : lab_alloc(lab, size == LAB_HUGE ? 4096 : shown * bytes, size == LAB_HUGE ? 4096 : bytes);
    const uint64_t inside = (uintptr_t)memory & (bytes - 1), end = (uintptr_t)memory - inside + shown * bytes;
    if (inside && size != LAB_HUGE) lab_fail(lab, "memory to be mapped begins in the middle of a page");
    if (size != LAB_HUGE &&
        ((uintptr_t)memory < (uintptr_t)w->arena->base || end > (uintptr_t)w->arena->base + w->arena->used))
        lab_fail(lab, "memory to be mapped is not all from lab_alloc()");
    const struct window_pages p = {.phys = (uintptr_t)memory - inside,
                                   .pages = m->pages,
                                   .level = size,
                                   .same = m->same,
                                   .cache = (enum window_cache)m->cache};
    if (m->cache != LAB_CACHED) hw_flush_caches(); /* no line of it may stay under another type */
    const uint64_t at = window_map(&w->window, &p, &why);
    if (!at) lab_fail(lab, "%llu pages cannot be mapped: %s", (unsigned long long)m->pages, why);
    return (void *)(uintptr_t)(at + inside);
}

void lab_unmap(struct lab *lab, void *page)
{
    struct lab_work *w = lab_work(lab);
    lab_alive(w);
    if (!w->window.roots || !window_unmap(&w->window, (uintptr_t)page))
        lab_fail(lab, "a page that lab_map() has not mapped cannot be unmapped");
}

/* ---- caches and TLBs ---- */

__attribute__((section(".text.isa.clflush"), noinline)) static void clflush(const void *at)
{
    __asm__ volatile("clflush (%0)" ::"r"(at) : "memory");
}

const char *lab_flush_line(struct lab *lab, const void *at)
{
    struct lab_work *w = lab_work(lab);
    lab_alive(w);
    if (w->cpu->id.f1_edx & CPUID_1_EDX_CLFSH) {
        clflush(at);
        return "clflush";
    }
    hw_flush_caches();
    return "wbinvd";
}

void lab_flush_page(struct lab *lab, const void *at)
{
    lab_alive(lab_work(lab));
    hw_flush_page(at);
}

void lab_flush_all(struct lab *lab)
{
    lab_alive(lab_work(lab));
    hw_flush_caches();
    hw_flush_tlbs();
}
