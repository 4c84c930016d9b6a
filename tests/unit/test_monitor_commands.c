/* The monitor's commands: each one's answers and errors. The machine, the console and the measuring are
 * stand-ins. */
#include "kernel/crc32.h"
#include "monitor/control_registers.h"
#include "pmu/p6.h"
#include "report/kept.h"
#include "report/record.h"
#include "tests/unit/monitor_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

/* ---- what is obeyed ---- */

TEST_WITH(looks, begin, NULL)
{
    static const char *const rows[][2] = {
        {"rdmsr 1bh", "msr 1b: 00000000fee00900"},
        {"rdmsr 27", "msr 1b: 00000000fee00900"},
        {"rdmsr 0X1B", "msr 1b: 00000000fee00900"},
        {"rdcr 0", "cr0: 0000000080010011"},
        {"cpuid 1", "cpuid 1.0: eax 00000673 ebx 00000000 ecx 00000000 edx 00000001"},
        {"cpuid 4.1", "cpuid 4.1: eax 00000007 ebx 00000008 ecx 00000009 edx 0000000a"},
        {"in 0x301", "port 301: 5b"},
        {"in 0x300 2", "port 300: 5b5a"},
        {"in 0x300 4", "port 300: cafe5a5a"},
        {"regs", "cr3       1000"},
        {"mem", "pool: 400000 - 4fffff, 1024 KiB"},
        {"show", "set: (nothing) unsafe: off"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) says(rows[i][0], rows[i][1]);
    for (unsigned i = 0; i < 32; i++) fake_memory_bytes[i] = (uint8_t)i;
    says("peek 0x100000", "0000000000100000: 03020100");
    says("peek 0x100001 2 3", "0000000000100001: 0201 0403 0605");
    says("peek 0x100000 8 3",
         "0000000000100000: 0706050403020100 0f0e0d0c0b0a0908 0000000000100010: 1716151413121110");
    says("peek 0x100ffc 4 2",
         "0000000000100ffc: 00000000 peek: #PF page fault: read of a page not present, 0x101000");
    machine.boot.n_map = 1;
    machine.boot.map[0] = (struct mem_range){0x100000, 0x300000, 1};
    says("mem", "0000000000100000 - 00000000003fffff        3072 KiB  available");
}

TEST_WITH(changes, begin, NULL)
{
    m.unsafe = true;
    answer("poke 0x100008 0x1122334455667788 8");
    assert_memory_equal(fake_memory_bytes + 8, "\x88\x77\x66\x55\x44\x33\x22\x11", 8);
    answer("out 0x304 0xdeadbeef 4");
    assert_true(port_value == 0xdeadbeef && port_width == 4);
    answer("out 0x304 65535 2");
    assert_true(port_value == 0xffff && port_width == 2);
    says("wrmsr 0x1b 0xabc", "msr 1b: 0000000000000abc");
    fake_msr_loses(0x1b, 0xff);
    says("wrmsr 0x1b 0xabc", "msr 1b: 0000000000000a00"); /* what it holds, not what was written */
    says("wrcr 2 0x1234", "cr2: 0000000000001234");
}

TEST_WITH(runs, begin, NULL)
{
    answer("run bench=a reps=3");
    assert_string_equal(request_last, "bench=a reps=3");
    says("set reps=5 ring=3", "set: reps=5 ring=3");
    answer("run bench=a");
    assert_string_equal(request_last, "reps=5 ring=3 bench=a");
    answer("run ring=0 bench=a");
    assert_string_equal(request_last, "reps=5 ring=0 bench=a");
    says("set ring=", "set: reps=5");
    request_valid = false;
    says("set reps=0", "Nothing has changed.");
    says("show", "set: reps=5 unsafe: off");
    char line[600] = "set x=";
    memset(line + 6, 'y', 510);
    says(line, "There is room for 511 characters of words only. Nothing has changed.");
    answer("list");
    assert_string_equal(request_last, "bench=list");
    answer("events");
    assert_string_equal(request_last, "events=list");
    answer("events dcu miss");
    assert_string_equal(request_last, "events=find:dcu+miss");
    assert_int_equal(m.failed, false); /* lists and faults of words are none of the session */
    request_good = false;
    answer("run bench=a"); /* its words are faults */
    assert_int_equal(m.failed, false);
    request_valid = true;
    answer("run bench=a");
    assert_int_equal(m.failed, true);
}

/* Short words for longer ones of `run`; the benchmark of `ratio` is the one that ran last. */
TEST_WITH(questions, begin, NULL)
{
    answer("sections regions:n=5 reps=2");
    assert_string_equal(request_last, "bench=regions:n=5 reps=2 events=all");
    says("sections", "sections needs more arguments");
    says("sections l1_miss events=foo", "events= has no place here");
    says("ratio a b", "\"b\" is not valid here. Valid: ratio A/B bench=NAME");
    answer("events find:l2+miss more");
    assert_string_equal(request_last, "events=find:l2+miss+more");
    answer("events list");
    assert_string_equal(request_last, "events=list");
    says("peek 0 4 0", "COUNT: \"0\" reads nothing. Valid: 1 to 256");
    answer("ratio list");
    assert_string_equal(request_last, "ratio=list");
    answer("ratio a/b reps=3");
    assert_string_equal(request_last, "ratio=a/b reps=3 bench=regions:n=5");
    answer("ratio ipc bench=x");
    assert_string_equal(request_last, "ratio=ipc bench=x");
    request_valid = false;
    answer("run bench=nonsense");
    request_valid = true;
    answer("ratio ipc");
    assert_string_equal(request_last, "ratio=ipc bench=x");
    answer("set bench=kept");
    answer("ratio ipc");
    assert_string_equal(request_last, "bench=kept ratio=ipc");
    m.words[0] = m.bench[0] = '\0';
    says("ratio ipc", "ratio: of which benchmark? Valid: ratio A/B bench=NAME");
    char line[CMDLINE_MAX + 100] = "sections x y=";
    memset(line + 13, 'y', CMDLINE_MAX);
    says(line, "Longer than the");
}

/* What the words mean is judged by test_decode_registers.c; here: the arguments. */
TEST_WITH(decodes, begin, NULL)
{
    static struct pmu pmu = {
        .ops = &pmu_p6_ops, .model = "Pentium III", .models = P6_PIII, .counters = 2, .usable = 3};
    says("decode 1", "decode: this CPU has no performance counters that are known here");
    session.words.pmu = &pmu;
    says("decode 0x4300c0", "EVNTSEL = 0x4300c0   event       0xc0");
    says("decode 4300c0h as EvntSel1", "EVNTSEL1 (MSR 0x187) = 0x4300c0");
    says("decode 1 as", "\"as\" is not valid here. Valid: decode VALUE as REGISTER");
    says("decode 1 of evntsel", "\"of\" is not valid here");
    says("decode x as evntsel", "VALUE: \"x\" is not a number");
    says("decode 1 as cesr", "has no register \"cesr\" that selects events. Valid: evntsel,");
    says("decode inst_retired", "wrmsr 0x186 0x4300c0");
    says("decode inst_retire", "has no event of this name; there are inst_retired");
}

static void keep(unsigned n)
{
    char line[16];
    kept_add(n, line, (size_t)snprintf(line, sizeof line, "{%u}", n));
}

TEST_WITH(resends, begin, NULL)
{
    static _Alignas(8) char memory[4096];
    static const struct {
        const char *line;
        unsigned records;
    } rows[] = {{"resend 3", 1},   {"resend 3..7", 5},  {"resend 0..9", 10}, {"resend 0x9", 1},
                {"resend 10", 0},  {"resend 9..10", 0}, {"resend 7..3", 0},  {"resend 3..", 0},
                {"resend ..3", 0}, {"resend 1...3", 0}, {"resend all", 0}};
    kept_begin(memory, sizeof memory, KEPT_LAST);
    for (unsigned n = 0; n < 10; n++) keep(n);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        answer(rows[i].line);
        assert_int_equal(console_records, rows[i].records);
        if (!rows[i].records)
            assert_non_null(strstr(console_said, "is not valid here. Valid: N or N..M, from 0 to 9"));
    }
}

