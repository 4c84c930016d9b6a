/* Commands about the processor, ports and memory. */
#include "kernel/hw.h"
#include "monitor/access.h"
#include "monitor/command.h"
#include "monitor/control_registers.h"
#include "monitor/say.h"
#include "report/record.h"
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

/* ---- private ---- */

static void fault(const char *what, const struct trap *t)
{
    char text[128];
    trap_error_text(t, text, sizeof text);
    complain("%s: %s%s%s", what, trap_name(t->vector), text[0] ? ": " : "", text);
}

/* WIDTH, the i-th word; without it, def. False: it is none of them, which was said. */
static bool width_of(const struct words *words, unsigned i, unsigned def, unsigned widest, unsigned *width)
{
    uint64_t v = def;
    if (i < words->n && !number_parse(words->w[i].text, words->w[i].len, &v)) v = 0;
    *width = (unsigned)(v <= 8 ? v : 0);
    if (v <= widest && (v == 1 || v == 2 || v == 4 || v == 8)) return true;
    complain("WIDTH: \"%.*s\" is not valid here. Valid: 1, 2%s",
             (int)(words->w[i].len < 64 ? words->w[i].len : 64), words->w[i].text,
             widest == 8 ? ", 4 or 8 bytes" : " or 4 bytes");
    return false;
}

static uint64_t largest(unsigned width) { return UINT64_MAX >> (64 - 8 * width); }

static bool is_cr(uint64_t n) { return n == 0 || (n >= 2 && n <= 4) || (n == 8 && sizeof(void *) == 8); }

static bool cr_of(const struct word *w, uint64_t *n)
{
    if (number_parse(w->text, w->len, n) && is_cr(*n)) return true;
    complain("N: there is no control register \"%.*s\" here. Valid: 0, 2, 3, 4%s",
             (int)(w->len < 64 ? w->len : 64), w->text, sizeof(void *) == 8 ? ", 8" : "");
    return false;
}

#define MSR_MOST     UINT32_MAX
#define ADDRESS_MOST ((uint64_t)UINTPTR_MAX)

/* ---- public ---- */

void command_unsafe(struct monitor *m, const struct command_line *line)
{
    const struct word *w = &line->words->w[1];
    const bool on = word_is(w, "on");
    if (!on && !word_is(w, "off")) {
        complain("\"%.*s\" is not valid here. Valid: unsafe on, unsafe off", (int)(w->len < 64 ? w->len : 64),
                 w->text);
        return;
    }
    m->unsafe = on;
    if (on)
        complain("wrmsr, wrcr, poke and out are obeyed from now on. What they change may wreck the machine, "
                 "and what is measured later.");
    /* Whoever reads the records is to know. */
    if (on)
        report_note("monitor",
                    "unsafe on: registers, memory and ports may have been written by hand from here on");
}

void command_cpuid(struct monitor *m, const struct command_line *line)
{
    const struct word *w = &line->words->w[1];
    const char *dot = memchr(w->text, '.', w->len);
    const size_t len = dot ? (size_t)(dot - w->text) : w->len;
    uint64_t leaf, sub = 0;
    (void)m;
    if (!argument_number(&(struct word){.text = w->text, .len = len}, "LEAF", UINT32_MAX, &leaf)) return;
    if (dot &&
        !argument_number(&(struct word){.text = dot + 1, .len = w->len - len - 1}, "SUB", UINT32_MAX, &sub))
        return;
    const struct cpuid_regs highest = hw_cpuid((uint32_t)leaf & 0xc0000000u, 0);
    const struct cpuid_regs r = hw_cpuid((uint32_t)leaf, (uint32_t)sub);
    say("cpuid %llx.%llx: eax %08x ebx %08x ecx %08x edx %08x", (ull)leaf, (ull)sub, r.eax, r.ebx, r.ecx,
        r.edx);
    if (((highest.eax ^ (uint32_t)leaf) & 0xf0000000u) == 0 ? leaf > highest.eax : true)
        complain("This CPU has no such leaf (the highest of this range is %xh): Intel answers with another "
                 "one, others with 0.",
                 highest.eax);
}

