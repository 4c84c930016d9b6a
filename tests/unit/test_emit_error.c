/* Errors as records: what is quoted of the command line, and what is said of traps and failed runs. */
#include "kernel/fpu.h"
#include "report/emit.h"
#include "tests/unit/emit_drive.h"
#include "tests/unit/fake_hw.h"
#include <stdio.h>
#include <string.h>

bool fpu_init(void) { return true; } /* for what a trap is left with, which is not tested here */

static const char *of(const char *field) { return json_string_value(json_object_get(record[0], field)); }

#define EIGHT      "12345678"
#define LETTERS_64 EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT

static void quote(const char *line, size_t from, size_t len)
{
    const struct word w = {.text = line, .len = strlen(line), .index = 1};
    const struct fault f = {
        .line = line, .word = &w, .part = line + from, .part_len = len, .what = "unknown", .valid = "v"};
    emit_word_fault(&f, line);
}

static json_int_t number(const char *field) { return json_integer_value(json_object_get(record[0], field)); }

/* line, column and length of the fault at this part. */
static void expect_shown(const char *line, size_t from, size_t len, const char *shown, unsigned column,
                         unsigned length)
{
    forget(NULL);
    quote(line, from, len);
    assert_string_equal(of("line"), shown);
    assert_int_equal(number("column"), column);
    assert_int_equal(number("length"), length);
}

TEST_WITH(quoted_whole, session, forget)
{
    quote(LETTERS_64, 0, 64);
    assert_string_equal(of("word"), LETTERS_64);
    assert_string_equal(of("message"), "unknown: \"" LETTERS_64 "\"");
    assert_string_equal(of("place"), "word 1, byte 1");
}

/* What is not shown is marked. */
TEST_WITH(clipped, session, forget)
{
    quote(LETTERS_64 EIGHT "9", 1, 71);
    assert_string_equal(of("word"), LETTERS_64 "...");
    assert_non_null(strstr(of("message"), "unknown: \"2345678"));
    assert_non_null(strstr(of("message"), "81...\" in \"" LETTERS_64 "...\""));
}

/* A reason stands in the message, after the part. */
TEST_WITH(reason, session, forget)
{
    static const char line[] = "reps=3 events=foo";
    const struct word w = {.text = line + 7, .len = 10, .index = 2};
    const struct fault f = {line, &w, line + 14, 3, "unknown event", "a Pentium has none", "v"};
    emit_word_fault(&f, line);
    assert_string_equal(of("message"), "unknown event: \"foo\": a Pentium has none");
    assert_string_equal(of("place"), "word 2, byte 15");
}

/* The line as the user wrote it; of a long one, the piece around the fault. */
TEST_WITH(line_shown, session, forget)
{
    static const char tens[] = "123456789 123456789 123456789 123456789 123456789 123456789 123456789 "
                               "123456789 123456789 123456789 ";
    static const char exactly_72[] =
        "123456789 123456789 123456789 123456789 123456789 123456789 123456789 12";
    expect_shown("reps=10k\tb=\001\xff", 5, 3, "reps=10k b=??", 6, 3);
    expect_shown("reps=", 5, 0, "reps=", 6, 0);
    expect_shown(exactly_72, 70, 2, exactly_72, 71, 2);
    expect_shown(tens, 10, 9, "123456789 123456789 123456789 123456789 123456789 123456789 123456789...", 11,
                 9);
    expect_shown(tens, 30, 9, "123456789 123456789 123456789 123456789 123456789 123456789 123456789...", 31,
                 9);
    expect_shown(tens, 37, 2, "...56789 123456789 123456789 123456789 123456789 123456789 123456789 ...", 37,
                 2);
    expect_shown(tens, 50, 9, "...89 123456789 123456789 123456789 123456789 123456789 123456789 123...", 37,
                 9);
    expect_shown(tens, 100, 0, "...23456789 123456789 123456789 123456789 123456789 123456789 123456789 ", 73,
                 0);
    expect_shown(tens, 40, 60, "...89 123456789 123456789 123456789 123456789 123456789 123456789 123...", 37,
                 36);
}

/* ---- traps ---- */

