#include "boot/bring_up.h"
#include "boot/modules.h"
#include "kernel/console.h"
#include "kernel/core_clock.h"
#include "kernel/firmware.h"
#include "kernel/fpu.h"
#include "kernel/hw.h"
#include "kernel/lfence.h"
#include "kernel/model.h"
#include "kernel/paging.h"
#include "kernel/percpu.h"
#include "kernel/pic.h"
#include "kernel/processors.h"
#include "kernel/rest.h"
#include "kernel/smi.h"
#include "kernel/user.h"
#include "measure/options.h"
#include "measure/settle.h"
#include "pmu/database.h"
#include "pmu/pmu.h"
#include "report/record.h"

/* A tick is an instruction there. It executes some 20 million a second, whatever its clock claims. */
#define BOCHS_REPEAT_TICKS 100000000

static struct pmu pmu; /* the boot processor's */

/* The event database is the module that begins with its magic; of other files the error says that they are
 * none. */
static void open_database(const struct bootinfo *boot)
{
    for (unsigned i = 0; i < boot->n_modules && !db_source()[0]; i++) {
        const struct boot_module *module = &boot->module[i];
        const size_t size = (size_t)(module->end - module->start);
        char why[96];
        if (!modules_is_one(module)) db_open(phys_peek(module->start, size), size, why, sizeof why);
    }
}

/* The pool, ring 3's access to it, and the ingredients of payloads. */
static void find_memory(struct machine *m, const struct cpu_id *id)
{
    memory_init(&m->boot, &m->memory);
    m->memory_lies = !memory_check(&m->memory);
    m->pool_type = mtrr_type(id, (uintptr_t)m->memory.pool, m->memory.pool_bytes);
    m->memory.pool_bytes = (m->memory.pool_bytes - SETTLE_BYTES) & -(size_t)PAGE_SIZE;
    settle_init(m->memory.pool + m->memory.pool_bytes);
    m->payloads = (uintptr_t)user_text_start;
    m->payloads_end = (uintptr_t)user_text_end;
    paging_user(user_text_start, (size_t)(user_text_end - user_text_start));
    paging_user(m->memory.pool, m->memory.pool_bytes);
}

static void find_platform(struct machine *m, const struct cpu_id *id)
{
    m->platform = platform_detect(id, &m->acpi);
    const enum platform below = m->platform == PLATFORM_LINUX ? platform_by_cpuid(id) : m->platform;
    m->time_origin = platform_time_origin(below);
    m->count_origin = platform_count_origin(below);
    m->modelled = model_present();
    records_have_clocks(!m->modelled);
    records_hosted(m->platform == PLATFORM_LINUX);
    model_name(m->model);
    m->repeat_ticks = m->platform == PLATFORM_BOCHS ? BOCHS_REPEAT_TICKS : 0;
}

/* What the processor that executes this is; cpu->id is known. */
static void identify(struct cpu *cpu)
{
    const struct machine *m = cpu->machine;
    cache_probe(&cpu->id, &cpu->caches);
    topology_read(&cpu->id, cpu->apic.mode >= APIC_XAPIC ? cpu->apic.id : 0, &cpu->ids);
    cpu->smi_counter = m->platform == PLATFORM_SILICON && smi_counter_present(&cpu->id);
    cpu->core_clock = core_clock_present(&cpu->id);
    cpu->clock_modulation = clock_modulation_read(&cpu->id, m->platform == PLATFORM_SILICON);
    cpu->id.lfence_set = lfence_set(&cpu->id, &cpu->lfence);
    cpu->microcode_known = microcode_read(&cpu->id, m->time_origin == ORIGIN_EMULATED, &cpu->microcode);
}

static void find_counters(struct cpu *cpu)
{
    pmu_probe(&cpu->id, cpu->pmu);
    if (cpu->microcode_known == KNOWN && !cpu->id.has_hypervisor && !cpu->machine->modelled)
        cpu->pmu->microcode = cpu->microcode;
    if (cpu->pmu->user_rdpmc) hw_allow_rdpmc();
}

