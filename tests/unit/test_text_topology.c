/* The drawing of the topology: on small machines, on hybrid ones, on 256 processors, and of damaged records.
 */
#include "report/emit.h"
#include "report/text.h"
#include "tests/unit/fake_topology.h"
#include "tests/unit/text_drive.h"
#include <string.h>

static struct topology t;
static struct topology_ids ids[PROCESSORS_MAX];

static void draws(const char *machine, const char *want)
{
    fake_topology(machine, &t);
    emit_topology(&t);
    expect(want);
}

TEST_WITH(small_machines, begin, NULL)
{
    draws("gallatin_dp", "  Topology  4 processors: 2 packages, 2 cores (cpuid.1)\n"
                         "            2 packages of one core of 2 threads\n"
                         "            not told: who shares L1d 8 KiB, L2 512 KiB, L3 1 MiB\n"
                         "            package  core  cpu  APIC ID\n"
                         "            0        0     0,2  0,1\n"
                         "            1        1     1,3  6,7\n");
    draws("clovertown_dp", "  Topology  8 processors: 2 packages, 8 cores (cpuid.4, cpuid.1)\n"
                           "            2 packages\n"
                           "              2 groups, each with L2 4 MiB\n"
                           "                2 cores, each with L1d 32 KiB, L1i 32 KiB\n"
                           "            package  core  cpu  APIC ID\n"
                           "            0        0     0    0\n"
                           "            0        1     4    1\n"
                           "            0        2     1    2\n"
                           "            0        3     5    3\n"
                           "            1        4     2    4\n"
                           "            1        5     6    5\n"
                           "            1        6     3    6\n"
                           "            1        7     7    7\n");
}

TEST_WITH(hybrid_machines, begin, NULL)
{
    draws("alder_lake", "  Topology  24 processors: 1 package, 16 cores (cpuid.1Fh, cpuid.4, cpuid.1Ah)\n"
                        "            1 package with L3 30 MiB\n"
                        "              8 P-cores of 2 threads, each with L2 1.25 MiB, L1d 48 KiB,\n"
                        "                  L1i 32 KiB\n"
                        "              2 groups, each with L2 2 MiB\n"
                        "                4 E-cores, each with L1d 32 KiB, L1i 64 KiB\n"
                        "            core  kind  cpu    APIC ID\n"
                        "            0     P     0,1    0,1\n"
                        "            1     P     2,3    8,9\n"
                        "            2     P     4,5    16,17\n"
                        "            3     P     6,7    24,25\n"
                        "            4     P     8,9    32,33\n"
                        "            5     P     10,11  40,41\n"
                        "            6     P     12,13  48,49\n"
                        "            7     P     14,15  56,57\n"
                        "            8     E     16     64\n"
                        "            9     E     17     66\n"
                        "            10    E     18     68\n"
                        "            11    E     19     70\n"
                        "            12    E     20     72\n"
                        "            13    E     21     74\n"
                        "            14    E     22     76\n"
                        "            15    E     23     78\n");
    draws("meteor_lake", "  Topology  18 processors: 1 package, 7 modules, 14 cores (cpuid.1Fh, cpuid.4,\n"
                         "            cpuid.1Ah)\n"
                         "            1 package\n"
                         "              1 group with L3 18 MiB\n"
                         "                2 modules, each with L2 2 MiB\n"
                         "                  4 E-cores, each with L1d 32 KiB, L1i 64 KiB\n"
                         "                4 P-cores of 2 threads, each with L2 2 MiB, L1d 48 KiB,\n"
                         "                    L1i 64 KiB\n"
                         "              1 module with L2 2 MiB\n"
                         "                2 E-cores, each with L1d 32 KiB, L1i 64 KiB\n"
                         "            module  core  kind  cpu    APIC ID\n"
                         "            0       0     E     2      0\n"
                         "            0       1     E     3      2\n"
                         "            0       2     E     4      4\n"
                         "            0       3     E     5      6\n"
                         "            1       4     E     6      8\n"
                         "            1       5     E     7      10\n"
                         "            1       6     E     8      12\n"
                         "            1       7     E     9      14\n"
                         "            2       8     P     10,11  16,17\n"
                         "            3       9     P     12,13  24,25\n"
                         "            4       10    P     0,1    32,33\n"
                         "            5       11    P     14,15  40,41\n"
                         "            6       12    E     16     64\n"
                         "            6       13    E     17     66\n");
}

