/* Programs of the user's in records: what they print, how they end, where they trap. */
#include "bench/payload.h"
#include "kernel/module.h"
#include "measure/run.h"
#include "report/emit.h"
#include "tests/unit/emit_drive.h"
#include "tests/unit/module_builder.h"

bool fpu_init(void) { return true; } /* for what a trap is left with, which is not tested here */

static const uint8_t large[8192] = {1}; /* the memory is twice this, and has room for what is printed */
static const struct module_symbol functions[] = {{0, 16, 0}, {16, 8, 0}, {200, 0, 0}};
static const struct built_program program = {large,
                                             sizeof large,
                                             NULL,
                                             0,
                                             .symbol = functions,
                                             .symbols = 3,
                                             .head = {.start = 100, .enter = 128, .output = 4096}};

static _Alignas(8) uint8_t file[1 << 14];
static const struct bench *bench[MODULE_BENCHMARKS];
static struct plan_item user_item;
static struct run user_run;
static struct module_output *left;

static int load(void **state)
{
    char why[160];
    session(state);
    modules_close();
    module_build_program(file, sizeof file, MODULE_BITS, &program, &(struct built_benchmark){"mine", 8, 5},
                         1);
    assert_true(module_open(file, sizeof file, (struct arena){memory, sizeof memory, 0}, why, sizeof why));
    assert_int_equal(payload_benches(bench), 1);
    arena = (struct arena){memory, sizeof memory, 0};
    user_item = (struct plan_item){.bench = bench[0], .param = {5}};
    user_run = (struct run){.item = &user_item, .program = bench_program(bench[0], 0)};
    user_run.bench = (struct bench_run){.param = {5}, .arena = &arena, .own = bench[0]->program.own};
    assert_true(bench[0]->program.prepare(&user_run.bench));
    left = (struct module_output *)(uintptr_t)payload_output(&user_run.bench);
    return 0;
}

static const char *of(unsigned i, const char *field)
{
    return json_string_value(json_object_get(record[i], field));
}
static json_int_t number(unsigned i, const char *field)
{
    return json_integer_value(json_object_get(record[i], field));
}

static void prints(const char *what, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        if (left->bytes + strlen(what) <= sizeof left->text)
            memcpy(left->text + left->bytes, what, strlen(what));
        left->bytes += (uint32_t)strlen(what);
    }
}

TEST_WITH(nothing, load, forget)
{
    emit_printed(&user_run, 0);
    assert_int_equal(records, 0);
    emit_printed(&run, 0); /* the kernel's own */
    assert_int_equal(records, 0);
}

TEST_WITH(lines, load, forget)
{
    prints("one\n\ntwo\t\x80\n", 1);
    prints("no end", 1);
    emit_printed(&user_run, 3);
    assert_int_equal(records, 1);
    assert_string_equal(of(0, "text"), "one\n\ntwo??\nno end");
    assert_string_equal(of(0, "bench"), "mine");
    assert_int_equal(number(0, "ring"), 3);
    assert_null(json_object_get(record[0], "cut"));
    expect("mine printed:\n  | one\n  |\n  | two??\n  | no end\n");
}

/* Pieces end where lines end, where there is an end; what did not fit is said once. */
TEST_WITH(much, load, forget)
{
    prints("123456789 123456789 123456789 123456789 123456789 123456789 \n", 10);
    emit_printed(&user_run, 0);
    assert_int_equal(records, 2);
    assert_int_equal(number(1, "first"), 8 * 61);
    forget(NULL);
    left->bytes = 0;
    memset(left->text, 'x', sizeof left->text);
    left->bytes = MODULE_OUTPUT_BYTES + 7;
    emit_printed(&user_run, 0);
    assert_int_equal(records, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(strlen(of(i, "text")), 512);
        assert_int_equal(number(i, "first"), 512 * i);
        assert_int_equal(json_object_get(record[i], "cut") != NULL, i == 7);
    }
    assert_int_equal(number(7, "cut"), 7);
    assert_non_null(strstr(text, "\n  ! 7 more bytes were not kept\n"));
}

TEST_WITH(ends, load, forget)
{
    static const struct {
        uint32_t ended;
        int32_t status;
        const char *want;
    } how[] = {{MODULE_EXITED, 3, "mine: exit(3) was called"},
               {MODULE_EXITED, -1, "mine: exit(-1) was called"},
               {MODULE_ABORTED, 1, "mine: abort() was called"},
               {77, 5, "mine: exit(5) was called"}};
    run_judge_end(&user_run);
    assert_int_equal(user_run.status, RUN_OK);
    for (unsigned i = 0; i < N(how); i++) {
        user_run.status = RUN_OK;
        left->ended = how[i].ended;
        left->status = how[i].status;
        run_judge_end(&user_run);
        assert_int_equal(user_run.status, RUN_EXITED);
        forget(NULL);
        emit_run_failure(&user_run);
        assert_string_equal(of(0, "message"), how[i].want);
    }
    user_run.status = RUN_TRAP; /* that is what ended it */
    run_judge_end(&user_run);
    assert_int_equal(user_run.status, RUN_TRAP);
}

/* A trap has its function, where one is there. */
TEST_WITH(traps, load, forget)
{
    static const struct {
        uint32_t at;
        const char *symbol;
    } where[] = {{0, "f0+0x0"},
                 {15, "f0+0xf"},
                 {23, "f1+0x7"},
                 {24, NULL},
                 {199, NULL},
                 {200, "f2+0x0"},
                 {sizeof large - 1, "f2+0x1f37"},
                 {sizeof large, NULL}};
    for (unsigned i = 0; i < N(where); i++) {
        char message[200];
        const uint64_t ip = (uintptr_t)user_run.bench.image.at + where[i].at;
        user_run.status = RUN_TRAP;
        user_run.trap = (struct trap){.vector = 6, .ip = ip};
        forget(NULL);
        emit_run_failure(&user_run);
        snprintf(message, sizeof message,
                 "mine: #UD invalid opcode at 0x%llx%s%s%s; this benchmark is abandoned, the others go on",
                 (unsigned long long)ip, where[i].symbol ? " (" : "", where[i].symbol ? where[i].symbol : "",
                 where[i].symbol ? ")" : "");
        assert_string_equal(of(0, "message"), message);
        assert_string_equal(of(0, "module"), "built");
        assert_string_equal(of(0, "build_id"), "abababababababababababababababababababab");
        if (where[i].symbol)
            assert_string_equal(of(0, "symbol"), where[i].symbol);
        else
            assert_null(of(0, "symbol"));
    }
}
