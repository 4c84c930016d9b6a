/* The machine and whether it is quiet, as records. */
#include "report/emit.h"
#include "report/put.h"

void emit_boot(const struct machine *m, const char *(*console_name)(unsigned i))
{
    static const char *const map_name[] = {"none", "meminfo", "mmap"};
    const struct bootinfo *bi = &m->boot;
    const char *name;
    struct record *r = NEW(boot);
    PUT(r, boot, schema, RECORD_SCHEMA);
    PUT(r, boot, version, ANECHOIC_VERSION);
    PUT(r, boot, flavour, ANECHOIC_FLAVOUR);
    PUT(r, boot, protocol, bi->protocol);
    PUT(r, boot, loader, bi->loader);
    if (!rec_str_fit(r, TEXT_KEY(boot, cmdline), bi->cmdline, 2048)) PUT(r, boot, cmdline_cut, true);
    PUT(r, boot, platform, platform_name(m->platform));
    PUT(r, boot, platform_detail, m->cpu[0].id.hypervisor);
    PUT(r, boot, memory_kib, m->memory.total_kib);
    PUT(r, boot, map, map_name[bi->map_source]);
    PUT(r, boot, map_truncated, bi->map_truncated);
    PUT(r, boot, modules, bi->n_modules);
    PUT(r, boot, pool_base, (uintptr_t)m->memory.pool);
    PUT(r, boot, pool_bytes, m->memory.pool_bytes);
    PUT(r, boot, pool_type, mem_type_name(m->pool_type));
    OPEN(r, boot, consoles);
    for (unsigned i = 0; (name = console_name(i)) != NULL; i++) ITEM(r, boot, consoles, name);
    rec_close(r);
    PUT(r, boot, acpi_oem, m->acpi.found ? m->acpi.oem : "");
    record_emit(r);
}

static void cache_fields(struct record *r, const struct cache *c)
{
    static const char *const kind[] = {"", "data", "code", "unified"};
    rec_object(r, NULL);
    PUT(r, cache, level, c->level);
    PUT(r, cache, kind, kind[c->kind & 3]);
    PUT(r, cache, bytes, c->bytes);
    PUT(r, cache, line, c->line);
    PUT(r, cache, ways, c->ways == CACHE_FULLY_ASSOCIATIVE && c->line ? c->bytes / c->line : c->ways);
    PUT(r, cache, sets, cache_sets(c));
    rec_close(r);
}

/* Family, counters and features of the PMU; "none" if no driver knows it. */
static void pmu_fields(struct record *r, const struct pmu *pmu)
{
    OPEN(r, cpu, pmu);
    PUT(r, pmu, family, pmu->ops ? pmu->ops->family : "none");
    if (pmu->ops) {
        PUT(r, pmu, model, pmu->model);
        OPEN(r, pmu, counters);
        for (unsigned i = 0; i < pmu->counters; i++) ITEM(r, pmu, counters, pmu_state_text(pmu->state[i]));
        rec_close(r);
        if (pmu->preset) {
            OPEN(r, pmu, preset);
            for (unsigned i = 0; i < pmu->counters; i++)
                if (pmu->preset >> i & 1) ITEM(r, pmu, preset, i);
            rec_close(r);
        }
        if (pmu->core_type) PUT(r, pmu, core_type, pmu->core_type);
        if (pmu->freeze_smm) PUT(r, pmu, freeze_smm, true);
        PUT(r, pmu, width, pmu->width);
        PUT(r, pmu, rdpmc, pmu->rdpmc);
        PUT(r, pmu, user_rdpmc, pmu->user_rdpmc);
    }
    PUT(r, pmu, pebs, pmu->pebs);
    PUT(r, pmu, ds, pmu->ds);
    PUT(r, pmu, ibs, pmu->ibs);
    PUT(r, pmu, lbr, pmu->lbr);
    rec_close(r);
}

