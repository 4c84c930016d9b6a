/* The text face of messages, of a listed benchmark, and of the end. */
#include "tests/unit/text_drive.h"
#include <stdio.h>
#include <string.h>

TEST_WITH(errors_of_the_command_line, begin, NULL)
{
    struct record *r = record_new("error");
    rec_str(r, "what", "command line");
    rec_str(r, "word", "bnch=\x07\xff");
    rec_str(r, "place", "word 3, byte 17");
    rec_str(r, "line", "exit=qemu  reps=3 bnch=??");
    rec_uint(r, "column", 19);
    rec_uint(r, "length", 7);
    rec_str(r, "valid",
            "bench, events, reps, conf, ring, serialize, warmup, page, period, sample, console, exit");
    rec_str(r, "message", "unknown key");
    record_emit(r);
    expect("ERROR command line: unknown key\n"
           "      exit=qemu  reps=3 bnch=??\n"
           "                        ^~~~~~~\n"
           "      valid: bench, events, reps, conf, ring, serialize, warmup, page, period,\n"
           "             sample, console, exit\n");
}

/* A place beyond the line, which only another program's record has, is shown at its end. */
TEST_WITH(errors_beyond_the_line, begin, NULL)
{
    struct record *r = record_new("error");
    rec_str(r, "what", "b");
    rec_str(r, "line", "key=x");
    rec_uint(r, "column", 9);
    rec_uint(r, "length", 1ull << 53);
    rec_str(r, "message", "no key");
    record_emit(r);
    expect("ERROR b: no key\n"
           "      key=x\n"
           "           ^~~~~\n");
}

