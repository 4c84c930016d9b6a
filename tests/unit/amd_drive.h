/* Driving the AMD model in a test: its registers, the processors, and ways to say facts. Addresses are linear
 * = physical. */
#pragma once
#include "sim/amd.h"
#include "tests/unit/sim_drive.h"
#include <stdio.h>
#include <string.h>

#define SEL0       0xc0010000u
#define CTR0       0xc0010004u
#define CTL0       0xc0010200u
#define STATUS     0xc0000300u
#define GLOBAL     0xc0000301u
#define CLEAR      0xc0000302u
#define SET        0xc0000303u
#define USR        (UINT64_C(1) << 16)
#define OS         (UINT64_C(1) << 17)
#define E          (UINT64_C(1) << 18)
#define INT        (UINT64_C(1) << 20)
#define EN         (UINT64_C(1) << 22)
#define INV        (UINT64_C(1) << 23)
#define CMASK(n)   ((uint64_t)(n) << 24)
#define GUEST_ONLY (UINT64_C(1) << 40)
#define HOST_ONLY  (UINT64_C(1) << 41)
#define ON         (USR | OS | EN)
#define MASK48     UINT64_C(0xffffffffffff)

static const struct {
    const char *name;
    unsigned counters;
    uint64_t select; /* bits that can be written */
    bool extended, v2;
} models[] = {
    {"k8", 4, 0x00000000ffdfffff, false, false},       {"fam10h", 4, 0x0000030fffd7ffff, false, false},
    {"bulldozer", 6, 0x0000030fffd7ffff, true, false}, {"zen", 6, 0x0000030fffd7ffff, true, false},
    {"zen4", 6, 0x0000030fffd7ffff, true, true},
};
#define MODELS 5

static inline void access_at(struct sim *s, uint64_t lin, unsigned bytes, unsigned kind, uint32_t op,
                             bool uncached)
{
    struct sim_insn i = {.lin = 0x1000, .phys = 0x1000, .len = 2, .op = op, .n_access = 1};
    i.access[0] =
        (struct sim_access){lin, lin, ((lin | 4095) + 1) ^ 0x40000, (uint8_t)bytes, (uint8_t)kind, uncached};
    sim_instruction(s, &i);
}
static inline void load(struct sim *s, uint64_t lin) { access_at(s, lin, 4, SIM_READ, 0, false); }
static inline void store(struct sim *s, uint64_t lin) { access_at(s, lin, 4, SIM_WRITE, 0, false); }

/* What is programmed and not modelled; NULL: nothing. */
static inline const char *unmodelled(struct sim *s)
{
    static const char *names[8];
    return sim_unmodelled(s, names, 8) ? names[0] : NULL;
}

/* For sim_oracle_end: the line, to be freed. */
static inline void keep(void *ctx, const char *line) { *(char **)ctx = strdup(line); }

/* An event's count in it, all of which is CPL 0's. */
static inline uint64_t in_line(const char *line, const char *name)
{
    char key[128];
    unsigned long long k, u;
    snprintf(key, sizeof key, "\"%s\":{", name);
    const char *at = strstr(line, key);
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(key), "\"k\":%llu,\"u\":%llu", &k, &u), 2);
    assert_int_equal(u, 0);
    return k;
}
