/* The kernel's story, in the order in which it happens: listen, bring up, ask, measure, report, leave. */
#include "kernel/console.h"
#include "kernel/fpu.h"
#include "kernel/hw.h"
#include "kernel/paging.h"
#include "kernel/percpu.h"
#include "kernel/pic.h"
#include "kernel/timer.h"
#include "kernel/user.h"
#include "kernel/x86.h"
#include "measure/core_clock.h"
#include "pmu/database.h"
#include "pmu/driver.h"
#include "report/emit.h"
#include "report/emit_article.h"
#include "report/emit_events.h"
#include "report/emit_experiment.h"
#include "report/emit_truth.h"
#include "report/record.h"
#include <string.h>

enum { STATUS_DONE, STATUS_BENCH_FAILED, STATUS_COMMAND_LINE, STATUS_KERNEL };

static struct system sys;
static struct options opt;
static struct plan plan;
static enum exit_how how = EXIT_HALT;
static bool listening; /* consoles are open, the session has begun */

static const struct session_sinks both = {console_record, console_text};

static __attribute__((noreturn)) void leave(int status)
{
    controls_restore(sys.control);
    session_end(status);
    console_drain();
    machine_exit(how, status);
}

static void panic(const struct trap *t)
{
    if (!listening) { /* so early that nobody would hear of it */
        console_init(&sys.boot, NULL);
        session_begin(&both);
    }
    emit_panic(t);
    leave(STATUS_KERNEL);
}

/* A trap while panic() ran: whatever printed is not to be trusted any more. */
static void panic_again(void)
{
    static const char last[] = "PANIC inside a panic: the session has no end record"; /* no packed text */
    console_text(last);
    console_drain();
    machine_exit(how, STATUS_KERNEL);
}

/* What the kernel cannot do without. */
static void need(bool present, const char *what)
{
    if (present) return;
    report_error("kernel", "this CPU has no %s: a Pentium or later is needed", what);
    leave(STATUS_KERNEL);
}

/* exit= and console= hold from the first moment, whatever the rest of the line is worth. */
static void listen(uint32_t magic, uint32_t info)
{
    bootinfo_parse(magic, info, &sys.boot);
    const char *line = sys.boot.cmdline_too_long ? sys.boot.cmdline_raw : sys.boot.cmdline;
    const char *exit_word = cmdline_raw_find(line, "exit");
    enum exit_how wanted = exit_word ? exit_parse(exit_word) : EXIT_COUNT;
    if (wanted != EXIT_COUNT) how = wanted;
    console_init(&sys.boot, cmdline_raw_find(line, "console"));
    session_begin(&both);
    listening = true;
}

/* The event database is the module that says so at its beginning; what else there is, is not for us. */
static void open_database(void)
{
    for (unsigned i = 0; i < sys.boot.n_modules && !db_source()[0]; i++) {
        const struct boot_module *m = &sys.boot.module[i];
        const void *at = phys_peek(m->start, (size_t)(m->end - m->start));
        char why[96];
        if (at) db_open(at, (size_t)(m->end - m->start), why, sizeof why);
    }
}

static void bring_up(void)
{
    pic_mask_all();
    need(cpuid_present(), "CPUID");
    cpu_unlimit();
    cpu_identify(&sys.id);
    need(fpu_init(), "floating-point unit");
    need(sys.id.f1_edx & CPUID_1_EDX_TSC, "time-stamp counter");
    acpi_probe(&sys.boot, &sys.acpi); /* reads the BIOS data area in page 0, so before that goes away */
    sys.paging = paging_init(&sys.id, &sys.boot);
    apic_init(&sys.id, &sys.apic);
    sys.timer = timer_init(&sys.apic);
    memory_init(&sys.boot, &sys.memory);
    sys.memory_lies = !memory_check(&sys.memory);
    cache_probe(&sys.id, &sys.caches);
    sys.pool_type = mtrr_type(&sys.id, (uintptr_t)sys.memory.pool, sys.memory.pool_bytes);
    sys.platform = platform_detect(&sys.id, &sys.acpi);
    cpu0.apic_id = sys.apic.id;
    paging_user(user_text_start, (size_t)(user_text_end - user_text_start));
    paging_user(sys.memory.pool, sys.memory.pool_bytes);
    open_database();
    pmu_probe(&sys.id, &sys.pmu);
    if (sys.pmu.user_rdpmc) WRITE_CR(4, READ_CR(4) | CR4_PCE);
}

