#include "boot/notes.h"
#include "bench/code_payload.h"
#include "kernel/console.h"
#include "kernel/percpu.h"
#include "kernel/permits.h"
#include "measure/watchdog.h"
#include "pmu/driver.h"
#include <stdio.h>
#include <string.h>

static void tell_apic(const struct apic *a)
{
    if (a->firmware_off && a->mode >= APIC_XAPIC)
        report_note("apic", "the firmware had disabled the local APIC; apic=on has enabled it");
    else if (a->firmware_off && a->asked)
        report_note("apic", "the firmware disabled the local APIC, and apic=on could not enable it");
    else if (a->firmware_off)
        report_note("apic",
                    "the firmware disabled the local APIC: its timer and the counters' interrupts are not "
                    "available; apic=on enables it");
    else if (a->mode < APIC_XAPIC)
        report_note("apic", "local APIC %s: its timer and the counters' interrupts are not available",
                    apic_mode_name(a->mode));
    for (unsigned i = 0; i < APIC_ENTRIES; i++)
        if (a->smi[i])
            report_note("apic",
                        "The firmware handles the local APIC's %s interrupts by SMI. This entry was left "
                        "unchanged, so SMIs may occur.",
                        apic_entry_name(i));
    if (a->left)
        report_note(
            "apic",
            "%u interrupts were still in service or pending in the local APIC; they were acknowledged",
            a->left);
}

static void tell_board(const struct board *b)
{
    if (b->imcr == IMCR_PIC)
        report_note(
            "board",
            "the board is in PIC mode (IMCR): the 8259s' interrupts and NMI reach the boot CPU without "
            "its local APIC, which cannot mask them");
    if (b->tco)
        report_note(
            "watchdog",
            "the chipset's TCO timer runs (I/O port %Xh), with %.1f s left; unless the firmware has disabled "
            "the reset, the second time-out ends this session",
            b->tco, b->tco_left_ms / 1e3);
    if (b->bmc)
        report_note("watchdog",
                    "this machine has a management controller (BMC), whose watchdog may reset it if an "
                    "operating system or the firmware has started it");
    if (b->watchdog_table)
        report_note("watchdog", "ACPI table %s describes a watchdog; if it runs, it may reset the machine",
                    b->watchdog_table);
}

static void tell_modulation(const struct machine *m)
{
    for (unsigned i = 0; i < m->cpus; i++)
        if (m->cpu[i]->clock_modulation)
            report_note("clock",
                        "the firmware throttles processor %u to %u/16 of its clock (MSR 19Ah), so times are "
                        "longer than the cycle counts suggest",
                        i, m->cpu[i]->clock_modulation);
}

static void tell_stacks(const struct machine *m)
{
    static const char overflow[] = "a stack overflow overwrites other memory";
    if (m->paging && !m->stacks.from)
        report_note("stack", "no free addresses for guarded stacks: %s", overflow);
    for (unsigned i = 0; m->stacks.from && i < m->cpus; i++)
        if (!m->cpu[i]->stack.from)
            report_note("stack", "processor %u: no free addresses for a guarded stack: %s", i, overflow);
    for (unsigned i = 0; i < m->cpus; i++)
        if (m->cpu[i]->stack.bytes < m->stacks.bytes || (i == 0 && m->stacks.little)) {
            report_note("stack",
                        "processor %u: the stack for measured code is only %u KiB, because memory is short",
                        i, (unsigned)(m->cpu[i]->stack.bytes / 1024));
            break;
        }
}

void tell_conditions(const struct machine *m)
{
    const char *trouble, *what;
    for (unsigned i = 0; (trouble = console_trouble(i)) != NULL; i++) report_note("console", "%s", trouble);
    if (m->boot.protocol == 0)
        report_note("boot", "not started by a multiboot loader, so there is no command line");
    if (m->smbios.fault) report_note("smbios", "the SMBIOS table is damaged: %s", m->smbios.fault);
    if (m->boot.map_source != MAP_MMAP) report_note("memory", "the loader gave no memory map");
    if (m->boot.map_truncated)
        report_note("memory", "the loader's memory map is truncated; its complete entries are used");
    if (m->memory.pool_is_builtin)
        report_note("memory", "%s; the pool is %u KiB inside the kernel",
                    m->memory_lies ? "there is no memory where the loader's map has some"
                                   : "no memory range is large enough",
                    (unsigned)(m->memory.pool_bytes / 1024));
    if (!m->paging)
        report_note("paging",
                    "this CPU has no 4 MiB pages, so paging is off and stack overflows are not caught");
    tell_stacks(m);
    if (m->platform != PLATFORM_LINUX) tell_apic(&m->cpu[0]->apic); /* there it is Linux' */
    for (unsigned i = 0; (trouble = machine_note(&i, &what)) != NULL;) report_note(what, "%s", trouble);
    tell_board(&m->board);
    tell_modulation(m);
    if (m->pool_type != MT_WB && m->pool_type != MT_UNKNOWN)
        report_note("memory", "the pool is %s memory, not write-back: results do not show the caches",
                    mem_type_name(m->pool_type));
    if (m->clock.tsc_hz == 0)
        report_note("clock", "the TSC's rate is unknown, so results are in ticks only; give it with tsc=HZ");
    if (m->clock.disagree && !m->modelled)
        report_note(
            "clock",
            "the TSC runs at %.3f MHz by %s, but at %.3f MHz by %s: one of them is wrong by more than "
            "its stated error; the first is used, tsc=HZ overrides it",
            (double)m->clock.tsc_hz / 1e6, m->clock.source, (double)m->clock.other.hz / 1e6,
            m->clock.other.source);
}

