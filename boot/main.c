/* The main program in order: listen, bring up, parse the words, measure, report, leave. */
#include "boot/bring_up.h"
#include "boot/modules.h"
#include "boot/notes.h"
#include "boot/request.h"
#include "boot/where.h"
#include "boot/work.h"
#include "kernel/console.h"
#include "kernel/percpu.h"
#include "kernel/power_off.h"
#include "kernel/processors.h"
#include "kernel/screen.h"
#include "kernel/usb.h"
#include "monitor/monitor.h"
#include "report/codes.h"
#include "report/codes_show.h"
#include "report/emit.h"
#include "report/ending.h"
#include "report/kept.h"
#include "report/record.h"
#include "report/wait.h"
#include <string.h>

enum { STATUS_DONE, STATUS_BENCH_FAILED, STATUS_COMMAND_LINE, STATUS_KERNEL };

static struct machine machine; /* bring-up fills it in; afterwards it is only read */
static struct session session;
static enum exit_how how = EXIT_HALT;
static bool monitors;  /* exit=monitor: before that, the prompt */
static bool waits;     /* exit=wait: before that, records are sent again */
static bool codes;     /* exit=qr: then they are shown as QR codes, without being asked for */
static bool listening; /* consoles are open, the session has begun */

/* Each line is kept before it is sent. */
static void send_record(const char *line, size_t len)
{
    kept_add(session_records() - 1, line, len);
    console_record(line, len);
}

/* records=none: QR codes need them all the same. */
static void keep_record(const char *line, size_t len) { kept_add(session_records() - 1, line, len); }

static const struct session_sinks both = {send_record, console_text};

/* A machine that halts on a screen offers text and QR codes there. */
static bool ends_on_screen(void) { return how == EXIT_HALT && screen_in_use() != SCREEN_NONE; }
static bool offers_codes(void) { return codes || ends_on_screen(); }

/* Lines that are kept take an eighth of the pool, at its end, and this much at most: for exit=wait 32,000
 * lines and more, for QR codes what these show. The part is taken before the words are read, so that the rest
 * is the pool for all that measures. */
#define KEPT_SHARE 8
#define KEPT_BYTES (32u << 20)

/* The text of the screen likewise: some 850 full lines. */
#define TEXT_SHARE 64
#define TEXT_BYTES (64u << 10)

/* A share of the pool's end. */
static void *take(struct memory *m, unsigned share, size_t most, size_t *bytes)
{
    *bytes = m->pool_bytes / share;
    if (*bytes > most) *bytes = most;
    *bytes &= ~(size_t)4095;
    m->pool_bytes -= *bytes;
    return m->pool + m->pool_bytes;
}

static void keep_what_is_shown(struct memory *m)
{
    size_t bytes;
    const bool last = waits || monitors; /* they send those again that are asked for */
    if (last || offers_codes()) {
        void *const records = take(m, KEPT_SHARE, last ? KEPT_BYTES : CODES_BYTES, &bytes);
        kept_begin(records, bytes, last ? KEPT_LAST : KEPT_RESULTS);
    }
    if (ends_on_screen()) {
        void *const text = take(m, TEXT_SHARE, TEXT_BYTES, &bytes);
        screen_keep(text, bytes);
    }
}

/* Nothing is measured any more, so that the pool is free for it. */
static void show_ending(void)
{
    const struct memory *m = &machine.memory;
    ending_show(&(struct ending){.codes_at_once = codes,
                                 .halts = how == EXIT_HALT,
                                 .memory = {m->pool, m->pool_bytes, 0},
                                 .clock = &machine.clock});
}

static void restore(void *arg)
{
    struct cpu *cpu = arg;
    controls_restore(cpu->control);
    control_restore(&cpu->lfence);
}

/* On each processor. One that still executes something, since this is the end of a panic, keeps what it has.
 */
static void restore_controls(void)
{
    const uint64_t second = machine.clock.tsc_hz ? machine.clock.tsc_hz : 1000000000;
    restore(machine.cpu[0]);
    for (unsigned i = 1; i < machine.cpus; i++) {
        struct cpu *cpu = machine.cpu[i];
        if (processor_busy(cpu)) continue;
        processor_begin(cpu, restore, cpu);
        processor_end(cpu, second); /* one that is lost does not keep the session from ending */
    }
}

/* exit=poweroff. Emulators have ports of their own, which end them with less ado: Bochs takes S5 for an
 * error, and a QEMU without ACPI has isa-debug-exit. */
