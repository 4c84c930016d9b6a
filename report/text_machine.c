/* The first lines of the text: the machine, its processor, and whether it is quiet. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* ---- private ---- */

#define EMULATED    "*** EMULATED: times below are the emulator's, not a processor's ***"
#define HOSTED      "*** HOSTED: Linux may run something else in between; docs/here.md says what to believe ***"
#define VIRTUALIZED "*** VIRTUALIZED: times below include the hypervisor's work ***"

/* What this platform's sessions are, and what is said of them. */
static const struct platform {
    const char *name, *origin, *where, *warning;
} platforms[] =
    {
        {"qemu-tcg", "emulated", "emulated by QEMU", EMULATED},
        {"bochs", "emulated", "emulated by Bochs", EMULATED},
        {"linux", "hosted", "as a Linux process", HOSTED},
        {"kvm", "virtualized", "under KVM", VIRTUALIZED},
        {"hypervisor", "virtualized", "under a hypervisor", VIRTUALIZED},
},
  modelled = {"", "modelled", "modelled in Bochs",
              "*** MODELLED: counts below are a PMU model's; it has no cycles and no time ***"},
  silicon = {"", NULL, NULL, NULL}; /* or unknown */

static const struct platform *platform_of(const char *name, const char *model)
{
    if (*model) return &modelled;
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
        if (strcmp(name, platforms[i].name) == 0) return &platforms[i];
    return &silicon;
}

static const char *plural(double n) { return n == 1 ? "" : "s"; }

static void field(text_put put, struct para *p, const char *label) { para_begin(p, put, label, TEXT_INDENT); }

static void put_cache(struct para *p, const struct field *c)
{
    const char *kind = member_text(c, "kind", "");
    double ways = field_number(member(c, "ways"), 0), line = field_number(member(c, "line"), 0);

    para_printf(p, "L%.0f%s ", field_number(member(c, "level"), 0),
                strcmp(kind, "data") == 0   ? "d"
                : strcmp(kind, "code") == 0 ? "i"
                                            : "");
    para_bytes(p, field_number(member(c, "bytes"), 0));
    if (field_number(member(c, "sets"), 0) == 1)
        para_str(p, " fully associative");
    else if (ways > 0)
        para_printf(p, " %.0f-way", ways);
    if (line > 0) para_printf(p, " %.0f B", line);
}

/* Of this session: */
static char model[32], ran_on[16];

static void put_identity(const struct record *r, text_put put)
{
    struct para p;
    char name[128];

    field(put, &p, "  CPU");
    if (*model || *rec_text(r, "brand", "")) {
        text_machine_name(name, sizeof name, ran_on, model, r);
        para_str(&p, name);
        para_end(&p);
        field(put, &p, "");
    }
    para_str(&p, rec_text(r, "vendor", "?"));
    para_printf(&p, " family %.0f model %.0f stepping %.0f (%lxh)", rec_number(r, "family", 0),
                rec_number(r, "model", 0), rec_number(r, "stepping", 0),
                (unsigned long)natural_number(rec_number(r, "signature", 0)));
    para_end(&p);
}

static void put_caches(const struct record *r, text_put put)
{
    struct para p;
    const char *comma = "";

    field(put, &p, "  Caches");
    for (const struct field *c = members(rec_find(r, "caches")); c; c = member_next(c)) {
        para_str(&p, comma);
        p.glue = true;
        put_cache(&p, c);
        p.glue = false;
        comma = ", ";
    }
    if (!*comma) para_str(&p, "geometry unknown");
    para_str(&p, " (");
    para_str(&p, rec_text(r, "cache_source", "unknown"));
    para_str(&p, ")");
    para_end(&p);
}

/* No more decimals than the uncertainty allows; the uncertainty is in % where it would be thousands of ppm.
 */
static void put_rate(struct para *p, double mhz, double ppm)
{
    const double doubt = isfinite(ppm) ? mhz * ppm / 1e6 : 0;
    para_printf(p, "%.*f MHz", doubt < 0.05 ? 3 : doubt < 0.5 ? 2 : doubt < 5 ? 1 : 0, mhz);
    if (isfinite(ppm))
        para_printf(p, ppm < 1000 ? " +/- %.0f ppm" : " +/- %.1f %%", ppm < 1000 ? ppm : ppm / 1e4);
}

static void put_tsc(const struct record *r, text_put put)
{
    struct para p;
    double hz = rec_number(r, "tsc_hz", 0), ppm = rec_number(r, "tsc_uncertainty_ppm", (double)NAN);

    field(put, &p, "  TSC");
    if (hz > 0) {
        put_rate(&p, hz / 1e6, ppm);
        para_str(&p, " (");
        para_str(&p, rec_text(r, "tsc_source", "unknown"));
        para_str(&p, ")");
    } else if (*model) {
        para_str(&p, "unmodelled");
    } else {
        para_str(&p, "rate unknown, so no result is in units of time");
    }
    para_str(&p, rec_number(r, "invariant_tsc", 0) != 0 ? ", invariant" : ", not invariant");
    if (members(rec_find(r, "serialize"))) {
        para_str(&p, "; serialize: ");
        para_list(&p, r, "serialize");
    }
    para_end(&p);
}

