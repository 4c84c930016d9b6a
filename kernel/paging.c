#include "kernel/paging.h"
#include "kernel/pat.h"
#include "kernel/percpu.h"
#include "kernel/repeated.h"
#include "kernel/x86.h"

/* Page-table entry bits, SDM vol. 3A 4.3 and 4.5. */
#define P   0x01u
#define RW  0x02u
#define US  0x04u
#define PWT 0x08u
#define PCD 0x10u
#define PS  0x80u

/* PCD alone is PAT entry 2 at reset, UC-: uncached, yet an MTRR may still say write-combining. */
#define UNCACHED PCD
/* PAT entry 1, if pat_combine_writes() has set it. It overrides an MTRR that says uncached (SDM vol. 3A,
 * table 11-7). */
#define COMBINED PWT

#define DISPLAY     0xa0000u
#define DISPLAY_END 0xc0000u

#define FINE_BYTES (4u << 20) /* mapped in 4 KiB pages; linker.ld asserts that the kernel ends below */

#ifdef __x86_64__
typedef uint64_t pte;
#define LARGE (2ull << 20)
static pte no_execute; /* bit 63, where the CPU has it */
/* boot/entry.S has filled them in: long mode needs them. The first 4 MiB are small pages from the start,
 * since the kernel cannot unmap the page that it runs in to split it. */
_Alignas(4096) REPEATED_BSS pte boot_pml4[512];
_Alignas(4096) REPEATED_BSS pte boot_pdpt[512];
_Alignas(4096) REPEATED_BSS pte boot_pd[4 * 512];
_Alignas(4096) REPEATED_BSS pte boot_pt[2 * 512];
#define large_pages boot_pd
#define fine        boot_pt
_Static_assert(sizeof boot_pt / sizeof *boot_pt == FINE_BYTES / PAGE_SIZE, "boot/entry.S fills FINE_BYTES");
#else
typedef uint32_t pte;
#define LARGE (4ull << 20)
enum { no_execute = 0 }; /* entries of 32 bits have none */
static _Alignas(4096) REPEATED_BSS pte large_pages[1024];
static _Alignas(4096) REPEATED_BSS pte fine[FINE_BYTES / PAGE_SIZE];
#endif

#define PER_TABLE (PAGE_SIZE / sizeof(pte))

/* Whether a large page holds RAM. Without a memory map everything below 3 GiB might. */
static bool holds_ram(const struct bootinfo *bi, uint64_t base)
{
    if (bi->map_source != MAP_MMAP) return base < 3ull << 30;
    for (unsigned i = 0; i < bi->n_map; i++) {
        const struct mem_range *r = &bi->map[i];
        if (r->type == MEM_AVAILABLE && r->base < base + LARGE && base < r->base + r->len) return true;
    }
    return false;
}

/* linker.ld: code, then constants, then data; in these, pages in which code is written and executed. */
extern const char kernel_start[], kernel_text[], kernel_text_end[], kernel_data[], written_code[],
    written_code_end[];

static bool holds_code(uint32_t a)
{
    return (a >= (uintptr_t)kernel_text && a < (uintptr_t)kernel_text_end) ||
           (a >= (uintptr_t)written_code && a < (uintptr_t)written_code_end);
}

/* What code of the user's cannot do by mistake: write the kernel's code and constants, not even at ring 0,
 * since CR0.WP is set; or execute its data. The page in which constants end and data begin is written. */
static pte rights(uint32_t a)
{
    const uintptr_t data = (uintptr_t)kernel_data & ~(uintptr_t)(PAGE_SIZE - 1);
    return (a >= (uintptr_t)kernel_text && a < data ? 0 : RW) | (holds_code(a) ? 0 : no_execute);
}

static void unmap(const void *page) { fine[(uintptr_t)page / PAGE_SIZE] = 0; }

static void fill(const struct bootinfo *bi)
{
    const struct percpu *self = this_cpu();
    for (uint64_t a = FINE_BYTES; a < 1ull << 32; a += LARGE)
        large_pages[a / LARGE] = (pte)(a | P | RW | PS | (holds_ram(bi, a) ? 0 : UNCACHED)) | no_execute;
    for (uint32_t a = 0; a < FINE_BYTES; a += PAGE_SIZE)
        fine[a / PAGE_SIZE] = a | P | rights(a) | (a >= DISPLAY && a < DISPLAY_END ? UNCACHED : 0);
    unmap(0);
    for (unsigned i = 0; i < 4; i++) unmap(self->stack.guard[i]);
    for (unsigned t = 0; t < FINE_BYTES / LARGE; t++)
        large_pages[t] = (pte)(uintptr_t)&fine[t * PER_TABLE] | P | RW | US; /* decided for each small page */
}