static enum exit_how instead_of_s5(void)
{
    return machine.platform == PLATFORM_BOCHS                               ? EXIT_BOCHS
           : machine.platform == PLATFORM_SILICON || !machine.acpi.s5.lacks ? EXIT_POWEROFF
                                                                            : EXIT_QEMU;
}

static void tell_power_off(void)
{
    how = instead_of_s5();
    if (how != EXIT_BOCHS && machine.acpi.s5.lacks)
        report_note(
            "poweroff",
            "ACPI cannot switch this machine off: %s. Unless it is an emulator with a port for that, it "
            "halts, and can be switched off by hand",
            machine.acpi.s5.lacks);
}

static __attribute__((noreturn)) void end_machine(int status)
{
    if (how == EXIT_POWEROFF && !machine.acpi.s5.lacks) {
        power_off(&machine.acpi.s5);
        console_text("The machine is still on. It can be switched off by hand.");
        console_drain();
    }
    machine_exit(how, status);
}

static __attribute__((noreturn)) void leave(int status)
{
    restore_controls();
    if (how == EXIT_POWEROFF) tell_power_off();
    const char *why = codes ? codes_impossible() : NULL;
    if (why) report_note("qr", "no QR codes are shown: %s", why);
    if (offers_codes() && !why) codes_announce();
    if (waits) wait_announce();
    session_end(status);
    if (waits) wait_for_requests(&machine.clock);
    if (offers_codes()) show_ending();
    console_drain();
    end_machine(status);
}

static void panic(const struct trap *t)
{
    if (!listening) { /* too early for any console; what looking for one may have trapped on is not tried
                         again */
        console_init(&machine.boot, "com1", false);
        session_begin(&both);
    }
    emit_panic(t);
    leave(STATUS_KERNEL);
}

/* A trap while panic() ran: the code that prints can no longer be trusted. One in here halts. */
static void panic_again(void)
{
    static bool been_here;
    if (been_here) machine_exit(EXIT_HALT, STATUS_KERNEL);
    been_here = true;
    static const char last[] = "PANIC inside a panic: the session ends without an end record";
    console_text(last);
    console_drain();
    end_machine(STATUS_KERNEL);
}

/* The value of a word that is needed before the line is parsed. */
static bool word_is(const char *line, const char *key, const char *value)
{
    const char *word = cmdline_raw_find(line, key);
    const size_t n = strlen(value);
    return word && strncmp(word, value, n) == 0 && (word[n] == '\0' || word[n] == ' ' || word[n] == '\t');
}

/* exit=, console= and screen= apply from the start, even if the rest of the line is wrong. */
static void listen(uint32_t magic, uint32_t info)
{
    bootinfo_parse(magic, info, &machine.boot);
    const char *line = machine.boot.cmdline_too_long ? machine.boot.cmdline_raw : machine.boot.cmdline;
    const char *exit_word = cmdline_raw_find(line, "exit");
    enum exit_how wanted = exit_word ? exit_parse(exit_word) : EXIT_COUNT;
    if (wanted != EXIT_COUNT) how = wanted;
    monitors = wanted != EXIT_COUNT && exit_monitors(exit_word);
    waits = wanted != EXIT_COUNT && exit_waits(exit_word);
    codes = wanted != EXIT_COUNT && exit_shows_codes(exit_word);
    console_init(&machine.boot, cmdline_raw_find(line, "console"), word_is(line, "screen", "off"));
    session_begin(&both);
    listening = true;
}

static void word_fault(void *ctx, const struct fault *f) { emit_word_fault(f, ctx); }

/* The whole command line is parsed first: with any fault nothing is measured. */
static void read_command_line(void)
{
    static const char *const line = machine.boot.cmdline;
    if (machine.boot.cmdline_too_long) {
        report_error("command line", "longer than the %u bytes that this kernel reads", CMDLINE_MAX);
        leave(STATUS_COMMAND_LINE);
    }
    const struct cpu *cpu = machine.cpu[0];
    session.machine = &machine;
    session.words = (struct options_context){.pmu = cpu->pmu,
                                             .id = &cpu->id,
                                             .caches = &cpu->caches,
                                             .memory = machine.memory.pool_bytes,
                                             .processors = processors_usable(&machine.found, cpu->apic.id)};
    modules_list(&session.words);
    unsigned faults = options_parse(line, machine.boot.loader, &session.words, &session.opt, &session.plan,
                                    word_fault, (void *)line);
    if (faults) {
        tell_modules(&machine); /* it may be one of these that a word means */
        leave(STATUS_COMMAND_LINE);
    }
    how = cmdline_raw_find(line, "exit") ? session.opt.exit : how;
    if (word_is(line, "screen", "off") && screen_in_use() != SCREEN_NONE) {
        report_error("command line", "screen=off, and no serial port answers: results must go somewhere");
        leave(STATUS_COMMAND_LINE);
    }
}

