/* Modules of kind 2: a program is copied and relocated, and what is wrong with its file is named. */
#include "bench/trace.h"
#include "tests/unit/module_program_drive.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST_WITH(test_good, given, NULL)
{
    if (!opens()) fail_msg("%s", why);
    assert_int_equal(module_benchmarks(), 2);
    assert_int_equal(module_snippets(), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_string_equal(module_benchmark_name(module_benchmark(i)), two[i].name);
    assert_ptr_equal(module_benchmark(1), row(1));
    assert_ptr_equal(module_program(module_benchmark(1)), head());
}

/* Each copy is for its own place; bytes that are no words stay; the rest is zero. */
TEST_WITH(test_load, given, NULL)
{
    struct arena arena = scratch();
    assert_true(opens());
    for (int copy = 0; copy < 2; copy++) {
        const uint8_t *at = module_load(module_benchmark(0), &arena);
        uintptr_t word[2];
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % 4096, 0);
        memcpy(&word[0], at + 8, WORD);
        memcpy(&word[1], at + 24, WORD);
        assert_int_equal(word[0], (uintptr_t)at + 5);
        assert_int_equal(word[1], (uintptr_t)at + 7);
        for (unsigned i = 0; i < head()->memory; i++)
            if (i != 40 && (i < 8 || i >= 8 + WORD) && (i < 24 || i >= 24 + WORD)) assert_int_equal(at[i], 0);
        assert_int_equal(at[40], 0xc3);
    }
    arena = (struct arena){memory, 83, 0};
    assert_null(module_load(module_benchmark(0), &arena));
}

TEST_WITH(test_image, given, NULL)
{
    head()->image.bytes = 0;
    refused("its image is not inside");
    head()->image.at = (uint32_t)size - 40;
    refused("its image is not inside");
    head()->image.at = 35;
    refused("its image is not inside");
    head()->memory = 40;
    refused("its image of 41 bytes does not fit into the 40");
    head()->memory = 0x80000000;
    refused("does not fit");
    head()->memory = 46;
    refused("does not fit");
    head()->text_end = 42;
    refused("its machine code is not inside");
    head()->text = 41;
    refused("its machine code is not inside");
    header()->bytes = (uint32_t)(size = sizeof *header() + sizeof *head() - 1);
    header()->count = 1;
    header()->table = sizeof *header();
    refused("what describes its benchmark is not inside");
}

TEST_WITH(test_relocations, given, NULL)
{
    head()->relocation = (uint32_t)size - 4;
    refused("its table of 2 relocations is not inside");
    head()->relocation += 2;
    refused("its table of 2 relocations");
    head()->relocations = 0x40000000;
    refused("its table of 1073741824 relocations");
    relocation()[1] = 41 - WORD + 1;
    refused("its relocation 1 is of offset");
    relocation()[1] = 0xfffffffc;
    refused("offset 0xfffffffc, outside");
    relocation()[1] = 8 + WORD - 1;
    refused("its relocation 1 lies inside of the one before");
    relocation()[1] = 41 - WORD;
    module_sum(file);
    assert_true(opens());
}

/* Which function has which place: those with a size end there, the others where the next one begins. */
TEST_WITH(test_functions, given, NULL)
{
    static const int of[41] = {[8 ... 19] = 1, [20 ... 24] = 2, [25 ... 39] = -1, [40] = 3};
    struct module_function f;
    assert_true(opens());
    for (unsigned at = 0; at < 41; at++) {
        const bool found = module_function(module_benchmark(1), at, &f);
        assert_int_equal(found, of[at] >= 0);
        if (!found) continue;
        assert_int_equal(f.name[0], 'f');
        assert_int_equal(f.name[1] - '0', of[at]);
        assert_int_equal(f.at, functions[of[at]].at);
    }
    assert_false(module_function(module_benchmark(1), 41, &f));
    given(NULL);
    head()->text = 1;
    refused("its function 0 is not in its machine code");
    symbol(1)->at = 41;
    refused("its function 1 is not in its machine code");
    symbol(3)->bytes = 2;
    refused("its function 3 is not in its machine code");
    symbol(2)->at = 7;
    refused("its function 2 is not in its machine code, or not behind the one before");
    symbol(2)->name = (uint32_t)size;
    refused("the name of its function 2 is not inside");
    file[symbol(2)->name] = '\n';
    refused("the name of its function 2 is not printable");
    head()->symbols = 0x20000000;
    refused("its table of 536870912 functions");
    head()->symbol += 2;
    refused("its table of 4 functions");
    head()->name = 3;
    refused("the name of its program 0 is not inside");
    head()->symbols = 0;
    module_sum(file);
    assert_true(opens());
    assert_false(module_function(module_benchmark(0), 0, &f));
}

