/* Paragraphs: where lines break, how values look, and the way through nested fields. */
#include "report/text.h"
#include "tests/unit/text_drive.h"

#define N(a) (sizeof(a) / sizeof(a)[0])
#define W70  "seventy_letters_without_a_blank_that_take_most_of_a_line_of_the_screen"

/* In `said` a * begins or ends what stays together. */
TEST(lines)
{
    static const struct {
        const char *label;
        unsigned indent;
        const char *said, *want;
    } cases[] = {
        {"", 0, "", "\n"},
        {"label", 8, "", "label\n"},
        {"label", 8, "text", "label   text\n"},
        {"label_", 6, "text", "label_text\n"},
        {"label_", 5, "text", "label_text\n"},
        {"{", 4, "text", " {  text\n"},
        {"", 0, "  two  blanks  ", "  two  blanks\n"},
        {"", 0, W70 " 8letters 2nd", W70 " 8letters\n2nd\n"},
        {"", 0, W70 " 9lettters 2nd", W70 "\n9lettters 2nd\n"},
        {"", 4, W70 " 4_l  2nd", "    " W70 " 4_l\n    2nd\n"},
        {"", 4, W70 " 5_let 2nd", "    " W70 "\n    5_let 2nd\n"},
        {"", 2, W70 W70 " 2nd",
         "  " W70 "seventy\n  _letters_without_a_blank_that_take_most_of_a_line_of_the_screen 2nd\n"},
        {"label", 2, W70 W70,
         "label" W70 "seve\n  nty_letters_without_a_blank_that_take_most_of_a_line_of_the_screen\n"},
        {"", 2, W70 " *it stays together*, 2nd", "  " W70 "\n  it stays together, 2nd\n"},
        {"", 2, "*" W70 " it isx cut *2nd", "  " W70 " it isx\n  cut 2nd\n"},
        {"", 0, W70 "_8letters* *2nd", W70 "_8letters\n2nd\n"},
        {"", 0, "a tab\t, \x7f, \x1f and \x80~", "a tab\\x09, \\x7f, \\x1f and \\x80~\n"},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        struct para p;
        begin(state);
        para_begin(&p, put, cases[i].label, cases[i].indent);
        for (const char *c = cases[i].said; *c; c++)
            if (*c == '*')
                p.glue = !p.glue;
            else
                para_str(&p, (const char[]){*c, '\0'});
        para_end(&p);
        expect(cases[i].want);
    }
}

TEST(bytes_in_units)
{
    static const struct {
        double bytes;
        const char *want;
    } cases[] = {{0, "0 B\n"},
                 {1023, "1023 B\n"},
                 {1024, "1 KiB\n"},
                 {1536, "1.5 KiB\n"},
                 {1048576, "1 MiB\n"},
                 {1073741824, "1 GiB\n"},
                 {1099511627776, "1 TiB\n"},
                 {1125899906842624, "1024 TiB\n"}};
    for (unsigned i = 0; i < N(cases); i++) {
        struct para p;
        begin(state);
        para_begin(&p, put, "", 0);
        para_bytes(&p, cases[i].bytes);
        para_end(&p);
        expect(cases[i].want);
    }
}

