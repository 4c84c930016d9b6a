/* Branches as records, each judged by the catalogue, and as text. */
#include "pmu/lbr.h"
#include "report/emit.h"
#include "report/emit_branches.h"
#include "tests/unit/emit_drive.h"
#include <stdlib.h>

static long long number(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}
static double real(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }
static const char *string(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}
static const json_t *line(unsigned i, unsigned k) { return json_array_get(field(i, "lines"), k); }

/* known: enum branch_known. */
static struct sampling sampling(unsigned branches, unsigned known)
{
    return (struct sampling){.by = SAMPLE_BY_PMI,
                             .run = run,
                             .branches = branches,
                             .branches_deep = 16,
                             .branches_known = (uint8_t)known};
}
#define ALL_KNOWN (BRANCH_CYCLES | BRANCH_PREDICTION)

TEST_WITH(tables, session, forget)
{
    static struct branch_line branch[] = {
        {.from = 0x10001c,
         .to = 0x100004,
         .times = 60,
         .predictions = 60,
         .mispredicted = 3,
         .symbol = {{.bench = &l1_miss, .offset = 0x1c}, {.function = "f", .offset = 4}},
         .named = {true, true}},
        {.from = 0x200000, .to = 0x100004, .times = 20, .predictions = 20},
    };
    static struct branch_line block[] = {
        {.from = 0x100004,
         .to = 0x10001c,
         .times = 45,
         .timed = 45,
         .cycles = 450,
         .least = 9,
         .most = 70,
         .histogram = {[4] = 44, [7] = 1},
         .symbol = {{.function = "f", .offset = 4}, {.bench = &l1_miss, .offset = 0x1c}},
         .named = {true, true}},
        {.from = 0x100008,
         .to = 0x200000,
         .times = 5,
         .timed = 5,
         .cycles = 50,
         .least = 10,
         .most = 10,
         .histogram = {[4] = 5}},
    };
    const struct branches b = {.samples = 5,
                               .entries = 80,
                               .outside = 7,
                               .impossible = 2,
                               .aborted = 6,
                               .unlisted = 1,
                               .unlisted_blocks = 4,
                               .branch = branch,
                               .n_branches = 2,
                               .block = block,
                               .n_blocks = 2,
                               .block_times = 50,
                               .block_cycles = 500};
    const struct sampling s = sampling(LBR_ANY | LBR_RING3, ALL_KNOWN);
    emit_branches(&source, &s, &b);
    assert_int_equal(records, 2);
    assert_string_equal(string(record[0], "t"), "branches");
    assert_string_equal(string(record[0], "filter"), "any,u");
    assert_string_equal(string(record[0], "facility"), "lbr");
    assert_string_equal(string(record[0], "predictions"), "recorded");
    assert_int_equal(number(record[0], "depth"), 16);
    assert_int_equal(number(record[0], "samples"), 5);
    assert_int_equal(number(record[0], "times"), 80);
    assert_int_equal(number(record[0], "outside"), 7);
    assert_int_equal(number(record[0], "unlisted"), 1);
    assert_int_equal(number(record[0], "aborted"), 6);
    assert_null(json_object_get(record[1], "aborted"));
    assert_int_equal(number(record[0], "distinct"), 2);
    assert_string_equal(string(line(0, 0), "from"), "0x10001c");
    assert_string_equal(string(line(0, 0), "to"), "0x100004");
    assert_string_equal(string(line(0, 0), "from_symbol"), "l1_profile+0x1c");
    assert_string_equal(string(line(0, 0), "to_symbol"), "f+0x4");
    assert_int_equal(number(line(0, 0), "times"), 60);
    assert_int_equal(number(line(0, 0), "mispredicted"), 3);
    assert_true(real(line(0, 0), "share") == 0.75);
    assert_null(json_object_get(line(0, 0), "cycles_mean"));
    assert_null(json_object_get(line(0, 1), "from_symbol"));
    assert_string_equal(string(record[1], "t"), "blocks");
    assert_string_equal(string(record[1], "cycles"), "recorded");
    assert_int_equal(number(record[1], "times"), 50);
    assert_int_equal(number(record[1], "impossible"), 2);
    assert_int_equal(number(record[1], "unlisted"), 4);
    assert_true(real(line(1, 0), "share") == 0.9 && real(line(1, 0), "cycles_share") == 0.9);
    assert_true(real(line(1, 0), "cycles_mean") == 10);
    assert_int_equal(number(line(1, 0), "cycles_least"), 9);
    assert_int_equal(number(line(1, 0), "cycles_most"), 70);
    assert_null(json_object_get(line(1, 0), "mispredicted"));
    const json_t *histogram = json_object_get(line(1, 0), "histogram");
    assert_int_equal(json_array_size(histogram), 8); /* none behind the last that is not 0 */
    assert_int_equal(json_integer_value(json_array_get(histogram, 4)), 44);
    assert_int_equal(json_integer_value(json_array_get(histogram, 7)), 1);
    expect("  branches taken: 80, of 5 samples with up to 16 branches (lbr:any,u),\n"
           "  modelled; 7 more outside of the payload; 6 of aborted transactions\n"
           "      share     times  mispredicted  from                    to\n"
           "    75.00 %        60        5.00 %  l1_profile+0x1c         f+0x4\n"
           "    25.00 %        20        0.00 %  0x200000                0x100004\n"
           "  ! 1 more are in no line: too many are different\n"
           "  blocks between two of them: 50, modelled; 2 that cannot have been\n"
           "      share     times of cycles     mean  least  block\n"
           "    90.00 %        45   90.00 %     10.0      9  f+0x4 to l1_profile+0x1c\n"
           "    10.00 %         5   10.00 %     10.0     10  0x100008 to 0x200000\n"
           "  ! 4 more are in no line: too many are different\n");
}

