/* Modules: what is read of a good one, and that everything else is refused, by name of what is wrong. */
#include "kernel/module.h"
#include "tests/unit/module_builder.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART(text)            \
    {                         \
        text, sizeof text - 1 \
    }

static const struct built_snippet three[] = {
    {"nop", {[SNIPPET_BODY] = PART("\x90")}},
    {"empty", {{NULL, 0}}},
    {"all parts", {PART("once"), PART("init"), PART("late"), PART("body")}},
};
static _Alignas(8) uint8_t file[4096], memory[1 << 16];
static size_t size;
static char why[160];

static struct arena scratch(void) { return (struct arena){memory, sizeof memory, 0}; }
static struct module_header *header(void) { return (struct module_header *)(void *)file; }
static struct module_snippet *row(unsigned i)
{
    return (struct module_snippet *)(void *)(file + header()->table) + i;
}

static int given(void **state)
{
    (void)state;
    modules_close();
    size = module_build(file, sizeof file, MODULE_BITS, three, 3);
    why[0] = '\0';
    return 0;
}

/* From a copy of exactly this size, so that a byte too far is seen. */
static bool opens(const void *bytes, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    memcpy(copy, bytes, n);
    const bool good = module_open(copy, n, scratch(), why, sizeof why);
    if (!good) free(copy); /* else it stays, and the sanitizer knows it by what is open */
    return good;
}

static void refused(const char *part)
{
    module_sum(file);
    if (opens(file, size)) fail_msg("accepted, although %s", part);
    if (!strstr(why, part)) fail_msg("\"%s\" without \"%s\"", why, part);
    assert_int_equal(module_snippets(), 0);
    assert_int_equal(modules_refused(), 1);
    modules_close();
    assert_int_equal(modules_refused(), 0);
}

static void is(struct module_bytes b, const char *text)
{
    assert_int_equal(b.n, strlen(text));
    assert_memory_equal(b.at, text, b.n);
}

TEST_WITH(test_good, given, NULL)
{
    static const char *const parts[] = {"once", "init", "late", "body"};
    if (!module_open(file, size, scratch(), why, sizeof why)) fail_msg("%s", why);
    assert_int_equal(module_snippets(), 3);
    for (unsigned i = 0; i < 3; i++)
        assert_string_equal(module_snippet_name(module_snippet(i)), three[i].name);
    is(module_snippet_part(module_snippet(0), SNIPPET_BODY), "\x90");
    for (unsigned p = 0; p < SNIPPET_PARTS; p++) {
        assert_int_equal(module_snippet_part(module_snippet(1), p).n, 0);
        is(module_snippet_part(module_snippet(2), p), parts[p]);
    }
}

/* Loaders may load more than the file, never less. */
TEST_WITH(test_sizes, given, NULL)
{
    for (size_t n = 0; n < size; n++) {
        if (opens(file, n)) fail_msg("%u bytes were accepted", (unsigned)n);
        if (!strstr(why, n < 8 ? "no module" : "truncated")) fail_msg("%u bytes: %s", (unsigned)n, why);
    }
    assert_false(module_open(NULL, size, scratch(), why, sizeof why));
    assert_non_null(strstr(why, "cannot be read"));
    memset(file + size, 0xff, 100);
    assert_true(module_open(file, size + 100, scratch(), why, sizeof why));
}

/* No bit of it may be another. */
TEST_WITH(test_flipped, given, NULL)
{
    for (size_t bit = 0; bit < 8 * size; bit++) {
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (opens(file, size)) fail_msg("bit %u is not missed", (unsigned)bit);
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(module_open(file, size, scratch(), why, sizeof why));
}

TEST_WITH(test_header, given, NULL)
{
    header()->version = 1;
    refused("version 1, but this kernel reads version 2");
    given(NULL);
    header()->kind = MODULE_KINDS;
    refused("kind 4, but this kernel knows kinds 1 (snippets), 2 (a program) and 3 (benchmarks)");
    given(NULL);
    header()->kind = 0;
    refused("kind 0, but");
    given(NULL);
    header()->bits = 96 - MODULE_BITS;
    refused(MODULE_BITS == 64 ? "for 32 bits, but this kernel executes 64" : "for 64 bits");
    given(NULL);
    header()->count = 0;
    refused("no snippet");
    given(NULL);
    assert_false(module_open(memcpy(memory + 1, file, size), size, scratch(), why, sizeof why));
    assert_non_null(strstr(why, "no multiple of 4"));
    header()->bytes = 8; /* its CRC cannot be put right */
    assert_false(opens(file, size));
    assert_non_null(strstr(why, "CRC"));
}

TEST_WITH(test_table, given, NULL)
{
    static const struct {
        uint32_t table, count;
    } bad[] = {{38, 3}, {0, 3}, {32, 3}, {36, 1000}, {0xfffffff0, 3}, {36, 0x80000000}, {4092, 1}};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        given(NULL);
        header()->table = bad[i].table;
        header()->count = bad[i].count;
        refused("its table of");
    }
    given(NULL); /* up to the last byte of the file, and no further */
    const size_t two = header()->table + 2 * sizeof(struct module_snippet);
    memcpy(file + two, "a", 2);
    *row(0) = *row(1) = (struct module_snippet){.name = (uint32_t)two};
    header()->count = 1;
    header()->table += sizeof(struct module_snippet);
    header()->bytes = (uint32_t)(size = two);
    row(0)->name = header()->table + 35; /* its own last byte, 0 */
    refused("has 0 bytes");
}

