/* Counting: from the tally through threshold and edge into the counters; overflow, cascades, the interrupt
 * and PEBS. The order of qualification is SDM 18.15.3's: event and mask, privilege level, ESCR select,
 * threshold, edge. */
#include "sim/netburst.h"

/* ---- cascades (SDM 18.15.5.6, 18.15.5.7, table 18-65) ---- */

#define NOBODY 0xff

/* The starters of a counter by its CASCADE bit, and by its extended one. */
static const uint8_t starters[NB_COUNTERS] = {2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 14, 15};
static const uint8_t extended_starters[NB_COUNTERS] = {[0] = NOBODY, NOBODY, NOBODY, NOBODY, NOBODY, NOBODY,
                                                       NOBODY,       NOBODY, NOBODY, NOBODY, NOBODY, NOBODY,
                                                       16,           NOBODY, NOBODY, 17,     17,     16};

static bool has_overflowed(const struct netburst *nb, unsigned n)
{
    return n != NOBODY && nb->counter[n].cccr & CCCR_OVF;
}

static bool cascaded(const struct netburst *nb, unsigned n)
{
    const uint32_t cccr = nb->counter[n].cccr;
    return (cccr & CCCR_CASCADE && has_overflowed(nb, starters[n])) ||
           (cccr & CCCR_CASCNT && has_overflowed(nb, extended_starters[n]));
}

/* Clearing its bit or the starter's OVF stops a cascade, so the state is computed from both. */
void nb_update_running(struct sim *s)
{
    struct netburst *nb = nb_of(s);
    nb->running = 0;
    for (unsigned n = 0; n < NB_COUNTERS; n++) {
        struct nb_counter *c = &nb->counter[n];
        c->runs = c->cccr & CCCR_ENABLE || cascaded(nb, n);
        nb->running |= (uint32_t)c->runs << n;
    }
    if (nb->running) sim_activate(s);
    nb_update_wants(s);
}

/* ---- the interrupt ---- */

/* The bits of a CCCR that ask for the interrupt, by thread. */
static const uint32_t pmi_bit[NB_THREADS] = {CCCR_OVF_PMI, CCCR_OVF_PMI_T1};

static void update_line_of(struct sim *thread)
{
    bool asserted = false;
    for (unsigned n = 0; n < NB_COUNTERS; n++) {
        const struct nb_counter *c = &nb_of(thread)->counter[n];
        asserted |= c->line && c->cccr & pmi_bit[thread->thread];
    }
    sim_pmi_line(thread, asserted);
}

void nb_update_line(struct sim *s)
{
    update_line_of(s);
    if (s->sibling) update_line_of(s->sibling);
}

/* The counter requests its interrupt. Its OVF keeps the line asserted; with the erratum the request is lost.
 */
static void ask(struct sim *s, struct nb_counter *c)
{
    c->due = false;
    if (s->errata & NB_UNFLAGGED_OVERFLOW) {
        c->cccr &= ~CCCR_OVF;
        nb_update_running(s);
        if (c->cccr & pmi_bit[s->thread]) sim_pmi(s);
        if (s->sibling && c->cccr & pmi_bit[s->sibling->thread]) sim_pmi(s->sibling);
        return;
    }
    c->cccr |= CCCR_OVF;
    c->line = true;
    nb_update_line(s);
}

/* A carry out of bit 39, or forced. */
static void overflow(struct sim *s, unsigned n)
{
    struct nb_counter *c = &nb_of(s)->counter[n];
    const bool by_cascade = !(c->cccr & CCCR_ENABLE);
    if (!(c->cccr & CCCR_OVF)) {
        c->cccr |= CCCR_OVF;
        nb_update_running(s); /* the counters that it starts count from the next settling on */
    }
    if (by_cascade && s->errata & NB_CASCADE_PMI) return;
    if (c->cccr & (CCCR_OVF_PMI | CCCR_OVF_PMI_T1) && !c->pebs) c->due = true;
}

/* ---- PEBS ---- */

/* Write a record for the instruction that is being settled. False: it is another thread's than the counter's,
 * or there is none; the next instruction makes the record. */
static bool record(struct sim *s, unsigned n)
{
    struct netburst *nb = nb_of(s);
    struct nb_counter *c = &nb->counter[n];
    if (!nb->current || !nb->registers || s->thread != nb_pebs_thread(nb, n)) return false;
    const bool long_mode = s->host.long_mode && s->host.long_mode(s->host.ctx);
    const struct pebs p = {&s->host, nb->ds_area[s->thread], nb->traits->dtes64 || long_mode};
    const struct pebs_state state = {nb->current->lin, nb->current->flags, nb->current->reg};
    const enum pebs_outcome o = sim_pebs_record(&p, &state);
    uint64_t preset;

    nb->pebs_armed[s->thread] = false;
    if (sim_pebs_preset(&p, 0, &preset)) c->value = preset & NB_COUNTER_MASK;
    /* "Hardware does not stop when full" (facts 3.5): it asks again. */
    if ((o == PEBS_THRESHOLD || o == PEBS_FULL) && c->cccr & (CCCR_OVF_PMI | CCCR_OVF_PMI_T1)) ask(s, c);
    return true;
}

