/* libFuzzer: records of PEBS as a processor gone wild would write them. First byte: layout and what is
 * wanted; second: room for samples; third: the index; the rest fills the buffer. Nothing outside of the
 * buffer is read, nothing behind the samples is written, and no record vanishes in silence. Bit 7 of the
 * second byte: architectural PEBS, whose registers are here. */
#include "kernel/hw.h"
#include "pmu/pebs_arch.h"
#include <stdlib.h>
#include <string.h>

static void check(int ok)
{
    if (!ok) abort();
}

static uint64_t index_register;
bool rdmsr_safe(uint32_t msr, uint64_t *value)
{
    check(msr == MSR_PEBS_INDEX);
    *value = index_register;
    return true;
}
bool wrmsr_safe(uint32_t msr, uint64_t value)
{
    check(msr == MSR_PEBS_INDEX);
    index_register = value;
    return true;
}

static const struct pebs_layout *const layouts[] = {&pebs_wide,     &pebs_core2,      &pebs_nehalem,
                                                    &pebs_haswell,  &pebs_skylake,    &pebs_adaptive,
                                                    &pebs_adaptive, &pebs_adaptive_32};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pebs_sources sources = {.level = {1, 2, 3, 4}, .walk = 0x10, .locked = 0x20};
    static const uint32_t groups[] = {0, 1, 2, 19, 3 | PEBS_GROUP_LBRS(4), 23, 31, PEBS_GROUP_LBRS(32)};
    if (size < 4) return 0;
    const unsigned depth = 4, kind = data[0] & 7, room = data[1] & 15;
    const bool arch = data[1] >> 7;
    struct pebs p = {.layout = arch ? &pebs_arch : layouts[kind],
                     .valid = SAMPLE_IP | SAMPLE_COUNTER,
                     .groups = groups[data[0] >> 3 & 7],
                     .skid = 1,
                     .memory = data[0] >> 6 & 1,
                     .latency_bits = UINT32_MAX,
                     .arch_lbr = data[0] >> 7,
                     .source = &sources,
                     .source_kind = data[1] >> 6 & 3};
    const unsigned counts = p.groups & PEBS_GROUP_CNTR ? 16 : 0;
    p.record = p.layout->record ? p.layout->record : (uint16_t)(pebs_adaptive_bytes(p.groups) + counts);
    if (counts || arch) p.valid |= SAMPLE_INSTRUCTIONS | SAMPLE_CYCLES;
    if (arch)
        p.valid |= SAMPLE_TSC | SAMPLE_RETIRE | SAMPLE_DATA | SAMPLE_REGS | SAMPLE_XMM | SAMPLE_BRANCHES;
    /* Exactly so many bytes: one too far is seen. The table of sources, behind the records, must not be
     * mistaken for one. */
    const size_t bytes = pebs_bytes(&p, depth);
    uint8_t *memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    struct samples out = {.at = calloc(room + 1, sizeof *out.at), .cap = room};
    if (data[1] & 16) out.xmm = calloc(room + 1, sizeof *out.xmm);
    if (data[1] & 32) out.branch = calloc((room + 1) * BRANCHES_MOST, sizeof *out.branch);
    if (data[1] & 64) out.counts = calloc(room + 1, sizeof *out.counts);
    pebs_init(&p, memory, depth, 1000);
    const size_t buffer = arch ? p.bytes : (depth + PEBS_SLACK) * p.record;
    for (size_t i = 0; i < buffer; i++) p.base[i] = data[3 + i % (size - 3)];
    uint64_t index = (uintptr_t)p.base + (data[2] < 250 ? data[2] * buffer / 249 : data[2] * 4096u);
    if (data[2] == 255) index = (uintptr_t)p.base - 8;
    if (arch)
        index_register = p.index | ((index - (uintptr_t)p.base) & (PEBS_INDEX_OFFSET | PEBS_INDEX_FULL));
    else
        memcpy(memory + 0x28, &index, sizeof index);

    const unsigned n = pebs_drain(&p, &out);
    check(out.n <= room && n == out.n + out.lost);
    check(!out.lost || out.n == room);
    for (unsigned i = 0; i < out.n; i++) {
        const uint8_t raw = out.at[i].branches;
        check(!(out.at[i].valid & ~p.valid));
        check(!raw || (out.branch && raw & PEBS_RAW && (raw & ~PEBS_RAW) <= BRANCHES_MOST));
        if (raw) check(pebs_decode_branches(&p, out.branch + i * BRANCHES_MOST, raw) <= BRANCHES_MOST);
    }
    if (!arch) memcpy(&index, memory + 0x28, sizeof index);
    check(arch ? index_register == p.index : index == (uintptr_t)p.base);
    if (p.layout->record && data[2] < 250) check(n == data[2] * buffer / 249 / p.record);
    if (data[2] >= 250 && data[2] != 255) check(out.more);
    check(pebs_drain(&p, &out) == 0);
    free(out.counts);
    free(out.branch);
    free(out.xmm);
    free(out.at);
    free(memory);
    return 0;
}
