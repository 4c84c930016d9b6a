/* libFuzzer: records of PEBS as a processor gone wild would write them. First byte: layout and what is
 * wanted; second: room for samples; third: the index; the rest fills the buffer. Nothing outside of the
 * buffer is read, nothing behind the samples is written, and no record vanishes in silence. */
#include "pmu/pebs.h"
#include <stdlib.h>
#include <string.h>

static void check(int ok)
{
    if (!ok) abort();
}

static const struct pebs_layout *const layouts[] = {&pebs_wide,     &pebs_core2,      &pebs_nehalem,
                                                    &pebs_haswell,  &pebs_skylake,    &pebs_adaptive,
                                                    &pebs_adaptive, &pebs_adaptive_32};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pebs_sources sources = {.level = {1, 2, 3, 4}, .walk = 0x10, .locked = 0x20};
    static const uint32_t groups[] = {0, 1, 2, 3, 3 | PEBS_GROUP_LBRS(4), 7, 15, PEBS_GROUP_LBRS(32)};
    if (size < 4) return 0;
    const unsigned depth = 4, kind = data[0] & 7, room = data[1] & 15;
    struct pebs p = {.layout = layouts[kind],
                     .valid = SAMPLE_IP | SAMPLE_COUNTER,
                     .groups = groups[data[0] >> 3 & 7],
                     .skid = 1,
                     .memory = data[0] >> 6 & 1,
                     .latency_bits = UINT32_MAX,
                     .arch_lbr = data[0] >> 7,
                     .source = &sources,
                     .source_kind = data[1] >> 6 & 3};
    p.record = p.layout->record ? p.layout->record : pebs_adaptive_bytes(p.groups);
    /* Exactly so many bytes: one too far is seen. The table of sources, behind the records, must not be
     * mistaken for one. */
    const size_t bytes = pebs_bytes(&p, depth);
    uint8_t *memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    struct samples out = {.at = calloc(room + 1, sizeof *out.at), .cap = room};
    if (data[1] & 16) out.xmm = calloc(room + 1, sizeof *out.xmm);
    if (data[1] & 32) out.branch = calloc((room + 1) * BRANCHES_MOST, sizeof *out.branch);
    pebs_init(&p, memory, depth, 1000);
    const size_t buffer = (depth + PEBS_SLACK) * p.record;
    for (size_t i = 0; i < buffer; i++) p.base[i] = data[3 + i % (size - 3)];
    uint64_t index = (uintptr_t)p.base + (data[2] < 250 ? data[2] * buffer / 249 : data[2] * 4096u);
    if (data[2] == 255) index = (uintptr_t)p.base - 8;
    memcpy(memory + 0x28, &index, sizeof index);

    const unsigned n = pebs_drain(&p, &out);
    check(out.n <= room && n == out.n + out.lost);
    check(!out.lost || out.n == room);
    for (unsigned i = 0; i < out.n; i++)
        check(!(out.at[i].valid & ~p.valid) && out.at[i].branches <= BRANCHES_MOST);
    memcpy(&index, memory + 0x28, sizeof index);
    check(index == (uintptr_t)p.base);
    if (p.layout->record && data[2] < 250) check(n == data[2] * buffer / 249 / p.record);
    if (data[2] >= 250 && data[2] != 255) check(out.more);
    check(pebs_drain(&p, &out) == 0);
    free(out.branch);
    free(out.xmm);
    free(out.at);
    free(memory);
    return 0;
}