static void word_fault(void *ctx, const struct fault *f) { emit_word_fault(f, ctx); }

/* The command line, judged as a whole: any fault and nothing is measured. */
static void read_command_line(void)
{
    static const char *const line = sys.boot.cmdline;
    if (sys.boot.cmdline_too_long) {
        report_error("command line", "longer than %u bytes: valid is a shorter one", CMDLINE_MAX);
        leave(STATUS_COMMAND_LINE);
    }
    const struct options_context with = {benches_start, (unsigned)(benches_end - benches_start),
                                         &sys.pmu,      &sys.id,
                                         &sys.caches,   sys.memory.pool_bytes};
    unsigned faults = options_parse(line, sys.boot.loader, &with, &opt, &plan, word_fault, (void *)line);
    if (faults) leave(STATUS_COMMAND_LINE);
    how = cmdline_raw_find(line, "exit") ? opt.exit : how;
}

/* Before anything is timed; what could not be done is told when there is somebody to tell. */
static char control_trouble[CONTROLS][64];
static void set_controls(void)
{
    controls_find(&sys.id, sys.control);
    for (unsigned i = 0; i < CONTROLS; i++)
        if (opt.off[i]) control_off(&sys.control[i], control_trouble[i], sizeof control_trouble[i]);
}

static void tell_controls(void)
{
    static const char *const name[CONTROLS] = {"turbo", "prefetch"};
    for (unsigned i = 0; i < CONTROLS; i++)
        if (control_trouble[i][0]) report_note(name[i], "%s=off: %s", name[i], control_trouble[i]);
    if (sys.pmu.preset)
        report_note("pmu", "the firmware had left counters running (mask %lx): they are stopped for good",
                    (unsigned long)sys.pmu.preset);
}

static void choose_faces(void)
{
    const char *wrong = opt.records_to ? console_records_to(opt.records_to) : NULL;
    if (wrong) report_note("console", "records=: %s; records stay on the console's port", wrong);
    const struct session_sinks sinks = {opt.records ? console_record : NULL, opt.text ? console_text : NULL};
    session_redirect(&sinks);
}

/* Conditions that a reader of the results should know of. */
static void tell_conditions(void)
{
    const char *trouble;
    for (unsigned i = 0; (trouble = console_trouble(i)) != NULL; i++) report_note("console", "%s", trouble);
    if (sys.boot.protocol == 0)
        report_note("boot", "not started by a multiboot loader: no command line was seen");
    if (sys.boot.map_source != MAP_MMAP) report_note("memory", "the loader gave no memory map");
    if (sys.boot.map_truncated)
        report_note("memory", "the loader's memory map is truncated; its whole entries are used");
    if (sys.memory.pool_is_builtin)
        report_note("memory", "%s: %u KiB inside the kernel serve as the pool",
                    sys.memory_lies ? "there is no memory where the loader said"
                                    : "no memory range is large enough",
                    (unsigned)(sys.memory.pool_bytes / 1024));
    if (!sys.paging)
        report_note("paging", "this CPU has no 4 MiB pages: paging is off, stacks are not guarded");
    if (sys.apic.mode < APIC_XAPIC)
        report_note("apic", "local APIC %s: its timer cannot interrupt for who counts that",
                    apic_mode_name(sys.apic.mode));
    if (sys.pool_type != MT_WB && sys.pool_type != MT_UNKNOWN)
        report_note("memory",
                    "the pool is not write-back memory (%s): cache benchmarks do not show the caches",
                    mem_type_name(sys.pool_type));
    if (sys.clock.tsc_hz == 0)
        report_note("clock", "the TSC's rate could not be found out: no times, only ticks; tsc=HZ gives it");
}

/* The events that can be named. */
static void tell_events(void)
{
    const char *lack = pmu_db_lack(&sys.pmu);
    if (lack[0]) report_note("events", "only raw codes and this kernel's own names can be measured%s", lack);
}