TEST_WITH(large_machines, begin, NULL)
{
    draws("skylake_dp", "  Topology  96 processors: 2 packages, 48 cores (cpuid.0Bh, cpuid.4)\n"
                        "            2 packages, each with L3 33 MiB\n"
                        "              24 cores of 2 threads, each with L2 1 MiB, L1d 32 KiB, L1i 32 KiB\n"
                        "            package  core   cpu    APIC ID\n"
                        "            0        0-23   0-47   0-11,16-27,32-43,48-59\n"
                        "            1        24-47  48-95  64-75,80-91,96-107,112-123\n");
    draws("genoa_dp", "  Topology  256 processors: 2 packages, 16 dies, 16 complexes, 128 cores\n"
                      "            (cpuid.80000026h, cpuid.8000001Dh)\n"
                      "            2 packages\n"
                      "              8 dies/complexes, each with L3 32 MiB\n"
                      "                8 cores of 2 threads, each with L2 1 MiB, L1d 32 KiB,\n"
                      "                    L1i 32 KiB\n"
                      "            package  die  core     cpu      APIC ID\n"
                      "            0        0    0-7      0-15     0-15\n"
                      "            0        1    8-15     16-31    16-31\n"
                      "            0        2    16-23    32-47    32-47\n"
                      "            0        3    24-31    48-63    48-63\n"
                      "            0        4    32-39    64-79    64-79\n"
                      "            0        5    40-47    80-95    80-95\n"
                      "            0        6    48-55    96-111   96-111\n"
                      "            0        7    56-63    112-127  112-127\n"
                      "            1        8    64-71    128-143  256-271\n"
                      "            1        9    72-79    144-159  272-287\n"
                      "            1        10   80-87    160-175  288-303\n"
                      "            1        11   88-95    176-191  304-319\n"
                      "            1        12   96-103   192-207  320-335\n"
                      "            1        13   104-111  208-223  336-351\n"
                      "            1        14   112-119  224-239  352-367\n"
                      "            1        15   120-127  240-255  368-383\n");
}

/* 255 packages are one row. */
TEST_WITH(packages_without_end, begin, NULL)
{
    memset(ids, 0, sizeof ids);
    for (unsigned i = 0; i < 255; i++) {
        memset(ids[i].shift, SHIFT_UNKNOWN, sizeof ids[i].shift);
        ids[i].shift[LEVEL_CORE] = ids[i].shift[LEVEL_PACKAGE] = 0;
        ids[i].apic_id = ids[i].initial_id = 2 * i;
    }
    fake_build(&t, ids, 255);
    emit_topology(&t);
    expect("  Topology  255 processors: 255 packages, 255 cores\n"
           "            255 packages of one core\n"
           "            package  core   cpu    APIC ID\n"
           "            0-254    0-254  0-254  0,2..508\n");
}

/* A core whose threads have first-level caches of their own, as QEMU makes them. */
TEST_WITH(caches_of_threads, begin, NULL)
{
    const unsigned n = fake_processors("skylake_dp", ids);
    for (unsigned i = 0; i < n; i++) ids[i].cache[0].shift = 0;
    fake_build(&t, ids, n);
    emit_topology(&t);
    assert_non_null(strstr(text, "              24 cores of 2 threads, each with L2 1 MiB, L1i 32 KiB\n"
                                 "                2 threads, each with L1d 32 KiB\n"));
}

/* The firmware lists every second package's processors in turn, and has dropped some: lists with steps and
 * lists that are too long for a table. */
