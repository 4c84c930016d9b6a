/* A module with a program, in memory: what it is built of, and its parts, for tests that change them. */
#pragma once
#include "kernel/module.h"
#include "tests/unit/module_builder.h"
#include "tests/unit/unit.h"
#include <string.h>

#define WORD ((uint32_t)sizeof(uintptr_t))

static const uint8_t image[41] = {[8] = 5, [24] = 7, [40] = 0xc3}; /* two words, and a RET */
static const uint32_t words[] = {8, 24};
static const struct module_symbol functions[] = {{0, 8, 0}, {8, 0, 0}, {20, 5, 0}, {40, 1, 0}};
static const struct built_program program = {
    image,
    sizeof image,
    words,
    2,
    .symbol = functions,
    .symbols = 4,
    .labels = "one\0two\0",
    .head = {.regions = 44},
};
static const uint8_t large[8192] = {1};
static const struct built_program prints = {large, sizeof large, words, 0,
                                            .head = {.start = 100, .enter = 16, .once = 200, .output = 4096}};
static const struct built_benchmark two[] = {{"first", 40, 3}, {"second_2", 0, 1u << 31}};

static _Alignas(8) uint8_t file[1 << 16], memory[1 << 16];
static size_t size;
static char why[160];

static inline struct arena scratch(void) { return (struct arena){memory, sizeof memory, 0}; }
static inline struct module_header *header(void) { return (struct module_header *)(void *)file; }
static inline struct module_program *head(void)
{
    return (struct module_program *)(void *)(file + sizeof *header());
}
static inline struct module_benchmark *row(unsigned i)
{
    return (struct module_benchmark *)(void *)(file + header()->table) + i;
}
static inline struct module_symbol *symbol(unsigned i)
{
    return (struct module_symbol *)(void *)(file + head()->symbol) + i;
}
static inline uint32_t *relocation(void) { return (uint32_t *)(void *)(file + head()->relocation); }

static inline int given(void **state)
{
    (void)state;
    modules_close();
    module_names_taken(NULL);
    size = module_build_program(file, sizeof file, MODULE_BITS, &program, two, 2);
    memset(memory, 0xaa, sizeof memory);
    return 0;
}

static inline bool opens(void) { return module_open(file, size, scratch(), why, sizeof why); }

/* After a change to the file, whose CRC is put right. */
static inline void refused(const char *part)
{
    module_sum(file);
    if (opens()) fail_msg("accepted, although %s", part);
    if (!strstr(why, part)) fail_msg("\"%s\" without \"%s\"", why, part);
    assert_int_equal(module_benchmarks(), 0);
    given(NULL);
}

/* The ring of a trace, and the labels of its channels. */
static inline void build_traced(const char *channels)
{
    struct built_program traced = program;
    traced.channels = channels;
    traced.head.trace = 56;
    size = module_build_program(file, sizeof file, MODULE_BITS, &traced, two, 2);
}
