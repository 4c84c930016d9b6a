/* The text face of messages, of a listed benchmark, and of the end. */
#include "tests/unit/text_drive.h"
#include <stdio.h>
#include <string.h>

static void errors_of_the_command_line(void **state)
{
    (void)state;
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

static void words_without_blanks_are_cut(void **state)
{
    char word[201], want[400];
    (void)state;
    memset(word, 'x', 200);
    word[200] = '\0';
    report_error("kernel", "%s", word);
    snprintf(want, sizeof want, "ERROR kernel:\n      %.73s\n      %.73s\n      %.54s\n", word, word, word);
    expect(want);
}

static void exceptions_show_registers(void **state)
{
    static const char *const reg[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
    (void)state;
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

static void a_listed_benchmark(void **state)
{
    (void)state;
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
static void legend(void **state)
{
    (void)state;
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
           "  M          modelled: counted by the PMU model in the emulator, not by a\n"
           "             processor\n"
           "  overhead   the least cost of an empty measurement; it is subtracted already\n"
           "  +/-        confidence interval of the mean over the repetitions of this boot,\n"
           "             not how boots differ\n"
           "\ndone: 1 measurement, 0 failed; 4 records, status 0\n");
    begin(state);
    result("slow");
    done(1, 0);
    if (strstr(text, "modelled:") || !strstr(text, "\n  slow       repetitions more than 10 %"))
        fail_msg("%s", text);
}

static void closing_lines(void **state)
{
    (void)state;
    done(3, 0);
    session_end(0);
    expect("\ndone: 3 measurements, 0 failed; 2 records, status 0\n");
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
    session_end(77);
    expect("\nend: 1 record, status 77\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(errors_of_the_command_line, begin),
        cmocka_unit_test_setup(words_without_blanks_are_cut, begin),
        cmocka_unit_test_setup(exceptions_show_registers, begin),
        cmocka_unit_test_setup(a_listed_benchmark, begin),
        cmocka_unit_test_setup(closing_lines, begin),
        cmocka_unit_test_setup(legend, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
