/* libp5mon, the library of Safford's thesis of 1997 (chapters 3.3 and 4.2.2), for programs of your own
 * (docs/libp5mon.md): with this instead of "libp5mon.h" its examples compile.
 *
 * p5mon_asm_*() mark regions, on any CPU: call p5mon_asm_init once, then p5mon_asm_begreg_N and
 * p5mon_asm_endreg_N, N 0 to 99, from assembly or C. They keep all registers and the flags. What they count
 * is events=.
 *
 * The other functions program the counters of a Pentium from within the program: at ring 0, on a Pentium or
 * its model. "User" events are those of this program, whatever its ring; "kernel" events those of the other
 * one. */
#pragma once
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long long ULONG; /* a counter has 40 bits */

/* Codes of the manual (table 3.2), but for the last two. */
typedef enum {
    data_read = 0x00,
    data_write = 0x01,
    data_tlb_miss = 0x02,
    data_read_miss = 0x03,
    data_write_miss = 0x04,
    write_to_M_or_E_lines = 0x05,
    data_cache_lines_written_back = 0x06,
    external_snoops = 0x07,
    data_cache_snooping_hits = 0x08,
    memory_accesses_in_both_pipes = 0x09,
    bank_conflicts = 0x0a,
    misaligned_data_memory_or_IO_references = 0x0b,
    code_read = 0x0c,
    code_tlb_miss = 0x0d,
    code_cache_miss = 0x0e,
    segment_register_loaded = 0x0f,
    branches = 0x12,
    btb_hits = 0x13,
    taken_branch_or_btb_hit = 0x14,
    pipeline_flushes = 0x15,
    instructions_executed = 0x16,
    instructions_executed_in_v_pipe = 0x17,
    clocks_while_bus_cycle_in_progress = 0x18,
    clocks_stalled_full_write_buffers = 0x19,
    clocks_stalled_waiting_data_read = 0x1a,
    clocks_stalled_write_to_M_or_E_line = 0x1b,
    locked_bus_cycle = 0x1c,
    IO_read_or_write_cycle = 0x1d,
    non_cacheable_memory_reads = 0x1e,
    pipeline_stalled_address_generation_interlock = 0x1f,
    flops = 0x22,
    breakpoint_match_DR0 = 0x23,
    breakpoint_match_DR1 = 0x24,
    breakpoint_match_DR2 = 0x25,
    breakpoint_match_DR3 = 0x26,
    hardware_interrupts = 0x27,
    data_read_or_write = 0x28,
    data_read_or_write_miss = 0x29,
    count_clocks = 0x40, /* clocks, at the levels of ctrl */
    event_disable        /* nothing */
} EVENT;

/* Table 3.3. */
typedef enum {
    evt_disable = 0,
    evt_kernel = 1,
    evt_user = 2,
    evt_all = 3,
    clk_kernel = 5,
    clk_user = 6,
    clk_all = 7
} CNT_CTRL;

/* Table 3.4. */
typedef enum {
    clr_none,
    clr_0,
    clr_1,
    clr_0_1,
    init_0_clr_1,
    init_1_clr_0,
    init_0,
    init_1,
    init_0_1,
    clear_only
} CNT_CLR;

typedef struct {
    EVENT event0, event1;
    CNT_CTRL ctrl1, ctrl0;
    CNT_CLR clr;
    ULONG init0, init1; /* 40 bits */
} CNT_CONFIG;

/* All of them come to 0, or to -1 where they cannot: no Pentium, not at ring 0, not initialised;
 * p5mon_config() also where a field has no valid value, and then nothing is changed. */
int p5mon_init(void);
int p5mon_close(void); /* the counters stop */
int p5mon_clear(void);
int p5mon_config(CNT_CONFIG *config);
int p5mon_read(ULONG *result); /* result[3]: counter 0, counter 1, CESR */

/* What a CESR means, as p5mon_read() gives it. The counters' values stay as they are: clr_none. */
void p5mon_gen_config(ULONG cesr, CNT_CONFIG *config);

void p5mon_asm_init(void);