void command_rdmsr(struct monitor *m, const struct command_line *line)
{
    uint64_t msr, value;
    (void)m;
    if (!argument_number(&line->words->w[1], "MSR", MSR_MOST, &msr)) return;
    if (rdmsr_safe((uint32_t)msr, &value))
        say("msr %llx: %016llx", (ull)msr, (ull)value);
    else
        complain("msr %llx: #GP: this CPU has no such register, or it cannot be read", (ull)msr);
}

void command_wrmsr(struct monitor *m, const struct command_line *line)
{
    uint64_t msr, value, now;
    (void)m;
    if (!argument_number(&line->words->w[1], "MSR", MSR_MOST, &msr)) return;
    if (!argument_number(&line->words->w[2], "VALUE", UINT64_MAX, &value)) return;
    const char *why = msr == CONTROL_EFER && rdmsr_safe(CONTROL_EFER, &now)
                          ? control_register_refused(CONTROL_EFER, now, value, sizeof(void *) == 8)
                          : NULL;
    if (why)
        complain("msr %llx is %016llx, and was not written. %s", (ull)msr, (ull)now, why);
    else if (!wrmsr_safe((uint32_t)msr, value))
        complain("msr %llx: #GP: this CPU has no such register, or it does not take this value", (ull)msr);
    else if (rdmsr_safe((uint32_t)msr, &now))
        say("msr %llx: %016llx", (ull)msr, (ull)now);
    else
        say("msr %llx: written; it cannot be read", (ull)msr);
}

void command_rdpmc(struct monitor *m, const struct command_line *line)
{
    uint64_t counter, value;
    (void)m;
    if (!argument_number(&line->words->w[1], "COUNTER", UINT32_MAX, &counter)) return;
    if (rdpmc_safe((uint32_t)counter, &value))
        say("pmc %llx: %llu (%llxh)", (ull)counter, (ull)value, (ull)value);
    else
        complain("pmc %llx: #GP or #UD: this CPU has no such counter, or no RDPMC", (ull)counter);
}

void command_rdcr(struct monitor *m, const struct command_line *line)
{
    uint64_t n, value;
    struct trap t;
    (void)m;
    if (!cr_of(&line->words->w[1], &n)) return;
    if (access_read_cr((unsigned)n, &value, &t))
        say("cr%llu: %0*llx", (ull)n, (int)(2 * sizeof(void *)), (ull)value);
    else
        fault("rdcr", &t);
}

void command_wrcr(struct monitor *m, const struct command_line *line)
{
    uint64_t n, value, now;
    struct trap t;
    if (!cr_of(&line->words->w[1], &n)) return;
    if (!argument_number(&line->words->w[2], "VALUE", ADDRESS_MOST, &value)) return;
    if (!access_read_cr((unsigned)n, &now, &t)) {
        fault("wrcr", &t);
        return;
    }
    const char *why = control_register_refused((unsigned)n, now, value, sizeof(void *) == 8);
    if (why)
        complain("cr%llu is %llx, and was not written. %s", (ull)n, (ull)now, why);
    else if (access_write_cr((unsigned)n, value, &t))
        command_rdcr(m, line);
    else
        fault("wrcr", &t);
}

#define PEEK_MOST 256