TEST_WITH(test_regions, given, NULL)
{
    assert_true(opens());
    assert_string_equal(module_program_name(module_benchmark(0)), "built");
    assert_string_equal(module_label(module_benchmark(0), 0), "one");
    assert_string_equal(module_label(module_benchmark(0), 1), "two");
    assert_null(module_label(module_benchmark(0), 2));
    given(NULL);
    head()->regions = head()->memory - WORD + 1;
    refused("the place of its table of regions");
    head()->regions = 0;
    refused("the labels of its regions");
    head()->labels.at = (uint32_t)size - 7;
    refused("the labels of its regions");
    head()->labels.bytes--;
    refused("the labels of its regions");
    file[head()->labels.at + 4] = '\0';
    refused("the name of its region 1 has 0 bytes");
    head()->labels = (struct module_code){0, 0};
    module_sum(file);
    assert_true(opens());
    assert_null(module_label(module_benchmark(0), 0));
}

TEST_WITH(test_trace, given, NULL)
{
    char many[2 * TRACE_CHANNELS + 3] = "";
    build_traced("in\0out\0");
    head()->trace = head()->memory - WORD + 1;
    refused("the place of its ring of a trace is not inside");
    build_traced("in\0out\0");
    head()->trace = 44 + WORD - 1;
    refused("the places that the kernel writes overlap");
    build_traced("in\0out\0");
    head()->trace = 0;
    refused("the labels of its channels");
    build_traced("in\0out\0");
    file[head()->channels.at + 3] = '\0';
    refused("the name of its channel 1 has 0 bytes");
    for (unsigned i = 0; i <= TRACE_CHANNELS; i++) many[2 * i] = 'a';
    build_traced(many);
    refused("it has labels for 33 channels; 32 are valid");
    many[2 * TRACE_CHANNELS] = '\0';
    build_traced(many);
    assert_true(opens());
    assert_string_equal(module_channel(module_benchmark(1), 31), "a");
    assert_null(module_channel(module_benchmark(1), 32));
    given(NULL);
    assert_true(opens());
    assert_null(module_channel(module_benchmark(0), 0));
}

