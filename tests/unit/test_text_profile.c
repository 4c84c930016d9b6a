/* The text face of profiles, line by line: what fits into one, and which lines are shown. */
#include "tests/unit/text_drive.h"

struct place {
    const char *address, *symbol, *code;
    int distance; /* 0: none */
};

/* A profile's record with these lines, of which `distinct` are there in all. */
static struct record *profile(bool ip, unsigned first, unsigned distinct, unsigned n, const struct place *of)
{
    struct record *r = record_new("profile");
    rec_str(r, "event", "e");
    rec_str(r, "by", ip ? "instruction" : "data address");
    rec_str(r, "method", "pebs");
    rec_uint(r, "period", 7);
    rec_uint(r, "samples", 1);
    rec_uint(r, "distinct", distinct);
    rec_uint(r, "first", first);
    rec_array(r, "lines");
    for (; n; n--, of++) {
        rec_object(r, NULL);
        if (of->address) rec_str(r, "address", of->address);
        rec_uint(r, "count", 2);
        rec_real(r, "share", 0.5);
        if (of->symbol) rec_str(r, "symbol", of->symbol);
        if (of->code) rec_str(r, "code", of->code);
        if (of->distance) rec_int(r, ip ? "instructions" : "step", of->distance);
        rec_close(r);
    }
    rec_close(r);
    return r;
}

/* Code to the screen's border in whole bytes; columns that no line has are left out. */
TEST_WITH(places, begin, NULL)
{
    static const struct place full[] = {
        {"0x80485e5", "a_name_of_18_chars", "010203040506", -3},
        {"0x80485e5", "a_name_of_18_chars", "01020304050607", 49},
        {"0x80485e5", "a_name_of_20_chars__", "01020304050607", 49},
        {"0x80485e5", "a_name_of_21_chars___", "01020304050607", 49},
        {"0x80485e5", "a_name_of_26_chars________", "01020304050607", 49},
        {"0x80485e5", "a_name_of_26_chars________", "01", 49},
        {"0x80485e5", "a_name_of_27_chars_________", "01", 49},
        {"0x80485e5", "a_name_of_27_chars_________", "0102", 49},
        {"0x80485e5", "a_name_of_28_chars__________", "01", 49},
        {"0x1", NULL, NULL, 0},
        {NULL, "x", "90", 0},
    };
    static const struct place no_code[] = {{"0x1", "x", NULL, 1}, {"0x2", NULL, NULL, 0}};
    static const struct place no_distance[] = {{"0x1", "x", "90", 0}, {"0x2", NULL, NULL, 0}};
    record_emit(profile(true, 0, 11, 11, full));
    expect("  profile by instruction of e: 1 sample by pebs, one in 7\n"
           "      share   samples  from target  address   symbol              code\n"
           "    50.00 %         2           -3  0x80485e5  a_name_of_18_chars  010203040506\n"
           "    50.00 %         2          +49  0x80485e5  a_name_of_18_chars  0102030405..\n"
           "    50.00 %         2          +49  0x80485e5  a_name_of_20_chars__  01020304..\n"
           "    50.00 %         2          +49  0x80485e5  a_name_of_21_chars___  010203..\n"
           "    50.00 %         2          +49  0x80485e5  a_name_of_26_chars________  01..\n"
           "    50.00 %         2          +49  0x80485e5  a_name_of_26_chars________  01\n"
           "    50.00 %         2          +49  0x80485e5  a_name_of_27_chars_________  01\n"
           "    50.00 %         2          +49  0x80485e5  a_name_of_27_chars_________  ..\n"
           "    50.00 %         2          +49  0x80485e5  a_name_of_28_chars__________\n"
           "    50.00 %         2            -  0x1       -\n"
           "    50.00 %         2            -  ?         x                   90\n");
    record_emit(profile(true, 0, 2, 2, no_code));
    expect("  profile by instruction of e: 1 sample by pebs, one in 7\n"
           "      share   samples  from target  address   symbol\n"
           "    50.00 %         2           +1  0x1       x\n"
           "    50.00 %         2            -  0x2       -\n");
    record_emit(profile(true, 0, 2, 2, no_distance));
    expect("  profile by instruction of e: 1 sample by pebs, one in 7\n"
           "      share   samples   address   symbol              code\n"
           "    50.00 %         2   0x1       x                   90\n"
           "    50.00 %         2   0x2       -\n");
    record_emit(profile(false, 0, 2, 2, no_code));
    expect("  profile by data address of e: 1 sample by pebs, one in 7\n"
           "      share   samples        apart  address\n"
           "    50.00 %         2           +1  0x1\n"
           "    50.00 %         2            -  0x2\n");
}

