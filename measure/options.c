#include "measure/options.h"
#include "kernel/bootinfo.h"
#include "kernel/permits.h"
#include "kernel/rest.h"
#include "kernel/serial.h"
#include "measure/options_parser.h"
#include "measure/reduce.h"
#include <stdio.h>
#include <string.h>

/* ---- the keys ---- */

static void key_reps(struct parser *ps, struct piece v)
{
    int64_t n;
    key_number(ps, v, 1, REPS_MAX, &n);
    ps->opt->reps = (unsigned)n;
    ps->opt->reps_given = true;
}

static void key_warmup(struct parser *ps, struct piece v)
{
    int64_t n;
    key_number(ps, v, 0, 10000, &n);
    ps->opt->warmup = (unsigned)n;
    ps->opt->warmup_given = true;
}

static void key_limit(struct parser *ps, struct piece v)
{
    int64_t n;
    key_number(ps, v, 0, LIMIT_MAX, &n);
    ps->opt->limit = (unsigned)n;
}

static void key_stack(struct parser *ps, struct piece v)
{
    int64_t n = 0;
    if (!piece_number(v, true, &n) || n < STACK_LEAST || n > STACK_MOST)
        parser_fault(ps, v, "not a size of a stack", "%u to %u bytes; K or M may follow the digits",
                     STACK_LEAST, (unsigned)STACK_MOST);
    ps->opt->stack = (size_t)n;
}

static void key_tsc(struct parser *ps, struct piece v)
{
    int64_t n;
    key_number(ps, v, 1000000, 100000000000, &n);
    ps->opt->tsc_hz = (uint64_t)n;
}

static void key_conf(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"95", "99"};
    ps->opt->conf = key_choice(ps, v, names, 2) == 1 ? 99 : 95;
}

static void key_all(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"0", "1"};
    ps->opt->all = key_choice(ps, v, names, 2) == 1;
}

static void key_levels(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"0", "1"};
    ps->opt->levels = key_choice(ps, v, names, 2) == 1;
}

static void key_again(struct parser *ps, struct piece v)
{
    int64_t n;
    key_number(ps, v, 0, AGAIN_MAX, &n);
    ps->opt->again = (unsigned)n;
}

static void key_cull(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"none", "flagged"};
    ps->opt->cull = key_choice(ps, v, names, 2) == 1;
}

static void key_serialize(struct parser *ps, struct piece v)
{
    const char *names[SERIALIZE_COUNT];
    unsigned n = 0;
    for (unsigned i = 0; i < SERIALIZE_COUNT; i++)
        if (serializers[i].usable(ps->with->id)) names[n++] = serializers[i].name;
    int i = key_choice(ps, v, names, n);
    for (unsigned k = 0; i >= 0 && k < SERIALIZE_COUNT; k++)
        if (strcmp(serializers[k].name, names[i]) == 0) ps->opt->serialize = (enum serialize)k;
}

static void key_ring(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"0", "3"};
    ps->opt->ring_given = true;
    ps->opt->ring = key_choice(ps, v, names, 2) == 1 ? 3 : 0;
}

/* "found": as the firmware left it. */
static void key_control(struct parser *ps, struct piece v, enum control_id which)
{
    static const char *const names[] = {"found", "off"};
    ps->opt->off[which] = key_choice(ps, v, names, 2) == 1;
}

/* Applied before the line is parsed (boot/main.c). */
static void key_apic(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"found", "on"};
    key_choice(ps, v, names, 2);
}

/* How many are to run. */
static void key_cpus(struct parser *ps, struct piece v)
{
    const unsigned there = ps->with->processors > 1 ? ps->with->processors : 1;
    int64_t n = there;
    if (!piece_is(v, "all") && (!piece_number(v, false, &n) || n < 1))
        parser_fault(ps, v, "not a number of processors", "1 to %u, or all", there);
    else if (n > there)
        parser_fault(ps, v, "more processors than there are",
                     "1 to %u, or all: so many are listed by the firmware", there);
    else
        ps->opt->processors = n > 1 ? (unsigned)n : 0;
}

static void key_rest(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"hlt", "mwait", "spin"};
    const int i = key_choice(ps, v, names, 3);
    ps->opt->rest_given = true;
    const char *fault = i == REST_MWAIT ? rest_mwait_fault(ps->with->id) : NULL;
    if (fault)
        parser_fault(ps, v, fault, "hlt, spin");
    else if (i >= 0)
        ps->opt->rest = (enum rest)i;
}

static void key_turbo(struct parser *ps, struct piece v) { key_control(ps, v, CONTROL_TURBO); }
static void key_prefetch(struct parser *ps, struct piece v) { key_control(ps, v, CONTROL_PREFETCH); }

