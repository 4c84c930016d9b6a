/* Driving the P6 model's memory in a test: processors by their geometry, the oracle, and ways to say facts.
 */
#pragma once
#include "sim/p6.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CTR0 = 0xc1, CTR1 = 0xc2, SEL0 = 0x186, SEL1 = 0x187 };
#define USR (1u << 16)
#define OS  (1u << 17)
#define EN  (1u << 22)

/* What the processors are known to be (SDM table 11-1; Heller; docs/pmu-model.md for the clock ratios). */
static const struct cpu {
    const char *model;
    unsigned l1_lines, l1d_ways, l2_lines, ratio;
} cpus[] = {{"ppro", 256, 2, 8192, 3}, {"p2", 512, 4, 16384, 4}, {"p3", 512, 4, 16384, 5}};
#define N_CPUS (sizeof cpus / sizeof *cpus)
static inline unsigned mem_clocks(const struct cpu *c) { return 17 * c->ratio; } /* 14-1-1-1 */

/* ---- reading the oracle ---- */

static char line[32768];
static inline void keep(void *ctx, const char *text)
{
    (void)ctx;
    assert_true(strlen(text) < sizeof line);
    strcpy(line, text);
}

static inline uint64_t value(const char *name, char level)
{
    char key[64];
    unsigned long long k, u;
    snprintf(key, sizeof key, "\"%s\":{", name);
    const char *at = strstr(line, key);
    if (!at) fail_msg("no %s", name);
    assert_int_equal(sscanf(at + strlen(key), "\"k\":%llu,\"u\":%llu", &k, &u), 2);
    return level == 'k' ? k : level == 'u' ? u : k + u;
}
static inline uint64_t sum(const char *name) { return value(name, 'b'); }

static inline struct sim *machine(const struct cpu *c)
{
    struct sim *s = sim_new(c->model, NULL, NULL);
    assert_non_null(s);
    sim_oracle_begin(s, "test");
    return s;
}

/* What was counted since the last time. */
static inline void tell(struct sim *s)
{
    sim_oracle_end(s, keep, NULL, NULL);
    sim_oracle_begin(s, "test");
}

#define COUNTS(s, ...)                                            \
    do {                                                          \
        static const struct want want_[] = {__VA_ARGS__};         \
        counts(s, want_, sizeof want_ / sizeof *want_, __LINE__); \
    } while (0)
struct want {
    const char *name;
    uint64_t n;
};
static inline void counts(struct sim *s, const struct want *w, size_t n, int where)
{
    tell(s);
    for (size_t i = 0; i < n; i++)
        if (sum(w[i].name) != w[i].n)
            fail_msg("line %d: %s is %llu, not %llu", where, w[i].name, (unsigned long long)sum(w[i].name),
                     (unsigned long long)w[i].n);
}

/* ---- making facts ---- */

#define CODE 0x400000

/* One access, of an instruction that is fetched already. */
static inline void touch_as(struct sim *s, uint64_t at, unsigned bytes, unsigned kind, bool uncached,
                            unsigned cpl)
{
    struct sim_insn i = {.lin = CODE, .phys = CODE, .len = 1, .cpl = cpl, .cpl_after = cpl, .n_access = 1};
    i.access[0] = (struct sim_access){at, at, (at & ~0xfffull) + 0x1000, bytes, kind, uncached};
    sim_instruction(s, &i);
}

static inline void touch(struct sim *s, uint64_t at, unsigned bytes, unsigned kind)
{
    touch_as(s, at, bytes, kind, false, 0);
}

/* One access to each of n lines, stride lines apart. */
static inline void sweep(struct sim *s, uint64_t from, unsigned n, unsigned stride, unsigned kind)
{
    for (unsigned i = 0; i < n; i++) touch(s, from + 32ull * stride * i, 4, kind);
}

static inline void execute(struct sim *s, uint64_t lin, uint64_t phys, unsigned len, uint32_t op)
{
    struct sim_insn i = {
        .lin = lin, .phys = phys, .phys_high = (phys & ~0xfffull) + 0x1000, .len = len, .op = op};
    sim_instruction(s, &i);
}

/* Past the first fetch of CODE, which would be in the way. */
static inline struct sim *warm_machine(const struct cpu *c)
{
    struct sim *s = machine(c);
    touch(s, 0x7fff0fe0, 4, SIM_READ);
    tell(s);
    return s;
}
