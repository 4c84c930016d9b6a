/* What bench= finds of a module's program, and what prepare() makes of it. */
#include "bench/payload.h"
#include "bench/trace.h"
#include "tests/unit/module_program_drive.h"
#include <string.h>

TEST_WITH(benches, given, NULL)
{
    const struct bench *list[MODULE_BENCHMARKS];
    struct arena arena = scratch();
    assert_true(opens());
    assert_int_equal(payload_benches(list), 2);
    assert_string_equal(list[1]->program.name, "second_2");
    assert_string_equal(list[1]->param[0].name, "arg");
    assert_int_equal(list[1]->param[0].def, INT64_C(1) << 31);
    assert_int_equal(list[0]->param[0].def, 3);
    assert_string_equal(list[1]->program.regions[1], "two");
    assert_null(list[1]->program.regions[2]);
    struct bench_run run = {
        .param = {77}, .arena = &arena, .own = list[0]->program.own, .regions = (void *)memory};
    assert_true(list[0]->program.prepare(&run));
    assert_null(run.once);
    assert_null(payload_output(&run));
    uintptr_t table;
    memcpy(&table, run.image.at + 44, sizeof table);
    assert_ptr_equal((void *)table, memory);
    assert_int_equal((uintptr_t)run.arg, 77);
    assert_int_equal((uintptr_t)run.payload % 4096, 40);
    assert_int_equal(*(const uint8_t *)(uintptr_t)run.payload, 0xc3);
    arena = (struct arena){memory, 83, 0};
    assert_false(list[0]->program.prepare(&run));
    assert_string_equal(run.error, "its program needs 1 KiB of memory, and 0 KiB are left");
}

/* The ring of a trace, and the labels of its channels. */
TEST_WITH(channels, given, NULL)
{
    static const char labels[] = "in\0out\0";
    const struct bench *list[MODULE_BENCHMARKS];
    struct arena arena = scratch();
    uintptr_t word;
    build_traced(labels);
    assert_true(opens());
    assert_int_equal(payload_benches(list), 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_string_equal(list[i]->program.channels[0], "in");
        assert_string_equal(list[i]->program.channels[1], "out");
        assert_null(list[i]->program.channels[2]);
        assert_string_equal(list[i]->program.regions[0], "one");
    }
    struct bench_run run = {
        .arena = &arena, .own = list[0]->program.own, .regions = (void *)file, .trace = (void *)memory};
    assert_true(list[0]->program.prepare(&run));
    memcpy(&word, run.image.at + 56, sizeof word);
    assert_ptr_equal((void *)word, memory);
    memcpy(&word, run.image.at + 44, sizeof word);
    assert_ptr_equal((void *)word, file);
    given(NULL);
    assert_true(opens());
    assert_int_equal(payload_benches(list), 2);
    assert_null(list[0]->program.channels);
}

/* A program that prints or ends: prepare() writes what it must. */
TEST_WITH(output, given, NULL)
{
    const struct bench *list[MODULE_BENCHMARKS];
    struct arena arena = scratch();
    uintptr_t word;
    size = module_build_program(file, sizeof file, MODULE_BITS, &prints, two, 2);
    assert_true(opens());
    assert_int_equal(payload_benches(list), 2);
    assert_null(list[0]->program.regions);
    struct bench_run run = {.param = {77}, .arena = &arena, .own = list[0]->program.own};
    assert_true(list[0]->program.prepare(&run));
    assert_int_equal((uintptr_t)run.payload % 4096, 100);
    assert_int_equal((uintptr_t)run.once % 4096, 200);
    memcpy(&word, run.image.at + 16, sizeof word);
    assert_int_equal(word, (uintptr_t)run.image.at + 40);
    assert_ptr_equal(payload_output(&run), run.image.at + 4096);
    assert_int_equal(payload_output(&run)->bytes, 0);
}