static void key_usb(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"take", "keep"};
    ps->opt->usb_keep = key_choice(ps, v, names, 2) == 1;
}

/* Obeyed before the line is parsed (boot/main.c). */
static void key_screen(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"on", "off"};
    ps->opt->screen_off = key_choice(ps, v, names, 2) == 1;
}

static void key_exit(struct parser *ps, struct piece v)
{
    char value[32];
    snprintf(value, sizeof value, "%.*s", (int)v.len, v.s);
    ps->opt->exit = v.len < sizeof value ? exit_parse(value) : EXIT_COUNT;
    ps->opt->monitor = exit_monitors(value);
    ps->opt->wait = exit_waits(value);
    ps->opt->codes = exit_shows_codes(value);
    if (ps->opt->exit == EXIT_COUNT) parser_fault(ps, v, "unknown value", EXIT_HELP);
}

static bool port_value(struct parser *ps, struct piece v, bool automatic)
{
    struct serial_word word;
    char spec[SERIAL_WORD];
    snprintf(spec, sizeof spec, "%.*s", (int)v.len, v.s);
    if (v.len < sizeof spec && serial_parse(spec, &word) && (automatic || word.kind != SERIAL_AUTO))
        return true;
    parser_fault(ps, v, "not a serial port", "%s, " SERIAL_HELP, automatic ? "auto" : "none");
    return false;
}

/* Applied before the line is parsed (boot/main.c). */
static void key_console(struct parser *ps, struct piece v) { port_value(ps, v, true); }

static void key_records(struct parser *ps, struct piece v)
{
    ps->opt->records = !piece_is(v, "none");
    if (ps->opt->records && port_value(ps, v, false)) ps->opt->records_to = v.s;
}

static void key_text(struct parser *ps, struct piece v)
{
    static const char *const names[] = {"none", "on"};
    ps->opt->text = key_choice(ps, v, names, 2) == 1;
}

static const struct key {
    const char *name;
    void (*parse)(struct parser *ps, struct piece value);
} keys[] = {
    {"bench", bench_word_parse},
    {"events", key_events},
    {"ratio", key_ratio},
    {"levels", key_levels},
    {"reps", key_reps},
    {"warmup", key_warmup},
    {"limit", key_limit},
    {"stack", key_stack},
    {"conf", key_conf},
    {"all", key_all},
    {"cull", key_cull},
    {"again", key_again},
    {"trace", key_trace},
    {"steps", key_steps},
    {"pins", key_pins},
    {"dr0", key_dr0},
    {"dr1", key_dr1},
    {"dr2", key_dr2},
    {"dr3", key_dr3},
    {"serialize", key_serialize},
    {"tsc", key_tsc},
    {"console", key_console},
    {"records", key_records},
    {"text", key_text},
    {"screen", key_screen},
    {"exit", key_exit},
    {"ring", key_ring},
    {"turbo", key_turbo},
    {"prefetch", key_prefetch},
    {"usb", key_usb},
    {"apic", key_apic},
    {"cpu", key_cpu},
    {"with", key_with},
    {"pair", key_pair},
    {"cpus", key_cpus},
    {"rest", key_rest},
    {"sample", key_sample},
    {"pmi", key_pmi},
    {"period", key_period},
    {"samples", key_samples},
    {"jitter", key_jitter},
    {"buffer", key_buffer},
    {"timer", key_timer},
    {"together", key_together},
    {"at_once", key_at_once},
    {"ibs", key_ibs},
    {"latency", key_latency},
    {"data", key_data},
    {"branches", key_branches},
};
#define KEYS       (sizeof keys / sizeof keys[0])
#define KEY_SAMPLE (KEYS - WORDS_OF_SAMPLING) /* and the words that need it */

