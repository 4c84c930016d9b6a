/* The text face of sampling records. */
#include "tests/unit/text_drive.h"
#include <string.h>

static unsigned outside, occurred = 5000, latency;
static const char *by = "pmi";
static bool gain, untimed;

/* handler: fields of the handler's cost are there; instructions: that one too. */
static void render(unsigned samples, unsigned lost, bool handler, bool instructions, const char *flag)
{
    struct record *r = record_new("sampling");
    rec_str(r, "bench", "stride_thrash");
    rec_str(r, "variant", "");
    rec_object(r, "params");
    rec_int(r, "n", 1000);
    rec_close(r);
    rec_uint(r, "ring", 3);
    rec_str(r, "event", "inst_retired:u");
    rec_str(r, "by", by);
    rec_str(r, "delivery", "fixed");
    rec_str(r, "unit", "events");
    if (latency) rec_uint(r, "latency", latency);
    rec_uint(r, "period", 1000);
    if (lost) rec_uint(r, "jitter", 7);
    rec_uint(r, "wanted", 1000);
    rec_uint(r, "occurred", occurred);
    if (outside) rec_uint(r, "outside", outside);
    rec_uint(r, "samples", samples);
    rec_uint(r, "lost", lost);
    if (handler) {
        if (!untimed) rec_real(r, "handler_tsc", gain ? -129 : 129);
        if (!untimed) rec_real(r, "handler_share", gain ? -0.0025 : 0.1142);
        if (instructions) rec_real(r, "handler_instructions", 128.5);
    }
    rec_array(r, "flags");
    if (flag) rec_str(r, NULL, flag);
    rec_close(r);
    text[0] = '\0';
    text_render(r, put);
}

TEST(test_plain)
{
    render(104, 0, true, true, NULL);
    assert_string_equal(text,
                        "\nstride_thrash, ring 3: inst_retired:u sampled by pmi (fixed), every 1000 events\n"
                        "  104 samples, 0 lost; an interrupt took 129.0 ticks and 128.5 instructions;\n"
                        "  together the interrupts took 11.42 % of the time\n");
    render(104, 0, true, false, NULL);
    assert_non_null(strstr(text, "an interrupt took 129.0 ticks; together the interrupts"));
    untimed = true; /* the PMU model's */
    render(104, 0, true, true, NULL);
    assert_non_null(strstr(text, "  104 samples, 0 lost; an interrupt took 128.5 instructions\n"));
    render(104, 0, true, true, "handler-in-part");
    assert_non_null(strstr(text, "; an interrupt took more than 128.5 instructions\n"));
    untimed = false;
    gain = true; /* no cost, but noise */
    render(104, 0, true, false, NULL);
    assert_null(strstr(text, "an interrupt took"));
    assert_non_null(strstr(text, "took 0.25 %"));
    gain = false;
    render(104, 0, true, true, "handler-in-part"); /* what was counted is not all */
    assert_non_null(strstr(text, "an interrupt took 129.0 ticks and more than 128.5"));
}

/* The threshold: PEBS takes what is above it, IBS what reaches it, too. */
TEST(test_latency)
{
    latency = 128;
    by = "pebs";
    render(104, 0, false, false, NULL);
    assert_non_null(strstr(text, "  events, of those that took more than 128 cycles\n"));
    by = "ibs";
    render(104, 0, false, false, NULL);
    assert_non_null(strstr(text, " of those that took at least 128 cycles\n"));
    latency = 0;
    by = "pmi";
}