/* ---- public ---- */

/* CPUID pads brands with blanks. */
static void copy_words(char *to, size_t cap, const char *from)
{
    size_t n = 0;
    for (; *from && n + 1 < cap; from++)
        if (*from != ' ' || (n && to[n - 1] != ' ')) to[n++] = *from;
    while (n && to[n - 1] == ' ') n--;
    to[n] = '\0';
}

void text_machine_name(char *s, size_t cap, const char *platform, const char *cpu_model,
                       const struct record *cpu)
{
    const char *where = platform_of(platform, cpu_model)->where, *vendor = rec_text(cpu, "vendor", "");
    copy_words(s, cap, *cpu_model ? cpu_model : rec_text(cpu, "brand", ""));
    if (!*s) copy_words(s, cap, member_text(rec_find(cpu, "pmu"), "model", ""));
    if (!*s && *vendor)
        snprintf(s, cap, "%s family %.0f model %.0f", vendor, rec_number(cpu, "family", 0),
                 rec_number(cpu, "model", 0));
    if (!*s) snprintf(s, cap, "unknown processor");
    const size_t n = strlen(s);
    if (where) snprintf(s + n, cap - n, " (%s)", where);
}

void text_boot(const struct record *r, text_put put)
{
    struct para p;
    const char *platform = rec_text(r, "platform", "unknown platform");
    const char *detail = rec_text(r, "platform_detail", ""), *map = rec_text(r, "map", "none");
    const char *loader = rec_text(r, "loader", "");
    double memory = rec_number(r, "memory_kib", 0), pool = rec_number(r, "pool_bytes", 0);
    const double modules = rec_number(r, "modules", 0);

    para_begin(&p, put, "Anechoic ", 2);
    para_str(&p, rec_text(r, "version", "?"));
    para_str(&p, ", ");
    para_str(&p, rec_text(r, "flavour", "?"));
    para_str(&p, " kernel on ");
    para_str(&p, platform);
    if (*detail) {
        para_str(&p, " (");
        para_str(&p, detail);
        para_str(&p, ")");
    }
    para_end(&p);
    snprintf(model, sizeof model, "%s", rec_text(r, "modelled", ""));
    snprintf(ran_on, sizeof ran_on, "%s", platform);
    const struct platform *at = platform_of(platform, model);
    text_origin_begin(at->origin);
    if (at->warning) put(at->warning);

    field(put, &p, "  Loader");
    para_str(&p, *loader ? loader : "(gave no name)");
    para_printf(&p, ", multiboot %.0f", rec_number(r, "protocol", 0));
    if (modules > 0) para_printf(&p, ", %.0f module%s", modules, plural(modules));
    para_end(&p);

    if (rec_find(r, "date")) { /* its zone is nobody's guess */
        field(put, &p, "  Date");
        para_printf(&p, "%s by this machine's clock", rec_text(r, "date", "?"));
        para_end(&p);
    }

    field(put, &p, "  Command");
    para_str(&p, rec_text(r, "cmdline", ""));
    if (rec_number(r, "cmdline_cut", 0) != 0) para_str(&p, " ...");
    para_end(&p);

    field(put, &p, "  Memory");
    if (strcmp(map, "none") == 0) {
        para_str(&p, "the loader gave no map");
    } else {
        para_bytes(&p, memory * 1024);
        para_str(&p, strcmp(map, "meminfo") == 0 ? " (the loader gave its size, but no map)" : "");
    }
    if (rec_number(r, "map_truncated", 0) != 0) para_str(&p, " (damaged or truncated)");
    para_str(&p, "; pool ");
    para_bytes(&p, pool);
    if (pool > 0) {
        para_printf(&p, " at %llxh, ", (unsigned long long)rec_number(r, "pool_base", 0));
        para_str(&p, rec_text(r, "pool_type", "unknown"));
    }
    para_end(&p);

    field(put, &p, "  Consoles");
    if (!members(rec_find(r, "consoles"))) para_str(&p, "none");
    para_list(&p, r, "consoles");
    para_end(&p);
}

/* Settings that let the core run faster or slower than the TSC. */
static void put_speed(const struct record *r, text_put put)
{
    struct para p;
    double ratio = rec_number(r, "core_per_tsc", 0);
    if (!rec_find(r, "turbo")) return;
    field(put, &p, "  Core");
    if (ratio > 0) para_printf(&p, "%.4g x TSC (%s); ", ratio, rec_text(r, "core_clock_source", "?"));
    para_printf(&p, "turbo %s, prefetchers %s", rec_text(r, "turbo", "?"), rec_text(r, "prefetch", "?"));
    para_end(&p);
}

