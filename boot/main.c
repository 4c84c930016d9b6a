/* The kernel's story, in the order in which it happens: listen, bring up, ask, measure, report, leave. */
#include "boot/notes.h"
#include "boot/work.h"
#include "kernel/console.h"
#include "kernel/core_clock.h"
#include "kernel/fpu.h"
#include "kernel/hw.h"
#include "kernel/model.h"
#include "kernel/paging.h"
#include "kernel/percpu.h"
#include "kernel/pic.h"
#include "kernel/smi.h"
#include "kernel/timer.h"
#include "kernel/usb.h"
#include "kernel/user.h"
#include "kernel/x86.h"
#include "pmu/database.h"
#include "pmu/driver.h"
#include "report/emit.h"
#include "report/emit_events.h"
#include "report/record.h"
#include <string.h>

enum { STATUS_DONE, STATUS_BENCH_FAILED, STATUS_COMMAND_LINE, STATUS_KERNEL };

/* A tick is an instruction there, of which it has some 20 million a second, whatever it says of its clock. */
#define BOCHS_REPEAT_TICKS 100000000

static struct pmu pmu; /* the boot processor's */
static struct machine machine;
static struct cpu *const boot_cpu = &machine.cpu[0];
static struct options opt;
static struct plan plan;
static enum exit_how how = EXIT_HALT;
static bool listening; /* consoles are open, the session has begun */

static const struct session_sinks both = {console_record, console_text};

static __attribute__((noreturn)) void leave(int status)
{
    controls_restore(boot_cpu->control);
    session_end(status);
    console_drain();
    machine_exit(how, status);
}

static void panic(const struct trap *t)
{
    if (!listening) { /* so early that nobody would hear of it */
        console_init(&machine.boot, NULL);
        session_begin(&both);
    }
    emit_panic(t);
    leave(STATUS_KERNEL);
}

/* A trap while panic() ran: whatever printed is not to be trusted any more. */
static void panic_again(void)
{
    static const char last[] = "PANIC inside a panic: the session ends without an end record";
    console_text(last);
    console_drain();
    machine_exit(how, STATUS_KERNEL);
}

/* What the kernel cannot do without. */
static void need(bool present, const char *what)
{
    if (present) return;
    report_error("kernel", "this CPU has no %s; Anechoic needs a Pentium or later", what);
    leave(STATUS_KERNEL);
}

/* exit= and console= hold from the first moment, even if the rest of the line is wrong. */
static void listen(uint32_t magic, uint32_t info)
{
    bootinfo_parse(magic, info, &machine.boot);
    const char *line = machine.boot.cmdline_too_long ? machine.boot.cmdline_raw : machine.boot.cmdline;
    const char *exit_word = cmdline_raw_find(line, "exit");
    enum exit_how wanted = exit_word ? exit_parse(exit_word) : EXIT_COUNT;
    if (wanted != EXIT_COUNT) how = wanted;
    console_init(&machine.boot, cmdline_raw_find(line, "console"));
    session_begin(&both);
    listening = true;
}

/* apic=on comes before the line is judged, too. */
static bool apic_wanted(void)
{
    const char *word = cmdline_raw_find(machine.boot.cmdline, "apic");
    return word && strncmp(word, "on", 2) == 0 && (word[2] == '\0' || word[2] == ' ' || word[2] == '\t');
}

/* The event database is the module that begins with its magic; other modules are ignored. */
static void open_database(void)
{
    for (unsigned i = 0; i < machine.boot.n_modules && !db_source()[0]; i++) {
        const struct boot_module *m = &machine.boot.module[i];
        const size_t size = (size_t)(m->end - m->start);
        char why[96];
        db_open(phys_peek(m->start, size), size, why, sizeof why);
    }
}

static void bring_up(void)
{
    boot_cpu->machine = &machine;
    boot_cpu->pmu = &pmu;
    boot_cpu->strays = &this_cpu()->strays;
    boot_cpu->cancelled = console_cancelled;
    pic_mask_all();
    need(cpuid_present(), "CPUID");
    cpu_unlimit();
    cpu_identify(&boot_cpu->id);
    need(fpu_init(), "floating-point unit");
    need(boot_cpu->id.f1_edx & CPUID_1_EDX_TSC, "time-stamp counter");
    acpi_probe(&machine.boot, &machine.acpi); /* before paging: it reads the BIOS data area in page 0 */
    machine.paging = paging_init(&boot_cpu->id, &machine.boot);
    apic_init(&boot_cpu->id, &boot_cpu->apic, apic_wanted());
    this_cpu()->strays = 0; /* the firmware's, which boot_cpu->apic.left has */
    boot_cpu->timer = timer_init(&boot_cpu->apic);
    memory_init(&machine.boot, &machine.memory);
    machine.memory_lies = !memory_check(&machine.memory);
    cache_probe(&boot_cpu->id, &boot_cpu->caches);
    machine.pool_type = mtrr_type(&boot_cpu->id, (uintptr_t)machine.memory.pool, machine.memory.pool_bytes);
    machine.platform = platform_detect(&boot_cpu->id, &machine.acpi);
    machine.time_origin = platform_time_origin(machine.platform);
    machine.count_origin = platform_count_origin(machine.platform);
    machine.modelled = model_present();
    machine.repeat_ticks = machine.platform == PLATFORM_BOCHS ? BOCHS_REPEAT_TICKS : 0;
    machine.payloads = (uintptr_t)user_text_start;
    machine.payloads_end = (uintptr_t)user_text_end;
    paging_user(user_text_start, (size_t)(user_text_end - user_text_start));
    paging_user(machine.memory.pool, machine.memory.pool_bytes);
    open_database();
    pmu_probe(&boot_cpu->id, &pmu);
    if (pmu.user_rdpmc) WRITE_CR(4, READ_CR(4) | CR4_PCE);
    boot_cpu->smi_counter = machine.platform == PLATFORM_SILICON && smi_counter_present(&boot_cpu->id);
    boot_cpu->core_clock = core_clock_present(&boot_cpu->id);
}