TEST_WITH(odd_orders, begin, NULL)
{
    static struct topology_ids mixed[PROCESSORS_MAX];
    unsigned n = fake_processors("skylake_dp", ids), kept = 0;
    for (unsigned i = 0; i < n; i++) mixed[i] = ids[i / 2 + (i % 2) * (n / 2)];
    fake_build(&t, mixed, n);
    emit_topology(&t);
    assert_non_null(strstr(text, "            0        0-23   0,2..94  0-11,16-27,32-43,48-59\n"));
    assert_non_null(strstr(text, "            1        24-47  1,3..95  64-75,80-91,96-107,112-123\n"));
    text[0] = '\0';
    for (unsigned i = 0; i < n; i++)
        if (i * i % 7 != 2) mixed[kept++] = ids[i];
    fake_build(&t, mixed, kept);
    emit_topology(&t);
    const char *const rows = strstr(text, "            package 0");
    assert_non_null(rows);
    assert_string_equal(rows, "            package 0, core 0-20: cpu 0-33; APIC ID 0-2, 5-9, 16-20, 23-27,\n"
                              "            34-38, 41-43, 48, 49, 52-56, 59\n"
                              "            package 1, core 21-40: cpu 34-67; APIC ID 64-67, 70-74, 81-85,\n"
                              "            88-91, 96, 99-103, 106, 107, 112-114, 117-121\n");
}

/* Four numbers with the same steps are a list with steps; three are not. */
TEST_WITH(few_steps, begin, NULL)
{
    static struct topology_ids mixed[PROCESSORS_MAX];
    static const char *const lists[] = {[2] = " 0,2,4-49 ", [3] = " 0,2..6,7-50 "};
    const unsigned n = fake_processors("skylake_dp", ids), half = n / 2;
    for (unsigned pairs = 2; pairs <= 3; pairs++) {
        unsigned k = 0;
        for (unsigned i = 0; i < pairs; i++) mixed[k++] = ids[i], mixed[k++] = ids[half + i];
        for (unsigned i = pairs; i < half; i++) mixed[k++] = ids[i];
        for (unsigned i = half + pairs; i < n; i++) mixed[k++] = ids[i];
        text[0] = '\0';
        fake_build(&t, mixed, n);
        emit_topology(&t);
        if (!strstr(text, lists[pairs])) fail_msg("%s", text);
    }
}

static void one_place(unsigned cpu, unsigned core)
{
    struct record *r = record_new("place");
    rec_uint(r, "cpu", cpu);
    rec_uint(r, "apic_id", cpu);
    rec_uint(r, "package", 0);
    rec_uint(r, "core", core);
    rec_uint(r, "thread", 0);
    record_emit(r);
}

static void one_topology(double processors)
{
    struct record *r = record_new("topology");
    rec_real(r, "processors", processors);
    record_emit(r);
}

/* Records that were lost, that nobody announced, that announce too much or nonsense. */
TEST_WITH(damaged_records, begin, NULL)
{
    one_place(0, 0);
    expect("");
    one_topology(3);
    one_place(2, 1);
    one_place(0, 0);
    report_note("x", "y");
    expect("  Topology  3 processors\n"
           "            only 2 of 3 processors are in these records\n"
           "            1 package\n"
           "              2 cores\n"
           "            core  cpu  APIC ID\n"
           "            0     0    0\n"
           "            1     2    2\n"
           "Note  x: y\n");
    one_topology(1e300);
    for (unsigned i = 0; i < 300; i++) one_place(i, i);
    report_note("x", "y");
    assert_non_null(strstr(text, "  Topology  processors\n"));
    assert_non_null(strstr(text, "            0-255  0-255  0-255\n"));
    text[0] = '\0';
    one_topology(-1);
    report_note("x", "y");
    text[0] = '\0';
    one_topology(2);
    one_place(0, 0);
    begin(NULL); /* another session: what came is forgotten */
    report_note("x", "y");
    expect("Note  x: y\n");
}