/* What was lost is said, and a storm is not taken for a full buffer. */
TEST(test_remarks)
{
    render(10, 5, true, false, "lost");
    assert_non_null(strstr(text, " +/- 7\n"));
    assert_non_null(strstr(text, "10 samples, 5 lost"));
    assert_non_null(strstr(text, "! the buffer was full"));
    render(10, 0, true, false, "more-lost");
    assert_non_null(strstr(text, "10 samples, more than 0 lost"));
    render(10, 5, false, false, "storm");
    assert_null(strstr(text, "took"));
    assert_non_null(strstr(text, "! too many interrupts"));
    assert_null(strstr(text, "full"));
    render(0, 0, false, false, NULL);
    assert_non_null(strstr(text, "0 samples, 0 lost"));
    assert_non_null(strstr(text, "! no period was completed"));
    render(1, 0, false, false, NULL);
    assert_non_null(strstr(text, "  1 sample, 0 lost\n"));
    assert_null(strstr(text, "!"));
    render(400, 0, true, true, "few");
    assert_non_null(strstr(text, "! fewer than half of the 1000 samples that were asked for"));
    render(400, 0, true, true, "handler-heavy");
    assert_non_null(strstr(text, "! the handler took a tenth of the time or more"));
}

/* Why there is none. */
TEST(test_none)
{
    outside = 1;
    render(7, 0, true, true, NULL);
    assert_non_null(strstr(text, "7 samples, 0 lost, 1 more outside of the payload; an interrupt"));
    render(0, 0, false, false, "few");
    assert_non_null(strstr(text, "! the event hardly occurs inside the payload"));
    outside = occurred = 0;
    render(0, 0, false, false, "few");
    assert_non_null(strstr(text, "! the event did not occur"));
    assert_null(strstr(text, "shorter"));
    occurred = 5000;
}

/* One remark at most on why there are few samples, the first that fits. */
TEST(test_first_remark)
{
    static const struct {
        unsigned samples, occurred, outside;
        const char *flags[3], *want;
    } cases[] = {
        {0,
         0,
         3,
         {"storm", "lost"},
         "    ! too many interrupts: sampling stopped before the payload ended\n"},
        {0, 0, 3, {"lost"}, "    ! the buffer was full: use a longer period= or more samples=\n"},
        {0, 0, 3, {0}, "    ! the event did not occur\n"},
        {0, 1, 3, {0}, "    ! the event hardly occurs inside the payload\n"},
        {0, 1, 0, {0}, "    ! no period was completed: use a shorter period= or more reps=\n"},
        {1, 0, 3, {0}, ""},
        {0,
         1,
         0,
         {"few"},
         "    ! fewer than half of the 9 samples that were asked for: use a shorter\n"
         "      period=, more reps=, or a more frequent event\n"},
        {1,
         1,
         0,
         {"handler-heavy"},
         "    ! the handler took a tenth of the time or more: use a longer period=\n"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *r = record_new("sampling");
        rec_str(r, "bench", "walk");
        rec_str(r, "variant", "sse2");
        rec_uint(r, "samples", cases[i].samples);
        rec_uint(r, "occurred", cases[i].occurred);
        rec_uint(r, "outside", cases[i].outside);
        rec_uint(r, "wanted", 9);
        strings(r, "flags", cases[i].flags);
        begin(state);
        text_render(r, put);
        assert_ptr_equal(strstr(text, "\nwalk:sse2, ring 0: ? sampled by ? (?), every 0 ?\n"), text);
        const char *lost = strstr(text, " lost"), *rest = strchr(lost, '\n') + 1;
        assert_string_equal(rest, cases[i].want);
    }
}

/* What should be a number and is none counts as 0. */
TEST(test_no_numbers)
{
    static const char *const keys[] = {"jitter",  "samples",     "lost",
                                       "outside", "handler_tsc", "handler_instructions"};
    struct record *r = record_new("sampling");
    for (unsigned i = 0; i < 6; i++) rec_str(r, keys[i], "?");
    STRINGS(r, "flags", "few");
    begin(state);
    text_render(r, put);
    assert_non_null(strstr(text, " every 0 ? +/- 0\n"));
    assert_non_null(
        strstr(text, "\n  0 samples, 0 lost; an interrupt took 0.0 ticks and 0.0 instructions; together\n"
                     "  the interrupts took 0.00 % of the time\n"));
    assert_non_null(strstr(text, "fewer than half of the 0 samples"));
}