/* The entry of a large page; NULL where there is none. */
static pte *large_page(uint64_t a)
{
    if (a < 1ull << 32) return &large_pages[a / LARGE];
#ifdef __x86_64__
    const pte *table = boot_pml4;
    for (unsigned shift = 39; shift > 21; shift -= 9) {
        const pte e = table[a >> shift & 511];
        if (!(e & P)) return NULL;
        table = (const pte *)(uintptr_t)(e & ~0xfffull);
    }
    return (pte *)&table[a >> 21 & 511];
#else
    return NULL;
#endif
}

/* The framebuffer, write-combining. Pages that also hold RAM are left out, and so are those that may hold
 * another device's registers: a PCI BAR is aligned to its size, a power of two, so one that is larger than
 * half a page has whole pages to itself. */
static void combine(const struct boot_fb *fb)
{
    const uint64_t len = (uint64_t)fb->pitch * fb->height;
    if (fb->type != 1 || len <= LARGE / 2) return;
    for (uint64_t a = fb->addr & ~(LARGE - 1); a < fb->addr + len; a += LARGE) {
        pte *e = large_page(a);
        if (e && (*e & UNCACHED)) *e = (*e & ~(pte)UNCACHED) | COMBINED;
    }
    hw_flush_caches();
}

/* The table of a large page that has been split before, or is below FINE_BYTES. NULL: it is large. */
static pte *small_pages(uint64_t large)
{
    const pte e = large_pages[large / LARGE];
    if (large < FINE_BYTES) return &fine[large / PAGE_SIZE];
    return e & PS ? NULL : (pte *)(uintptr_t)(e & ~(pte)(PAGE_SIZE - 1));
}

void paging_user(const void *start, size_t len)
{
    const uint64_t end = (uintptr_t)start + len;
    for (uint64_t a = (uintptr_t)start; a < end;) {
        pte *const small = small_pages(a & -LARGE),
                   *e = small ? &small[a % LARGE / PAGE_SIZE] : &large_pages[a / LARGE];
        *e = (*e | US) & ~(pte)no_execute;
        a = small ? a + PAGE_SIZE : (a | (LARGE - 1)) + 1;
    }
#ifdef __x86_64__
    boot_pml4[0] |= US;
    for (unsigned i = 0; i < 4; i++) boot_pdpt[i] |= US;
#endif
    WRITE_CR(3, READ_CR(3));
}

size_t paging_tables(const void *start, size_t len)
{
    const uint64_t from = (uintptr_t)start, end = from + len;
    return end <= FINE_BYTES ? 0 : (size_t)((end - 1) / LARGE - from / LARGE + 1);
}

/* Replaces the entry of a large page by its table. An address must not be in the TLBs with both sizes: on
 * AMD's family 10h that is a machine check (erratum 383; Linux, __split_huge_pmd_locked()). So the page is
 * not present until the TLBs are empty. Other processors load CR3 later. */
static void link_table(volatile pte *e, const pte *table)
{
    *e = 0;
    WRITE_CR(3, READ_CR(3));
    *e = (pte)(uintptr_t)table | P | RW | US;
}

/* The rest of a large page that is split stays as it was. The tables are filled first: they may be in it. */
void paging_split(const void *start, size_t len, void *tables)
{
    const uint64_t from = (uintptr_t)start, end = from + len;
    pte *table = tables;
    for (uint64_t large = from & -LARGE; large < end; large += LARGE) {
        pte *small = small_pages(large), *e = small ? NULL : &large_pages[large / LARGE];
        const pte was = e ? *e & ~(pte)PS : 0;
        if (e) small = table;
        for (uint64_t a = large; a < large + LARGE; a += PAGE_SIZE) {
            pte *one = &small[(a - large) / PAGE_SIZE];
            if (e) *one = was + (pte)(a - large);
            if (a >= from && a < end) *one = (*one & ~(pte)US) | no_execute;
        }
        if (!e) continue;
        link_table(e, table);
        table += PER_TABLE;
    }
    WRITE_CR(3, READ_CR(3));
}

