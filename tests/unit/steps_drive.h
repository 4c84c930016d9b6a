/* Facts about one line of data as steps of a letter each, and what an event counts of them by the oracle: for
 * tests whose rows are models, an event, steps and a count. */
#pragma once
#include "tests/unit/sim_drive.h"
#include <stdio.h>
#include <stdlib.h>

/* Steps. l load, s store, k locked read-modify-write, t non-temporal store, y and z load and store across two
 * lines, K a locked one, f CLFLUSH, b CLWB, 0 1 2 n PREFETCHT0, T1, T2, NTA, w PREFETCHW, c code runs in the
 * line, e, V and E other lines take its place in the L1D, and in the L2 as well; m MMX, v EMMS, p FADD, q
 * IMUL, d DIV, i IN, g a segment register, j an indirect jump, J a direct one, x nothing of these. A comma in
 * front: the line is not cached; an apostrophe: at CPL 3. */
struct steps_row {
    const char *models, *event, *steps;
    unsigned count;
};

static inline uint8_t cache_op(char step)
{
    switch (step) {
    case 'f':
        return CACHE_FLUSH;
    case 'b':
        return CACHE_WRITE_BACK;
    case '0':
        return CACHE_PREFETCH_T0;
    case '1':
        return CACHE_PREFETCH_T1;
    case '2':
        return CACHE_PREFETCH_T2;
    case 'n':
        return CACHE_PREFETCH_NTA;
    case 'w':
        return CACHE_PREFETCH_W;
    case 't':
        return CACHE_NON_TEMPORAL;
    default:
        return CACHE_NONE;
    }
}

#define LINE 0x30000

static inline uint32_t step_op(char c)
{
    switch (c) {
    case 'k':
    case 'K':
        return OP_LOCK;
    case 'm':
        return OP_MMX;
    case 'v':
        return OP_EMMS;
    case 'p':
        return OP_X87 | OP_FLOP;
    case 'q':
        return OP_IMUL;
    case 'd':
        return OP_IDIV;
    case 'i':
        return OP_IO | OP_IN;
    case 'j':
        return OP_BRANCH | OP_TAKEN | OP_INDIRECT;
    case 'J':
        return OP_BRANCH | OP_TAKEN;
    default:
        return 0;
    }
}

static inline void step_access(struct sim_insn *i, uint64_t at, unsigned kind, bool uncached)
{
    i->access[i->n_access++] =
        (struct sim_access){.lin = at, .phys = at, .bytes = 4, .kind = (uint8_t)kind, .uncached = uncached};
}

/* Loads of lines that the caches keep where they keep LINE. 4 KiB are a way of each L1D of these, 64 KiB a
 * multiple of one of each L2 but Core Duo's and Core 2's, 1 MiB of one of each L2. */
static inline void step_others(struct sim *s, char c, unsigned cpl)
{
    const unsigned n = c == 'e' ? 16 : c == 'V' ? 24 : c == 'E' ? 64 : 0;
    const uint64_t stride = c == 'e' ? 0x1000 : c == 'V' ? 0x10000 : 0x100000;
    for (unsigned k = 1; k <= n; k++) {
        struct sim_insn i = {.lin = 0x1000, .phys = 0x1000, .len = 2, .cpl = (uint8_t)cpl};
        step_access(&i, LINE + k * stride, SIM_READ, false);
        sim_instruction(s, &i);
    }
}

static inline void step(struct sim *s, char c, bool uncached, unsigned cpl)
{
    /* Code in a line of its own, or in the one at hand. */
    const uint64_t at = c == 'c' ? LINE : 0x1000;
    struct sim_insn i = {
        .lin = at, .phys = at, .len = 2, .op = step_op(c), .cpl = (uint8_t)cpl, .cpl_after = (uint8_t)cpl};
    i.cache_op = cache_op(c);
    const uint64_t line = uncached ? LINE + 0x8000000 : LINE;
    i.line = (struct sim_named_line){line + 4, line + 4, uncached};
    i.seg_loads = c == 'g';
    i.iterations_io = c == 'i';
    if (i.cache_op >= CACHE_PREFETCH_T0 && i.cache_op <= CACHE_PREFETCH_W) i.op = OP_PREFETCH;
    if (c == 'l') step_access(&i, line + 8, SIM_READ, uncached);
    if (c == 's' || c == 't') step_access(&i, line + 8, SIM_WRITE, uncached);
    if (c == 'k') step_access(&i, line + 8, SIM_RMW, uncached);
    if (c == 'y') step_access(&i, line + 62, SIM_READ, uncached);
    if (c == 'z') step_access(&i, line + 62, SIM_WRITE, uncached);
    if (c == 'K') step_access(&i, line + 62, SIM_RMW, uncached);
    sim_ticks(s, 1, false, cpl);
    sim_instruction(s, &i);
    step_others(s, c, cpl);
}

static inline void steps_keep(void *ctx, const char *line) { *(char **)ctx = strdup(line); }

static inline uint64_t counted(const char *model, const char *event, const char *steps)
{
    struct sim *s = machine(model);
    char key[128], *line = NULL;
    unsigned long long k, u;
    sim_oracle_begin(s, "before");
    step(s, 'x', false, 0); /* the line of the code */
    sim_oracle_begin(s, "steps");
    for (const char *c = steps; *c; c++) {
        const bool uncached = *c == ',';
        c += uncached;
        const bool user = *c == '\'';
        c += user;
        step(s, *c, uncached, user ? 3 : 0);
    }
    sim_oracle_end(s, steps_keep, &line, NULL);
    snprintf(key, sizeof key, "\"%s\":{", event);
    const char *at = line ? strstr(line, key) : NULL;
    if (!at || sscanf(at + strlen(key), "\"k\":%llu,\"u\":%llu", &k, &u) != 2)
        fail_msg("%s has no %s", model, event);
    free(line);
    sim_free(s);
    return k + u;
}

static inline void check_rows(const struct steps_row *rows, unsigned n)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < n; i++) {
        char models[128], *rest = NULL;
        snprintf(models, sizeof models, "%s", rows[i].models);
        for (char *m = strtok_r(models, " ", &rest); m; m = strtok_r(NULL, " ", &rest)) {
            const uint64_t got = counted(m, rows[i].event, rows[i].steps);
            if (got == rows[i].count) continue;
            print_error("%s: %s after \"%s\" is %llu, not %u\n", m, rows[i].event, rows[i].steps,
                        (unsigned long long)got, rows[i].count);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}