TEST_WITH(test_names, given, NULL)
{
    static const uint32_t outside[] = {0, 35, 0xffffffff};
    for (unsigned i = 0; i < 3; i++) {
        given(NULL);
        row(1)->name = outside[i];
        refused("the name of its snippet 1 is not inside");
    }
    row(1)->name = (uint32_t)size;
    refused("the name of its snippet 1 is not inside");
    given(NULL);
    file[row(2)->name + 3] = '\n';
    refused("the name of its snippet 2 is not printable");
    given(NULL);
    file[row(2)->name + 3] = 0x7f;
    refused("not printable");
    given(NULL);
    file[row(2)->name] = 0;
    refused("the name of its snippet 2 has 0 bytes; 1 to 63");
    given(NULL);
    memset(file + size, 'x', 200);
    row(0)->name = (uint32_t)size;
    size += 64;
    header()->bytes = (uint32_t)size;
    refused("the name of its snippet 0 has no end");
    file[size++] = 0;
    header()->bytes = (uint32_t)size;
    refused("has 64 bytes");
    row(0)->name++;
    module_sum(file);
    assert_true(module_open(file, size, scratch(), why, sizeof why));
}

TEST_WITH(test_code, given, NULL)
{
    const struct module_code bad[] = {{0, 1},
                                      {35, 1},
                                      {0xffffffff, 2},
                                      {40, 0xffffffff},
                                      {40, 0},
                                      {(uint32_t)size, 1},
                                      {(uint32_t)size - 3, 4}};
    for (unsigned p = 0; p < SNIPPET_PARTS; p++)
        for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
            given(NULL);
            row(1)->part[p] = bad[i];
            refused("code of its snippet empty is not inside");
        }
    given(NULL);
    row(1)->part[SNIPPET_BODY] = (struct module_code){(uint32_t)size - 4, 4};
    module_sum(file);
    assert_true(module_open(file, size, scratch(), why, sizeof why));
}

/* In one module and in two. */
TEST_WITH(test_unique, given, NULL)
{
    static _Alignas(8) uint8_t other[4096];
    row(2)->name = row(0)->name;
    refused("two snippets of the name nop");
    given(NULL);
    assert_true(module_open(file, size, scratch(), why, sizeof why));
    size_t n = module_build(other, sizeof other, MODULE_BITS, three + 1, 1);
    assert_false(module_open(other, n, scratch(), why, sizeof why));
    assert_non_null(strstr(why, "two snippets of the name empty"));
    assert_int_equal(module_snippets(), 3);
    const struct built_snippet own = {"other", {[SNIPPET_BODY] = PART("xy")}};
    n = module_build(other, sizeof other, MODULE_BITS, &own, 1);
    assert_true(module_open(other, n, scratch(), why, sizeof why));
    assert_int_equal(module_snippets(), 4);
    assert_string_equal(module_snippet_name(module_snippet(3)), "other");
    is(module_snippet_part(module_snippet(3), SNIPPET_BODY), "xy");
    is(module_snippet_part(module_snippet(2), SNIPPET_BODY), "body");
}

/* Thousands, whose names share slots, and what the verification needs of memory. */
#define MANY 12000
#define ROOM (8 * 32768) /* the power of two above twice as many pointers */
TEST_WITH(test_many, given, NULL)
{
    static struct built_snippet many[MANY];
    static char name[MANY][8];
    const size_t cap = MANY * (sizeof(struct module_snippet) + sizeof name[0]) + 64;
    uint8_t *big = malloc(cap), *room = malloc(ROOM);
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(name[i], sizeof name[i], "%u", i);
        many[i].name = name[i];
    }
    const size_t n = module_build(big, cap, MODULE_BITS, many, MANY);
    struct arena little = {room, ROOM - 1, 0}, enough = {room, ROOM, 0};
    assert_false(module_open(big, n, little, why, sizeof why));
    assert_non_null(strstr(why, "not enough memory to verify its 12000 snippets"));
    if (!module_open(big, n, enough, why, sizeof why)) fail_msg("%s", why);
    assert_string_equal(module_snippet_name(module_snippet(MANY - 1)), "11999");
    modules_close();
    many[MANY - 1].name = "0";
    module_build(big, cap, MODULE_BITS, many, MANY);
    assert_false(module_open(big, n, enough, why, sizeof why));
    free(big);
    free(room);
}

TEST_WITH(test_too_many, given, NULL)
{
    static _Alignas(8) uint8_t each[MODULES + 1][128];
    static char name[MODULES + 1][4];
    for (unsigned i = 0; i <= MODULES; i++) {
        snprintf(name[i], sizeof name[i], "%u", i);
        const struct built_snippet one = {name[i], {{NULL, 0}}};
        const size_t n = module_build(each[i], sizeof each[i], MODULE_BITS, &one, 1);
        assert_int_equal(module_open(each[i], n, scratch(), why, sizeof why), i < MODULES);
    }
    assert_non_null(strstr(why, "this kernel takes 16 modules at most"));
}