void tell_modules(const struct machine *m)
{
    for (unsigned i = 0; i < m->module_faults; i++) emit_module_fault(&m->module_fault[i]);
}

static bool has_snippets(const struct plan *plan)
{
    for (unsigned i = 0; i < plan->n; i++)
        if (plan->line[i].bench->found) return true;
    return false;
}

static unsigned experiments_in(const struct plan *plan)
{
    unsigned n = 0;
    for (unsigned i = 0; i < plan->n; i++) n += plan->line[i].bench->experiment != NULL;
    return n;
}

/* Code that may do anything: the user's own, and experiments. */
static bool has_watched(const struct plan *plan)
{
    for (unsigned i = 0; i < plan->n; i++)
        if (plan->line[i].bench->program.users || plan->line[i].bench->experiment) return true;
    return false;
}

void tell_watchdog(const struct cpu *cpu, const struct options *opt, const struct plan *plan)
{
    if (!has_watched(plan) || !opt->limit) return;
    const bool counter = !opt->steps.given; /* steps= stops all of them */
    const unsigned kinds = watchdog_find(cpu, opt->ring, counter), only_counter = 1u << WATCHDOG_COUNTER;
    if (!kinds)
        report_note("limit", "no watchdog here: code that never returns is not ended%s",
                    watchdog_find(cpu, 3, counter) ? "; with ring=3 it is" : "");
    else if (opt->ring == 0 && kinds == only_counter)
        report_note(
            "limit",
            "only a performance counter ends code that never returns here: not HLT, no experiment, and "
            "nothing where the events take all counters");
}

void tell_areas(const struct memory *memory, const struct plan *plan)
{
    const size_t bytes = code_area_bytes(memory->pool_bytes);
    if (has_snippets(plan) && bytes < CODE_AREA_MAX)
        report_note("memory", CODE_REGISTERS " point into %u KiB each, not 1024, since the pool has %u KiB",
                    (unsigned)(bytes / 1024), (unsigned)(memory->pool_bytes / 1024));
}

void tell_controls(const struct cpu *cpu)
{
    static const char *const name[CONTROLS] = {"turbo", "prefetch"};
    for (unsigned i = 0; i < CONTROLS; i++)
        if (cpu->control[i].trouble[0]) report_note(name[i], "%s=off: %s", name[i], cpu->control[i].trouble);
    if (cpu->pmu->preset)
        report_note("pmu", "the firmware had left counters running (mask %lx); they stay stopped",
                    (unsigned long)cpu->pmu->preset);
}

void tell_usb(const struct usb *usb)
{
    for (unsigned i = 0; i < usb->n; i++) {
        const struct usb_controller *c = &usb->c[i];
        const char *outcome = usb_outcome(c->state);
        if (outcome)
            report_note("usb", "the %s controller at PCI %02x:%02x.%u %s", usb_name(c->kind), c->at.bus,
                        c->at.device, c->at.function, outcome);
    }
    if (usb->beyond) report_note("usb", "%u more controllers stay as they are: SMIs may occur", usb->beyond);
}

void tell_events(const struct pmu *pmu)
{
    const char *lack = pmu_db_lack(pmu);
    if (lack[0])
        report_note("events", "only raw codes and this kernel's own event names are available%s", lack);
}

/* No counter works here: say why, and which command has counters. */
static const char *no_counters(enum platform platform)
{
    const char *why = machine_no_counters();
    if (why) return why;
    switch (platform) {
    case PLATFORM_QEMU_TCG:
        return "QEMU emulates no performance counters. ./run-bochs.sh --cpu skylake counts on a model; "
               "./run-qemu.sh --accel kvm counts on this machine's own processor";
    case PLATFORM_BOCHS:
        return "Bochs by itself has no performance counters. ./run-bochs.sh without --stock has modelled "
               "ones";
    case PLATFORM_SILICON:
        return "this CPU has no performance counter that works";
    default:
        return "this hypervisor gives its guests no performance counters";
    }
}

