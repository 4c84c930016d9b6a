/* What a module of the user's own and the kernel both believe: names of calls, and where the fields are. It
 * may not change without another number of the interface, by which older modules are refused
 * (include/anechoic/calls.h). */
#include "bench/chase.h"
#include "include/anechoic/calls.h"
#include "include/anechoic/experiment.h"
#include "kernel/crc32.h"
#include "tests/unit/unit.h"
#include <stdio.h>

#define INTERFACE 6
#define SUM       0xeb35244a

#define AT(type, field)                                                                   \
    {                                                                                     \
#type "." #field, offsetof(struct type, field), sizeof(((struct type *)0)->field) \
    }
#define ALL(type)                     \
    {                                 \
#type, 0, sizeof(struct type) \
    }
static const struct field {
    const char *name;
    size_t at, bytes;
} fields[] = {
    ALL(bench),
    AT(bench, program),
    AT(bench, experiment),
    AT(bench, op),
    AT(bench, cost),
    AT(bench, main_job),
    AT(bench, hidden),
    AT(bench, target),
    AT(bench, sampling),
    AT(bench, param),
    AT(bench, variant),
    AT(bench, found),
    AT(bench, memory),
    AT(bench, events_at_once),
    ALL(program),
    AT(program, name),
    AT(program, desc),
    AT(program, payload),
    AT(program, prepare),
    AT(program, before),
    AT(program, regions),
    AT(program, channels),
    AT(program, own),
    AT(program, users),
    AT(program, image),
    AT(program, variant),
    ALL(bench_param),
    AT(bench_param, unit),
    AT(bench_param, help),
    AT(bench_param, min),
    AT(bench_param, max),
    AT(bench_param, step),
    AT(bench_param, def),
    AT(bench_param, range),
    ALL(bench_variant),
    AT(bench_variant, payload),
    ALL(bench_run),
    AT(bench_run, param),
    AT(bench_run, caches),
    AT(bench_run, tsc_hz),
    AT(bench_run, arena),
    AT(bench_run, fence),
    AT(bench_run, fence_bytes),
    AT(bench_run, payload),
    AT(bench_run, baseline),
    AT(bench_run, once),
    AT(bench_run, own),
    AT(bench_run, counters),
    AT(bench_run, reads),
    AT(bench_run, fault),
    AT(bench_run, copies),
    AT(bench_run, image),
    AT(bench_run, before),
    AT(bench_run, arg),
    AT(bench_run, ops),
    AT(bench_run, stamps),
    AT(bench_run, stamp_count),
    AT(bench_run, regions),
    AT(bench_run, trace),
    AT(bench_run, error),
    ALL(bench_counters),
    AT(bench_counters, select),
    AT(bench_counters, opcode),
    AT(bench_counters, fence),
    AT(bench_counters, fence_bytes),
    ALL(arena),
    AT(arena, size),
    AT(arena, used),
    ALL(cache_info),
    AT(cache_info, n),
    AT(cache_info, source),
    ALL(cache),
    AT(cache, kind),
    AT(cache, bytes),
    AT(cache, line),
    AT(cache, ways),
    ALL(lab),
    AT(lab, stack3),
    AT(lab, param),
    AT(lab, caches),
    AT(lab, tsc_hz),
    AT(lab, ring),
    ALL(lab_mapping),
    AT(lab_mapping, memory),
    AT(lab_mapping, pages),
    AT(lab_mapping, size),
    AT(lab_mapping, cache),
    AT(lab_mapping, same),
    ALL(lab_program),
    AT(lab_program, code),
    AT(lab_program, arg),
    AT(lab_program, ring),
    AT(lab_program, baseline),
    AT(lab_program, before),
    ALL(lab_count),
    AT(lab_count, event),
    AT(lab_count, state),
    AT(lab_count, min),
    AT(lab_count, median),
    AT(lab_count, mean),
    AT(lab_count, max),
    AT(lab_count, raw),
    AT(lab_count, overhead),
    ALL(lab_counts),
    AT(lab_counts, n),
    AT(lab_counts, tsc),
    AT(lab_counts, event),
    ALL(lab_samples),
    AT(lab_samples, n),
    AT(lab_samples, lost),
    ALL(lab_counting),
    AT(lab_counting, state),
    AT(lab_counting, counter),
    AT(lab_counting, event),
    AT(lab_counting, last),
    ALL(lab_quantity),
    AT(lab_quantity, unit),
    AT(lab_quantity, value),
    AT(lab_quantity, source),
    AT(lab_quantity, state),
    ALL(sample),
    AT(sample, cpu),
    AT(sample, counter),
    AT(sample, ip),
    AT(sample, flags),
    AT(sample, reg),
    AT(sample, tsc),
    AT(sample, data),
    AT(sample, latency),
};

TEST(test_layout)
{
#define NAME(name) #name "\n"
    static const char calls[] = ANECHOIC_CALLS(NAME);
    uint32_t sum = crc32(0, calls, sizeof calls);
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        char line[96];
        const int n =
            snprintf(line, sizeof line, "%s %zu %zu\n", fields[i].name, fields[i].at, fields[i].bytes);
        sum = crc32(sum, line, (size_t)n);
    }
    if (ANECHOIC_INTERFACE != INTERFACE || sum != SUM)
        fail_msg("the interface has changed: a new ANECHOIC_INTERFACE, and here its number and 0x%08x",
                 (unsigned)sum);
}