/* A section is what came since the mark before; the mark itself is in none. */
TEST_WITH(marks, begin, NULL)
{
    says("mark early", "There is no record behind the last mark.");
    report_note("a", "b");
    report_note("a", "b");
    m.marked = 0;
    says("mark both", "Mark  both: records 0 to 1");
    says("mark none", "There is no record behind the last mark. Valid: mark NAME N..M, from 0 to 2");
    report_note("a", "b");
    says("mark one", "Mark  one: record 3");
    says("mark again 0..3", "Mark  again: records 0 to 3");
    says("mark wrong 3..6", "\"3..6\" is not valid here. Valid: N or N..M, from 0 to 5");
    says("mark a-name-of-more-characters-than-there-is-room-for", "at most 40 characters");
}

/* ---- what programs use ---- */

TEST_WITH(crcs, begin, NULL)
{
    static const char *const wrong[] = {"crc b4ab1d4f show x", "crc 00000000 show", "crc 2a show",
                                        "crc b4ab1d4g show", "crc 0xb4ab1d show"};
    char line[64];
    snprintf(line, sizeof line, "crc %08x show", (unsigned)crc32(0, "show", 4));
    says(line, "set: (nothing) unsafe: off");
    assert_string_equal(console_terminal_said, "taken\r\n");
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        says(wrong[i], "Not obeyed: the CRC-32 of what follows is ");
        assert_string_equal(console_terminal_said, "");
    }
    snprintf(line, sizeof line, "crc %08x run  bench=a ",
             (unsigned)crc32(0, "run  bench=a ", 13)); /* blanks count */
    answer(line);
    assert_string_equal(request_last, "bench=a");
}