void emit_cpu(const struct cpu *cpu)
{
    const struct cpu_id *id = &cpu->id;
    const struct clock *clock = &cpu->machine->clock;
    struct record *r = NEW(cpu);
    PUT(r, cpu, cpu, cpu->index);
    PUT(r, cpu, vendor, id->vendor);
    PUT(r, cpu, brand, id->brand);
    PUT(r, cpu, family, id->family);
    PUT(r, cpu, model, id->model);
    PUT(r, cpu, stepping, id->stepping);
    PUT(r, cpu, signature, id->signature);
    PUT(r, cpu, hypervisor, id->has_hypervisor);
    PUT(r, cpu, invariant_tsc, id->x7_edx & CPUID_X7_EDX_INVARIANT_TSC);
    if (clock->tsc_hz) PUT(r, cpu, tsc_hz, clock->tsc_hz);
    PUT(r, cpu, tsc_source, clock->source);
    if (clock->uncertainty_ppm > 0) PUT(r, cpu, tsc_uncertainty_ppm, clock->uncertainty_ppm);
    if (clock->other.hz) {
        PUT(r, cpu, tsc_other_hz, clock->other.hz);
        PUT(r, cpu, tsc_other_source, clock->other.source);
        PUT(r, cpu, tsc_other_uncertainty_ppm, clock->other.ppm);
    }
    if (cpu->core_per_tsc > 0) PUT(r, cpu, core_per_tsc, cpu->core_per_tsc);
    PUT(r, cpu, core_clock_source, cpu->core_clock_source);
    PUT(r, cpu, turbo, control_state_text(control_state(&cpu->control[CONTROL_TURBO])));
    PUT(r, cpu, prefetch, control_state_text(control_state(&cpu->control[CONTROL_PREFETCH])));
    PUT(r, cpu, apic, apic_mode_name(cpu->apic.mode));
    if (cpu->apic.mode >= APIC_XAPIC) {
        PUT(r, cpu, apic_id, cpu->apic.id);
        PUT(r, cpu, apic_version, cpu->apic.version);
        PUT(r, cpu, apic_lvts, cpu->apic.lvts);
    }
    pmu_fields(r, cpu->pmu);
    OPEN(r, cpu, caches);
    for (unsigned i = 0; i < cpu->caches.n; i++) cache_fields(r, &cpu->caches.c[i]);
    rec_close(r);
    PUT(r, cpu, cache_source, cpu->caches.source);
    OPEN(r, cpu, serialize);
    for (unsigned i = 0; i < SERIALIZE_COUNT; i++)
        if (serializers[i].usable(id)) ITEM(r, cpu, serialize, serializers[i].name);
    rec_close(r);
    record_emit(r);
}

void emit_quiet(const struct quiet *q, const char *when, const struct clock *clock)
{
    static const char *const verdict[] = {"unknown", "quiet", "disturbed"};
    const uint64_t tsc_hz = clock->tsc_hz;
    struct record *r = NEW(quiet);
    PUT(r, quiet, when, when);
    if (tsc_hz) PUT(r, quiet, watched_ms, (double)q->watched_tsc * 1e3 / (double)tsc_hz);
    PUT(r, quiet, watched_tsc, q->watched_tsc);
    PUT(r, quiet, gaps, q->gaps);
    PUT(r, quiet, threshold_tsc, q->threshold);
    PUT(r, quiet, largest_gap_tsc, q->largest);
    if (tsc_hz) PUT(r, quiet, largest_gap_us, (double)q->largest * 1e6 / (double)tsc_hz);
    PUT(r, quiet, typical_tsc, q->typical);
    PUT(r, quiet, tsc_step, clock->step);
    PUT(r, quiet, smi_counter, q->smi_counter);
    if (q->smi_counter) PUT(r, quiet, smis, q->smis);
    PUT(r, quiet, verdict, verdict[q->verdict]);
    if (q->verdict == QUIET_UNKNOWN)
        PUT(r, quiet, reason, "the TSC did not advance");
    else
        PUTF(r, quiet, reason, "%u gaps, %s", q->gaps,
             !q->smi_counter ? "SMIs cannot be counted here"
             : q->smis       ? "SMIs occurred"
                             : "no SMI");
    record_emit(r);
}
