/* The text face of regions: a table for each event, ranges where the markers' share is not known exactly. */
#include "report/text.h"
#include "tests/unit/text_drive.h"
#include <math.h>

#define N(a)    (sizeof(a) / sizeof(a)[0])
#define HEADING "                            entered  exited        total   per entry      first\n"

struct region {
    const char *event, *label, *flag;
    unsigned id, entered, exited;
    double least, most, first_least, first_most, overhead_least, overhead_most;
};

static int closed(void **state)
{
    text_region_close();
    return begin(state);
}

static void region(const struct region *g)
{
    struct record *r = record_new("region");
    rec_str(r, "bench", "b");
    rec_str(r, "event", g->event);
    rec_uint(r, "id", g->id);
    if (g->label) rec_str(r, "label", g->label);
    rec_uint(r, "reps", 4);
    rec_uint(r, "entered", g->entered);
    rec_uint(r, "exited", g->exited);
    if (!g->flag || strcmp(g->flag, "unmodelled") != 0) {
        rec_real(r, "least", g->least);
        rec_real(r, "most", g->most);
        rec_real(r, "first_least", g->first_least);
        rec_real(r, "first_most", g->first_most);
        rec_real(r, "overhead_least", g->overhead_least);
        rec_real(r, "overhead_most", g->overhead_most);
    }
    rec_array(r, "flags");
    if (g->flag) rec_str(r, NULL, g->flag);
    rec_close(r);
    record_emit(r);
}
#define REGION(...) region(&(struct region){__VA_ARGS__})
#define EXACT(total, first, overhead)                                                 \
    .least = (total), .most = (total), .first_least = (first), .first_most = (first), \
    .overhead_least = (overhead), .overhead_most = (overhead)

TEST_WITH(an_event_has_one_heading, closed, NULL)
{
    REGION(.event = "tsc", .label = "outer", .id = 0, .entered = 4, .exited = 4, EXACT(1000, 310, 38));
    REGION(.event = "tsc", .id = 127, .entered = 3, .exited = 2, EXACT(10, 4, 38));
    REGION(.event = "cycles", .label = "a label of more than twenty letters", .id = 1, .entered = 8,
           .exited = 8, EXACT(-12, 2.5, 40));
    text_region_close();
    REGION(.event = "cycles", .id = 2, .entered = 1, .exited = 1, EXACT(7, 7, 40));
    expect("  regions, in tsc; overhead of 38 an entry subtracted; first: with cold caches\n" HEADING
           "     0 outer                      4       4         1000         250        310\n"
           "   127                            3       2           10       3.333          4\n"
           "  regions, in cycles; overhead of 40 an entry subtracted; first: with cold\n"
           "  caches\n" HEADING
           "     1 a label of more than       8       8          -12      -1.500      2.500\n"
           "  regions, in cycles; overhead of 40 an entry subtracted; first: with cold\n"
           "  caches\n" HEADING
           "     2                            1       1            7           7          7\n");
}

/* Any line in which the ends differ has a second line; a range of the markers' cost alone has none. */
TEST_WITH(ranges, closed, NULL)
{
    REGION(.event = "tsc", .label = "r", .id = 3, .entered = 4, .exited = 4, .least = 100, .most = 120,
           .first_least = 20, .first_most = 22, .overhead_least = 2, .overhead_most = 5);
    REGION(.event = "tsc", .label = "r", .id = 4, .entered = 4, .exited = 4, .least = 100, .most = 100,
           .first_least = 20, .first_most = 22, .overhead_least = 2, .overhead_most = 5);
    REGION(.event = "tsc", .label = "r", .id = 5, .entered = 4, .exited = 4, .least = 100, .most = 100,
           .first_least = 20, .first_most = 20, .overhead_least = 2, .overhead_most = 5);
    expect("  regions, in tsc; overhead of 2 to 5 an entry subtracted; first: with cold\n  caches\n" HEADING
           "     3 r                          4       4          100          25         20\n"
           "                                         to          120          30         22\n"
           "     4 r                          4       4          100          25         20\n"
           "                                         to          100          25         22\n"
           "     5 r                          4       4          100          25         20\n");
}

/* Whole numbers have all of their digits; others are as in every table. */
TEST_WITH(numbers, closed, NULL)
{
    static const struct {
        double v;
        const char *total, *per_entry;
    } cases[] = {{123456789, "123456789", "61728394"},
                 {9999999998, "9999999998", "4999999999"},
                 {-999999998, "-999999998", "-499999999"},
                 {1e10, "10000000000", "5000000000"},
                 {-1e9, "-1000000000", "-500000000"},
                 {-2e9, "-2000000000", "-1000000000"},
                 {2e10, "20000000000", "10000000000"},
                 {-0.25, "-0.250", "-0.125"},
                 {-25940.54, "-25940.5", "-12970.3"},
                 {0, "0", "0"},
                 {2.5e19, "2.5e+19", "1.2e+19"},
                 {(double)NAN, "-", "-"},
                 {(double)INFINITY, "-", "-"}};
    for (size_t i = 0; i < N(cases); i++) {
        char want[80];
        begin(state);
        text_region_close();
        REGION(.event = "tsc", .id = 0, .entered = 2, .exited = 2, EXACT(cases[i].v, 1, 0));
        snprintf(want, sizeof want, "       2       2 %12s %11s          1\n", cases[i].total,
                 cases[i].per_entry);
        if (!strstr(text, want)) fail_msg("no \"%s\" in\n%s", want, text);
    }
}

/* What lacks values says so; entries that differ are those of all repetitions, of which there are 4. */
TEST_WITH(doubts, closed, NULL)
{
    static const char *const flags[][2] = {
        {"overhead-lowered", "! a raw count was below the overhead, which was lowered to it\n"},
        {"unbalanced", "!  entered and exited differ, so there are no values\n"},
        {"end-before-begin", "!  an end came before its begin, so there are no values\n"},
        {"below-overhead", "!  a total was below the least overhead; the markers' share of it is\n"
                           "       unknown\n"},
        {"first-below-overhead", "!  the first entry was below the least overhead; the markers' share of it\n"
                                 "       is unknown\n"}};
    REGION(.event = "tsc", .flag = "unmodelled", .entered = 2, .exited = 2);
    REGION(.event = "tsc", .flag = "varies", .id = 9, .entered = 8, .exited = 8, EXACT(100, 60, 0));
    expect("  regions, in tsc\n" HEADING
           "     0                            2       2   unmodelled           -          -\n"
           "     9                            8       8          100          50         60\n"
           "    !  not the same in each repetition; the entries are those of all\n"
           "       repetitions\n");
    for (unsigned i = 0; i < N(flags); i++) {
        begin(state);
        REGION(.event = "tsc", .flag = flags[i][0], .entered = 2, .exited = 2, EXACT(1, 1, 0));
        const char *remark = strchr(text, '!');
        if (!remark || strcmp(remark, flags[i][1]) != 0) fail_msg("%s:\n%s", flags[i][0], text);
    }
}

/* What does not fit into its column has the room to its left, and the name a line above, so that no line is
 * too long. */
TEST_WITH(many_entries, closed, NULL)
{
    REGION(.event = "tsc", .id = 4294967295, .entered = 9999999, .exited = 4000000000, EXACT(1e17, 1e117, 0));
    expect("  regions, in tsc; overhead of 0 an entry subtracted; first: with cold caches\n" HEADING
           "   nan\n"
           "                   9999999 4000000000 100000000000000000 10000001000     1e+117\n");
}