static void choose_faces(void)
{
    const char *wrong = session.opt.records_to ? console_records_to(session.opt.records_to) : NULL;
    if (wrong) report_note("console", "records=: %s; records stay on the console's port", wrong);
    const struct session_sinks sinks = {session.opt.records ? send_record : keep_record,
                                        session.opt.text ? console_text : NULL};
    session_redirect(&sinks);
}

static bool ask_for_more(void)
{
    bool asked = false;
    const bool good = monitor(&session, &how, &asked);
    if (asked) waits = codes = false; /* rebooting or switching off at once */
    return good;
}

static struct usb usb; /* words that only list something leave the machine as it is */

static bool only_lists(void) { return session.opt.action == ACTION_LIST || session.opt.list_events; }

/* From here on this processor has the stack that measured code has. */
static void on_measured_stack(void *unused)
{
    const struct options *opt = &session.opt;
    (void)unused;
    if (opt->processors) bring_up_others(&machine, opt);
    const struct cpu *cpu = machine.cpu[0];
    emit_boot(&machine, console_name);
    emit_cpu(cpu);
    if (opt->processors) tell_others(&machine, opt->processors);
    emit_topology(&machine.topology);
    emit_consoles(serial_list(), &machine.clock);
    tell_conditions(&machine);
    tell_modules(&machine);
    tell_controls(cpu);
    tell_usb(&usb);
    tell_events(cpu->pmu);
    if (opt->action == ACTION_LIST) request_list(&session.words);
    bool good = !opt->list_events || request_events(cpu->pmu, opt);
    if (!only_lists() && options_measure(opt, &session.plan)) {
        struct cpu_set where;
        if (!where_to_measure(&machine, opt, &where))
            leave(machine.modules_changed ? STATUS_KERNEL : STATUS_COMMAND_LINE);
        good = work(&machine, opt, &session.plan, &where) && !machine.module_faults;
    } else if (!only_lists() && opt->modules_default) {
        good = false; /* none of the modules is usable, which was said */
    }
    if (monitors) good &= ask_for_more();
    leave(good ? STATUS_DONE : STATUS_BENCH_FAILED);
}

/* For no more processors than are there and are asked for. */
static void open_stacks(void)
{
    const struct options *opt = &session.opt;
    const unsigned usable = session.words.processors, asked = opt->processors ? opt->processors : 1;
    size_t most;
    if (stacks_open(&machine, opt->stack, asked < usable ? asked : usable, &most)) return;
    if (opt->stack)
        report_error("command line", "stack=%llu: there is memory for %llu bytes at most",
                     (unsigned long long)opt->stack, (unsigned long long)most);
    else
        report_error("kernel", "there is no memory for the stack of measured code");
    leave(opt->stack ? STATUS_COMMAND_LINE : STATUS_KERNEL);
}

static void on_own_stack(void *boot_registers)
{
    const struct options *opt = &session.opt; /* once they are read */
    const uint32_t *reg = boot_registers;
    listen(reg[0], reg[1]);
    const char *lacks = bring_up(&machine, word_is(machine.boot.cmdline, "apic", "on"));
    if (lacks) {
        report_error("kernel", "this CPU has no %s; Anechoic needs a Pentium or later", lacks);
        leave(STATUS_KERNEL);
    }
    keep_what_is_shown(&machine.memory);
    read_command_line();
    choose_faces();
    if (!only_lists() && pci_probe(&machine.boot, machine.acpi.found)) {
        usb_take_over(opt->usb_keep, &usb);
        board_probe_tco(&machine.board);
    }
    bring_up_as_told(&machine, opt->off, opt->tsc_hz);
    open_stacks();
    session.words.memory = machine.memory.pool_bytes;
    stack_switch(machine.cpu[0]->stack.top, on_measured_stack, NULL);
}

/* Called by entry.S with the loader's EAX and EBX. */
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
    stack_switch(this_cpu()->stack.main, on_own_stack, boot_registers);
}