static const struct trap fault_14 = {.vector = 14,
                                     .error = 2,
                                     .ip = 0x123456789abc,
                                     .sp = 0x7000,
                                     .flags = 0x10246,
                                     .cr2 = 0xdead000,
                                     .cs = 0x1b,
                                     .reg = {[0] = 0xa, [1] = 0xc, [TRAP_REGS - 1] = 0xf}};

/* Vector, error code and each register. */
static void expect_trap(void)
{
    const json_t *registers = json_object_get(record[0], "registers");
    assert_int_equal(number("vector"), 14);
    assert_string_equal(of("error_code"), "0x2");
    assert_string_equal(of("name"), "#PF page fault");
    assert_string_equal(of("error_code_text"), "write to a page not present, 0xdead000, CPL 0-2");
    assert_string_equal(of("address"), "0x123456789abc");
    assert_int_equal(json_object_size(registers), TRAP_REGS + 3);
    for (unsigned i = 0; i < TRAP_REGS; i++) {
        char want[24];
        const char *hex = json_string_value(json_object_get(registers, trap_reg_name(i)));
        snprintf(want, sizeof want, "0x%llx", (unsigned long long)fault_14.reg[i]);
        assert_non_null(hex);
        assert_string_equal(hex, want);
    }
    assert_string_equal(json_string_value(json_object_get(registers, "cs")), "0x1b");
    assert_string_equal(json_string_value(json_object_get(registers, "flags")), "0x10246");
    assert_string_equal(json_string_value(json_object_get(registers, "cr2")), "0xdead000");
}

TEST_WITH(panic, session, forget)
{
    emit_panic(&fault_14);
    expect_trap();
    assert_string_equal(of("what"), "kernel");
    assert_string_equal(of("message"), "the kernel itself failed: #PF page fault at 0x123456789abc");
}

TEST_WITH(failed_runs, session, forget)
{
    struct run failed = {.status = RUN_TRAP, .trap = fault_14, .program = {.name = "walk", .variant = "up"}};
    emit_run_failure(&failed);
    expect_trap();
    assert_string_equal(of("what"), "benchmark");
    assert_string_equal(of("bench"), "walk");
    assert_string_equal(of("variant"), "up");
    assert_string_equal(of("message"),
                        "walk up: #PF page fault at 0x123456789abc; this benchmark is abandoned, the "
                        "others go on");
    forget(NULL);
    failed.status = RUN_CANCELLED;
    failed.program.variant = "";
    emit_run_failure(&failed);
    assert_string_equal(of("message"), "walk: cancelled by Ctrl-C");
    assert_null(of("variant"));
    assert_null(json_object_get(record[0], "registers"));
    forget(NULL);
    failed.status = RUN_PREPARE;
    failed.program.variant = NULL;
    strcpy(failed.bench.error, "no memory for it");
    emit_run_failure(&failed);
    assert_string_equal(of("message"), "walk: no memory for it");
    assert_null(of("variant"));
}

TEST_WITH(module, session, forget)
{
    static const struct module_fault fault = {"x.mod", "its CRC is wrong"};
    emit_module_fault(&fault);
    assert_string_equal(of("what"), "module");
    assert_string_equal(of("module"), "x.mod");
    assert_string_equal(of("message"), "x.mod: not used, since its CRC is wrong");
}

