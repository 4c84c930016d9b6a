/* On which processors MWAIT may miss the store that is to end it. */
#include "kernel/rest.h"
#include "tests/unit/unit.h"
#include <string.h>

enum { MWAIT = 1 << 3 }; /* CPUID 1, ECX: SDM vol. 2A, table 3-10 */

static const struct {
    const char *vendor;
    unsigned family, model;
    uint32_t ecx;
    const char *fault; /* NULL: none */
    bool preferred;
} cpus[] = {
    {"GenuineIntel", 6, 0x0f, 0, "no MWAIT", false},    {"GenuineIntel", 6, 0x0f, ~MWAIT, "no MWAIT", false},
    {"GenuineIntel", 6, 0x0f, MWAIT, NULL, true},       {"GenuineIntel", 15, 3, MWAIT, NULL, true},
    {"GenuineIntel", 6, 0x1d, MWAIT, "AAI65", false},   {"GenuineIntel", 6, 0x2e, MWAIT, "AAI65", false},
    {"GenuineIntel", 6, 0x2f, MWAIT, "AAI65", false},   {"GenuineIntel", 6, 0x5c, MWAIT, "APL30", false},
    {"GenuineIntel", 6, 0x6a, MWAIT, "ICX143", false},  {"GenuineIntel", 6, 0xbd, MWAIT, "Linux", false},
    {"GenuineIntel", 6, 0x5e, MWAIT, NULL, true},       {"GenuineIntel", 6, 0x2c, MWAIT, NULL, true},
    {"GenuineIntel", 0x13, 0x5c, MWAIT, NULL, true},    {"AuthenticAMD", 0x17, 0x01, MWAIT, "1109", false},
    {"AuthenticAMD", 0x17, 0x08, MWAIT, "1109", false}, {"AuthenticAMD", 0x17, 0x31, MWAIT, NULL, true},
    {"AuthenticAMD", 0x06, 0x5c, MWAIT, NULL, true},    {"GenuineIntel", 0x17, 0x01, MWAIT, NULL, true},
    {"CentaurHauls", 6, 0x0f, MWAIT, NULL, false}, /* nobody's list: only where it is asked for */
};

TEST(test_mwait)
{
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        struct cpu_id id = {.family = cpus[i].family, .model = cpus[i].model, .f1_ecx = cpus[i].ecx};
        strcpy(id.vendor, cpus[i].vendor);
        const char *fault = rest_mwait_fault(&id);
        assert_int_equal(fault == NULL, cpus[i].fault == NULL);
        if (fault) assert_non_null(strstr(fault, cpus[i].fault));
        assert_int_equal(rest_prefers_mwait(&id), cpus[i].preferred);
    }
}
