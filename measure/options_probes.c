/* The words for what looks at a payload from aside: hooks in it (trace=), the pins of its processor (pins=),
 * and breakpoints whose matches are counted (dr0= to dr3=). */
#include "measure/options_parser.h"
#include "measure/trace.h"
#include <string.h>

#define PINS_MOST 0x7fffffff /* as a period */

void key_trace(struct parser *ps, struct piece v)
{
    int64_t n;
    if (!piece_number(v, false, &n) || n < TRACE_LEAST || n > TRACE_MOST || n & (n - 1))
        parser_fault(ps, v, piece_number_fault(v, false), "a power of two from %d to %d: entries of the ring",
                     TRACE_LEAST, TRACE_MOST);
    else
        ps->opt->trace = (unsigned)n;
}

void key_pins(struct parser *ps, struct piece v)
{
    struct piece after, what = piece_cut(v, ':', &after);
    int64_t n = 0;
    if (piece_is(what, "increment") && !after.s)
        ps->opt->pins.show = PINS_INCREMENT;
    else if (!piece_is(what, "overflow"))
        parser_fault(ps, v, "unknown value", "increment, overflow or overflow:EVENTS");
    else if (after.s && (!piece_number(after, false, &n) || n < 1 || n > PINS_MOST))
        parser_fault(ps, after, piece_number_fault(after, false), "1 to %d, in digits", PINS_MOST);
    else
        ps->opt->pins = (struct pmu_pins){PINS_OVERFLOW, (uint32_t)n};
}

/* ---- dr0= to dr3=: WHERE[,LENGTH][,KIND] ---- */

#define DR_HELP "ADDRESS or NAME[+OFFSET], then 1, 2 or 4 bytes, then x, w, rw or io: dr0=0xb8000,4,w"

/* Decimal, or hexadecimal as 0x1f or 1fh. */
static bool is_address(struct piece p, uint64_t *out)
{
    const bool prefix = p.len > 2 && p.s[0] == '0' && (p.s[1] | 0x20) == 'x';
    const bool suffix = !prefix && p.len > 1 && (p.s[p.len - 1] | 0x20) == 'h';
    const unsigned base = prefix || suffix ? 16 : 10;
    uint64_t v = 0;
    if (prefix) p = (struct piece){p.s + 2, p.len - 2};
    if (suffix) p.len--;
    for (size_t i = 0; i < p.len; i++) {
        const char c = p.s[i] | 0x20;
        const unsigned digit = c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');
        if ((p.s[i] < '0' || digit >= base) || v > (UINTPTR_MAX - digit) / base) return false;
        v = v * base + digit;
    }
    *out = v;
    return p.len && p.s[0] >= '0' && (p.s[0] <= '9' || prefix);
}

/* A letter, then letters, digits and _. */
static bool is_name(struct piece p)
{
    for (size_t i = 0; i < p.len; i++) {
        const char c = p.s[i], small = c | 0x20;
        const bool letter = (small >= 'a' && small <= 'z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return p.len > 0;
}

static bool where(struct piece v, struct breakpoint *b)
{
    struct piece offset;
    if (is_address(v, &b->offset)) return true;
    v = piece_cut(v, '+', &offset);
    b->name = (struct text_part){v.s, v.len};
    return is_name(v) && (!offset.s || is_address(offset, &b->offset));
}

/* The next part of a list; .s NULL: there is none. */
static struct piece next_part(struct piece *rest) { return rest->s ? piece_cut(*rest, ',', rest) : *rest; }

/* Takes a length, if the part is one. */
static bool is_length(struct piece part, unsigned *len)
{
    if (part.len != 1 || (part.s[0] != '1' && part.s[0] != '2' && part.s[0] != '4')) return false;
    *len = (unsigned)(part.s[0] - '0');
    return true;
}

static void key_dr(struct parser *ps, struct piece v, unsigned n)
{
    static const char *const kinds[] = {"x", "w", "io", "rw"}; /* enum breakpoint_kind */
    struct breakpoint *b = &ps->opt->breakpoint[n];
    unsigned len = 0, kind = 0;
    struct piece rest, at = piece_cut(v, ',', &rest), part = next_part(&rest);
    *b = (struct breakpoint){.len = 1};
    if (!where(at, b)) {
        parser_fault(ps, at, "neither an address nor a name", DR_HELP);
        return;
    }
    if (is_length(part, &len)) part = next_part(&rest);
    while (part.s && kind < 4 && !piece_is(part, kinds[kind])) kind++;
    if (kind == 4 || rest.s) {
        parser_fault(ps, kind == 4 ? part : rest, "neither a length nor a kind", DR_HELP);
        return;
    }
    if (!part.s) kind = len ? BREAKPOINT_ACCESS : BREAKPOINT_CODE;
    b->kind = (uint8_t)kind;
    b->len = (uint8_t)(len ? len : 1);
    if (kind == BREAKPOINT_CODE && b->len != 1)
        parser_fault(ps, v, "code has no length", "x without a length, or w, rw or io");
}

void key_dr0(struct parser *ps, struct piece v) { key_dr(ps, v, 0); }
void key_dr1(struct parser *ps, struct piece v) { key_dr(ps, v, 1); }
void key_dr2(struct parser *ps, struct piece v) { key_dr(ps, v, 2); }
void key_dr3(struct parser *ps, struct piece v) { key_dr(ps, v, 3); }

/* ---- the line ---- */

static void word_fault(struct parser *ps, const struct word *w, const char *what, const char *valid)
{
    ps->word = w;
    parser_fault(ps, (struct piece){w->text, w->len}, what, "%s", valid);
    ps->word = NULL;
}

/* Something in the plan must have hooks. */
static void judge_trace(struct parser *ps, const struct word *trace)
{
    for (unsigned i = 0; i < ps->plan->n; i++)
        if (ps->plan->line[i].bench->program.channels) return;
    word_fault(ps, trace, "nothing that is measured has hooks of a trace",
               "bench=traced, or a program of yours with trace_here() (anechoic payload build)");
}

static void judge_pins(struct parser *ps, const struct word *pins)
{
    if (!ps->with->pmu->shows_pins)
        word_fault(ps, pins, "this CPU's counters show nothing on pins",
                   "a Pentium or Pentium MMX, or no pins=");
    else if (ps->opt->sample)
        word_fault(ps, pins, "with sample= the pins are the sampler's", "pins= without sample=");
    else if (!ps->opt->n_events && !ps->opt->every_event)
        word_fault(ps, pins, "no event to show on the pins",
                   "events=EVENT: PM0 is the pin of counter 0, PM1 of 1");
}

static void judge_breakpoint(struct parser *ps, const struct word *dr)
{
    if (!ps->with->pmu->breakpoints)
        word_fault(ps, dr, "this CPU has no event that counts matches of breakpoints",
                   "a Pentium or Pentium MMX, or no dr0= to dr3=");
    else if (!ps->opt->n_events && !ps->opt->every_event)
        word_fault(ps, dr, "no event to count its matches",
                   "events=breakpoint_match_on_dr0_register, for dr0=");
}

void judge_probes(struct parser *ps, const struct probe_words *at)
{
    if (at->trace) judge_trace(ps, at->trace);
    if (at->pins) judge_pins(ps, at->pins);
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        if (at->dr[n]) judge_breakpoint(ps, at->dr[n]);
}
