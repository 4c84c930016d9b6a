/* Where the data of an instruction were found, as records of PEBS and the oracle's trace say it, and which
 * loads the load latency event sees. The latencies are the model's own. */
#include "sim/arch.h"
#include "sim/text.h"

/* From the slowest to the fastest: a load of two lines, or an instruction of several loads, takes as long as
 * its slowest part. Latencies: docs/pmu-model.md. Data sources: facts 4.3; from Skylake on Linux'
 * intel_pmu_pebs_data_source_skl(), by which 8, 9 and Bh to Dh mean something else there. */
static const struct level {
    unsigned found; /* enum arch_access */
    const char *name;
    uint16_t latency;
    uint8_t source[2]; /* before Skylake, and from there on */
} levels[] = {
    {ACCESS_UNCACHED_LOAD, "uncached", 300, {0xf, 0xf}},
    {ACCESS_REMOTE, "other cache", 250, {0x9, 0xd}},            /* modified in another package */
    {ACCESS_MEMORY | ACCESS_SHARED, "memory", 200, {0xa, 0xa}}, /* others have the line, too */
    {ACCESS_MEMORY, "memory", 200, {0xc, 0xa}},                 /* Ch is now another package's cache */
    {ACCESS_L3, "L3", 50, {0x4, 0x4}},                          /* nobody was asked */
    {ACCESS_L2, "L2", 14, {0x3, 0x3}},
    {ACCESS_L1, "L1", 5, {0x1, 0x1}},
};
#define LEVELS (sizeof levels / sizeof *levels)

#define SOURCE_LOCKED (1u << 5)
#define STORE_L1      (1u << 0)
#define LEAST_LATENCY 3 /* of MSR_PEBS_LD_LAT_THRESHOLD (SDM 18.8.1.2): none below, by rule */

static const struct level *level_of(const struct arch_datum *load)
{
    for (const struct level *l = levels; l < levels + LEVELS; l++)
        if ((load->found & l->found) == l->found) return l;
    return NULL;
}

void arch_note_data(struct arch_memory *m, const struct sim_access *a, unsigned found)
{
    struct arch_data *d = &m->data;
    const struct arch_datum here = {.lin = a->lin, .found = found, .locked = m->locked};
    if (a->kind & SIM_READ && arch_latency(&here) > arch_latency(&d->load)) d->load = here;
    if (a->kind & SIM_WRITE && !d->store.found) d->store = here;
}

unsigned arch_latency(const struct arch_datum *load)
{
    const struct level *l = level_of(load);
    return l ? l->latency : 0;
}

uint64_t arch_data_source(const struct sim *s, const struct arch_datum *load)
{
    const bool old = s->model_bit & (ARCH_SANDYBRIDGE | ARCH_HASWELL);
    const struct level *l = level_of(load);
    return (l ? l->source[!old] : 0) | (load->locked ? SOURCE_LOCKED : 0);
}

uint64_t arch_store_status(const struct arch_datum *store)
{
    return (store->found & ACCESS_STORE_MISS ? 0 : STORE_L1) | (store->locked ? SOURCE_LOCKED : 0);
}

/* One of four, by its number and by nothing that is programmed, so that the oracle knows it as well. The
 * mixing is that of splitmix64. */
static bool tagged(uint64_t n)
{
    uint64_t z = n + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % 4 == 0;
}

void arch_count_loads(struct sim *s, uint64_t n)
{
    struct arch_data *d = &arch_memory_of(s)->data;
    d->tagged = s->current && n && tagged(d->loads);
    d->loads += n;
}

bool arch_counts_latency(const struct sim *s)
{
    const struct arch *p = s->state;
    const struct arch_data *d = &p->memory.data;
    return d->tagged && p->pebs.latency >= LEAST_LATENCY && arch_latency(&d->load) > p->pebs.latency;
}

void arch_trace(const struct sim *s, struct sim_text *entry)
{
    const struct arch_data *d = &((const struct arch *)s->state)->memory.data;
    const struct level *l = level_of(&d->load);
    if (l) {
        sim_out(entry, ",\"data\":\"%llx\",\"level\":\"%s\",\"latency\":%u", (unsigned long long)d->load.lin,
                l->name, l->latency);
        if (d->load.locked) sim_out(entry, ",\"locked\":true");
        if (d->tagged) sim_out(entry, ",\"tagged\":true");
    }
    if (d->store.found)
        sim_out(entry, ",\"store\":\"%llx\",\"store_hit\":%s", (unsigned long long)d->store.lin,
                d->store.found & ACCESS_STORE_MISS ? "false" : "true");
}
