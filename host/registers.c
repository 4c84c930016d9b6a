#include "host/registers.h"
#include "kernel/hw.h"
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define REGISTERS 512 /* NetBurst's driver touches some 110 */

static struct cell {
    uint32_t msr;
    uint64_t value, before; /* before: at registers_begin() */
    unsigned order;         /* of the first write of another value; 0: there was none */
} cells[REGISTERS];
static unsigned n_cells, writes;

static struct cell *cell(uint32_t msr)
{
    unsigned i = 0;
    while (i < n_cells && cells[i].msr != msr) i++;
    if (i == REGISTERS) abort();
    if (i == n_cells) cells[n_cells++] = (struct cell){.msr = msr};
    return &cells[i];
}

void registers_reset(void) { n_cells = writes = 0; }
void registers_set(uint32_t msr, uint64_t value) { cell(msr)->value = value; }

void registers_begin(void)
{
    writes = 0;
    for (unsigned i = 0; i < n_cells; i++) cells[i].order = 0, cells[i].before = cells[i].value;
}

static int in_order(const void *a, const void *b)
{
    const struct cell *x = *(struct cell *const *)a, *y = *(struct cell *const *)b;
    return x->order < y->order ? -1 : x->order > y->order;
}

unsigned registers_changed(struct register_value *out, unsigned max)
{
    struct cell *found[REGISTERS] = {NULL};
    unsigned n = 0;
    for (unsigned i = 0; i < n_cells; i++)
        if (cells[i].value != cells[i].before) found[n++] = &cells[i];
    qsort(found, n, sizeof *found, in_order);
    if (n > max) n = max;
    for (unsigned i = 0; i < n; i++) out[i] = (struct register_value){found[i]->msr, found[i]->value};
    return n;
}

/* ---- kernel/hw.h ---- */

bool rdmsr_safe(uint32_t msr, uint64_t *value)
{
    *value = cell(msr)->value;
    return true;
}

bool wrmsr_safe(uint32_t msr, uint64_t value)
{
    struct cell *c = cell(msr);
    c->value = value;
    if (value != c->before && !c->order) c->order = ++writes;
    return true;
}

bool rdpmc_safe(uint32_t counter, uint64_t *value)
{
    (void)counter;
    *value = 0;
    return true;
}

uint64_t hw_rdtsc(void) { return 0; }

struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs r = {0};
#if defined(__x86_64__) || defined(__i386__)
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
#else
    (void)leaf, (void)subleaf;
#endif
    return r;
}
