/* Regions: markers with which payload code measures its own parts.
 *
 * region_begin(table, id) ... region_end(table, id), id 0 to 99, nested, overlapping, in loops, in any number
 * of places. The table lies in the arena and a payload finds it through its argument (bench_run.regions), or
 * by region_table() in a program of the user's own, so that markers touch nothing else and work in ring 3.
 * Shared by C and assembly: offsets in bytes. */
#pragma once

#define REGIONS 100

/* The table begins with the addresses of the marker routines. The rest is private to the routines
 * (measure/region_table.h). */
#define TABLE_BEGIN 0
#define TABLE_END   8

#ifndef __ASSEMBLER__
#include <stdint.h>

struct region_table;

/* The marker preserves all registers except the flags. The calling sequence itself uses AX for the table and
 * DX for the id. In an asm statement whose instructions are counted, write REGION_ASM(TABLE_BEGIN, "%0",
 * "$7"): three instructions. */
#ifdef __x86_64__
#define REGION_AX "rax"
#else
#define REGION_AX "eax"
#endif
#define REGION_STR_(x) #x
#define REGION_STR(x)  REGION_STR_(x)
#define REGION_ASM(which, table, id)                                                                         \
    "mov " table ", %%" REGION_AX "\n\tmovl " id ", %%edx\n\tcall *" REGION_STR(which) "(%%" REGION_AX ")\n" \
                                                                                       "\t"

/* Payloads are compiled without a red zone, so that the call's return address overwrites nothing. */
static inline __attribute__((always_inline)) void region_begin(struct region_table *table, uint32_t id)
{
    __asm__ volatile(REGION_ASM(TABLE_BEGIN, "%0", "%1")::"r"(table), "ri"(id)
                     : "eax", "edx", "cc", "memory");
}

static inline __attribute__((always_inline)) void region_end(struct region_table *table, uint32_t id)
{
    __asm__ volatile(REGION_ASM(TABLE_END, "%0", "%1")::"r"(table), "ri"(id) : "eax", "edx", "cc", "memory");
}

/* In a program of your own (docs/payload.md):
 *
 *     ANECHOIC_REGIONS("parse", "sum");    in one file: names of the regions 0, 1, ...; may be missing
 *
 *     struct region_table *table = region_table();
 *     region_begin(table, 0); ...; region_end(table, 0); */
#define ANECHOIC_LABEL_BYTES 32 /* of a name, with the NUL */
#ifdef ANECHOIC_PAYLOAD         /* set by `anechoic payload build` */
#define ANECHOIC_REGIONS(...)                           \
    __attribute__((used, retain, visibility("hidden"))) \
    const char anechoic_region_labels[][ANECHOIC_LABEL_BYTES] = {__VA_ARGS__}

/* The kernel writes it. */
__attribute__((weak, visibility("hidden"))) struct region_table *anechoic_region_table;

static inline __attribute__((always_inline)) struct region_table *region_table(void)
{
    return anechoic_region_table;
}
#endif
#endif