/* What came or waits although everything is masked. */
static void tell_interrupts(void)
{
    int pending = apic_pending(&sys.apic);
    if (cpu0.strays)
        report_note("interrupts", "%u interrupts or NMIs arrived that nobody had asked for",
                    (unsigned)cpu0.strays);
    if (pending >= 0)
        report_note("interrupts", "vector %d waits in the local APIC: some device is not silent", pending);
}

static bool cancelled; /* Ctrl-C: nothing more is begun */

/* Events that were asked for and will not be measured: each is named, none prints as 0. */
static void tell_unmeasured(const struct group *group, unsigned groups)
{
    static bool measured[EVENTS_MAX];
    if (opt.absent[0]) report_note("events", "absent on this CPU: %s", opt.absent);
    for (unsigned g = 0; g < groups; g++)
        for (unsigned i = 0; i < group[g].n; i++) measured[group[g].event[i]] = true;
    for (unsigned i = 0; i < opt.n_events; i++) {
        if (measured[i]) continue;
        if (opt.event[i].counters & sys.pmu.usable) {
            report_note("events", "%s: nothing is left to select it with", opt.event[i].name);
            continue;
        }
        for (unsigned c = 0; c < sys.pmu.counters; c++)
            if (opt.event[i].counters >> c & 1)
                report_note("events", "%s: counter %u is %s", opt.event[i].name, c,
                            pmu_state_text(sys.pmu.state[c]));
    }
}

static void derived(void *run, const struct derived *d) { emit_derived(run, d, &opt, &sys); }

/* One plan item, sampled by each method and event. */
static bool sample_item(const struct plan_item *item, const struct machine *machine)
{
    static struct sampling sampling;
    static struct options with;
    bool ok = true;
    for (unsigned k = 0; ok && options_sampling(&opt, item, &sys.pmu, k, &with); k++)
        for (unsigned e = 0; ok && e < (with.n_events ? with.n_events : 1); e++) {
            struct arena arena = {sys.memory.pool, sys.memory.pool_bytes, 0};
            sampling_run(item, &with, machine, e, &arena, &sampling);
            ok = sampling.run.status == RUN_OK;
            cancelled = sampling.run.status == RUN_CANCELLED;
            if (!ok)
                emit_run_failure(&sampling.run);
            else
                ok = emit_sampling(&sampling, &with, &sys, &arena);
        }
    return ok;
}

/* One plan item with one group of events, its results out. */
static bool measure_group(const struct plan_item *item, struct machine *machine, const struct group *group,
                          unsigned g, unsigned groups)
{
    static struct run run;
    static struct measured counts;
    struct arena arena = {sys.memory.pool, sys.memory.pool_bytes, 0};
    struct result result;
    if (g == 0) counts.n = 0;
    if (g > 0 && run.bench.stamp_count) return true;
    run_item(item, &opt, machine, group, &arena, &run);
    run.group = g;
    run.groups = groups;
    if (run.status == RUN_OK) {
        reduce_flags(&run, machine, &arena);
        if (run.bench.stamp_count && group)
            report_note("events", "%s is a series of time stamps: no events are counted", item->bench->name);
        for (unsigned k = g == 0 && (opt.tsc || run.n == 1) ? 0 : 1; k < run.n; k++) {
            if (!reduce(&run, k, &opt, machine, &arena, &result)) {
                run.status = RUN_MEMORY;
                break;
            }
            emit_result(&run, k, &result, &opt, &sys);
            if (k > 0) {
                counts.event[counts.n].select = opt.event[group->event[k - 1]].select;
                counts.event[counts.n].select2 = opt.event[group->event[k - 1]].select2;
                counts.event[counts.n].overhead_lowered = run.count[k].overhead_lowered;
                counts.event[counts.n++].value = result.stats.median;
            }
            if (opt.all) emit_reps(&run, k, opt.ring);
        }
        for (unsigned k = g == 0 && opt.tsc ? 0 : 1; k < run.n; k++) emit_regions(&run, k, &opt, &sys);
        if (g == 0) emit_regions_note(&run);
    }
    if (run.status == RUN_OK && g + 1 == groups) derive(&sys.pmu, &counts, derived, &run);
    if (run.status != RUN_OK) emit_run_failure(&run);
    cancelled = run.status == RUN_CANCELLED;
    return run.status == RUN_OK;
}