void tell_unmeasured(const struct pmu *pmu, const struct options *opt, const struct group *group,
                     unsigned groups, enum platform platform)
{
    bool measured[EVENTS_MAX] = {false};
    if (opt->absent[0]) report_note("events", "absent on this CPU: %s", opt->absent);
    if (!pmu->usable && (opt->n_events || opt->every_event)) {
        report_note("events", "%s", no_counters(platform));
        return;
    }
    for (unsigned g = 0; g < groups; g++)
        for (unsigned i = 0; i < group[g].n; i++) measured[group[g].event[i]] = true;
    for (unsigned i = 0; i < opt->n_events; i++) {
        if (measured[i]) continue;
        if (opt->event[i].counters & pmu->usable) {
            report_note("events", "%s is not counted: other events of the list use all that could select it",
                        opt->event[i].name);
            continue;
        }
        for (unsigned c = 0; c < pmu->counters; c++)
            if (opt->event[i].counters >> c & 1)
                report_note("events", "%s is not counted: counter %u is %s", opt->event[i].name, c,
                            pmu_state_text(pmu->state[c]));
    }
}

void tell_nothing(void *index, const struct text_part *event) { (void)index, (void)event; }

void tell_lacks(void *index, const struct text_part *event)
{
    const unsigned *cpu = index;
    report_note("events", "processor %u has no event %.*s, which is not counted there", *cpu, (int)event->len,
                event->s);
}

void tell_unmodelled(const char *const *event, unsigned n)
{
    char list[512] = "";
    for (unsigned i = 0; i < n; i++) pmu_list_add(list, sizeof list, event[i], "");
    if (n)
        report_note(
            "model",
            "no value: the PMU model lacks these, or counts them in cycles of its own, which are not a "
            "processor's: %s",
            list);
}

void tell_default(const struct options *opt, const struct plan *plan)
{
    char names[400];
    size_t used = 0;
    if (!opt->modules_default || !plan->n) return;
    for (unsigned i = 0; i < plan->n && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? "," : "",
                                 plan->line[i].bench->program.name);
    if (used >= sizeof names) memcpy(names + sizeof names - sizeof "...", "...", sizeof "...");
    report_note("modules", "no bench= was given: running all benchmarks of the modules: bench=%s", names);
}

void tell_impossible(const struct options *opt, const struct plan *plan)
{
    char why[160 + PMU_NAME];
    unsigned counted = 0; /* experiments are sampled, and choose their own CPL */
    for (unsigned i = 0; i < plan->n; i++)
        counted += !plan->line[i].bench->sampling && !plan->line[i].bench->experiment;
    if ((opt->n_events || opt->every_event) && experiments_in(plan))
        report_note("events", "experiments choose their own events: events= is not for them");
    if (opt->sample || !counted) return;
    for (unsigned i = 0; i < opt->n_events; i++)
        if (pmu_event_never(&opt->event[i], opt->ring, why, sizeof why)) report_note("events", "%s", why);
}

void tell_breakpoints(const struct options *opt)
{
    bool code = false;
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        code |= opt->breakpoint[n].len && opt->breakpoint[n].kind == BREAKPOINT_CODE;
    if (code)
        report_note("breakpoints",
                    "code at a breakpoint is counted where it runs in the U pipe, and not in the V "
                    "pipe, since the breakpoint is not enabled (SDM table 19-38, 23h)");
}

bool tell_suite(const struct pmu *pmu, const struct options *opt)
{
    if (!pmu->ops) {
        report_note("truth", "this CPU has no PMU that this kernel knows, so there are no counters to judge");
        return false;
    }
    if (!pmu->usable) report_note("truth", "no counter of this CPU (family %s) works", pmu->ops->family);
    if (opt->n_events || opt->every_event)
        report_note("truth", "events= is ignored: bench=truth has its own");
    return true;
}

static void tell_wakes(const struct machine *m)
{
    for (unsigned i = 1; i < m->cpus; i++)
        if (m->cpu[i]->wakes_missed)
            report_note(
                "processors",
                "processor %u missed the store that ends MWAIT; it was woken by an NMI, and now rests in HLT",
                i);
}

void tell_interrupts(const struct cpu *cpu)
{
    tell_wakes(cpu->machine);

    const struct percpu *self = this_cpu();
    int pending = apic_pending(&cpu->apic);
    const uint32_t unexpected = self->strays - watchdog_interrupts();
    if (unexpected)
        report_note("interrupts", "%u unexpected interrupts or NMIs arrived, the last at vector %u",
                    (unsigned)unexpected, (unsigned)self->stray);
    if (pending >= 0)
        report_note("interrupts", "vector %d is pending in the local APIC: some device still interrupts",
                    pending);
}