void command_peek(struct monitor *m, const struct command_line *line)
{
    const struct words *words = line->words;
    uint64_t address, count = 1, value = 0;
    unsigned width;
    char row[128];
    struct trap t;
    (void)m;
    if (!argument_number(&words->w[1], "ADDR", ADDRESS_MOST, &address)) return;
    if (!width_of(words, 2, 4, ACCESS_WIDEST, &width)) return;
    if (words->n > 3 && !argument_number(&words->w[3], "COUNT", PEEK_MOST, &count)) return;
    if (count == 0) {
        complain("COUNT: \"0\" reads nothing. Valid: 1 to %u", PEEK_MOST);
        return;
    }
    for (uint64_t i = 0; i < count;) {
        size_t n = (size_t)snprintf(row, sizeof row, "%0*llx:", (int)(2 * sizeof(void *)),
                                    (ull)(uintptr_t)(address + i * width));
        for (unsigned k = 0; k < 16 / width && i < count; k++, i++) {
            if (!access_peek((uintptr_t)(address + i * width), width, &value, &t)) {
                if (k) say("%s", row);
                fault("peek", &t);
                return;
            }
            n += (size_t)snprintf(row + n, sizeof row - n, " %0*llx", (int)(2 * width), (ull)value);
        }
        say("%s", row);
    }
}

void command_poke(struct monitor *m, const struct command_line *line)
{
    uint64_t address, value;
    unsigned width;
    struct trap t;
    (void)m;
    if (!argument_number(&line->words->w[1], "ADDR", ADDRESS_MOST, &address)) return;
    if (!width_of(line->words, 3, 4, ACCESS_WIDEST, &width)) return;
    if (!argument_number(&line->words->w[2], "VALUE", largest(width), &value)) return;
    if (!access_poke(address, width, value, &t)) fault("poke", &t);
}

void command_in(struct monitor *m, const struct command_line *line)
{
    uint64_t port;
    unsigned width;
    (void)m;
    if (!argument_number(&line->words->w[1], "PORT", UINT16_MAX, &port)) return;
    if (!width_of(line->words, 2, 1, 4, &width)) return;
    say("port %llx: %0*x", (ull)port, (int)(2 * width), access_in((uint16_t)port, width));
}

void command_out(struct monitor *m, const struct command_line *line)
{
    uint64_t port, value;
    unsigned width;
    (void)m;
    if (!argument_number(&line->words->w[1], "PORT", UINT16_MAX, &port)) return;
    if (!width_of(line->words, 3, 1, 4, &width)) return;
    if (!argument_number(&line->words->w[2], "VALUE", largest(width), &value)) return;
    access_out((uint16_t)port, width, (uint32_t)value);
}

void command_regs(struct monitor *m, const struct command_line *line)
{
    const char *name;
    uint64_t value;
    char row[80];
    (void)m, (void)line;
    for (unsigned i = 0, more = 1; more;) {
        size_t n = 0;
        for (unsigned k = 0; k < 2 && (more = access_register(i, &name, &value)); k++, i++)
            n += (size_t)snprintf(row + n, sizeof row - n, "  %-10s%-*llx", name, 24, (ull)value);
        if (n) say("%s", row);
    }
}

static const char *kind_of(uint32_t type)
{
    static const char *const names[] = {"",         "available", "reserved", "ACPI, can be reclaimed",
                                        "ACPI NVS", "bad"};
    return type && type < sizeof names / sizeof *names ? names[type] : "other";
}

void command_mem(struct monitor *m, const struct command_line *line)
{
    const struct machine *of = m->session->machine;
    (void)line;
    for (unsigned i = 0; i < of->boot.n_map; i++) {
        const struct mem_range *r = &of->boot.map[i];
        say("  %016llx - %016llx  %10llu KiB  %s", (ull)r->base, (ull)(r->base + r->len - 1),
            (ull)(r->len >> 10), kind_of(r->type));
    }
    if (!of->boot.n_map)
        say("  The loader gave no map; it says that there are %llu KiB.", (ull)of->memory.total_kib);
    const uintptr_t pool = (uintptr_t)of->memory.pool;
    say("pool: %llx - %llx, %llu KiB, for what is measured", (ull)pool,
        (ull)(pool + of->memory.pool_bytes - 1), (ull)(of->memory.pool_bytes >> 10));
}
