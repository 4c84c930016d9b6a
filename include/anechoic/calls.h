/* The functions of the kernel that the benchmarks and experiments of a module call (docs/experiments.md).
 *
 * One list makes the table of addresses that the kernel writes into a module (boot/calls.c), and the
 * functions that a module is linked with (lib/payload/calls.S): each is one JMP through that table. They are
 * declared in anechoic/experiment.h, kernel/cache.h and bench/chase.h.
 */
#pragma once

/* The number of the interface: this list, and the layout of all that both sides use
 * (tests/unit/test_interface.c has it, and fails after a change). A module that was built for another number
 * is refused. */
#define ANECHOIC_INTERFACE 6

#define ANECHOIC_CALLS(CALL) \
    CALL(lab_fail)           \
    CALL(lab_alloc)          \
    CALL(lab_memory)         \
    CALL(lab_write_code)     \
    CALL(lab_page_bytes)     \
    CALL(lab_map)            \
    CALL(lab_unmap)          \
    CALL(lab_flush_line)     \
    CALL(lab_flush_page)     \
    CALL(lab_flush_all)      \
    CALL(lab_at_cpl)         \
    CALL(lab_measure)        \
    CALL(lab_start)          \
    CALL(lab_read)           \
    CALL(lab_preset)         \
    CALL(lab_samples)        \
    CALL(lab_time_load)      \
    CALL(lab_processor)      \
    CALL(lab_begin)          \
    CALL(lab_wait)           \
    CALL(lab_together)       \
    CALL(lab_barrier)        \
    CALL(lab_patience)       \
    CALL(lab_count_on)       \
    CALL(lab_counted)        \
    CALL(barrier_wait)       \
    CALL(lab_ipi_open)       \
    CALL(lab_ipi_let)        \
    CALL(lab_ipi_rest)       \
    CALL(lab_ipi_send)       \
    CALL(lab_value)          \
    CALL(lab_row)            \
    CALL(lab_matrix)         \
    CALL(lab_series)         \
    CALL(cache_data)         \
    CALL(cache_sets)         \
    CALL(chase_ring)         \
    CALL(chase_bytes)        \
    CALL(sprunt_lines)

/* How many they are; for C and assembly. */
#define ANECHOIC_CALL_1(name) +1
#define ANECHOIC_CALLS_N      (0 ANECHOIC_CALLS(ANECHOIC_CALL_1))
