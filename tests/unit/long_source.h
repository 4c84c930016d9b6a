/* A profile's source with the longest names and the largest numbers, for tests of how long a record becomes.
 */
#pragma once
#include "tests/unit/emit_drive.h"

static struct bench longest = {
    .program = {.name = "a_name_of_a_benchmark_that_is_long"}, /* 34 */
    .op = "load",
    BENCH_PARAM_LIST(
        {.name = "parameter_the_first_of_7", .unit = ""}, {.name = "parameter_the_second_of_7", .unit = ""},
        {.name = "parameter_the_third_of_7", .unit = ""}, {.name = "parameter_the_fourth_of_7", .unit = ""},
        {.name = "parameter_the_fifth_of_7", .unit = ""}, {.name = "parameter_the_sixth_of_7", .unit = ""},
        {.name = "parameter_the_seventh_of_7", .unit = ""}),
    .variant = {{"a_long_variant", NULL}},
};
static const struct plan_item long_item = {.bench = &longest};
static const struct run long_run = {
    .item = &long_item,
    .program = {.name = "a_name_of_a_benchmark_that_is_long", .variant = "a_long_variant"},
    .bench.param = {[0 ... BENCH_PARAMS - 1] = INT64_MIN}};
static const char long_event[128] = {[0 ... 126] = 'e'};
static const struct profile_source long_source = {&long_run,  3,    long_event,        "pebs",
                                                  UINT64_MAX, true, ORIGIN_VIRTUALIZED};