/* The places of a program that prints or ends are inside, and apart. */
TEST_WITH(test_start, given, NULL)
{
    static const struct {
        struct module_program head;
        const char *why;
    } bad[] = {
        {{.start = 8192, .enter = 16, .output = 4096}, "where it starts"},
        {{.start = 100, .enter = 16, .once = 8192, .output = 4096}, "where it starts"},
        {{.start = 100, .enter = 16384, .output = 4096}, "what it prints"},
        {{.start = 100, .enter = 16, .output = 4097}, "what it prints"},
        {{.start = 100, .enter = 16, .output = 16384 - 4096}, "what it prints"},
        {{.enter = 16, .output = 4096}, "where it starts"},
        {{.once = 200}, "where it starts"},
        {{.start = 100, .output = 4096}, "what it prints"},
        {{.start = 100, .enter = 16}, "what it prints"},
        {{.start = 100, .enter = 4096 + 4, .output = 4096}, "overlap"},
        {{.start = 100, .enter = 4097 - WORD, .output = 4096}, "overlap"},
        {{.start = 100, .enter = 16, .output = 4096, .regions = 16 + WORD - 1}, "overlap"},
        {{.start = 100, .enter = 16, .output = 4096, .regions = 8200}, "overlap"},
        {{.start = 100, .enter = 16, .output = 4096, .trace = 16 + WORD - 1}, "overlap"},
        {{.start = 100, .enter = 16, .output = 4096, .trace = 8200}, "overlap"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct built_program p = prints;
        p.head = bad[i].head;
        size = module_build_program(file, sizeof file, MODULE_BITS, &p, two, 2);
        refused(bad[i].why);
    }
}

TEST_WITH(test_benchmarks, given, NULL)
{
    row(1)->arg[0] = (uint32_t)MODULE_ARG_MAX;
    row(1)->arg[1] = (uint32_t)(MODULE_ARG_MAX >> 32);
    module_sum(file);
    assert_true(opens());
    given(NULL);
    static const char *const bad[] = {"1st", "a-b", "a,b", "_a"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(file + row(0)->name, bad[i], strlen(bad[i]) + 1);
        refused("is not a letter, then letters, digits or _");
    }
    row(1)->entry = 41;
    refused("the entry of its benchmark second_2 is not in its machine code");
    head()->text = 1;
    head()->symbols = 0;
    refused("the entry of its benchmark second_2");
    row(1)->arg[1] = 0x80000000;
    refused("the argument of its benchmark second_2 is no number from 0 to");
    row(1)->arg[0] = UINT32_MAX;
    row(1)->arg[1] =
        MODULE_BITS == 64 ? INT32_MAX : 1; /* INT64_MAX, which stands for no argument, or 33 bits */
    refused("the argument of its benchmark second_2 is no number from 0 to");
    row(1)->name = row(0)->name;
    refused("two benchmarks of the name first");
    row(1)->name = (uint32_t)size;
    refused("the name of its benchmark 1 is not inside");
}

static bool taken(const char *name) { return strcmp(name, "second_2") == 0; }

TEST_WITH(test_taken, given, NULL)
{
    module_names_taken(taken);
    refused("the name of its benchmark second_2 means something else already");
}

/* Kinds beside each other: names are those of a kind. */
TEST_WITH(test_kinds, given, NULL)
{
    static _Alignas(8) uint8_t other[512], third[2048];
    static const struct built_snippet one = {"first", {[SNIPPET_BODY] = {"x", 1}}};
    size_t n = module_build(other, sizeof other, MODULE_BITS, &one, 1);
    assert_true(opens());
    assert_true(module_open(other, n, scratch(), why, sizeof why));
    n = module_build_program(third, sizeof third, MODULE_BITS, &program,
                             &(struct built_benchmark){"third", 1, 0}, 1);
    assert_true(module_open(third, n, scratch(), why, sizeof why));
    assert_int_equal(module_benchmarks(), 3);
    assert_int_equal(module_snippets(), 1);
    assert_string_equal(module_benchmark_name(module_benchmark(2)), "third");
    assert_string_equal(module_snippet_name(module_snippet(0)), "first");
    modules_close();
    struct built_benchmark many[MODULE_BENCHMARKS + 1];
    char name[MODULE_BENCHMARKS + 1][8];
    for (unsigned i = 0; i <= MODULE_BENCHMARKS; i++) {
        snprintf(name[i], sizeof name[i], "b%u", i);
        many[i] = (struct built_benchmark){name[i], 0, 0};
    }
    size = module_build_program(file, sizeof file, MODULE_BITS, &program, many, MODULE_BENCHMARKS + 1);
    assert_false(opens());
    assert_non_null(strstr(why, "more than 64 benchmarks"));
    size = module_build_program(file, sizeof file, MODULE_BITS, &program, many, MODULE_BENCHMARKS);
    assert_true(opens());
}

/* No bit of it may be another. */
TEST_WITH(test_flipped, given, NULL)
{
    for (size_t bit = 0; bit < 8 * size; bit++) {
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (opens()) fail_msg("bit %u is not missed", (unsigned)bit);
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t n = 0; n < size; n++)
        if (module_open(file, n, scratch(), why, sizeof why)) fail_msg("%u bytes were accepted", (unsigned)n);
    assert_true(opens());
}
