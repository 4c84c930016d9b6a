/* The table of steps=: what had been counted and what came, and rows without anything new. */
#include "report/text.h"
#include "tests/unit/text_drive.h"

struct row {
    unsigned cycles, frozen;
    double count[4], came[4], least[4], most[4];
    bool varies;
};

static unsigned events;
static bool untimed; /* the PMU model's */

static void whole(const char *const *names, unsigned n, unsigned late, int as_empty)
{
    struct record *r = record_new("steps");
    events = n;
    rec_str(r, "bench", "b");
    rec_str(r, "variant", "v");
    rec_object(r, "params");
    rec_uint(r, "n", 100);
    rec_close(r);
    rec_uint(r, "ring", 3);
    rec_array(r, "events");
    for (unsigned i = 0; i < n; i++) rec_str(r, NULL, names[i]);
    rec_close(r);
    rec_uint(r, "reps", 5);
    if (!untimed) rec_uint(r, "cycles", 122);
    if (!untimed) rec_uint(r, "empty", 15);
    if (as_empty >= 0) rec_uint(r, "as_empty", (unsigned)as_empty);
    if (!untimed) rec_uint(r, "late", late);
    rec_array(r, "flags");
    rec_close(r);
    record_emit(r);
}

static void list(struct record *r, const char *key, const double *v)
{
    rec_array(r, key);
    for (unsigned i = 0; i < events; i++) rec_number_value(r, NULL, v[i]);
    rec_close(r);
}

static void row(const struct row *w)
{
    struct record *r = record_new("step");
    rec_uint(r, untimed ? "asked" : "cycles", w->cycles);
    rec_uint(r, "frozen", w->frozen ? w->frozen : 5);
    list(r, "count", w->count);
    list(r, "came", w->came);
    list(r, "least", w->count);
    list(r, "most", w->varies ? w->most : w->count);
    record_emit(r);
}
#define ROW(...) row(&(struct row){__VA_ARGS__})

#define HEADING                                                                        \
    "\n"                                                                               \
    "b v n=100, ring 3, cycle by cycle: what had been counted up to there, and what\n" \
    "came since the row before; medians of 5 repetitions\n"

TEST_WITH(what_came, begin, NULL)
{
    static const char *const names[] = {"instructions", "loads"};
    whole(names, 2, 0, 4);
    ROW(0, .count = {12, 0}, .came = {12, 0});
    ROW(1, .count = {13, 2}, .came = {1, 2}, .varies = true, .most = {13, 3});
    ROW(2, .count = {12, 2}, .came = {-1, 0}, .frozen = 3);
    ROW(3, .count = {123456789, 2}, .came = {123456777, 0});
    expect(HEADING "  the bracket takes 122 cycles, and 15 when it is empty; up to cycle 4 nothing\n"
                   "  differs from the empty one\n"
                   "     cycle instructions            loads\n"
                   "         0           12     +12        0\n"
                   "         1           13      +1        2*     +2\n"
                   "         2           12      -1        2\n"
                   "           3 of 5 repetitions: in the others the bracket had ended\n"
                   "         3    123456789 +123456777        2\n");
}

TEST_WITH(modelled, begin, NULL)
{
    static const char *const names[] = {"loads"};
    untimed = true;
    whole(names, 1, 0, -1);
    ROW(0, .count = {1}, .came = {1});
    ROW(8, .count = {3}, .came = {2});
    expect(HEADING "  cycles are unmodelled: the first column is the cycle that was asked for,\n"
                   "  which orders the rows\n"
                   "     asked    loads\n"
                   "         0        1      +1\n"
                   "         8        3      +2\n");
    untimed = false;
}

/* One row without anything new is printed, and of more how many. */
TEST_WITH(nothing_new, begin, NULL)
{
    static const char *const names[] = {"loads"};
    whole(names, 1, 7, -1);
    ROW(0, .count = {0}, .came = {0});
    ROW(1, .count = {1}, .came = {1});
    ROW(2, .count = {1}, .came = {0});
    ROW(3, .count = {1}, .came = {0});
    ROW(5, .count = {1}, .came = {0});
    ROW(6, .count = {2}, .came = {1});
    ROW(7, .count = {2}, .came = {0});
    ROW(8, .count = {2}, .came = {0});
    expect(HEADING "  the bracket takes 122 cycles, and 15 when it is empty; counters stopped up to\n"
                   "  7 cycles late, which the first column includes\n"
                   "     cycle    loads\n"
                   "         0        0\n"
                   "         1        1      +1\n"
                   "       ... nothing new in 3 steps, up to cycle 5\n"
                   "         6        2      +1\n");
    whole(names, 1, 0, -1); /* another table: what was held comes before it */
    expect("       ... nothing new in 2 steps, up to cycle 8\n" HEADING
           "  the bracket takes 122 cycles, and 15 when it is empty\n"
           "     cycle    loads\n");
}

/* Too long for the line: letters. */
TEST_WITH(long_names, begin, NULL)
{
    static const char *const names[] = {"mem_load_retired.l1_miss", "mem_load_retired.l2_miss", "loads",
                                        "stores"};
    whole(names, 4, 0, -1);
    ROW(4, .count = {1, 20, 300, 4000}, .came = {1, 20, 300, 4000});
    expect(HEADING "  the bracket takes 122 cycles, and 15 when it is empty\n"
                   "  A: mem_load_retired.l1_miss\n"
                   "  B: mem_load_retired.l2_miss\n"
                   "  C: loads\n"
                   "  D: stores\n"
                   "     cycle        A                B                C                D\n"
                   "         4        1      +1       20     +20      300    +300     4000   +4000\n");
}
