/* Records of results, and what the text face says of them. */
#pragma once
#include "tests/unit/text_drive.h"

#define HEADING                                                                         \
    "\n"                                                                                \
    "benchmark, parameters           unit     min  median    mean +/- 95 %  overhead\n" \
    "-------------------------------------------------------------------------------\n"
struct result {
    const char *bench, *variant, *unit, *flag;
    int64_t lines, stride, n; /* 0: no such parameter */
    unsigned cpu, ring, conf, slow, smi, culled;
    double min, median, mean, ci;
    uint64_t overhead;
};

static inline struct record *result(const struct result *res)
{
    struct record *r = record_new("result");
    rec_str(r, "bench", res->bench);
    rec_str(r, "variant", res->variant ? res->variant : "");
    rec_object(r, "params");
    if (res->lines) rec_int(r, "lines", res->lines);
    if (res->stride) rec_int(r, "stride", res->stride);
    if (res->n) rec_int(r, "n", res->n);
    rec_close(r);
    rec_uint(r, "cpu", res->cpu);
    rec_uint(r, "ring", res->ring);
    rec_str(r, "event", "tsc");
    rec_str(r, "unit", res->unit);
    rec_uint(r, "reps", 20);
    rec_uint(r, "overhead", res->overhead);
    rec_real(r, "min", res->min);
    rec_real(r, "median", res->median);
    rec_real(r, "mean", res->mean);
    rec_real(r, res->conf == 99 ? "ci99" : "ci95", res->ci);
    if (res->slow) rec_uint(r, "slow", res->slow);
    if (res->smi) rec_uint(r, "smi", res->smi);
    if (res->culled) rec_uint(r, "culled", res->culled);
    rec_array(r, "flags");
    if (res->flag) rec_str(r, NULL, res->flag);
    rec_close(r);
    return r;
}
#define RESULT(...) record_emit(result(&(struct result){__VA_ARGS__}))