/* On the PMU model cycles are absent, though the processor would record them. */
TEST_WITH(no_cycles, session, forget)
{
    static struct branch_line branch[1],
        block[] = {
            {.from = 0x100004, .to = 0x10001c, .times = 2, .timed = 2, .cycles = 9, .histogram = {0, 1, 1}}};
    const struct branches b = {.samples = 1,
                               .entries = 4,
                               .branch = branch,
                               .block = block,
                               .n_blocks = 1,
                               .block_times = 2,
                               .block_cycles = 9};
    const struct sampling s = sampling(LBR_ANY | LBR_RINGS, BRANCH_CYCLES);
    records_have_clocks(false);
    emit_branches(&source, &s, &b);
    assert_string_equal(string(record[1], "cycles"), "unmodelled");
    assert_int_equal(number(line(1, 0), "times"), 2);
    static const char *const keys[] = {"cycles_mean", "cycles_least", "cycles_most", "cycles_share",
                                       "histogram"};
    for (unsigned i = 0; i < N(keys); i++) assert_null(json_object_get(line(1, 0), keys[i]));
    assert_non_null(strstr(text, "  blocks between two of them: 2, modelled; cycles are unmodelled\n"
                                 "      share     times  block\n"));
}

/* What the processor does not record, or the model does not have, has no number. */
TEST_WITH(nothing_known, session, forget)
{
    static struct branch_line branch[] = {{.from = 0x10001c, .to = 0x100004, .times = 4}},
                              block[] = {{.from = 0x100004, .to = 0x10001c, .times = 2}};
    const struct branches b = {.samples = 1,
                               .entries = 4,
                               .branch = branch,
                               .n_branches = 1,
                               .block = block,
                               .n_blocks = 1,
                               .block_times = 2};
    struct sampling s = sampling(LBR_ANY | LBR_RINGS, 0);
    struct profile_source silicon = source;
    silicon.origin = ORIGIN_SILICON;
    s.unpredicted = true;
    emit_branches(&silicon, &s, &b);
    assert_string_equal(string(record[0], "filter"), "any,u,k");
    assert_string_equal(string(record[0], "predictions"), "unmodelled");
    assert_null(json_object_get(line(0, 0), "mispredicted"));
    assert_string_equal(string(record[1], "cycles"), "absent");
    assert_null(json_object_get(line(1, 0), "cycles_share"));
    assert_null(json_object_get(line(1, 0), "histogram"));
    expect("  branches taken: 4, of 1 sample with up to 16 branches (lbr:any,u,k); 0 more\n"
           "  outside of the payload; mispredictions are unmodelled\n"
           "      share     times  from                    to\n"
           "   100.00 %         4  0x10001c                0x100004\n"
           "  blocks between two of them: 2; cycles are absent\n"
           "      share     times  block\n"
           "   100.00 %         2  0x100004 to 0x10001c\n");
    forget(NULL);
    s = sampling(LBR_COND | LBR_RING3, 0); /* no blocks: branches are missing */
    emit_branches(&silicon, &s, &b);
    assert_int_equal(records, 1);
    assert_string_equal(string(record[0], "predictions"), "absent");
}

/* A payload without a branch does not make the processor one that records less. A block of which the
 * processor does not say how long it took has no number. */