/* `load` with these bytes behind it. */
static const char *loads(const char *line, const char *bytes)
{
    static char text[FAKE_CONSOLE_BYTES];
    fake_console_reset();
    fake_console_type(bytes, strlen(bytes));
    command_obey(&m, line);
    strcpy(text, console_said);
    return text;
}

TEST_WITH(load, begin, NULL)
{
    static uint8_t pool[64];
    fake_tsc(0, 1000);
    machine.clock.tsc_hz = 1000000000;
    machine.memory.pool = pool, machine.memory.pool_bytes = sizeof pool;
    assert_non_null(strstr(loads("load it", "0 aGVsbG8= 5bcda6ed\r1 end 05ec23b6\r"),
                           "ready for 32 bytes, code of 64 bits"));
    assert_string_equal(console_terminal_said, "ok 0\r\nend 5\r\n");
    assert_int_equal(request_loaded, 5);
    assert_string_equal(request_loaded_name, "it");
    assert_memory_equal(pool, "hello", 5);
    request_loaded = 0;
    loads("load", "0 aGVsbG8= 5bcda6ed\r0 aGVsbG8= 5bcda6ed\r1 end 15ec23b6\r1 end 05ec23b6\r");
    assert_string_equal(console_terminal_said, "ok 0\r\nok 0\r\nagain 1\r\nend 5\r\n");
    assert_int_equal(request_loaded, 5);
    request_loaded = 0;
    assert_non_null(strstr(loads("load", "0 aGVsbG8= 5bcda6ed\r1 end 15ec23b6\r"),
                           "failed: Ctrl-C; line 1 was due, and 5 bytes"));
    machine.memory.pool_bytes = 8;
    assert_non_null(
        strstr(loads("load", "0 aGVsbG8= 5bcda6ed\r"), "failed: the file is larger than the bytes"));
    char bad[3 * 31 + 1] = "";
    for (unsigned i = 0; i < 31; i++) strcat(bad, "x\r\n");
    assert_non_null(strstr(loads("load", bad), "failed: 30 lines in a row were damaged"));
    fake_console_absent = true;
    assert_non_null(strstr(loads("load", ""), "load needs a serial line"));
    fake_console_absent = false;
    assert_int_equal(request_loaded, 0);
}

TEST_WITH(ends, begin, NULL)
{
    static const struct {
        const char *line;
        int end;
    } rows[] = {{"exit", MONITOR_LEAVES},    {"quit", MONITOR_LEAVES},         {"q", MONITOR_LEAVES},
                {"reboot", MONITOR_REBOOTS}, {"poweroff", MONITOR_POWERS_OFF}, {"exit now", MONITOR_STAYS}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        m.end = MONITOR_STAYS;
        answer(rows[i].line);
        assert_int_equal(m.end, rows[i].end);
    }
}

/* Both kernels' rules, whatever this test is compiled for. */
TEST_WITH(control_registers, begin, NULL)
{
    static const struct {
        unsigned cr;
        uint64_t now, value;
        bool legacy, longer; /* is it refused? */
    } rows[] = {
        {0, 0x80010033, 0x80010033, false, false}, /* the same */
        {0, 0x80010033, 0x80010032, true, true},   /* PE */
        {0, 0x80010033, 0x80010037, true, true},   /* EM */
        {0, 0x80010033, 0x8001003b, true, true},   /* TS */
        {0, 0x80010033, 0x00010033, true, true},   /* PG */
        {0, 0x33, 0x80000033, true, true},         /* PG */
        {0, 0x80010033, 0xe0010033, false, false}, /* CD, NW */
        {0, 0x80010033, 0x80000033, false, false}, /* WP */
        {2, 0, 1, false, false},
        {3, 0x25c000, 0x25c018, false, false}, /* PWT, PCD */
        {3, 0x25c000, 0x25d000, true, true},
        {4, 0x10, 0, true, false},      /* PSE */
        {4, 0x20, 0, true, true},       /* PAE */
        {4, 0, 0x20, true, true},       /* PAE */
        {4, 0x600, 0x400, false, true}, /* OSFXSR */
        {4, 0x20, 0x1020, false, true}, /* LA57, which only long mode has */
        {4, 0x10, 0x110, false, false}, /* PCE */
        {8, 0, 15, false, false},
        {CONTROL_EFER, 0xd00, 0, false, true},      /* LME, NXE */
        {CONTROL_EFER, 0x500, 0x501, false, false}, /* SCE */
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool legacy = control_register_refused(rows[i].cr, rows[i].now, rows[i].value, false) != NULL;
        const bool longer = control_register_refused(rows[i].cr, rows[i].now, rows[i].value, true) != NULL;
        if (legacy != rows[i].legacy || longer != rows[i].longer) fail_msg("row %u", i);
    }
}