/* Where in copied code: of the baseline's copies, the payload's, or of neither. */
TEST_WITH(in_copies, session, forget)
{
    static const struct {
        uint64_t ip;
        int copy, byte;
    } cases[] = {{0x1000, 0, 0}, {0x103f, 0, 0}, {0x1040, 1, 0}, {0x1044, 1, 4},
                 {0x1045, 2, 0}, {0x1053, 4, 4}, {0x1054, 0, 0}, {0x203f, 0, 0},
                 {0x2040, 1, 0}, {0x2067, 8, 4}, {0x2068, 0, 0}, {0x903, 0, 0}};
    struct run failed = {.status = RUN_TRAP, .program = {.name = "code", .variant = "x"}};
    failed.bench.baseline = (payload_fn *)0x1000;
    failed.bench.payload = (payload_fn *)0x2000;
    failed.bench.copies = (struct bench_copies){.head = 0x40, .bytes = 5, .shorter = 4, .longer = 8};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        failed.trap.ip = cases[i].ip;
        forget(NULL);
        emit_run_failure(&failed);
        assert_int_equal(number("copy"), cases[i].copy); /* 0: absent */
        assert_int_equal(json_object_get(record[0], "byte") != NULL, cases[i].copy != 0);
        if (!cases[i].copy) continue;
        assert_int_equal(number("byte"), cases[i].byte);
        snprintf(text, sizeof text, "at 0x%x, byte %d of copy %d; this", (unsigned)cases[i].ip, cases[i].byte,
                 cases[i].copy);
        assert_non_null(strstr(of("message"), text));
    }
    failed.status = RUN_ENDED;
    failed.trap.ip = 0x1045;
    forget(NULL);
    emit_run_failure(&failed);
    assert_int_equal(number("copy"), 2);
    assert_null(json_object_get(record[0], "vector"));
    assert_non_null(json_object_get(record[0], "registers"));
    assert_string_equal(of("message"), "code x: ended at 0x1045, byte 0 of copy 2, since it had not returned "
                                       "after the seconds that limit= allows; the others go on");
    failed.status = RUN_TRAP;
    failed.bench.baseline = NULL; /* a payload without copies */
    failed.bench.copies = (struct bench_copies){0};
    failed.trap.ip = 0x2000;
    forget(NULL);
    emit_run_failure(&failed);
    assert_null(json_object_get(record[0], "copy"));
}

/* What ends at the end of the stack says so, at both levels: below the mapped part, however far; not above
 * it, not on another fault, and not on a processor without addresses below it. */
TEST_WITH(stack_overflow, session, forget)
{
    enum { PF = 14, DF = 8, GP = 13, BYTES = 0x40000, ALL = BYTES + STACK_KERNEL };
    enum { SLOT = 0x10000000, MIDDLE = SLOT + 0x2000000, END = SLOT + 0x4000000 };
    static const struct {
        uint32_t vector, cs;
        uint64_t error, cr2, sp;
        bool overflow;
    } cases[] = {{PF, 8, 2, END - ALL - 1, END - ALL - 64, true},
                 {PF, 8, 2, SLOT, SLOT, true},
                 {PF, 8, 2, SLOT - 1, END - 64, false},
                 {PF, 8, 2, END - ALL, END - 64, false},
                 {PF, 8, 3, END - ALL - 1, END - 64, false}, /* not allowed, but present */
                 {PF, 0x43, 6, MIDDLE - BYTES - 1, MIDDLE - BYTES, true},
                 {PF, 0x43, 6, MIDDLE, MIDDLE, false}, /* above its end */
                 {PF, 0x43, 6, END - ALL - 1, MIDDLE, false},
                 {DF, 8, 0, 0x5000, END - ALL, true},
                 {DF, 8, 0, END - ALL - 8, END - 4096, false}, /* of another reason: CR2 is an old one */
                 {DF, 8, 0, 0, SLOT + 1, true},
                 {DF, 8, 0, 0, 0x10, false},
                 {GP, 8, 0, END - ALL - 1, END - ALL, false}};
    struct cpu cpu = {.stack = {(uint8_t *)END, (uint8_t *)MIDDLE, BYTES, SLOT}};
    struct run failed = {.status = RUN_TRAP, .program = {.name = "deep"}, .cpu = &cpu};
    for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const unsigned k = i / 2;
        cpu.stack.from = i % 2 ? 0 : SLOT;
        failed.trap = (struct trap){.vector = cases[k].vector,
                                    .cs = cases[k].cs,
                                    .error = cases[k].error,
                                    .cr2 = cases[k].cr2,
                                    .sp = cases[k].sp,
                                    .ip = 0x7010};
        forget(NULL);
        emit_run_failure(&failed);
        if ((strstr(of("message"), "stack overflow") != NULL) != (cases[k].overflow && i % 2 == 0))
            fail_msg("case %u: %s", k, of("message"));
        assert_int_equal(number("vector"), cases[k].vector);
    }
    cpu.stack.from = SLOT;
    failed.trap.vector = DF;
    forget(NULL);
    emit_run_failure(&failed);
    assert_string_equal(of("message"),
                        "deep: stack overflow at 0x7010: the stack of 256 KiB is full; stack= sets its size "
                        "(#DF double fault). This benchmark is abandoned; the others continue");
}