/* k tagged μops have retired: each that finds PEBS armed makes a record, and does not count on the preset. */
static void increment_pebs(struct sim *s, unsigned n, uint64_t k)
{
    struct netburst *nb = nb_of(s);
    struct nb_counter *c = &nb->counter[n];
    bool *armed = &nb->pebs_armed[nb_pebs_thread(nb, n)];
    while (k) {
        if (*armed && record(s, n)) {
            k--;
            *armed = c->cccr & CCCR_FORCE_OVF;
            continue;
        }
        const uint64_t left = c->cccr & CCCR_FORCE_OVF ? 1 : NB_COUNTER_MASK + 1 - c->value;
        const uint64_t now = k < left || *armed ? k : left;
        c->value = (c->value + now) & NB_COUNTER_MASK;
        k -= now;
        if (now == left) {
            overflow(s, n);
            *armed = true;
        }
    }
    nb_update_wants(s);
}

/* Registers cost the emulator time, so they are requested only near the overflow. No single instruction makes
 * more tagged μops than this, except a REP; then the next one makes the record. */
#define NEAR 1024

static void update_wants_of(struct sim *s)
{
    const struct netburst *nb = nb_of(s);
    const struct nb_counter *c = &nb->counter[NB_PEBS_COUNTER + s->thread];
    s->wants_registers =
        c->pebs && c->runs &&
        (nb->pebs_armed[s->thread] || c->cccr & CCCR_FORCE_OVF || NB_COUNTER_MASK - c->value < NEAR);
}

void nb_update_wants(struct sim *s)
{
    update_wants_of(s);
    if (s->sibling) update_wants_of(s->sibling);
}

/* ---- counting ---- */

static void increment(struct sim *s, unsigned n, uint64_t k)
{
    struct nb_counter *c = &nb_of(s)->counter[n];
    const uint64_t left = c->cccr & CCCR_FORCE_OVF ? 1 : NB_COUNTER_MASK + 1 - c->value;

    if (n == 1 && s->errata & NB_COUNTER1) return; /* its ENABLE does not take */
    c->written = false;
    if (c->pebs) {
        increment_pebs(s, n, k);
        return;
    }
    c->value = (c->value + k) & NB_COUNTER_MASK;
    if (c->due) ask(s, c); /* "on the next event" (SDM 18.15.5.8) */
    if (k < left) return;
    overflow(s, n);
    if (k == left || !c->due) return;
    ask(s, c);
    if (c->cccr & CCCR_FORCE_OVF) overflow(s, n);
}

/* The number of steps that the threshold's output allows. A settling spans some clocks; its events are placed
 * in the last one, except those that continue in each clock. At most 15 reach the comparator in one clock. */
static uint64_t steps(const struct sim *s, struct nb_counter *c, uint64_t events, bool qualified)
{
    const uint64_t *count = s->tally.count;
    const uint64_t clocks = count[T_CLOCKS] ? count[T_CLOCKS] : events != 0;
    if (!clocks) return 0;
    const uint64_t each = c->duration && qualified && count[T_RUNNING] ? 1 : 0;
    const uint64_t others = events - (c->duration && qualified ? count[T_RUNNING] : 0);
    const uint64_t last = others + each < 15 ? others + each : 15;
    const unsigned threshold = CCCR_THRESHOLD(c->cccr);
    const bool complement = c->cccr & CCCR_COMPLEMENT;
    const bool early = (each > threshold) != complement, late = (last > threshold) != complement;

    if (!(c->cccr & CCCR_EDGE)) return (early ? clocks - 1 : 0) + late;
    uint64_t edges = 0;
    if (clocks > 1) {
        edges += early && !c->above;
        c->above = early;
    }
    edges += late && !c->above;
    c->above = late;
    return edges;
}

static bool is_inactive(const struct sim *s) { return s->host.inactive && s->host.inactive(s->host.ctx); }

/* "Active thread" (SDM figure 18-48): none, exactly one, both, any number. */
static bool with_active(const struct nb_counter *c, unsigned active)
{
    const unsigned wanted = CCCR_ACTIVE(c->cccr);
    return wanted == 3 || wanted == active;
}

void nb_count(struct sim *s)
{
    struct netburst *nb = nb_of(s);
    const uint64_t *count = s->tally.count;
    const bool other = s->sibling && !is_inactive(s->sibling);
    const unsigned active = !s->halted + other;
    const bool leads = !s->halted && (s->thread == 0 || !other);
    for (uint32_t left = nb->running; left; left &= left - 1) {
        const unsigned n = (unsigned)__builtin_ctz(left);
        struct nb_counter *c = &nb->counter[n];
        if (s->sibling && (!with_active(c, active) || (c->once && !leads))) continue;
        const bool qualified = c->cpls[s->thread] >> s->cpl & 1;
        uint64_t events = 0;
        if (qualified)
            for (unsigned k = 0; k < c->n_terms; k++) events += count[c->terms[k]];
        if (c->compares) events = steps(s, c, events, qualified);
        if (events) increment(s, n, events);
    }
    nb->current = NULL;
}

/* The most that a counter adds in a batch: each of its steps is an access or a branch, and an access reads
 * and writes two lines at most, which an erratum may count twice. Instructions and clocks have no such bound.
 */
#define MOST_BY_STEPS (UINT64_C(8) * SIM_BATCH_STEPS)

bool nb_exact(const struct sim *s, uint64_t happenings)
{
    const struct netburst *nb = nb_of(s);
    if (nb->pebs_armed[0] || nb->pebs_armed[1]) return true;
    for (uint32_t left = nb->running; left; left &= left - 1) {
        const struct nb_counter *c = &nb->counter[__builtin_ctz(left)];
        const uint64_t most = c->by_steps && happenings > MOST_BY_STEPS ? MOST_BY_STEPS : happenings;
        if (c->compares || c->due || c->cccr & CCCR_FORCE_OVF || NB_COUNTER_MASK - c->value < most)
            return true;
    }
    return false;
}
