/* A window of linear addresses for experiments: pages of every size and cache type, gaps that fault, and one
 * physical page at thousands of addresses. Everything else stays mapped as it was.
 *
 * x86_64: 512 GiB at WINDOW_FROM, a slot of the top table that nothing else uses. i586: the first 256 MiB of
 * linear addresses where neither the kernel nor a device that it uses lies; what was mapped there comes back
 * when the window is closed. Ring 3 may read and write all of it. Tables come from an arena.
 */
#pragma once
#include "kernel/arena.h"
#include <stdbool.h>
#include <stdint.h>

#define WINDOW_FROM       (200ull << 39)
#define STACKS_FROM       (201ull << 39) /* of kernel/stacks.c, likewise */
#define WINDOW_BYTES_I586 (256u << 20)
#define WINDOW_ROOTS      64 /* entries of the top table at most: 256 MiB in parts of 4 MiB */

/* Tables of entries: SDM vol. 3A 4.3 (two levels of four bytes), 4.5 (four levels of eight). */
struct paging_form {
    uint8_t levels, index_bits, entry_bytes;
};
extern const struct paging_form paging_two_levels, paging_four_levels;

enum window_cache { WINDOW_CACHED, WINDOW_COMBINING, WINDOW_UNCACHED, WINDOW_CACHES };

struct window {
    const struct paging_form *form;
    uint8_t *root; /* the top table */
    struct arena *arena;
    uint64_t from, end, next;
    uint64_t no_execute; /* the bit that forbids execution; 0: there is none */
    unsigned roots;
    uint64_t saved[WINDOW_ROOTS]; /* entries of the top table */
};

struct window_pages {
    uint64_t phys;  /* of the first page; a multiple of its size */
    uint64_t pages; /* at least 1 */
    unsigned level; /* 1: 4 KiB, 2: 2 or 4 MiB, 3: 1 GiB */
    bool same;      /* all of them show the first one */
    enum window_cache cache;
    bool kernels; /* CPL 3 cannot use them, and nothing is executed there */
};

/* Bytes of a page of this level; 0: there is none in this form. */
uint64_t window_page_bytes(const struct paging_form *form, unsigned level);

/* Open it, with nothing mapped, at [from, end), which must be a multiple of what an entry of the top table
 * covers and at most WINDOW_ROOTS of these. root: the top table in use. */
void window_open(struct window *w, const struct paging_form *form, void *root, uint64_t from, uint64_t end,
                 struct arena *arena);

/* Map pages at the next free addresses; behind the last one at least 4 KiB stay unmapped. The linear address
 * of the first; 0: there are no addresses or no memory for tables left, and *why says which. */
uint64_t window_map(struct window *w, const struct window_pages *p, const char **why);

/* Unmap the page that holds this address. False: none does. */
bool window_unmap(struct window *w, uint64_t at);

/* The top table becomes what it was. The arena's memory is the caller's business. */
void window_close(struct window *w);