/* What the message says already is not said again; and a place in the line is at least a caret. */
TEST_WITH(errors_that_repeat_themselves, begin, NULL)
{
    static const struct {
        const char *message, *bench, *word, *line;
        unsigned column;
        const char *want;
    } cases[] = {
        {"no such thing", "empty", "key=x", NULL, 0, "ERROR b empty: no such thing\n      word:  key=x\n"},
        {"empty: no key=x", "empty", "key=x", NULL, 0, "ERROR b: empty: no key=x\n"},
        {"no key", NULL, "key=x", "a key=x", 2, "ERROR b: no key\n      a key=x\n       ^\n"},
        {"no key", NULL, NULL, "key", 0, "ERROR b: no key\n      key\n      ^\n"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *r = record_new("error");
        rec_str(r, "what", "b");
        if (cases[i].bench) rec_str(r, "bench", cases[i].bench);
        if (cases[i].word) rec_str(r, "word", cases[i].word);
        if (cases[i].line) rec_str(r, "line", cases[i].line);
        if (cases[i].column) rec_uint(r, "column", cases[i].column);
        rec_str(r, "message", cases[i].message);
        begin(state);
        record_emit(r);
        expect(cases[i].want);
    }
}

/* An exception of which little is known, with registers of every type of number. */
TEST_WITH(exceptions_without_a_place, begin, NULL)
{
    struct record *r = record_new("error");
    rec_uint(r, "vector", 6);
    record_emit(r);
    expect("ERROR ?:\n      vector 6, exception\n");
    r = record_new("error");
    rec_uint(r, "vector", 14);
    rec_str(r, "name", "#PF");
    rec_str(r, "address", "0x10");
    rec_str(r, "error_code_text", "a write");
    rec_object(r, "registers");
    rec_int(r, "a", -1);
    rec_bool(r, "b", true);
    rec_bool(r, "c", false);
    rec_real(r, "d", 0.1);
    rec_close(r);
    rec_str(r, "message", "#PF at 0x10");
    record_emit(r);
    expect("ERROR ?: #PF at 0x10\n      vector 14, error code ?: a write\n      a=-1 b=yes c=no d=0.1\n");
}

/* Names that do not leave room for their descriptions; what an event needs and which counters have it. */
TEST_WITH(listed_events, begin, NULL)
{
    static const struct {
        const char *name, *stands_for, *code, *umask, *desc, *msr;
        int counter[6]; /* ends with 0 behind the first */
        const char *umasks[3], *want;
    } cases[] = {
        {"cycles", "cpu_clk_unhalted", 0, 0, 0, 0, {0}, {0}, "cycles               = cpu_clk_unhalted\n"},
        {"latency",
         "load_latency",
         0,
         0,
         0,
         "0x3f6",
         {0},
         {0},
         "latency              = load_latency; for sample=pebs alone: it needs MSR 0x3f6\n"},
        {"ev", 0, "0x28", 0, "data reads", 0, {1}, {0}, "ev                   0x28  data reads; counter 1\n"},
        {"ev",
         0,
         "0x28",
         "0x01",
         "",
         "0x1a6",
         {0, 1, 2, 3, 5},
         {"all", "none"},
         "ev                   0x28/0x01  ; cannot be counted: it also needs MSR 0x1a6;\n"
         "                    counters 0-3, 5; unit masks all, none\n"},
        {"ev",
         0,
         "0x28",
         0,
         "reads",
         0,
         {4, 6, 7},
         {0},
         "ev                   0x28  reads; counters 4, 6-7\n"},
        {"an_event_of_18____", 0, "0x28", 0, "reads", 0, {0}, {0}, "an_event_of_18____   0x28  reads\n"},
        {"an_event_of_19_____", 0, "0x28", 0, "reads", 0, {0}, {0}, "an_event_of_19_____  0x28  reads\n"},
        {"an_event_of_20______", 0, "0x28", 0, "reads", 0, {0}, {0}, "an_event_of_20______ 0x28  reads\n"},
        {"an_event_of_21_______", 0, "0x28", 0, "reads", 0, {0}, {0}, "an_event_of_21_______ 0x28  reads\n"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *r = record_new("event");
        rec_str(r, "event", cases[i].name);
        if (cases[i].stands_for) rec_str(r, "stands_for", cases[i].stands_for);
        if (cases[i].code) rec_str(r, "code", cases[i].code);
        if (cases[i].umask) rec_str(r, "umask", cases[i].umask);
        if (cases[i].desc) rec_str(r, "desc", cases[i].desc);
        if (cases[i].msr) rec_str(r, "msr", cases[i].msr);
        rec_array(r, "counters");
        for (unsigned k = 0; k < 6 && (cases[i].counter[k] || (k == 0 && cases[i].counter[1])); k++)
            rec_uint(r, NULL, (unsigned)cases[i].counter[k]);
        rec_close(r);
        strings(r, "umasks", cases[i].umasks);
        begin(state);
        record_emit(r);
        expect(cases[i].want);
    }
}

/* Every value of a parameter that is known, and none that is not. */
TEST_WITH(listed_parameters, begin, NULL)
{
    struct record *r = record_new("bench");
    rec_str(r, "bench", "b");
    rec_str(r, "cost", "a step");
    rec_array(r, "params");
    rec_object(r, NULL);
    rec_str(r, "name", "a_long_name_of_a_key");
    rec_int(r, "min", -8);
    rec_int(r, "max", 64);
    rec_int(r, "step", 8);
    rec_int(r, "default", 16);
    rec_close(r);
    rec_object(r, NULL);
    rec_int(r, "min", 1);
    rec_str(r, "help", "no bounds");
    rec_close(r);
    rec_object(r, NULL);
    rec_int(r, "max", 1);
    rec_str(r, "name", "twelve_chars");
    rec_int(r, "default", 12);
    rec_close(r);
    rec_close(r);
    record_emit(r);
    expect("\nb\n"
           "    expected cost   a step\n"
           "    a_long_name_of_a_key=16  (-8 to 64 in steps of 8)\n"
           "    ?=              no bounds\n"
           "    twelve_chars=12\n");
}

TEST_WITH(words_without_blanks_are_cut, begin, NULL)
{
    char word[201], want[400];
    memset(word, 'x', 200);
    word[200] = '\0';
    report_error("kernel", "%s", word);
    snprintf(want, sizeof want, "ERROR kernel:\n      %.73s\n      %.73s\n      %.54s\n", word, word, word);
    expect(want);
}

TEST_WITH(exceptions_show_registers, begin, NULL)
{
    static const char *const reg[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
    struct record *r = record_new("error");
    rec_str(r, "what", "benchmark");
    rec_str(r, "bench", "fault_gp");
    rec_uint(r, "vector", 13);
    rec_str(r, "name", "#GP general protection");
    rec_str(r, "error_code", "0x10");
    rec_str(r, "error_code_text", "GDT entry 2");
    rec_str(r, "address", "0x101234");
    rec_object(r, "registers");
    for (unsigned i = 0; i < 8; i++) rec_strf(r, reg[i], "0x%x", 0x1000001u * i);
    rec_close(r);
    rec_str(r, "message", "fault_gp: #GP general protection; this benchmark ends, the others go on");
    record_emit(r);
    expect("ERROR benchmark: fault_gp: #GP general protection; this benchmark ends, the\n"
           "      others go on\n"
           "      vector 13, at 0x101234, error code 0x10: GDT entry 2\n"
           "      eax=0x0 ecx=0x1000001 edx=0x2000002 ebx=0x3000003 esp=0x4000004\n"
           "      ebp=0x5000005 esi=0x6000006 edi=0x7000007\n");
}

TEST_WITH(a_listed_benchmark, begin, NULL)
{
    struct record *r = record_new("bench");
    rec_str(r, "bench", "l1_miss");
    rec_str(r, "desc", "independent loads that all miss L1 and hit the next level");
    rec_str(r, "cost", "");
    rec_str(r, "unit", "tsc/load");
    rec_bool(r, "main", true);
    STRINGS(r, "variants", "x87", "sse2");
    rec_array(r, "params");
    for (unsigned i = 0; i < 2; i++) {
        rec_object(r, NULL);
        rec_str(r, "name", i ? "bytes" : "lines");
        rec_str(r, "unit", i ? "bytes" : "");
        rec_str(r, "help", i ? "working set" : "lines in the chase");
        rec_int(r, "min", 1);
        rec_int(r, "max", i ? 1 << 30 : 4096);
        if (i)
            rec_str(r, "default", "auto");
        else
            rec_int(r, "default", 8);
        rec_bool(r, "range", i == 0);
        rec_close(r);
    }
    rec_close(r);
    record_emit(r);
    expect("\n"
           "l1_miss             independent loads that all miss L1 and hit the next level\n"
           "                    [runs by default]\n"
           "    unit            tsc/load\n"
           "    variants        x87, sse2\n"
           "    lines=8         lines in the chase (1 to 4096, or FIRST..LAST)\n"
           "    bytes=auto      working set (1 to 1073741824 bytes)\n");
}

static void done(unsigned benches, unsigned failed)
{
    struct record *r = record_new("done");
    rec_uint(r, "measurements", benches);
    rec_uint(r, "failed", failed);
    record_emit(r);
}

static void result(const char *flag)
{
    struct record *r = record_new("result");
    rec_str(r, "bench", "empty");
    rec_str(r, "unit", "tsc/call");
    rec_real(r, "ci95", 0);
    if (flag[0] == 's') rec_uint(r, "slow", 1);
    STRINGS(r, "flags", flag);
    record_emit(r);
}

/* What is printed is explained, once, and only that. */
TEST_WITH(legend, begin, NULL)
{
    result("modelled");
    result("modelled");
    text[0] = '\0';
    struct record *r = record_new("done");
    rec_uint(r, "measurements", 1);
    rec_uint(r, "failed", 0);
    rec_str(r, "intervals", "repetitions of this boot");
    record_emit(r);
    session_end(0);
    expect("\n"
           "  overhead   the least cost of an empty measurement (of code: of the one with\n"
           "             fewer copies); it is subtracted already\n"
           "  +/-        confidence interval of the mean over the repetitions of this boot,\n"
           "             not how boots differ\n"
           "\ndone: 1 measurement, 0 failed; 4 records, status 0\n");
    begin(state);
    result("slow");
    done(1, 0);
    if (!strstr(text, "\n  slow       repetitions more than 10 %")) fail_msg("%s", text);
}

TEST_WITH(closing_lines, begin, NULL)
{
    done(3, 0);
    session_end(0);
    expect("\ndone: 3 measurements, 0 failed; 2 records, status 0\n");
    report_note("plan", "behind the end");
    expect("Note  plan: behind the end\n");
    begin(state);
    done(1, 1);
    session_end(1);
    expect("\ndone: 1 measurement, 1 failed; 2 records, status 1 (something failed)\n");
    begin(state);
    session_end(2);
    expect("\nend: 1 record, status 2 (the command line was wrong)\n");
    begin(state);
    done(1, 0); /* a plan ends, the session does not */
    report_note("plan", "another one");
    session_end(3);
    expect("done: 1 measurement, 0 failed\n"
           "Note  plan: another one\n"
           "\nend: 3 records, status 3 (the kernel could not run)\n");
    begin(state);
    record_emit(record_new("done"));
    session_end(4);
    expect("\ndone: 0 measurements, 0 failed; 2 records, status 4\n");
    begin(state);
    done(2, 0); /* the session pauses, and goes on */
    session_pause();
    expect("done: 2 measurements, 0 failed\n");
    session_pause();
    expect("");
    session_end(0);
    expect("\nend: 2 records, status 0\n");
    begin(state);
    session_end(-1);
    expect("\nend: 1 record, status -1\n");
    begin(state);
    session_end(77);
    expect("\nend: 1 record, status 77\n");
}