/* {"o":{"x":{"deep":1},"a":[[]],"y":2,"s":"text"},"list":[-1,"b",0.5,true,false],"none":{},"last":5} */
TEST(nested_fields)
{
    struct record *r = record_new("note");
    struct para p;
    rec_object(r, "o");
    rec_object(r, "x");
    rec_int(r, "deep", 1);
    rec_close(r);
    rec_array(r, "a");
    rec_array(r, NULL);
    rec_close(r);
    rec_close(r);
    rec_int(r, "y", 2);
    rec_str(r, "s", "text");
    rec_close(r);
    rec_array(r, "list");
    rec_int(r, NULL, -1);
    rec_str(r, NULL, "b");
    rec_real(r, NULL, 0.5);
    rec_bool(r, NULL, true);
    rec_bool(r, NULL, false);
    rec_uint(r, NULL, UINT64_MAX);
    rec_close(r);
    rec_object(r, "none");
    rec_close(r);
    rec_int(r, "last", 5);
    const struct field *o = rec_find(r, "o");
    unsigned n = 0;
    for (const struct field *f = members(o); f; f = member_next(f))
        assert_string_equal(f->key, &"x\0a\0y\0s"[2 * n++]);
    assert_int_equal(n, 4);
    assert_null(member(o, "deep"));
    assert_int_equal(member(member(o, "x"), "deep")->i, 1);
    assert_int_equal(member(o, "y")->i, 2);
    assert_null(member(rec_find(r, "list"), "b")); /* without a key */
    assert_string_equal(member_text(o, "s", "?"), "text");
    assert_string_equal(member_text(o, "y", "?"), "?"); /* not a text */
    assert_string_equal(member_text(o, "z", "?"), "?");
    assert_null(members(NULL));
    assert_null(members(rec_find(r, "none")));
    assert_null(members(rec_find(r, "last")));
    assert_null(members(member(o, "s")));
    assert_true(has_flag(r, "list", "b"));
    assert_false(has_flag(r, "list", "c") || has_flag(r, "o", "deep"));
    begin(state);
    para_begin(&p, put, "", 0);
    para_list(&p, r, "list");
    para_list(&p, r, "none");
    para_end(&p);
    expect("-1, b, 0.5, yes, no, 18446744073709551615\n");
}

/* The origin is the boot's until a record names a different one. */
TEST(origin)
{
    static const struct {
        const char *flag;
        const char *other;
    } records[] = {{"modelled", NULL}, {"slow", NULL}, {"emulated", "emulated"},
                   {"emulated", NULL}, {"slow", NULL}, {"virtualized", "virtualized"}};
    const char *now = "modelled";
    begin(state);
    text_origin_begin("none");
    assert_null(text_origin());
    text_origin_begin("hosted");
    assert_string_equal(text_origin(), "hosted");
    text_origin_begin(now);
    for (unsigned i = 0; i < N(records); i++) {
        struct record *r = record_new("result");
        STRINGS(r, "flags", "smi", records[i].flag);
        const char *other = text_origin_other(r), *want = records[i].other;
        assert_int_equal(!other, !want);
        if (other) {
            assert_string_equal(other, want);
            text_origin_begin(now = other);
        }
        assert_string_equal(text_origin(), now);
    }
    begin(state);
    assert_null(text_origin());
}

/* Marks and columns that were used are explained, once. */
TEST(legend)
{
    begin(state);
    text_legend_put("boots", put);
    expect("");
    for (unsigned i = 0; i < LEGEND_COUNT; i++) text_legend_use((enum legend)i);
    text_legend_put("boots", put);
    expect("\n"
           "  overhead   the least cost of an empty measurement (of code: of the one with\n"
           "             fewer copies); it is subtracted already\n"
           "  +/-        confidence interval of the mean over the boots, not how boots\n"
           "             differ\n"
           "  ~          the interval is wider than 1 % of the mean\n"
           "  !          repetitions were disturbed, or the value is in doubt: see its\n"
           "             record\n"
           "  slow       repetitions more than 10 % and more than 1 us above the median\n"
           "  within     no less than the least that follows from the program; more depends\n"
           "             on the machine\n"
           "  DIFFERS    not the value that follows from the program: the counter or the\n"
           "             rule is wrong\n"
           "  *          repetitions of this step counted differently: see its record\n");
    text_legend_put("boots", put);
    expect("");
    text_legend_use(LEGEND_INTERVAL);
    text_legend_begin();
    text_legend_put("boots", put);
    expect("");
}

/* A formatted text has room for 127 bytes. */
TEST(long_formats)
{
    struct para p;
    begin(state);
    para_begin(&p, put, "", 0);
    para_printf(&p, "%s%s", W70, W70);
    para_end(&p);
    assert_int_equal(strlen(text), 127 + 2);
}
