/* The kernel's story, in the order in which it happens: listen, bring up, ask, measure, report, leave. */
#include "boot/notes.h"
#include "boot/work.h"
#include "kernel/console.h"
#include "kernel/fpu.h"
#include "kernel/hw.h"
#include "kernel/paging.h"
#include "kernel/percpu.h"
#include "kernel/pic.h"
#include "kernel/timer.h"
#include "kernel/usb.h"
#include "kernel/user.h"
#include "kernel/x86.h"
#include "measure/core_clock.h"
#include "pmu/database.h"
#include "pmu/driver.h"
#include "report/emit.h"
#include "report/emit_events.h"
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
    static const char last[] = "PANIC inside a panic: the session has no end record";
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

/* apic=on comes before the line is judged, too. */
static bool apic_wanted(void)
{
    const char *word = cmdline_raw_find(sys.boot.cmdline, "apic");
    return word && strncmp(word, "on", 2) == 0 && (word[2] == '\0' || word[2] == ' ' || word[2] == '\t');
}

/* The event database is the module that says so at its beginning; what else there is, is not for us. */
static void open_database(void)
{
    for (unsigned i = 0; i < sys.boot.n_modules && !db_source()[0]; i++) {
        const struct boot_module *m = &sys.boot.module[i];
        const size_t size = (size_t)(m->end - m->start);
        char why[96];
        db_open(phys_peek(m->start, size), size, why, sizeof why);
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
    apic_init(&sys.id, &sys.apic, apic_wanted());
    cpu0.strays = 0; /* the firmware's, which sys.apic.left has */
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
    const char *flag = platform_flag(sys.platform);
    controls_find(&sys.id, flag && strcmp(flag, "emulated") == 0, sys.control);
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

static void on_own_stack(void *boot_registers)
{
    const uint32_t *reg = boot_registers;
    listen(reg[0], reg[1]);
    bring_up();
    read_command_line();
    choose_faces();
    const bool list = opt.action == ACTION_LIST;
    static struct usb usb; /* what only lists leaves the machine as it is */
    if (!list && !opt.list_events && pci_probe(&sys.boot, sys.acpi.found)) usb_take_over(opt.usb_keep, &usb);
    if (opt.tsc_hz)
        sys.clock = (struct clock){.tsc_hz = opt.tsc_hz, .source = "command line"};
    else
        clock_init(&sys.id, &sys.acpi, &sys.clock);
    set_controls();
    sys.core_per_tsc = core_clock_measure(&sys.id, &sys.pmu, &sys.core_clock_source);
    emit_boot(&sys, console_name);
    emit_cpu(&sys);
    tell_conditions(&sys);
    tell_controls();
    tell_usb(&usb);
    tell_events(&sys.pmu);
    for (const struct bench *const *b = benches_start; list && b < benches_end; b++)
        if (!(*b)->hidden) emit_bench(*b);
    const bool found = !opt.list_events || emit_events(&sys.pmu, opt.find[0] ? opt.find : NULL);
    if (list || opt.list_events) leave(found ? STATUS_DONE : STATUS_BENCH_FAILED);
    leave(work(&sys, &opt, &plan) ? STATUS_DONE : STATUS_BENCH_FAILED);
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