/* "bench= events= ..." */
static const char *key_names(void)
{
    static char names[16 * KEYS];
    size_t n = 0;
    for (unsigned k = 0; k < KEYS && n < sizeof names; k++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s=", k ? " " : "", keys[k].name);
    return names;
}

/* ---- the line ---- */

static void one_word(struct parser *ps, const struct word *seen[])
{
    struct piece whole = {ps->word->text, ps->word->len}, value;
    struct piece key = piece_cut(whole, '=', &value);
    for (size_t i = 0; i < whole.len; i++)
        if ((unsigned char)whole.s[i] < ' ' || whole.s[i] == 127) {
            parser_fault(ps, whole, "control character", "printable characters");
            return;
        }
    for (unsigned k = 0; k < KEYS; k++) {
        if (!piece_is(key, keys[k].name)) continue;
        if (!value.s) {
            parser_fault(ps, whole, "word without a value", "%s=...", keys[k].name);
        } else if (seen[k] && keys[k].parse != key_with) {
            parser_fault(ps, whole, "given twice", "%s= once", keys[k].name);
        } else if ((ps->why = machine_refuses(keys[k].name, value.s, value.len))) {
            parser_fault(ps, whole, "not to be had here", "the line without it");
            ps->why = NULL;
        } else {
            seen[k] = ps->word;
            keys[k].parse(ps, value);
        }
        return;
    }
    parser_fault(ps, whole, "unknown word", "%s", key_names());
}

/* The word of this key; NULL: the line has none. */
static const struct word *word_of(const char *key, const struct word *const seen[])
{
    for (unsigned k = 0; k < KEYS; k++)
        if (strcmp(keys[k].name, key) == 0) return seen[k];
    return NULL;
}

static bool line_has(const struct words *words, const char *key)
{
    const size_t n = strlen(key);
    for (unsigned i = 0; i < words->n; i++) {
        const struct word *w = &words->w[i];
        if (w->len > n && memcmp(w->text, key, n) == 0 && w->text[n] == '=') return true;
    }
    return false;
}

static void judge_line(struct parser *ps, const struct word *seen[])
{
    struct word_places at = {word_of("bench", seen), word_of("cpu", seen),  word_of("cpus", seen),
                             word_of("with", seen),  word_of("pair", seen), word_of("sample", seen)};
    if (ps->faults == 0) judge_branches(ps, word_of("branches", seen), at.sample);
    if (!at.sample && ps->opt->sample) at.sample = word_of("branches", seen);
    if (ps->faults == 0) judge_processors(ps, &at);
    if (ps->faults == 0) judge_counted(ps, word_of("ratio", seen));
    if (ps->faults == 0) judge_counted(ps, word_of("levels", seen));
    if (ps->faults == 0) judge_events(ps, word_of("events", seen), word_of("ratio", seen));
    if (ps->faults == 0) judge_sampling(ps, seen + KEY_SAMPLE);
    const struct probe_words probes = {
        word_of("trace", seen),
        word_of("pins", seen),
        {word_of("dr0", seen), word_of("dr1", seen), word_of("dr2", seen), word_of("dr3", seen)}};
    if (ps->faults == 0) judge_probes(ps, &probes);
    if (ps->faults == 0) judge_steps(ps, word_of("steps", seen), word_of("events", seen));
}

static enum serialize default_serialize(const struct cpu_id *id)
{
    return machine_prefers_lfence && serializers[SERIALIZE_LFENCE].usable(id) ? SERIALIZE_LFENCE
                                                                              : SERIALIZE_CPUID;
}

unsigned options_parse(const char *line, const char *loader, const struct options_context *with,
                       struct options *opt, struct plan *plan, fault_fn *report, void *ctx)
{
    static struct words words;
    const struct word *seen[KEYS] = {NULL}; /* by key */
    struct parser ps = {.line = line, .with = with, .opt = opt, .plan = plan, .report = report, .ctx = ctx};
    *opt = (struct options){.reps = REPS_DEF,
                            .warmup = WARMUP_DEF,
                            .limit = LIMIT_DEF,
                            .conf = 95,
                            .serialize = default_serialize(with->id),
                            .ring = machine_ring,
                            .text = true,
                            .records = true,
                            .exit = EXIT_HALT,
                            .tsc = true,
                            .jitter_seed = 1};
    plan->n = 0;
    cmdline_split(line, loader, &words);
    if (words.n) ps.line = words.w[0].text;
    if (words.too_many) {
        parser_fault(&ps, (struct piece){line, 0}, "too many words", "at most %u", CMDLINE_WORDS);
        return ps.faults;
    }
    ps.elsewhere = line_has(&words, "cpu");
    for (unsigned i = 0; i < words.n; i++) {
        ps.word = &words.w[i];
        one_word(&ps, seen);
    }
    ps.word = NULL;
    if (!opt->text && !opt->records && ps.faults == 0)
        parser_fault(&ps, (struct piece){line, 0}, "text=none and records=none",
                     "one of them: results must go somewhere");
    if (!opt->records && opt->wait && ps.faults == 0)
        parser_fault(&ps, (struct piece){line, 0}, "exit=wait and records=none",
                     "one of them: it is records that exit=wait sends again");
    if (opt->screen_off && opt->codes && ps.faults == 0)
        parser_fault(&ps, (struct piece){line, 0}, "exit=qr and screen=off",
                     "one of them: QR codes are shown on the screen");
    /* At the prompt one says what to measure. */
    if (plan->n == 0 && opt->action == ACTION_MEASURE && !opt->paired && !opt->monitor && ps.faults == 0)
        bench_word_default(&ps);
    judge_line(&ps, seen);
    return ps.faults;
}