/* "4 counters of 48 bits", and those of them that do not count. */
static void put_counters(struct para *p, const struct field *states, double width)
{
    unsigned n = 0, i = 0;
    for (const struct field *c = members(states); c; c = member_next(c)) n++;
    para_printf(p, "%u counters of %.0f bits", n, width);
    for (const struct field *c = members(states); c; c = member_next(c), i++) {
        if (strcmp(c->s, "ok") == 0) continue;
        const unsigned first = i;
        for (const struct field *next; (next = member_next(c)) != NULL && strcmp(next->s, c->s) == 0; i++)
            c = next;
        if (i + 1 - first == n)
            para_str(p, ", all");
        else
            para_printf(p, i > first ? ", %u-" : ", %u", first);
        if (i > first && i + 1 - first < n) para_printf(p, "%u", i);
        para_printf(p, " %s", c->s);
    }
}

static void put_pmu(const struct field *pmu, text_put put)
{
    static const char *const facilities[] = {"pebs", "ds", "ibs", "lbr"};
    struct para p;
    const char *family = member_text(pmu, "family", "none");
    if (!pmu) return;
    field(put, &p, "  PMU");
    if (strcmp(family, "none") == 0) {
        para_str(&p, "none that this kernel knows; only the TSC counts");
        para_end(&p);
        return;
    }
    const char *core = member_text(pmu, "core_type", "");
    para_printf(&p, "%s (%s%s%s), ", family, member_text(pmu, "model", "?"), *core ? ", core type " : "",
                core);
    put_counters(&p, member(pmu, "counters"), field_number(member(pmu, "width"), 0));
    para_str(&p, field_number(member(pmu, "rdpmc"), 0) != 0 ? "; RDPMC" : "; no RDPMC");
    if (member(pmu, "freeze_smm")) para_str(&p, ", frozen in SMM");
    for (unsigned i = 0; i < sizeof facilities / sizeof facilities[0]; i++)
        if (field_number(member(pmu, facilities[i]), 0) != 0) para_printf(&p, ", %s", facilities[i]);
    para_end(&p);
}

void text_machine_begin(void) { model[0] = ran_on[0] = '\0'; }

void text_cpu(const struct record *r, text_put put)
{
    struct para p;
    const char *apic = rec_text(r, "apic", "absent");

    put_identity(r, put);
    put_caches(r, put);
    put_tsc(r, put);
    put_speed(r, put);

    field(put, &p, "  APIC");
    para_str(&p, apic);
    if (rec_find(r, "apic_version")) {
        para_printf(&p, ", ID %.0f, version %lxh, %.0f LVT entries", rec_number(r, "apic_id", 0),
                    (unsigned long)natural_number(rec_number(r, "apic_version", 0)),
                    rec_number(r, "apic_lvts", 0));
    }
    para_end(&p);
    put_pmu(rec_find(r, "pmu"), put);
}

void text_quiet(const struct record *r, text_put put)
{
    struct para p;
    const char *verdict = rec_text(r, "verdict", "unknown"), *reason = rec_text(r, "reason", "");
    double us = rec_number(r, "largest_gap_us", (double)NAN), ms = rec_number(r, "watched_ms", (double)NAN);

    field(put, &p, "  Quiet");
    if (strcmp(rec_text(r, "when", ""), "after") == 0) para_str(&p, "afterwards: ");
    para_str(&p, strcmp(verdict, "quiet") == 0       ? "yes"
                 : strcmp(verdict, "disturbed") == 0 ? "NO, DISTURBED"
                                                     : "unknown");
    if (*reason) {
        para_str(&p, ": ");
        para_str(&p, reason);
    }
    if (*model) { /* it has no ticks */
        para_end(&p);
        return;
    }
    para_str(&p, ";");
    if (isfinite(ms)) {
        para_str(&p, " in ");
        p.glue = true;
        para_printf(&p, "%.3g ms", ms);
        p.glue = false;
    }
    const double apart = rec_number(r, "typical_tsc", 0), step = rec_number(r, "tsc_step", 0);
    para_printf(&p, " TSC reads were %.0f tick%s apart, ", apart, plural(apart));
    para_str(&p, "at most ");
    p.glue = true;
    para_printf(&p, "%.0f", rec_number(r, "largest_gap_tsc", 0));
    if (isfinite(us)) para_printf(&p, us < 1000 ? " (%.3g us)" : " (%.0f us)", us);
    p.glue = false;
    para_printf(&p, "; more than %.0f is a gap", rec_number(r, "threshold_tsc", 0));
    if (step > 1) para_printf(&p, "; the TSC moves in steps of %.0f", step);
    if (rec_find(r, "preemptions"))
        para_printf(&p, "; while measuring: %.0f preemptions, waited %.3g ms for a CPU, steal time %.0f ms",
                    rec_number(r, "preemptions", 0), rec_number(r, "waited_ms", 0),
                    rec_number(r, "steal_ms", 0));
    para_end(&p);
}