TEST_WITH(recorded_nothing, session, forget)
{
    static struct branch_line branch[1], block[] = {{.from = 0x100004, .to = 0x10001c, .times = 2}};
    struct branches b = {.samples = 3, .branch = branch, .block = block};
    const struct sampling s = sampling(LBR_ANY | LBR_RING3, ALL_KNOWN);
    emit_branches(&source, &s, &b);
    assert_string_equal(string(record[0], "predictions"), "recorded");
    assert_string_equal(string(record[1], "cycles"), "recorded");
    forget(NULL);
    text[0] = '\0';
    b.n_blocks = 1;
    b.block_times = 2;
    emit_branches(&source, &s, &b);
    assert_null(json_object_get(line(1, 0), "cycles_mean"));
    assert_non_null(strstr(text, "      share     times of cycles     mean  least  block\n"
                                 "   100.00 %         2         -        -      -  0x100004 to 0x10001c\n"));
}

/* The end of a block has the name of its function if that is another one, also one that is as long. */
TEST_WITH(names_at_the_end, session, forget)
{
    static const char *const from[] = {"fa", "fa", "f", "ff"}, *const to[] = {"fa", "fb", "ff", "f"},
                             *const line[] = {" fa+0x4 to +0x8\n", " fa+0x4 to fb+0x8\n",
                                              " f+0x4 to ff+0x8\n", " ff+0x4 to f+0x8\n"};
    static struct branch_line branch[1];
    const struct sampling s = sampling(LBR_ANY | LBR_RING3, ALL_KNOWN);
    for (unsigned i = 0; i < N(from); i++) {
        struct branch_line block = {
            .from = 0x100004,
            .to = 0x100008,
            .times = 1,
            .timed = 1,
            .cycles = 1,
            .least = 1,
            .most = 1,
            .histogram = {0, 1},
            .symbol = {{.function = from[i], .offset = 4}, {.function = to[i], .offset = 8}},
            .named = {true, true}};
        const struct branches b = {.samples = 1,
                                   .entries = 1,
                                   .branch = branch,
                                   .block = &block,
                                   .n_blocks = 1,
                                   .block_times = 1,
                                   .block_cycles = 1};
        text[0] = '\0';
        emit_branches(&source, &s, &b);
        assert_non_null(strstr(text, line[i]));
    }
}

/* As many records as it takes, none with two thirds of a line; none at all is one record. */
TEST_WITH(many, session, forget)
{
    static struct branch_line branch[100];
    char name[65];
    memset(name, 'n', 64);
    name[64] = '\0';
    static const unsigned lines[] = {0, 25, 40, 41, 100};
    static const char *const more[] = {"", "", "", "  ! 1 more line is in the records\n",
                                       "  ! 60 more lines are in the records\n"};
    for (unsigned k = 0; k < N(lines); k++) {
        const unsigned n = lines[k];
        forget(NULL);
        for (unsigned i = 0; i < n; i++) {
            branch[i] = (struct branch_line){.from = UINT64_MAX - i,
                                             .to = UINT64_MAX,
                                             .times = UINT32_MAX,
                                             .timed = UINT32_MAX,
                                             .cycles = UINT64_MAX / 2,
                                             .most = 65535,
                                             .predictions = 1,
                                             .named = {true, true},
                                             .symbol = {{.function = name, .offset = 0xffffffff},
                                                        {.function = name, .offset = 0xffffffff}}};
            for (unsigned c = 0; c < BRANCHES_CLASSES; c++) branch[i].histogram[c] = UINT32_MAX;
        }
        const struct branches b = {
            .samples = 1, .entries = 1, .branch = branch, .n_branches = n, .block_cycles = 1};
        const struct sampling s = sampling(LBR_COND | LBR_RING3, ALL_KNOWN);
        text[0] = '\0';
        emit_branches(&source, &s, &b);
        assert_int_equal(records, n ? (n + 5) / 6 : 1);
        unsigned at = 0;
        for (unsigned i = 0; i < records; i++) {
            assert_string_equal(string(record[i], "t"), "branches"); /* no record was too long */
            assert_int_equal(number(record[i], "first"), at);
            at += (unsigned)json_array_size(field(i, "lines"));
        }
        assert_int_equal(at, n);
        const char *footing = strstr(text, "  !");
        assert_string_equal(footing ? footing : "", more[k]);
    }
}

