/* Interrupt skid: specs, delay, distribution, seeds; for NetBurst's line and for P6's pulse. */
#include "tests/unit/netburst_drive.h"

TEST_WITH(test_specs, NULL, teardown)
{
    static const char *const good[] = {"0", "69", "1000000", "5:1", "65:1,69:7", "0:1000000,1:1"};
    static const char *const bad[] = {"",      "x",  "-1", "1000001",   "5:",      "5:0",  "5:1,",     "5,6",
                                      "5:1,6", ":1", "5 ", "5:1000001", "5:1;6:1", "5::1", "5:1,,6:1", "0x5"};
    char many[SIM_SKIDS * 5 + 6] = "";
    given("northwood", NULL);
    assert_true(sim_skid(sim, NULL, 0));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(sim_skid(sim, good[i], i));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(sim_skid(sim, bad[i], i));
    for (unsigned k = 0; k < SIM_SKIDS; k++) strcat(many, k ? ",10:1" : "10:1");
    assert_true(sim_skid(sim, many, 0));
    assert_false(sim_skid(sim, strcat(many, ",10:1"), 0));
}

/* Counter 12 asks for its interrupt after two instructions. */
static void arm(void)
{
    wr(CCCR(12), 0);
    wr(CRU_ESCR0, INSTR_RETIRED | BOTH);
    wr(COUNTER(12), MASK40);
    wr(CCCR(12), ENABLE | ESEL(4) | OVF_PMI);
    host.masked = false;
}

/* How many retire between the one that asks and delivery. */
static unsigned one_skid(unsigned most)
{
    const unsigned before = host.pmi;
    arm();
    retire(1);
    const uint64_t asked = sim->retired + 1;
    retire(1 + most);
    assert_int_equal(host.pmi, before + 1);
    return (unsigned)(host.at - asked);
}

TEST_WITH(test_fixed, NULL, teardown)
{
    static const unsigned skids[] = {0, 1, 2, 65, 69, 1000};
    given("northwood", NULL);
    assert_int_equal(one_skid(0), 0); /* none unless asked for */
    for (size_t i = 0; i < sizeof skids / sizeof *skids; i++) {
        char spec[16];
        snprintf(spec, sizeof spec, "%u", skids[i]);
        assert_true(sim_skid(sim, spec, 1));
        assert_int_equal(one_skid(1000), skids[i]);
    }
}

/* A line that has fallen before delivery interrupts nobody. */
TEST_WITH(test_dropped_line, NULL, teardown)
{
    given("northwood", NULL);
    assert_true(sim_skid(sim, "10", 1));
    arm();
    retire(7);
    wr(CCCR(12), 0);
    retire(20);
    assert_int_equal(host.pmi, 0);
}

#define DRAWS 20000
static unsigned histogram[100];

static void draw_many(const char *spec, uint64_t seed)
{
    memset(histogram, 0, sizeof histogram);
    given("northwood", NULL);
    assert_true(sim_skid(sim, spec, seed));
    for (unsigned k = 0; k < DRAWS; k++) histogram[one_skid(99)]++;
}

/* Weights are kept to within five standard deviations, and nothing else is drawn. */
TEST_WITH(test_distribution, NULL, teardown)
{
    static const unsigned after[] = {65, 67, 69, 71}, weight[] = {100, 200, 465, 235};
    for (uint64_t seed = 0; seed < 3; seed++) {
        unsigned sum = 0;
        draw_many("65:100,67:200,69:465,71:235", seed);
        for (unsigned k = 0; k < 4; k++) {
            const double p = weight[k] / 1000.0, mean = DRAWS * p, off = histogram[after[k]] - mean;
            assert_true(off * off < 25 * mean * (1 - p));
            sum += histogram[after[k]];
        }
        assert_int_equal(sum, DRAWS);
    }
}

/* The same seed: the same skids one by one, after a reset as well; another seed: others. */
TEST_WITH(test_seed, NULL, teardown)
{
    unsigned first[50], same = 0;
    given("northwood", NULL);
    assert_true(sim_skid(sim, "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1", 42));
    for (unsigned k = 0; k < 50; k++) first[k] = one_skid(10);
    sim_reset(sim);
    for (unsigned k = 0; k < 50; k++) assert_int_equal(one_skid(10), first[k]);
    assert_true(sim_skid(sim, "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1", 42));
    for (unsigned k = 0; k < 50; k++) assert_int_equal(one_skid(10), first[k]);
    assert_true(sim_skid(sim, "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1", 43));
    for (unsigned k = 0; k < 50; k++) same += one_skid(10) == first[k];
    assert_true(same < 25);
}

static char line[20000];

static void keep_line(void *ctx, const char *l)
{
    (void)ctx;
    snprintf(line, sizeof line, "%s", l);
}

/* The oracle tells what was drawn within its bracket. */
TEST_WITH(test_told, NULL, teardown)
{
    char want[100];
    unsigned n[2] = {0};
    given("northwood", NULL);
    sim_oracle_begin(sim, "none");
    sim_oracle_end(sim, keep_line, NULL, NULL);
    assert_null(strstr(line, "interrupts"));
    assert_true(sim_skid(sim, "5:1,69:2", 4));
    one_skid(99); /* before it begins */
    sim_oracle_begin(sim, "some");
    for (unsigned k = 0; k < 100; k++) n[one_skid(99) == 69]++;
    sim_oracle_end(sim, keep_line, NULL, NULL);
    snprintf(want, sizeof want, ",\"interrupts\":{\"5\":%u,\"69\":%u}}", n[0], n[1]);
    assert_non_null(strstr(line, want));
    assert_true(sim_skid(sim, NULL, 0));
    sim_oracle_begin(sim, "at once");
    one_skid(9);
    sim_oracle_end(sim, keep_line, NULL, NULL);
    assert_non_null(strstr(line, ",\"interrupts\":{\"0\":1}}"));
}

/* P6 asks at the overflow, once; the skid is the same. */
TEST_WITH(test_p6, NULL, teardown)
{
    given("p3", NULL);
    host.masks = false; /* as on the P6 */
    assert_true(sim_skid(sim, "5", 0));
    wr(0xc1, 0xffffffff);
    wr(0x186, 0xc0 | 3u << 16 | 1u << 20 | 1u << 22);
    retire(5);
    assert_int_equal(host.pmi, 0);
    retire(1);
    assert_int_equal(host.pmi, 1);
    assert_int_equal(host.at, 6);
    retire(100);
    assert_int_equal(host.pmi, 1);
}
