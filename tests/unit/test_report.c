/* What `anechoic report` works out: knees, distributions, numbers, text; and how long a page takes. */
#include "host/report_histogram.h"
#include "host/report_knee.h"
#include "host/report_page.h"
#include "host/report_picture.h"
#include "kernel/crc32.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

/* ---- knees ---- */

static size_t knees_of(const double *y, size_t n, bool doubling, struct knee *k)
{
    double x[32];
    for (size_t i = 0; i < n; i++) x[i] = doubling ? ldexp(1024, (int)i) : (double)i + 1;
    return knees(x, y, n, k, 3);
}

/* A load's latency by the size of what it walks through: L1, L2, memory. */
TEST(test_knees_of_caches)
{
    static const double y[] = {4, 4, 4, 4.1, 4, 4, 12, 12.2, 12, 12, 200, 201, 199, 200};
    struct knee k[3];
    assert_int_equal(knees_of(y, N(y), true, k), 2);
    assert_int_equal(k[0].at, 6);
    assert_true(fabs(k[0].before - 24.1 / 6) < 1e-9);
    assert_true(fabs(k[0].after - 48.2 / 4) < 1e-9);
    assert_int_equal(k[1].at, 10);
    assert_true(fabs(k[1].after - 200) < 1e-9);
}

TEST(test_no_knee)
{
    static const double level[] = {5, 5, 5, 5, 5, 5, 5, 5}, line[] = {1, 2, 3, 4, 5, 6, 7, 8},
                        noise[] = {5, 6, 4, 5.5, 5, 6.2, 4.1, 5}, two[] = {1, 9};
    static const double slight[] = {100, 100, 100, 100, 104, 104, 104, 104}; /* less than a tenth */
    static const double proportional[] = {1,    2.1,  3.9, 8.2,
                                          15.7, 32.5, 63,  129}; /* to sizes that double: a slope */
    struct knee k[3];
    assert_int_equal(knees_of(proportional, N(proportional), true, k), 0);
    assert_int_equal(knees_of(level, N(level), false, k), 0);
    assert_int_equal(knees_of(line, N(line), false, k), 0);
    assert_int_equal(knees_of(line, N(line), true, k), 0);
    assert_int_equal(knees_of(noise, N(noise), false, k), 0);
    assert_int_equal(knees_of(slight, N(slight), false, k), 0);
    assert_true(knees_of(two, N(two), false, k) <= 1);
    assert_int_equal(knees_of(two, 0, false, k), 0);
}

