/* The machine and whether it is quiet, as records. */
#include "report/emit.h"
#include "report/put.h"

/* What the firmware says, where it says something, and the time. */
static void firmware_fields(struct record *r, const struct machine *m)
{
    const struct smbios *s = &m->smbios;
    if (s->source) PUT(r, boot, smbios, s->source);
    if (s->bios_vendor[0]) PUT(r, boot, bios_vendor, s->bios_vendor);
    if (s->bios_version[0]) PUT(r, boot, bios_version, s->bios_version);
    if (s->bios_date[0]) PUT(r, boot, bios_date, s->bios_date);
    if (s->system_maker[0]) PUT(r, boot, system_maker, s->system_maker);
    if (s->system_product[0]) PUT(r, boot, system_product, s->system_product);
    if (s->board_maker[0]) PUT(r, boot, board_maker, s->board_maker);
    if (s->board_product[0]) PUT(r, boot, board_product, s->board_product);
    if (m->has_date)
        PUTF(r, boot, date, "%04u-%02u-%02uT%02u:%02u:%02u", m->date.year, m->date.month, m->date.day,
             m->date.hour, m->date.minute, m->date.second);
}

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
    if (*m->model) PUT(r, boot, modelled, m->model);
    PUT(r, boot, platform_detail, m->cpu[0]->id.hypervisor);
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
    firmware_fields(r, m);
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
    if (cpu->microcode_known == KNOWN)
        PUTF(r, cpu, microcode, "0x%x", (unsigned)cpu->microcode);
    else
        PUT(r, cpu, microcode, known_text(cpu->microcode_known));
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
    if (cpu->clock_modulation) PUT(r, cpu, clock_modulation, cpu->clock_modulation / 16.0);
    PUT(r, cpu, turbo, control_state_text(cpu->control[CONTROL_TURBO].state));
    PUT(r, cpu, prefetch, control_state_text(cpu->control[CONTROL_PREFETCH].state));
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

/* The usual distances, and the powers of two that have some of the others. */
static void histogram(struct record *r, const struct watch *w)
{
    OPEN(r, quiet, histogram);
    for (unsigned i = 0; i <= WATCH_BINS; i++) { /* the usual ones come first */
        const uint64_t n = i ? w->bin[i - 1] : w->usual;
        if (!n) continue;
        rec_object(r, NULL);
        PUT(r, distances, from_tsc, i ? 1ull << (i - 1) : 0);
        PUT(r, distances, times, n);
        rec_close(r);
    }
    rec_close(r);
}

void emit_quiet(const struct quiet *q, const char *when, const struct clock *clock)
{
    static const char *const verdict[] = {"unknown", "quiet", "disturbed"};
    const uint64_t tsc_hz = clock->tsc_hz;
    struct record *r = NEW(quiet);
    PUT(r, quiet, when, when);
    if (tsc_hz) PUT(r, quiet, watched_ms, (double)q->watch.watched * 1e3 / (double)tsc_hz);
    PUT(r, quiet, watched_tsc, q->watch.watched);
    PUT(r, quiet, gaps, q->watch.gaps);
    PUT(r, quiet, threshold_tsc, q->watch.threshold);
    PUT(r, quiet, largest_gap_tsc, q->watch.largest);
    if (tsc_hz) PUT(r, quiet, largest_gap_us, (double)q->watch.largest * 1e6 / (double)tsc_hz);
    PUT(r, quiet, typical_tsc, q->watch.typical);
    histogram(r, &q->watch);
    PUT(r, quiet, tsc_step, clock->step);
    PUT(r, quiet, smi_counter, q->smi_counter);
    if (q->smi_counter) PUT(r, quiet, smis, q->smis);
    if (q->shares && strcmp(when, "after") == 0) { /* the first check only begins to count */
        PUT(r, quiet, preemptions, q->lost.preemptions);
        PUT(r, quiet, waited_ms, q->lost.waited_ms);
        PUT(r, quiet, steal_ms, q->lost.steal_ms);
    }
    PUT(r, quiet, verdict, verdict[q->verdict]);
    if (q->verdict == QUIET_UNKNOWN)
        PUT(r, quiet, reason, "the TSC did not advance");
    else
        PUTF(r, quiet, reason, "%u gaps, %s", (unsigned)q->watch.gaps,
             !q->smi_counter ? "SMIs cannot be counted here"
             : q->smis       ? "SMIs occurred"
                             : "no SMI");
    record_emit(r);
}
