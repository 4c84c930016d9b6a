/* Identity paging, in both kernels: 4 GiB, large pages above the first 4 MiB. */
#pragma once
#include "kernel/bootinfo.h"
#include "kernel/cpuid.h"

/* Unmap page 0 and the stack guards, map everything but RAM uncached and the framebuffer write-combining
 * (where there is PAT), the kernel's code and constants read-only, everything else not executable (x86_64,
 * where the CPU can), turn paging and the caches on. Returns false on a CPU without 4 MiB pages (i586
 * kernel only): then paging stays off and nothing is guarded. */
bool paging_init(const struct cpu_id *id, const struct bootinfo *bi);

/* Make [addr, addr+len) of device memory accessible. False where this kernel cannot reach it. */
bool paging_map_device(uint64_t addr, uint64_t len);

/* Let ring 3 use [start, start+len), and everyone execute it; it can be written unless it is the kernel's
 * code. Whole pages: large ones above the first 4 MiB, unless paging_split() has split them. Below 4 GiB. */
void paging_user(const void *start, size_t len);

/* Map [start, start+len), which lies in memory that paging_user() had, in pages of 4 KiB for CPL 0 only, from
 * which nothing is executed. Whole pages. tables: paging_tables() pages for that, which are kept. A large
 * page that has been split before keeps its table. */
size_t paging_tables(const void *start, size_t len);
void paging_split(const void *start, size_t len, void *tables);
/* A page of it, or below 4 MiB, is not present from now on. For other CPUs, too, that load CR3 later. */
void paging_unmap(const void *page);

/* The bit of an entry of 64 bits that forbids execution; 0 if this CPU or this kernel has none. */
uint64_t paging_no_execute(void);

/* The top table in use. */
void *paging_root(void);
