/* Breakpoints of a run: names become addresses of what is run, and what has none is refused. */
#include "kernel/module.h"
#include "kernel/user.h"
#include "measure/breakpoint.h"
#include "measure/options.h"
#include "tests/unit/fake_breakpoint.h"
#include "tests/unit/fake_trap.h"
#include "tests/unit/module_builder.h"
#include "tests/unit/unit.h"
#include <string.h>

/* Nothing is executed here. */
void trap_guard_after(struct trap_guard *g) { (void)g; }
void user_call(void *top, user_fn *fn, void *a, void *b, void *c)
{
    (void)top, (void)fn, (void)a, (void)b, (void)c;
}

static void payload(void *arg) { (void)arg; }
static uint32_t words[4];
static struct options opt;
static struct run run;

static int given(void **state)
{
    (void)state;
    memset(fake_breakpoints, 0, sizeof fake_breakpoints);
    opt = (struct options){.reps = 1};
    run = (struct run){.program = {.name = "mine", .payload = payload},
                       .bench = {.payload = payload, .arg = words}};
    return 0;
}

static struct text_part part(const char *s) { return (struct text_part){s, strlen(s)}; }

TEST_WITH(test_places, given, NULL)
{
    opt.breakpoint[0] = (struct breakpoint){part("mine"), 0, BREAKPOINT_CODE, 1};
    opt.breakpoint[1] = (struct breakpoint){part("arg,4,w"), 4, BREAKPOINT_WRITE, 4};
    opt.breakpoint[1].name.len = 3;
    opt.breakpoint[3] = (struct breakpoint){{NULL, 0}, 0x3f8, BREAKPOINT_IO, 2};
    assert_true(breakpoints_arm(&run, &opt));
    assert_int_equal(fake_breakpoints[0].at, (uintptr_t)payload);
    assert_true(fake_breakpoints[0].kind == BREAKPOINT_CODE && fake_breakpoints[0].len == 1);
    assert_int_equal(fake_breakpoints[1].at, (uintptr_t)&words[1]);
    assert_true(fake_breakpoints[1].kind == BREAKPOINT_WRITE && fake_breakpoints[1].len == 4);
    assert_int_equal(fake_breakpoints[2].len, 0); /* not given: left alone */
    assert_true(fake_breakpoints[3].at == 0x3f8 && fake_breakpoints[3].kind == BREAKPOINT_IO);
}

TEST_WITH(test_refused, given, NULL)
{
    opt.breakpoint[2] = (struct breakpoint){part("min"), 0, BREAKPOINT_CODE, 1};
    assert_false(breakpoints_arm(&run, &opt));
    assert_int_equal(run.status, RUN_PREPARE);
    assert_string_equal(run.bench.error, "dr2=: there is no \"min\" here; valid: an address, mine, arg");
    opt.breakpoint[2] = (struct breakpoint){part("arg"), 2, BREAKPOINT_ACCESS, 4};
    assert_false(breakpoints_arm(&run, &opt));
    assert_non_null(strstr(run.bench.error, "is not a multiple of its length, 4"));
    assert_int_equal(fake_breakpoints[2].len, 0);
}

/* A user's program: its functions, where this run has them; its argument is a number. */
TEST_WITH(test_program, given, NULL)
{
    static _Alignas(8) uint8_t file[4096], memory[1 << 14];
    static const uint8_t code[64] = {0xc3};
    static const struct module_symbol functions[] = {{0, 8, 0}, {24, 8, 0}};
    static const struct built_program program = {code, sizeof code, NULL, 0, functions, 2, .labels = NULL};
    static const struct built_benchmark entry = {"mine", 24, 0};
    struct arena arena = {memory, sizeof memory, 0};
    char why[160];
    const size_t size = module_build_program(file, sizeof file, sizeof(void *) * 8, &program, &entry, 1);
    assert_true(module_open(file, size, arena, why, sizeof why));
    const struct module_benchmark *of = module_benchmark(0);
    const uint8_t *image = module_load(of, &arena);
    run.bench.image = (struct bench_image){image, of, image + 24};
    opt.breakpoint[0] = (struct breakpoint){part("f1"), 3, BREAKPOINT_CODE, 1};
    opt.breakpoint[1] = (struct breakpoint){part("mine"), 0, BREAKPOINT_CODE, 1};
    assert_true(breakpoints_arm(&run, &opt));
    assert_int_equal(fake_breakpoints[0].at, (uintptr_t)image + 24 + 3);
    assert_int_equal(fake_breakpoints[1].at, (uintptr_t)image + 24);
    opt.breakpoint[1] = (struct breakpoint){part("arg"), 0, BREAKPOINT_CODE, 1};
    assert_false(breakpoints_arm(&run, &opt));
    assert_string_equal(run.bench.error, "dr1=: there is no \"arg\" here; valid: an address, mine, the name "
                                         "of a function of its module");
    opt.breakpoint[1].name = part("f2");
    assert_false(breakpoints_arm(&run, &opt));
    modules_close();
}
