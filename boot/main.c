/* The kernel's story, in the order in which it happens: listen, bring up, ask, measure, report, leave. */
#include "kernel/console.h"
#include "kernel/fpu.h"
#include "kernel/hw.h"
#include "kernel/paging.h"
#include "kernel/percpu.h"
#include "kernel/pic.h"
#include "kernel/user.h"
#include "kernel/x86.h"
#include "report/emit.h"
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
    console_text("PANIC inside a panic: the session has no end record");
    console_drain();
    machine_exit(how, STATUS_KERNEL);
}

static __attribute__((noreturn)) void refuse(const char *why)
{
    report_error("kernel", "%s", why);
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

static void bring_up(void)
{
    pic_mask_all();
    if (!cpuid_present()) refuse("this CPU has no CPUID: a Pentium or later is needed");
    cpu_unlimit();
    cpu_identify(&sys.id);
    if (!fpu_init()) refuse("this CPU has no floating-point unit: a Pentium or later is needed");
    if (!(sys.id.f1_edx & CPUID_1_EDX_TSC))
        refuse("this CPU has no time-stamp counter: a Pentium or later is needed");
    acpi_probe(&sys.boot, &sys.acpi); /* reads the BIOS data area in page 0, so before that goes away */
    sys.paging = paging_init(&sys.id, &sys.boot);
    apic_init(&sys.id, &sys.apic);
    memory_init(&sys.boot, &sys.memory);
    sys.memory_lies = !memory_check(&sys.memory);
    cache_probe(&sys.id, &sys.caches);
    sys.pool_type = mtrr_type(&sys.id, (uintptr_t)sys.memory.pool, sys.memory.pool_bytes);
    sys.platform = platform_detect(&sys.id, &sys.acpi);
    cpu0.apic_id = sys.apic.id;
    paging_user(user_text_start, (size_t)(user_text_end - user_text_start));
    paging_user(sys.memory.pool, sys.memory.pool_bytes);
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
        report_note("apic", "local APIC %s: nothing here depends on it yet", apic_mode_name(sys.apic.mode));
    if (sys.pool_type != MT_WB && sys.pool_type != MT_UNKNOWN)
        report_note("memory",
                    "the pool is not write-back memory (%s): cache benchmarks do not show the caches",
                    mem_type_name(sys.pool_type));
    if (sys.clock.tsc_hz == 0)
        report_note("clock", "the TSC's rate could not be found out: no times, only ticks; tsc=HZ gives it");
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
        for (unsigned c = 0; c < sys.pmu.counters; c++)
            if (opt.event[i].counters >> c & 1)
                report_note("events", "%s: counter %u is %s", opt.event[i].name, c,
                            pmu_state_text(sys.pmu.state[c]));
    }
}

static void derived(void *run, const struct derived *d) { emit_derived(run, d, &opt, &sys); }

/* One plan item with one group of events, its results out. */
static bool measure_group(const struct plan_item *item, struct machine *machine, const struct group *group,
                          unsigned g, unsigned groups)
{
    static struct run run;
    static struct measured counts;
    struct arena arena = {sys.memory.pool, sys.memory.pool_bytes, 0};
    struct result result;
    if (g == 0) counts.n = 0;
    run_item(item, &opt, machine, group, &arena, &run);
    run.group = g;
    run.groups = groups;
    if (run.status == RUN_OK) {
        reduce_flags(&run, machine, &arena);
        for (unsigned k = g == 0 && opt.tsc ? 0 : 1; k < run.n; k++) {
            if (!reduce(&run, k, &opt, machine, &arena, &result)) {
                run.status = RUN_MEMORY;
                break;
            }
            emit_result(&run, k, &result, &opt, &sys);
            if (k > 0) {
                counts.event[counts.n].select = opt.event[group->event[k - 1]].select;
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
        .tsc_hz = sys.clock.tsc_hz,
        .strays = &cpu0.strays,
        /* Emulators let unknown MSRs read as 0: no counter at all, yet no fault either. */
        .smi_counter = sys.platform == PLATFORM_SILICON && smi_counter_present(&sys.id),
        .cancelled = console_cancelled};
    struct quiet quiet;
    unsigned failed = 0, done = 0;
    unsigned groups = schedule_groups(opt.event, opt.n_events, sys.pmu.usable, group);
    tell_unmeasured(group, groups);

    quiet_check(&machine, &quiet, QUIET_MS);
    emit_quiet(&quiet, "before", sys.clock.tsc_hz);
    machine.tsc_step = quiet.step;
    for (unsigned i = 0; i < plan.n && !cancelled; i++) {
        bool ok = true;
        done++;
        for (unsigned g = 0; ok && g < (groups ? groups : 1); g++)
            ok = measure_group(&plan.item[i], &machine, groups ? &group[g] : NULL, g, groups);
        failed += !ok;
    }
    if (opt.action == ACTION_TRUTH) {
        struct arena arena = {sys.memory.pool, sys.memory.pool_bytes, 0};
        struct truth_totals totals;
        emit_truth(&opt, &machine, &arena, &sys, &totals);
        done = totals.programs;
        failed = totals.failed;
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
    emit_boot(&sys, console_name);
    emit_cpu(&sys);
    tell_conditions();
    if (opt.action == ACTION_LIST) {
        for (const struct bench *const *b = benches_start; b < benches_end; b++)
            if (!(*b)->hidden) emit_bench(*b);
        leave(STATUS_DONE);
    }
    if (opt.list_events) {
        const struct pmu_event *e;
        const struct pmu_word *w;
        for (unsigned i = 0; (w = pmu_word_at(&sys.pmu, i)) != NULL; i++) emit_word(w);
        for (unsigned i = 0; (e = pmu_event_at(&sys.pmu, i)) != NULL; i++) emit_event(&sys.pmu, e);
        leave(STATUS_DONE);
    }
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