const char *bring_up(struct machine *m, bool enable_apic)
{
    static struct cpu booted;
    struct cpu *cpu = &booted;
    m->cpu[0] = cpu;
    m->cpus = 1;
    cpu->machine = m;
    cpu->pmu = &pmu;
    cpu->strays = &this_cpu()->strays;
    cpu->cancelled = console_cancelled;
    pic_mask_all();
    if (!cpuid_present()) return "CPUID";
    cpu_unlimit();
    cpu_identify(&cpu->id);
    if (!fpu_init()) return "floating-point unit";
    if (!(cpu->id.f1_edx & CPUID_1_EDX_TSC)) return "time-stamp counter";
    firmware_read(m); /* before paging: it reads page 0; before the pool is tried: copies lie in it */
    m->paging = paging_init(&cpu->id, &m->boot);
    this_cpu()->apic = &cpu->apic;
    apic_init(&cpu->id, &cpu->apic, enable_apic);
    this_cpu()->strays = 0; /* the firmware's interrupts, counted in cpu->apic.left */
    cpu->timer = cpu->apic.mode >= APIC_XAPIC;
    if (!cpu->timer) this_cpu()->apic = NULL;
    find_memory(m, &cpu->id);
    find_platform(m, &cpu->id);
    identify(cpu);
    open_database(&m->boot);
    modules_at_boot(m);
    find_counters(cpu);
    return NULL;
}

static void switch_off(struct cpu *cpu, const bool off[CONTROLS])
{
    controls_find(&cpu->id, cpu->machine->time_origin == ORIGIN_EMULATED, cpu->control);
    for (unsigned i = 0; i < CONTROLS; i++)
        if (off[i]) control_off(&cpu->control[i]);
}

static void find_core_clock(struct cpu *cpu)
{
    cpu->core_per_tsc = core_clock_measure(&cpu->id);
    cpu->core_clock_source = core_clock_source;
    if (cpu->core_per_tsc > 0) return;
    cpu->core_per_tsc = pmu_core_per_tsc(cpu->pmu);
    cpu->core_clock_source = cpu->core_per_tsc > 0 ? "counters" : "unknown";
}

static void find_topology(struct machine *m)
{
    const struct topology_ids *ids[PROCESSORS_MAX];
    for (unsigned i = 0; i < m->cpus; i++) ids[i] = &m->cpu[i]->ids;
    topology_build(&m->topology, ids, m->cpus);
}

void bring_up_as_told(struct machine *m, const bool off[CONTROLS], uint64_t tsc_hz)
{
    struct cpu *cpu = m->cpu[0];
    switch_off(cpu, off);
    if (tsc_hz)
        m->clock = (struct clock){.tsc_hz = tsc_hz, .source = "command line"};
    else
        clock_init(&cpu->id, &m->acpi, &m->clock);
    m->clock.step = clock_step();
    find_core_clock(cpu);
    find_topology(m);
}

static const bool *off; /* turbo=, prefetch= */
static void identify_other(struct cpu *cpu)
{
    identify(cpu);
    cpu->timer = cpu->apic.mode >= APIC_XAPIC;
    find_counters(cpu);
    switch_off(cpu, off);
    find_core_clock(cpu);
}

void bring_up_others(struct machine *m, const struct options *opt)
{
    _Static_assert(sizeof(struct pmu) <= PROCESSOR_PMU_BYTES, "kernel/processors.h");
    /* MWAIT of an emulator spins. */
    const bool mwait = m->platform == PLATFORM_SILICON && rest_prefers_mwait(&m->cpu[0]->id);
    uint32_t sum[BOOT_MODULES];
    off = opt->off;
    modules_sum(&m->boot, sum);
    processors_start(m, opt->processors,
                     opt->rest_given ? opt->rest
                     : mwait         ? REST_MWAIT
                                     : REST_HLT,
                     identify_other);
    modules_compare(m, sum);
    find_topology(m);
}