static unsigned measure(void)
{
    static struct group group[EVENTS_MAX];
    struct machine machine = {
        .id = &sys.id,
        .caches = &sys.caches,
        .pmu = &sys.pmu,
        .apic = &sys.apic,
        .tsc_hz = sys.clock.tsc_hz,
        .strays = &cpu0.strays,
        .core_clock = core_clock_present(&sys.id),
        .timer = sys.timer,
        /* Emulators let unknown MSRs read as 0: no counter at all, yet no fault either. */
        .smi_counter = sys.platform == PLATFORM_SILICON && smi_counter_present(&sys.id),
        .cancelled = console_cancelled};
    struct quiet quiet;
    unsigned failed = 0, done = 0;
    unsigned groups = schedule_groups(&sys.pmu, opt.event, opt.n_events, group);
    const bool some = groups || opt.tsc; /* not: all of events= is left out */
    tell_unmeasured(group, groups);

    quiet_check(&machine, &quiet, QUIET_MS);
    emit_quiet(&quiet, "before", sys.clock.tsc_hz);
    machine.tsc_step = quiet.step;
    if (opt.action == ACTION_ARTICLE) experiments_hold();
    for (unsigned i = 0; i < plan.n && !cancelled; i++) {
        const bool sampled = opt.sample || plan.item[i].bench->sampling;
        bool ok = sampled ? sample_item(&plan.item[i], &machine) : some;
        if (!sampled && !ok)
            report_error("benchmark", "%s: none of events= is left", plan.item[i].bench->name);
        done++;
        for (unsigned g = 0; !sampled && ok && g < (groups ? groups : 1); g++)
            ok = measure_group(&plan.item[i], &machine, groups ? &group[g] : NULL, g, groups);
        failed += !ok;
    }
    if (opt.action >= ACTION_TRUTH && !cancelled) {
        const bool article = opt.action == ACTION_ARTICLE;
        struct truth_totals totals[2];
        for (unsigned i = 0; i <= article; i++) {
            struct arena arena = {sys.memory.pool, sys.memory.pool_bytes, 0};
            if (article) opt.action = i ? ACTION_CASCADE : ACTION_TAGS;
            emit_truth(&opt, &machine, &arena, &sys, &totals[i]);
            done += totals[i].programs;
            failed += totals[i].failed;
        }
        if (article) emit_article(&sys, &totals[0], &totals[1]);
    }
    if (!machine.smi_counter) { /* nothing counts SMIs here: watch again */
        quiet_check(&machine, &quiet, QUIET_AFTER_MS);
        emit_quiet(&quiet, "after", sys.clock.tsc_hz);
    }
    tell_interrupts();
    emit_done(done, failed);
    return failed;
}

static void on_own_stack(void *boot_registers)
{
    const uint32_t *reg = boot_registers;
    listen(reg[0], reg[1]);
    bring_up();
    read_command_line();
    choose_faces();
    if (opt.tsc_hz)
        sys.clock = (struct clock){opt.tsc_hz, "command line", 0};
    else
        clock_init(&sys.id, &sys.acpi, &sys.clock);
    set_controls();
    sys.core_per_tsc = core_clock_measure(&sys.id, &sys.pmu, &sys.core_clock_source);
    emit_boot(&sys, console_name);
    emit_cpu(&sys);
    tell_conditions();
    tell_controls();
    tell_events();
    const bool list = opt.action == ACTION_LIST;
    for (const struct bench *const *b = benches_start; list && b < benches_end; b++)
        if (!(*b)->hidden) emit_bench(*b);
    const bool found = !opt.list_events || emit_events(&sys.pmu, opt.find[0] ? opt.find : NULL);
    if (list || opt.list_events) leave(found ? STATUS_DONE : STATUS_BENCH_FAILED);
    leave(measure() ? STATUS_BENCH_FAILED : STATUS_DONE);
}

/* Called by entry.S with what the loader left in EAX and EBX. */
void kernel_main(uint32_t magic, uint32_t info);
void kernel_main(uint32_t magic, uint32_t info)
{
    static uint32_t boot_registers[2];
    boot_registers[0] = magic;
    boot_registers[1] = info;
    percpu_load(&cpu0, 0);
    trap_panic = panic;
    trap_panic_again = panic_again;
    idt_init();
    stack_switch(cpu0.stack.main + sizeof cpu0.stack.main, on_own_stack, boot_registers);
}
