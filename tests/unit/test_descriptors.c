/* Modules of kind 3: a descriptor is loaded, verified, and what is wrong with it is named. */
#include "bench/descriptors.h"
#include "include/anechoic/calls.h"
#include "kernel/module.h"
#include "tests/unit/built_descriptor.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

#define STR_(x) #x
#define STR(x)  STR_(x)

static _Alignas(8) uint8_t file[1 << 14];
static _Alignas(4096) uint8_t memory[1 << 16];
static size_t size;
static char why[200];
static struct built_image image;
static uintptr_t calls[ANECHOIC_CALLS_N];
static struct arena pool;

static struct module_header *header(void) { return (struct module_header *)(void *)file; }
static struct module_descriptors *head(void) { return (struct module_descriptors *)(void *)(header() + 1); }
static struct module_benchmark *row(void)
{
    return (struct module_benchmark *)(void *)(file + header()->table);
}

static int given(void **state)
{
    (void)state;
    modules_close();
    module_names_taken(NULL);
    descriptors_forget();
    for (unsigned i = 0; i < ANECHOIC_CALLS_N; i++) calls[i] = 1000 + i;
    pool = (struct arena){memory, sizeof memory, 0};
    memset(memory, 0xaa, sizeof memory);
    built_descriptor(&image);
    size = built_module(file, sizeof file, &image);
    return 0;
}

static bool opens(void)
{
    if (!module_open(file, size, pool, why, sizeof why)) return false;
    if (descriptors_load(&pool, calls, why, sizeof why)) return true;
    module_retract();
    return false;
}

static void expect_refused(const char *part)
{
    const struct bench *list[MODULE_BENCHMARKS];
    if (opens()) fail_msg("accepted, although %s", part);
    if (!strstr(why, part)) fail_msg("\"%s\" without \"%s\"", why, part);
    assert_int_equal(module_descriptors(), 0);
    assert_int_equal(descriptors_benches(list), 0);
    assert_int_equal(pool.size, sizeof memory); /* and as before */
    given(NULL);
}

/* After a change of the file, whose CRC is put right; after one of the image. */
static void refused(const char *part)
{
    module_sum(file);
    expect_refused(part);
}
static void image_refused(const char *part)
{
    size = built_module(file, sizeof file, &image);
    expect_refused(part);
}

TEST_WITH(test_good, given, NULL)
{
    const struct bench *list[MODULE_BENCHMARKS];
    uintptr_t call;
    if (!opens()) fail_msg("%s", why);
    assert_int_equal(descriptors_benches(list), 1);
    const struct bench *b = list[0];
    const uint8_t *at = b->program.image.at;
    assert_string_equal(b->program.name, "mine");
    assert_string_equal(b->program.regions[1], "two");
    assert_string_equal(b->param[1].name, "size");
    assert_int_equal(b->param[0].def, 4);
    assert_true(b->program.users);
    assert_ptr_equal(b->program.image.of, module_descriptor(0));
    assert_ptr_equal((void *)(uintptr_t)b->program.payload, at + 8);
    assert_null(b->memory);
    for (unsigned i = 0; i < ANECHOIC_CALLS_N; i++) {
        memcpy(&call, at + head()->calls + i * sizeof call, sizeof call);
        assert_int_equal(call, calls[i]);
    }
    /* At the pool's end, which does not move at its beginning. */
    assert_ptr_equal(pool.base, memory);
    assert_int_equal(pool.used, 0);
    assert_ptr_equal(at, memory + pool.size);
    assert_int_equal((uintptr_t)at % 4096, 0);
    assert_true(pool.size + head()->program.memory <= sizeof memory);
}

/* What the code does to its image does not change what bench= believes. */
TEST_WITH(test_copy, given, NULL)
{
    const struct bench *list[MODULE_BENCHMARKS];
    assert_true(opens());
    descriptors_benches(list);
    memset((void *)(uintptr_t)list[0]->program.image.at, 0xff, offsetof(struct built_image, label));
    assert_int_equal(list[0]->params, 2);
    assert_int_equal(list[0]->param[0].max, 100);
    assert_int_equal(list[0]->param[1].step, STEP_DOUBLES);
}

TEST_WITH(test_file, given, NULL)
{
    head()->interface = 7;
    refused("it was built for version 7 of the interface, and this kernel has " STR(
        ANECHOIC_INTERFACE) ": build it again");
    head()->calls += 4;
    refused("the place of the kernel's functions");
    head()->calls = head()->program.memory - ANECHOIC_CALLS_N * 8 + 8;
    refused("the place of the kernel's functions");
    head()->calls = UINT32_MAX - 7;
    refused("the place of the kernel's functions");
    head()->program.regions = 64;
    refused("what only a program has");
    head()->program.once = 8;
    refused("where it starts");
    row()->entry = head()->program.memory;
    refused("the descriptor of its benchmark mine is not inside");
    row()->entry++;
    refused("the descriptor of its benchmark mine is not inside");
    row()->arg[1] = 1;
    refused("its benchmark mine has an argument");
    row()->entry = head()->program.memory - 8;
    refused("its benchmark mine has its descriptor outside of the module");
    file[row()->name] = '1';
    refused("is not a letter, then letters");
    file[row()->name] = 'n';
    refused("another name in its descriptor");
    pool.size = 1000;
    module_sum(file);
    assert_false(opens());
    assert_non_null(strstr(why, "of memory, and"));
    assert_int_equal(pool.size, 1000);
}

static bool taken(const char *name) { return strcmp(name, "mine") == 0; }