/* A gate that is the kernel's: the bytes and the vector, whatever the prefixes. */
TEST_WITH(kernel_vectors, session, forget)
{
    static const struct {
        uint8_t code[3];
        const char *text;
    } rows[] = {{{0xcd, 0x80}, "cd 80 calls vector 128, which belongs to the kernel"},
                {{0x66, 0xcd, 0x31}, "66 cd 31 calls vector 49, which belongs to the kernel"},
                {{0xcc}, "cc calls vector 3, which belongs to the kernel"}};
    static uint8_t memory[0x1000];
    static const struct cpu cpu;
    struct run failed = {.status = RUN_TRAP,
                         .trap = {.vector = 13, .ip = 0x5010, .cs = 0x43, .error = 3 * 8 + 2},
                         .program = {.name = "code"},
                         .cpu = &cpu};
    fake_reset();
    fake_memory(0x5000, memory, sizeof memory);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(memory + 0x10, rows[i].code, sizeof rows[i].code);
        forget(NULL);
        emit_run_failure(&failed);
        assert_non_null(strstr(of("message"), rows[i].text));
    }
}

/* #UD: the bytes, and what they need; not across a page, nor of another exception, nor where there is no
 * memory. */
TEST_WITH(invalid_opcode, session, forget)
{
    static uint8_t memory[0x1000];
    static const struct cpu lacks_all;
    struct run failed = {.status = RUN_TRAP,
                         .trap = {.vector = 6, .ip = 0x5010},
                         .program = {.name = "code", .variant = "x"},
                         .cpu = &lacks_all};
    fake_reset();
    fake_memory(0x5000, memory, sizeof memory);
    memcpy(memory + 0x10, "\x0f\x58\xc1", 3);
    memcpy(memory + 0xffe, "\x0f\x0b", 2);
    emit_run_failure(&failed);
    assert_string_equal(of("bytes"), "0f 58 c1");
    assert_string_equal(of("needs"), "SSE");
    assert_string_equal(of("message"),
                        "code x: #UD invalid opcode at 0x5010: 0f 58 c1 needs SSE, which this CPU "
                        "lacks; this benchmark is abandoned, the others go on");
    forget(NULL);
    failed.trap.ip = 0x5ffe;
    emit_run_failure(&failed);
    assert_string_equal(of("bytes"), "0f 0b");
    assert_null(of("needs"));
    assert_non_null(strstr(of("message"), ": 0f 0b is UD2, invalid on every CPU;"));
    forget(NULL);
    failed.trap.ip = 0x5020; /* zeros: ADD [rAX], AL */
    emit_run_failure(&failed);
    assert_string_equal(of("bytes"), "00 00");
    assert_null(of("needs"));
    forget(NULL);
    failed.trap.ip = 0x7000;
    emit_run_failure(&failed);
    assert_null(of("bytes"));
    forget(NULL);
    failed.trap.ip = 0x5010;
    failed.trap.vector = 13; /* every exception has the bytes */
    emit_run_failure(&failed);
    assert_string_equal(of("bytes"), "0f 58 c1");
    assert_null(of("needs"));
    forget(NULL);
    failed.trap.vector = 8; /* but a double fault saves any address */
    emit_run_failure(&failed);
    assert_null(of("bytes"));
}

/* The bit of a control register as it was at the fault. */
TEST_WITH(forbidden, session, forget)
{
    static uint8_t memory[0x1000];
    struct cpu has_all;
    struct run failed = {.status = RUN_TRAP,
                         .trap = {.vector = 6, .ip = 0x5010, .cs = 8, .cr4 = 1 << 9},
                         .program = {.name = "code", .variant = "x"},
                         .cpu = &has_all};
    memset(&has_all, 0xff, sizeof has_all);
    has_all.index = 0;
    fake_reset();
    fake_memory(0x5000, memory, sizeof memory);
    memcpy(memory + 0x10, "\xc5\xf8\x58\xc1", 4);
    emit_run_failure(&failed);
    assert_string_equal(of("control"), "CR4.OSXSAVE");
    assert_null(of("needs"));
    assert_non_null(strstr(of("message"), ": c5 f8 58 c1 needs AVX, but CR4.OSXSAVE is clear; this"));
}