/* A line of which nothing is known, and a distance that is no number. */
TEST_WITH(a_place_unknown, begin, NULL)
{
    struct record *r = record_new("profile");
    rec_str(r, "by", "instruction");
    rec_uint(r, "samples", 1);
    rec_array(r, "lines");
    rec_object(r, NULL);
    rec_str(r, "instructions", "?");
    rec_close(r);
    rec_close(r);
    record_emit(r);
    assert_non_null(strstr(text, "\n     0.00 %         0           +0  ?         -\n"));
}

static unsigned lines_of_text(void)
{
    unsigned n = 0;
    for (const char *c = text; *c; c++) n += *c == '\n';
    text[0] = '\0';
    return n;
}

/* 40 lines at most, whatever records they come in; the rest is counted with the last of them. */
TEST_WITH(as_many_as_are_shown, begin, NULL)
{
    static const struct place some[20] = {{"0x1", "x", "90", 1}};
    record_emit(profile(false, 0, 42, 20, some));
    assert_int_equal(lines_of_text(), 2 + 20);
    record_emit(profile(false, 20, 42, 19, some));
    assert_int_equal(lines_of_text(), 19);
    record_emit(profile(false, 39, 42, 3, some));
    assert_non_null(strstr(text, "\n  ! 2 more lines, of higher addresses, are in the records\n"));
    assert_int_equal(lines_of_text(), 2);
    record_emit(profile(false, 39, 41, 2, some));
    assert_non_null(strstr(text, "\n  ! 1 more line, of a higher address, is in the records\n"));
    assert_int_equal(lines_of_text(), 2);
    record_emit(profile(false, 39, 40, 1, some));
    assert_int_equal(lines_of_text(), 1);
}

/* Samples without an address, and those that were lost. */
TEST_WITH(footings, begin, NULL)
{
    static const struct place one = {"0x1", "x", "90", 0};
    static const struct {
        unsigned unknown, lost, distinct;
        const char *method, *want;
    } cases[] = {
        {0, 0, 1, "pebs", ""},
        {1, 0, 1, "pebs", "   100.00 %         1  unknown\n"},
        {0, 1, 1, "pebs", "  ! 1 more sample was lost: the buffer was full\n"},
        {0, 2, 1, "pmi",
         "  An address is where the payload went on after the interrupt: that of the next\n  instruction.\n"
         "  ! 2 more samples were lost: the buffer was full\n"},
        {0, 2, 0, "pmi", "  ! 2 more samples were lost: the buffer was full\n"},
        {0, 3, 41, "pebs",
         "  ! 1 more line is in the records; 3 more samples were lost: the buffer was\n    full\n"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *r = profile(true, cases[i].distinct ? cases[i].distinct - 1 : 0, cases[i].distinct,
                                   cases[i].distinct ? 1 : 0, &one);
        rec_uint(r, "unknown", cases[i].unknown);
        rec_uint(r, "lost", cases[i].lost);
        begin(state);
        for (unsigned k = 0; k < r->n; k++)
            if (r->f[k].key && strcmp(r->f[k].key, "method") == 0) r->f[k].s = cases[i].method;
        record_emit(r);
        const char *at = strstr(text, "  50.00 %"), *end = at ? strchr(at, '\n') + 1 : text;
        if (!at && cases[i].distinct == 0) end = strstr(text, "  !");
        assert_string_equal(end, cases[i].want);
    }
}

/* What PEBS recorded of an event that is not precise; and data addresses of which there are none. */
TEST_WITH(doubts, begin, NULL)
{
    static const struct place one = {"0x1", "x", "90", 0};
    struct record *r = profile(true, 0, 1, 1, &one);
    rec_uint(r, "imprecise", 1);
    record_emit(r);
    assert_non_null(strstr(text, "\n  This event is not precise on this CPU: a sample may be at a later"));
    text[0] = '\0';
    r = profile(false, 0, 0, 0, &one);
    rec_uint(r, "unknown", 1);
    record_emit(r);
    expect("  profile by data address of e: 1 sample by pebs, one in 7: no address is known\n");
}

TEST_WITH(deductions, begin, NULL)
{
    for (unsigned sets = 0; sets < 3; sets++) {
        struct record *r = record_new("deduction");
        rec_uint(r, "addresses", sets);
        if (sets != 1) rec_uint(r, "difference", 64);
        if (sets) rec_uint(r, "sets_used", sets);
        rec_uint(r, "set", 3);
        rec_uint(r, "sets", 32);
        rec_uint(r, "level", 1);
        rec_str(r, "conclusion", "they fit");
        record_emit(r);
    }
    expect("  deduced: 1 address; set 3 of 32 in L1; they fit\n"
           "  deduced: 2 addresses, 64 bytes apart; they fit\n");
}