/* Names are those of programs, too; after a refusal a name is free again. */
TEST_WITH(test_names, given, NULL)
{
    static _Alignas(8) uint8_t other[1 << 12];
    static const struct built_benchmark same = {"mine", 0, 0};
    static const uint8_t code[8] = {0xc3};
    const size_t n =
        module_build_program(other, sizeof other, MODULE_BITS,
                             &(struct built_program){code, sizeof code, NULL, 0, .labels = NULL}, &same, 1);
    image.bench.params = 3;
    size = built_module(file, sizeof file, &image);
    assert_false(opens());
    assert_int_equal(modules_refused(), 1);
    assert_true(module_open(other, n, pool, why, sizeof why));
    size = built_module(file, sizeof file, &image);
    assert_false(opens());
    assert_string_equal(why, "there are two benchmarks of the name mine");
    given(NULL);
    module_names_taken(taken);
    refused("the name of its benchmark mine means something else already");
}

TEST_WITH(test_strings, given, NULL)
{
    image.bench.op = NULL; /* relocated: the image's beginning, which is code */
    image_refused("no .op: a string of 1 to 63 bytes");
    image.bench.op = image.bench.cost;
    image_refused("no .op");
    image.bench.cost = (const char *)(uintptr_t)1000000;
    image_refused("no .cost");
    image.bench.program.desc = (const char *)(intptr_t)-8;
    image_refused("no .program.desc");
    image.bench.program.name = image.bench.op;
    image_refused("another name");
    memset(image.text + 5, 'x', sizeof image.text - 5);
    image_refused("no .program.desc");
    image.param[1].unit = NULL;
    image_refused("no unit or no help of its parameter size");
    image.label[1] = (const char *)(uintptr_t)500000;
    image_refused("no label of a region");
    image.bench.program.channels = (const char *const *)(uintptr_t)(offsetof(struct built_image, label) + 4);
    image_refused("labels of channels without a NULL");
    image.bench.program.regions = (const char *const *)(uintptr_t)(offsetof(struct built_image, label) + 4);
    image_refused("labels of regions without a NULL");
    image.bench.program.regions = (const char *const *)(uintptr_t)(1 << 20);
    image_refused("labels of regions without a NULL");
}

TEST_WITH(test_functions, given, NULL)
{
    image.bench.program.payload = (payload_fn *)BUILT_TEXT;
    image_refused("its payload outside of the module's code");
    image.bench.program.payload = (payload_fn *)(intptr_t)-1;
    image_refused("its payload outside");
    image.bench.program.prepare = (bool (*)(struct bench_run *))1000;
    image_refused("its prepare() outside");
    image.bench.program.before = (void (*)(const struct bench_run *))1000; /* no relocation: as it is */
    image_refused("its before() outside");
    image.bench.experiment = (void (*)(struct lab *))8;
    image_refused("its experiment outside");
    image.bench.memory = (uint64_t(*)(const int64_t *, const struct cache_info *))8;
    image_refused("its memory() outside");
    image.bench.variant[0].payload = (payload_fn *)8;
    image_refused("no name of a variant");
    image.bench.found = (const struct bench_found *)8;
    image_refused(".found, which only the kernel's own");
    image.bench.events_at_once = (unsigned (*)(const int64_t *))8;
    image_refused(".events_at_once, which only");
    image.bench.sampling = (const struct bench_sampling *)8;
    image_refused(".sampling, which is the kernel's");
    *(uint8_t *)&image.bench.main_job = 2;
    image_refused("a flag that is neither");
}

TEST_WITH(test_params, given, NULL)
{
    static const struct {
        int64_t min, max, step, def;
        const char *why; /* NULL: it is good */
    } rows[] = {
        {1, 100, 3, 100, NULL},
        {1, 100, 3, 2, "a default"},
        {1, 100, 3, 103, "a default"},
        {1, 100, 0, 100, NULL},
        {0, 100, 0, 0, NULL},
        {5, 100, 0, 0, NULL},
        {5, 100, 0, 4, "a default"},
        {-1, 100, 1, 0, "limits or a step"},
        {9, 8, 1, 8, "limits or a step"},
        {1, INT64_MAX, 1, 1, "limits or a step"},
        {1, 9, INT64_MAX, 1, "limits or a step"},
        {1, 9, -2, 1, "limits or a step"},
        {0, 64, STEP_DOUBLES, 64, "limits or a step"},
        {1, 64, STEP_DOUBLES, 48, "a default"},
        {1, 64, STEP_DOUBLES, 32, NULL},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench_param *p = &image.param[0];
        p->min = rows[i].min, p->max = rows[i].max, p->step = rows[i].step, p->def = rows[i].def;
        if (rows[i].why) {
            image_refused(rows[i].why);
            continue;
        }
        size = built_module(file, sizeof file, &image);
        if (!opens()) fail_msg("row %u: %s", i, why);
        given(NULL);
    }
    *(uint8_t *)&image.param[1].range = 3;
    image_refused("limits or a step");
    image.param[0].name = image.param[1].name;
    image_refused("two parameters size");
    image.param[0].name = image.bench.cost;
    image_refused("no name of its parameter 0");
    strcpy(image.text + 5, "variant");
    image.param[0].name = image.bench.program.desc;
    image_refused("no name of its parameter 0");
    image.bench.params = 7;
    image.bench.param = (const struct bench_param *)(uintptr_t)(sizeof image - 64);
    image_refused("no name of its parameter 0");
    image.bench.param = (const struct bench_param *)(uintptr_t)(1 << 20);
    image_refused("its 2 parameters outside");
}

/* No bit of it may be another, and none may be missing. */
TEST_WITH(test_flipped, given, NULL)
{
    for (size_t bit = 0; bit < 8 * size; bit++) {
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (opens()) fail_msg("bit %u is not missed", (unsigned)bit);
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t n = 0; n < size; n++)
        if (module_open(file, n, pool, why, sizeof why)) fail_msg("%u bytes were accepted", (unsigned)n);
    assert_true(opens());
}
