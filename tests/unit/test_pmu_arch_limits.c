/* Linux' tables of event constraints, every code of each: event select and unit mask, 65536 of them. What the
 * tables have is written down here as sets of codes for each set of counters (arch/x86/events/intel/core.c of
 * 2026; for Panther Cove also Intel's "Instruction Set Extensions", 16.3), without an order. */
#include "pmu/arch_constraints.h"
#include "tests/unit/unit.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

#define REFERENCE "fixed2: 0003"
#define HYBRID    "fixed0: 0001; " REFERENCE "; fixed2 or any: 3c01"
#define BIG       "fixed0: 0001; " REFERENCE "; fixed3: 0004; none: 0080-00ff"

/* "counters: codes; ...": counters in hexadecimal, or what fixedN is for. A code is the event, or event and
 * unit mask; a range of either. The last set that has a code has it. */
static const char *const tables[CONSTRAINTS_END] = {
    [CONSTRAINTS_UNKNOWN] = "",
    [CONSTRAINTS_CORE] = "1: 14 c1; 2: 11-13 19",
    [CONSTRAINTS_CORE2] = REFERENCE "; 1: 10 14 18 a1 c9 cb; 2: 11-13 19",
    [CONSTRAINTS_GEN] = REFERENCE,
    [CONSTRAINTS_NHM] = REFERENCE "; 3: 40-43 48 4e 51 63",
    [CONSTRAINTS_WSM] = REFERENCE "; 3: 51 63; 1: 60 b3",
    [CONSTRAINTS_SNB] = REFERENCE "; f: d0-d3 a304-a305; 2: c001; 4: 48 a302 a306; 8: cd",
    [CONSTRAINTS_IVB] = REFERENCE "; f: d0-d3 7902 9c01 a302 a304-a306; 2: c001; 4: 4801 a308 a30c",
    [CONSTRAINTS_HSW] = REFERENCE "; f: d0-d3 a304; 2: c001; 4: 4801 a308 a30c; 8: cd",
    [CONSTRAINTS_BDW] = REFERENCE
    "; f: cd d0-d2; 4: 4801 a308-a30f a318-a31f a328-a32f a338-a33f a348-a34f a358-a35f a368-a36f a378-a37f "
    "a388-a38f a398-a39f a3a8-a3af a3b8-a3bf a3c8-a3cf a3d8-a3df a3e8-a3ef a3f8-a3ff",
    [CONSTRAINTS_SKL] = REFERENCE "; f: c6 cd d0-d2; 2: c001",
    [CONSTRAINTS_ICL] =
        BIG "; fixed0: c001; f: 03-0a 1f-28 32 48-56 60-8b a3 a8-b0 b7-bd d0-e6 ef f0-f4; ff: a304 a310 a314",
    [CONSTRAINTS_GLC] = BIG "; f: 01-8f a301-a302 a305-a306 a308 a30c d0-df; 1: a404 a408 cd02 ce; fe: cd01; "
                            "ff: 2e 3c; fixed1 or any: 3c00; fixed2 or any: 3c01",
    [CONSTRAINTS_LNC] = BIG "; f: 20 d0-df; 4: 4801 7501 a308 a30c; 1: a404 a408; 8: a410 b101; 3: cd02; "
                            "3fc: cd01; 3ff: d087; fixed2 or any: 3c01",
    [CONSTRAINTS_PNC] = BIG "; f: 20 79 7502 7601 d0-d1 d4 d6 df 4708 4604 4608 4801; 1: a404 a408 ce; "
                            "fc: cd01; 3: cd02; 8: b101; fixed2 or any: 3c01",
    [CONSTRAINTS_GRT] = HYBRID,
    [CONSTRAINTS_ARW] = HYBRID "; 1: 7501 b701 d321-d322; 2: 7502 b702; 4: b704; 8: b708",
};

struct limit {
    bool limited;
    uint32_t fixed, general;
};
static struct limit want[0x10000];

static bool starts(const char **s, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(*s, word, n) != 0) return false;
    *s += n;
    return true;
}

/* The sets of one table, into want[]. */
static void read_table(const char *s)
{
    memset(want, 0, sizeof want);
    while (*s) {
        struct limit limit = {.limited = true};
        char *end;
        if (starts(&s, "fixed")) {
            limit.fixed = 1u << strtoul(s, &end, 10);
            s = end;
            if (starts(&s, " or any")) limit.general = ~0u;
        } else if (!starts(&s, "none")) {
            limit.general = (uint32_t)strtoul(s, &end, 16);
            s = end;
        }
        assert_true(starts(&s, ":"));
        while (starts(&s, " ")) {
            unsigned first = (unsigned)strtoul(s, &end, 16), last = first;
            const bool event = end == s + 2;
            assert_true(event || end == s + 4);
            s = end;
            if (starts(&s, "-")) {
                last = (unsigned)strtoul(s, &end, 16);
                assert_true(end == s + (event ? 2 : 4) && last > first);
                s = end;
            }
            if (event) first <<= 8, last = last << 8 | 0xff;
            for (unsigned code = first; code <= last; code++) want[code] = limit;
        }
        assert_true(!*s || starts(&s, "; "));
    }
}

TEST(every_code)
{
    for (unsigned t = 0; t < CONSTRAINTS_END; t++) {
        read_table(tables[t]);
        for (unsigned code = 0; code < N(want); code++) {
            const struct db_rule *r = pmu_arch_constraint((enum arch_constraints)t, code >> 8, code & 0xff);
            const struct limit *w = &want[code];
            if ((r != NULL) != w->limited || (r && (r->fixed != w->fixed || r->general != w->general)))
                fail_msg("table %u, event %02x unit mask %02x: %s, fixed %x, others %x", t, code >> 8,
                         code & 0xff, r ? "limited" : "not limited", r ? r->fixed : 0, r ? r->general : 0);
        }
    }
}