TEST(test_logarithmic_axis)
{
    static const double sizes[] = {1024, 2048, 4096, 8192, 16384}, ways[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    assert_true(grows_by_factors(sizes, N(sizes)));
    assert_false(grows_by_factors(ways, N(ways)));
}

/* ---- names ---- */

/* What ran elsewhere is not the same measurement. */
TEST(test_measurement)
{
    json_t *o = json_pack("{s:s,s:s,s:{s:i,s:s},s:i,s:i,s:s}", "bench", "l1_miss", "variant", "a", "params",
                          "bytes", 4096, "mode", "x", "ring", 3, "cpu", 1, "event", "cycles");
    char *all = event_of(o), *without = measurement_of(o, "bytes"), *conditions = conditions_of(o, NULL, "");
    assert_string_equal(all, "l1_miss a bytes=4096 mode=x, CPL 3, CPU 1: cycles");
    assert_string_equal(without, "l1_miss a mode=x, CPL 3, CPU 1");
    assert_string_equal(conditions, "bytes=4096 mode=x, CPL 3, CPU 1");
    free(conditions);
    json_object_del(o, "params");
    conditions = conditions_of(o, NULL, "");
    assert_string_equal(conditions, "CPL 3, CPU 1");
    free(all);
    free(without);
    free(conditions);
    json_decref(o);
}

/* ---- distributions ---- */

/* Quartiles as R's quantile() has them (its type 7): of 1:10 they are 3.25, 5.5 and 7.75. */
TEST(test_quartiles)
{
    double v[] = {7, 1, 10, 3, (double)NAN, 2, 9, 4, 8, 5, 6};
    bool disturbed[N(v)] = {[2] = true};
    struct spread s;
    spread_of(v, disturbed, N(v), &s);
    assert_int_equal(s.n, 10);
    assert_int_equal(s.distinct, 10);
    assert_int_equal(s.disturbed, 1);
    assert_true(disturbed[9]); /* it went with its value */
    assert_true(s.quarter == 3.25 && s.median == 5.5 && s.three_quarters == 7.75);
    assert_true(s.least == 1 && s.most == 10);
}

/* All values are in a bar or beyond; nothing is counted twice. */
TEST(test_histogram)
{
    double v[200];
    bool disturbed[N(v)] = {0};
    struct spread s;
    struct histogram h;
    for (size_t i = 0; i < N(v); i++) v[i] = 1000 + (double)(i * i % 97);
    v[17] = 1e9; /* one SMI */
    disturbed[17] = true;
    spread_of(v, disturbed, N(v), &s);
    histogram_of(v, disturbed, &s, &h);
    size_t all = h.beyond;
    assert_true(h.bars > 5 && h.bars <= HISTOGRAM_BARS);
    assert_int_equal(h.beyond, 1);
    for (size_t b = 0; b < h.bars; b++) all += h.count[b];
    assert_int_equal(all, N(v));
    assert_true(h.from + h.width * (double)h.bars < 1200);
}

/* Three different counts have three bars. */
TEST(test_histogram_of_few)
{
    double v[] = {10, 10, 12, 12, 12, 14};
    bool disturbed[N(v)] = {0};
    struct spread s;
    struct histogram h;
    spread_of(v, disturbed, N(v), &s);
    histogram_of(v, disturbed, &s, &h);
    assert_int_equal(h.bars, 3);
    assert_int_equal(h.count[0], 2);
    assert_int_equal(h.count[1], 3);
    assert_int_equal(h.count[2], 1);
    assert_int_equal(h.beyond, 0);
}

/* ---- numbers and text ---- */

TEST(test_numbers)
{
    static const struct {
        double v;
        const char *text;
    } rows[] = {{0, "0"},
                {999, "999"},
                {1000, "1,000"},
                {-1234567, "-1,234,567"},
                {123456.78, "123,456.78"},
                {-100000.5, "-100,000.5"},
                {281474976710655.0, "281,474,976,710,655"},
                {1e18, "1,000,000,000,000,000,000"},
                {2e19, "2e+19"},
                {1234.567, "1234.567"},
                {0.5, "0.500"}};
    char s[NUMBER_MAX];
    for (size_t i = 0; i < N(rows); i++) {
        number_text(s, rows[i].v);
        assert_string_equal(s, rows[i].text);
    }
    number_text(s, (double)NAN);
    assert_string_equal(s, "-");
    bytes_text(s, 32768);
    assert_string_equal(s, "32 KiB");
    assert_true(picture_step(12, 6) == 2 && picture_step(0.7, 6) == 0.2 && picture_step(50, 5) == 10);
    assert_true(picture_step(0, 6) == 1);
}

static char *escaped(const char *s)
{
    char *to = NULL;
    size_t len;
    FILE *memory = open_memstream(&to, &len);
    assert_non_null(memory);
    html_escape(memory, s);
    fclose(memory);
    return to;
}

TEST(test_escape)
{
    static const struct {
        const char *text, *html;
    } rows[] = {{"a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"},
                {"\x01\x7f\n\t", "\xef\xbf\xbd\xef\xbf\xbd\n\t"},
                {"caf\xc3\xa9 \xc2\x85", "caf\xc3\xa9 \xef\xbf\xbd"}};
    for (size_t i = 0; i < N(rows); i++) {
        char *got = escaped(rows[i].text);
        assert_string_equal(got, rows[i].html);
        free(got);
    }
}

/* gnuplot runs what stands between backquotes in "...", but not in '...'. */
TEST(test_strings_of_gnuplot)
{
    char *to = NULL;
    size_t len;
    FILE *memory = open_memstream(&to, &len);
    assert_non_null(memory);
    picture_string(memory, "it's `x` 5%\n", 40);
    fputc(' ', memory);
    picture_label(memory, "5%", 40);
    fputc(' ', memory);
    picture_string(memory, "caf\xc3\xa9s", 4);
    fclose(memory);
    assert_string_equal(to, "'it''s `x` 5% ' '5%%' 'caf\xc3\xa9...'");
    free(to);
}

/* ---- pictures ---- */

#define GNUPLOT_SVG                                                                                     \
    "<svg width=\"400\" height=\"250\" viewBox=\"0 0 400 250\" xmlns=\"http://www.w3.org/2000/svg\">\n" \
    "<title>Gnuplot</title>\n<desc>Produced by GNUPLOT</desc>\n<path id='gpPt0' d='M0,0'/>\n"           \
    "<use xlink:href='#gpPt0' color='rgb( 1, 1, 1)' fill='rgb(16,16,16)' stroke='rgb(9, 9, 9)'/>\n"     \
    "<text>rgb(16,16,16) black</text></svg>\n"

static char *put_svg(const char *svg, unsigned number)
{
    char *to = NULL;
    size_t len;
    FILE *memory = open_memstream(&to, &len);
    assert_non_null(memory);
    svg_put(memory, svg, svg + sizeof GNUPLOT_SVG - sizeof "</svg>\n", number, "a < b", "what \"it\" shows");
    fclose(memory);
    return to;
}

TEST(test_svg)
{
    char *got = put_svg(GNUPLOT_SVG, 7);
    assert_string_equal(got, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 250\" role=\"img\" "
                             "aria-labelledby=\"p7-title p7-desc\">\n"
                             "<title id=\"p7-title\">a &lt; b</title>\n"
                             "<desc id=\"p7-desc\">what &quot;it&quot; shows</desc>\n\n\n\n"
                             "<path id='p7-gpPt0' d='M0,0'/>\n"
                             "<use href='#p7-gpPt0' color='var(--c1,#0072b2)' fill='var(--ink,#111)' "
                             "stroke='rgb(9, 9, 9)'/>\n"
                             "<text>rgb(16,16,16) black</text></svg>\n");
    free(got);
}

/* What follows a picture in gnuplot's output is not looked at: here nothing does, not even a NUL, and the
 * sanitizer would report a look. Else 10,000 pictures would take the square of their time. */
TEST(test_one_picture_is_read)
{
    const size_t size = sizeof GNUPLOT_SVG - 1;
    char *one = malloc(size);
    assert_non_null(one);
    memcpy(one, GNUPLOT_SVG, size);
    char *got = put_svg(one, 7);
    assert_non_null(strstr(got, "</svg>"));
    free(got);
    free(one);
}

/* ---- a long capture ---- */

static void put_record(FILE *to, const char *body)
{
    fprintf(to, "%s,\"crc\":\"%08x\"}\n", body, (unsigned)crc32(0, body, strlen(body)));
}

/* A session of 10,000 records: half of them results, half their repetitions, as of a long sweep. */
static FILE *long_capture(void)
{
    static char bytes[16 << 20];
    FILE *to = fmemopen(bytes, sizeof bytes, "w+");
    char body[1024];
    assert_non_null(to);
    put_record(to, "{\"n\":0,\"t\":\"boot\",\"schema\":1,\"version\":\"0.1.0\",\"flavour\":\"x86_64\"");
    for (int n = 1; n < 9999; n++) {
        const char *of = "\"bench\":\"b\",\"variant\":\"\",\"params\":{\"bytes\":%d,\"lines\":%d},\"cpu\":0,"
                         "\"ring\":0,\"event\":\"tsc\"";
        char what[200];
        snprintf(what, sizeof what, of, 64 << (n / 2 % 16), n / 32);
        if (n % 2)
            snprintf(
                body, sizeof body,
                "{\"n\":%d,\"t\":\"result\",%s,\"unit\":\"tsc/load\",\"reps\":20,\"ops\":1,\"raw_min\":9,"
                "\"overhead\":0,\"min\":9.0,\"median\":%d.5,\"mode\":9.0,\"mean\":9.5,\"ci95\":0.25,\"max\":"
                "19.0,\"flags\":[\"slow\"],\"slow\":1,\"sweep\":\"bytes\"",
                n, what, n / 2 % 16 < 9 ? 4 : 12);
        else
            snprintf(
                body, sizeof body,
                "{\"n\":%d,\"t\":\"reps\",%s,\"first\":0,\"overhead\":0,\"raw\":[9,10,9,11,9,12,9,9,10,9,%d],"
                "\"flagged\":[]",
                n, what, 20 + n % 7);
        put_record(to, body);
    }
    put_record(to, "{\"n\":9999,\"t\":\"end\",\"records\":10000,\"status\":0");
    rewind(to);
    return to;
}

TEST(test_ten_thousand_records)
{
    struct runs rs = {0};
    unsigned long faults = 0;
    size_t pictures = 0, len;
    char *page = NULL;
    FILE *in = long_capture();
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    assert_true(runs_read(&rs, "long.rec", in, &faults));
    runs_name(&rs);
    FILE *to = open_memstream(&page, &len);
    assert_non_null(to);
    const char *missing = page_put(to, &rs, NULL, &pictures);
    fclose(to);
    assert_int_equal(faults, 0);
    assert_int_equal(rs.n, 1);
    assert_int_equal(rs.run[0].records, 10000);
    assert_int_equal(rs.run[0].n_reps, 4999);
    assert_non_null(strstr(missing, "gnuplot-nox"));
    assert_non_null(strstr(page, "Knee between bytes="));
    free(page);
    runs_free(&rs);
    fclose(in);
}