static void word_fault(void *ctx, const struct fault *f) { emit_word_fault(f, ctx); }

/* The command line, judged as a whole: any fault and nothing is measured. */
static void read_command_line(void)
{
    static const char *const line = machine.boot.cmdline;
    if (machine.boot.cmdline_too_long) {
        report_error("command line", "longer than the %u bytes that this kernel reads", CMDLINE_MAX);
        leave(STATUS_COMMAND_LINE);
    }
    const struct options_context with = {benches_start,
                                         (unsigned)(benches_end - benches_start),
                                         &pmu,
                                         &boot_cpu->id,
                                         &boot_cpu->caches,
                                         machine.memory.pool_bytes};
    unsigned faults = options_parse(line, machine.boot.loader, &with, &opt, &plan, word_fault, (void *)line);
    if (faults) leave(STATUS_COMMAND_LINE);
    how = cmdline_raw_find(line, "exit") ? opt.exit : how;
}

/* Before anything is timed. What could not be done is reported after the machine. */
static char control_trouble[CONTROLS][64];
static void set_controls(void)
{
    controls_find(&boot_cpu->id, machine.time_origin == ORIGIN_EMULATED, boot_cpu->control);
    for (unsigned i = 0; i < CONTROLS; i++)
        if (opt.off[i]) control_off(&boot_cpu->control[i], control_trouble[i], sizeof control_trouble[i]);
}

/* How fast the TSC and the core run. */
static void time_clocks(void)
{
    if (opt.tsc_hz)
        machine.clock = (struct clock){.tsc_hz = opt.tsc_hz, .source = "command line"};
    else
        clock_init(&boot_cpu->id, &machine.acpi, &machine.clock);
    machine.clock.step = clock_step();
    boot_cpu->core_per_tsc = core_clock_measure(&boot_cpu->id);
    boot_cpu->core_clock_source = "aperf/tsc";
    if (boot_cpu->core_per_tsc > 0) return;
    boot_cpu->core_per_tsc = pmu_core_per_tsc(&pmu);
    boot_cpu->core_clock_source = boot_cpu->core_per_tsc > 0 ? "counters" : "unknown";
}

static void tell_controls(void)
{
    static const char *const name[CONTROLS] = {"turbo", "prefetch"};
    for (unsigned i = 0; i < CONTROLS; i++)
        if (control_trouble[i][0]) report_note(name[i], "%s=off: %s", name[i], control_trouble[i]);
    if (pmu.preset)
        report_note("pmu", "the firmware had left counters running (mask %lx); they stay stopped",
                    (unsigned long)pmu.preset);
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
    if (!list && !opt.list_events && pci_probe(&machine.boot, machine.acpi.found))
        usb_take_over(opt.usb_keep, &usb);
    set_controls();
    time_clocks();
    emit_boot(&machine, console_name);
    emit_cpu(boot_cpu);
    tell_conditions(&machine);
    tell_controls();
    tell_usb(&usb);
    tell_events(&pmu);
    for (const struct bench *const *b = benches_start; list && b < benches_end; b++)
        if (!(*b)->hidden) emit_bench(*b);
    const bool found = !opt.list_events || emit_events(&pmu, opt.find[0] ? opt.find : NULL);
    if (list || opt.list_events) leave(found ? STATUS_DONE : STATUS_BENCH_FAILED);
    leave(work(&machine, &opt, &plan) ? STATUS_DONE : STATUS_BENCH_FAILED);
}

/* Called by entry.S with what the loader left in EAX and EBX. */
void kernel_main(uint32_t magic, uint32_t info);
void kernel_main(uint32_t magic, uint32_t info)
{
    static uint32_t boot_registers[2];
    boot_registers[0] = magic;
    boot_registers[1] = info;
    percpu_boot();
    trap_panic = panic;
    trap_panic_again = panic_again;
    idt_init();
    stack_switch(this_cpu()->stack.main + sizeof this_cpu()->stack.main, on_own_stack, boot_registers);
}