void paging_unmap(const void *page)
{
    const uint64_t a = (uintptr_t)page;
    pte *table = a < FINE_BYTES ? &fine[a / LARGE * PER_TABLE]
                                : (pte *)(uintptr_t)(large_pages[a / LARGE] & ~(pte)(PAGE_SIZE - 1));
    table[a % LARGE / PAGE_SIZE] = 0;
    hw_flush_page(page);
}

uint64_t paging_no_execute(void) { return no_execute; }

void *paging_root(void)
{
#ifdef __x86_64__
    return boot_pml4;
#else
    return large_pages;
#endif
}

/* Firmware may have set SMEP, SMAP, PAE or CET in CR4, and long mode in EFER: only the bits needed here are
 * kept.
 */
static void known_state(const struct cpu_id *id, uintptr_t paging_bits)
{
    uintptr_t keep = CR4_OSFXSR | CR4_OSXMMEXCPT | CR4_OSXSAVE;
    if (cpu_machine_checks(id)) paging_bits |= CR4_MCE; /* #MC instead of a silent shutdown */
    WRITE_CR(4, (READ_CR(4) & keep) | paging_bits);
#ifndef __x86_64__
    if (id->x1_edx & CPUID_X1_EDX_LM) wrmsr(MSR_EFER, rdmsr(MSR_EFER) & ~(uint64_t)EFER_LME);
#endif
}

bool paging_init(const struct cpu_id *id, const struct bootinfo *bi)
{
#ifdef __x86_64__
    if (id->x1_edx & CPUID_X1_EDX_NX) {
        wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_NXE);
        no_execute = 1ull << 63;
    }
    fill(bi);
    if (pat_combine_writes(id)) combine(&bi->fb);
    known_state(id, CR4_PAE);
    WRITE_CR(3, (uintptr_t)boot_pml4);
    WRITE_CR(0, (READ_CR(0) | CR0_WP) & ~(uintptr_t)(CR0_CD | CR0_NW));
    return true;
#else
    WRITE_CR(0, READ_CR(0) & ~(uintptr_t)(CR0_CD | CR0_NW));
    if (!(id->f1_edx & CPUID_1_EDX_PSE)) return false;
    fill(bi);
    if (pat_combine_writes(id)) combine(&bi->fb);
    this_cpu()->tss.cr3 = this_cpu()->df_tss.cr3 = (uintptr_t)large_pages;
    known_state(id, CR4_PSE);
    WRITE_CR(3, (uintptr_t)large_pages);
    WRITE_CR(0, READ_CR(0) | CR0_PG | CR0_WP);
    return true;
#endif
}

#ifdef __x86_64__
/* Framebuffers above 4 GiB: two spare page directories (2 GiB) and a table above them. */
static _Alignas(4096) pte spare_pdpt[512], spare_pd[2][512];
static unsigned spares;

bool paging_map_device(uint64_t addr, uint64_t len)
{
    if (len == 0 || addr + len < addr || addr + len > 1ull << 47) return false;
    for (uint64_t a = addr & ~(LARGE - 1); a < addr + len; a += LARGE) {
        if (a < 1ull << 32) continue;
        pte *pml4e = &boot_pml4[a >> 39 & 511];
        if (!(*pml4e & P)) {
            for (unsigned i = 0; i < 512; i++)
                if (spare_pdpt[i]) return false; /* the one spare table serves another 512 GiB */
            *pml4e = (uintptr_t)spare_pdpt | P | RW;
        }
        pte *pdpt = (pte *)(uintptr_t)(*pml4e & ~0xfffull);
        if (!(pdpt[a >> 30 & 511] & P)) {
            if (spares == 2) return false;
            pdpt[a >> 30 & 511] = (uintptr_t)spare_pd[spares++] | P | RW;
        }
        pte *pd = (pte *)(uintptr_t)(pdpt[a >> 30 & 511] & ~0xfffull);
        pd[a >> 21 & 511] = a | P | RW | PS | UNCACHED | no_execute;
    }
    return true;
}
#else
bool paging_map_device(uint64_t addr, uint64_t len)
{
    return len != 0 && addr + len >= addr && addr + len <= 1ull << 32; /* mapped already */
}
#endif