TEST_WITH(call_stacks, session, forget)
{
    static struct branch_function function[40] = {{0x100000, true, {.bench = &l1_miss}},
                                                  {0x200000, true, {.function = "f", .offset = 0x10}},
                                                  {0x300000, false, {0}}};
    struct branch_stack stack[] = {{function, 3, 6}, {function, 1, 2}, {function, 40, 2}};
    const struct branches b = {.samples = 10, .outside = 3, .cut = 2, .stack = stack, .n_stacks = 3};
    const struct sampling s =
        sampling(LBR_CALL_STACK | LBR_REL_CALL | LBR_IND_CALL | LBR_RET | LBR_RING3, ALL_KNOWN);
    char name[61];
    memset(name, 'n', 60);
    name[60] = '\0';
    for (unsigned i = 3; i < 40; i++) function[i] = (struct branch_function){i, true, {.function = name}};
    emit_branches(&source, &s, &b);
    assert_int_equal(records, 1);
    assert_string_equal(string(record[0], "t"), "stacks");
    assert_string_equal(string(record[0], "filter"), "call_stack,u");
    assert_int_equal(number(record[0], "times"), 10);
    assert_int_equal(number(record[0], "cut"), 2);
    assert_string_equal(string(line(0, 0), "functions"), "l1_profile;f;0x300000");
    assert_true(real(line(0, 0), "share") == 0.6);
    assert_string_equal(string(line(0, 1), "functions"), "l1_profile");
    const char *longest = string(line(0, 2), "functions"); /* the innermost, whole names */
    assert_memory_equal(longest, "...;n", 5);
    assert_int_equal((strlen(longest) - 3) % 61, 0);
    assert_true(strlen(longest) > 700);
    assert_memory_equal(text, "  call stacks: 10, of 10 samples with up to 16 branches (lbr:call_stack,u),\n",
                        76);
    assert_non_null(strstr(text, "2 filled the record"));
    assert_non_null(strstr(text, "    60.00 %         6  l1_profile;f;0x300000\n"));
}

/* With each raw sample, in a record of its own; what is not known of any has no list. */
TEST_WITH(raw, session, forget)
{
    static struct sample at[2];
    static struct branch branch[2 * BRANCHES_MOST];
    const struct machine m = {.count_origin = ORIGIN_SILICON};
    const struct options opt = {.sample = SAMPLE_BY_PMI, .all = true};
    static const struct sampled result;
    struct sampling s = sampling(LBR_ANY | LBR_RING3, ALL_KNOWN);
    s.event = "e";
    s.unit = "events";
    s.samples = (struct samples){.at = at, .n = 2, .cap = 2, .branch = branch};
    at[0] = (struct sample){.valid = SAMPLE_BRANCHES, .branches = 2};
    at[1] = (struct sample){.valid = SAMPLE_BRANCHES, .branches = BRANCHES_MOST, .ip = UINT64_MAX};
    for (unsigned k = 0; k < N(at[1].reg); k++) at[1].reg[k] = UINT64_MAX;
    branch[0] = (struct branch){0x10, 0x20, 7, BRANCH_CYCLES | BRANCH_PREDICTION, true};
    branch[1] = (struct branch){0x30, 0x40, 0, BRANCH_CYCLES | BRANCH_PREDICTION, false};
    for (unsigned i = 0; i < BRANCHES_MOST; i++)
        branch[BRANCHES_MOST + i] =
            (struct branch){UINT64_MAX, UINT64_MAX, 65535, BRANCH_CYCLES | BRANCH_PREDICTION, true};
    emit_sampling(&s, &result, &opt, &m);
    assert_int_equal(records, 3); /* the run, and two */
    const json_t *x = json_array_get(field(1, "samples"), 0);
    assert_int_equal(json_array_size(field(1, "samples")), 1);
    assert_string_equal(json_string_value(json_array_get(json_object_get(x, "branch_from"), 1)), "0x30");
    assert_string_equal(json_string_value(json_array_get(json_object_get(x, "branch_to"), 0)), "0x20");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(x, "branch_mispredicted"), 0)), 1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(x, "branch_mispredicted"), 1)), 0);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(x, "branch_cycles"), 0)), 7);
    x = json_array_get(field(2, "samples"), 0); /* as long as it can be */
    assert_string_equal(string(record[2], "t"), "sample");
    assert_int_equal(json_array_size(json_object_get(x, "branch_cycles")), BRANCHES_MOST);
    forget(NULL);
    branch[0].known = branch[1].known = BRANCH_FROM_PAYLOAD;
    s.samples.n = 1;
    emit_sampling(&s, &result, &opt, &m);
    x = json_array_get(field(1, "samples"), 0);
    assert_int_equal(json_array_size(json_object_get(x, "branch_to")), 2);
    assert_null(json_object_get(x, "branch_mispredicted"));
    assert_null(json_object_get(x, "branch_cycles"));
}

TEST(words)
{
    assert_string_equal(branches_words(LBR_ANY | LBR_RING0), "any,k");
    assert_string_equal(branches_words(LBR_REL_CALL | LBR_IND_CALL | LBR_FAR | LBR_RING3), "any_call,u");
    assert_string_equal(branches_words(LBR_RET | LBR_FAR | LBR_COND | LBR_RING3), "any_ret,cond,u");
    assert_string_equal(branches_words(LBR_REL_CALL | LBR_IND_JMP | LBR_RINGS), "call,ind_jmp,u,k");
}