/* Exceptions that save the address after their instruction, and the parts of a snippet. */
TEST_WITH(saved_after, session, forget)
{
    static uint8_t memory[0x1000];
    static const struct cpu cpu;
    static const struct {
        const char *code; /* of a copy: two of them from 0x5040 on */
        unsigned n, vector, flags, ip;
        const char *place, *bytes; /* in the message */
    } cases[] = {
        {"\xcc", 1, 3, 0, 0x5041, "at 0x5040, byte 0 of copy 1: cc;", "cc"},
        {"\xcc", 1, 3, 0, 0x5042, "at 0x5041, byte 0 of copy 2: cc;", "cc"},
        {"\x90\xcd\x03", 3, 3, 0, 0x5043, "at 0x5041, byte 1 of copy 1: cd 03;", "cd 03"},
        {"\x90\xce", 2, 4, 0, 0x5042, "at 0x5041, byte 1 of copy 1: ce", NULL},
        {"\x90\xf1", 2, 1, 0, 0x5042, "at 0x5041, byte 1 of copy 1: f1;", "f1"},
        {"\x90\xf1", 2, 1, 0x100, 0x5042,
         "at 0x5042, byte 0 of copy 2: a single step, since the code has set EFLAGS.TF; this", NULL},
        {"\x90\xcd\x06", 3, 6, 0, 0x5043, "at 0x5041, byte 1 of copy 1: cd 06;", "cd 06"},
        {"\xb8\x00\x00\xcd\x06\x0f\x0b", 7, 6, 0, 0x5045, "at 0x5045, byte 5 of copy 1: 0f 0b is UD2",
         "0f 0b"},
        {"\x62\xf1\x7c\x48\x58\xc1\xcd\x0d", 8, 13, 0, 0x5048, "at 0x5046, byte 6 of copy 1: cd 0d;",
         "cd 0d"},
        {"\x90", 1, 1, 0x100, 0x5042, "at 0x5042, after the last copy: a single step, since", NULL},
        {"\x90", 1, 0, 0, 0x5012, "at 0x5012, byte 2 of init: ", NULL},
        {"\x90", 1, 0, 0, 0x5020, "at 0x5020, byte 0 of late init: ", NULL},
        {"\x90", 1, 0, 0, 0x5203, "at 0x5203, byte 1 of one-time init: ", NULL},
        {"\x90", 1, 0, 0, 0x5004, "at 0x5004, before the first copy: ", NULL},
        {"\x90", 1, 14, 0, 0x5100, "at 0x5100, outside the code: 90;", "90"},
    };
    struct run failed = {.status = RUN_TRAP, .program = {.name = "code", .variant = "x"}, .cpu = &cpu};
    failed.bench.payload = (payload_fn *)0x5000;
    failed.bench.once = (payload_fn *)0x5200;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake_reset();
        fake_memory(0x5000, memory, sizeof memory);
        memset(memory, 0x90, sizeof memory);
        memcpy(memory + 0x40, cases[i].code, cases[i].n);
        memcpy(memory + 0x40 + cases[i].n, cases[i].code, cases[i].n);
        failed.bench.copies = (struct bench_copies){.head = 0x40,
                                                    .tail = 8,
                                                    .bytes = cases[i].n,
                                                    .longer = 2,
                                                    .init = {0x10, 4},
                                                    .late = {0x20, 4},
                                                    .once = {2, 8}};
        failed.trap.vector = cases[i].vector;
        failed.trap.ip = cases[i].ip;
        failed.trap.flags = cases[i].flags;
        failed.trap.cs = 8;
        forget(NULL);
        emit_run_failure(&failed);
        if (!strstr(of("message"), cases[i].place)) fail_msg("case %u: %s", i, of("message"));
        if (cases[i].bytes) assert_string_equal(of("bytes"), cases[i].bytes);
        const char *part = i == 10 ? "init" : i == 11 ? "late_init" : i == 12 ? "one_time_init" : NULL;
        assert_true(part ? strcmp(of("part"), part) == 0 : !of("part"));
    }
}
