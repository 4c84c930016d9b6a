#include "host/ask.h"
#include "host/mend.h"
#include <errno.h>
#include <string.h>

#define INVITED_MS 6000 /* the kernel repeats its invitation after 2 and after 4 seconds (report/wait.c) */
#define ANSWER_MS  1500 /* without a byte: the question, or all of the answer, was lost */
#define LEAVE_MS   1000
#define TRIES      16 /* rounds in which nothing new comes, before it is given up */

struct asking {
    struct listener *l;
    struct late late;
    bool no_memory;
};

static void arrived(void *ctx, const struct received *r)
{
    struct asking *a = ctx;
    struct listener *l = a->l;
    struct listen_session *s = &l->session;
    if (!ledger_lacks(&l->ledger, r->n)) return;
    if (!late_add(&a->late, r)) {
        a->no_memory = true;
        return;
    }
    ledger_arrived(&l->ledger, r->n);
    s->received++;
    s->recovered++;
    if (strcmp(r->type, "end") != 0) return;
    s->ended = true;
    s->status = json_integer_value(json_object_get(r->object, "status"));
}

static bool lost(enum listen_result r)
{
    return r == LISTEN_EOF || r == LISTEN_LOST || r == LISTEN_STOPPED || r == LISTEN_ANOTHER;
}

/* One question, and its answer. */
static enum listen_result ask(struct listener *l, const struct source *s, struct ledger_gap gap)
{
    char line[64];
    const int n = gap.first == gap.last
                      ? snprintf(line, sizeof line, "\nresend %lld\n", gap.first)
                      : snprintf(line, sizeof line, "\nresend %lld..%lld\n", gap.first, gap.last);
    l->invited = false;
    if (!source_send(s, line, (size_t)n)) return LISTEN_LOST;
    return listen_until(l, s->fd, listen_invited, ANSWER_MS);
}

/* All gaps, once. */
static enum listen_result one_round(struct listener *l, const struct source *s)
{
    long long from = l->kept_first;
    for (size_t i = 0; i < l->ledger.n;) {
        struct ledger_gap gap = l->ledger.gap[i];
        if (gap.last < from) {
            i++;
            continue;
        }
        if (gap.first < from) gap.first = from;
        const enum listen_result r = ask(l, s, gap);
        if (lost(r)) return r;
        from = gap.last + 1;
        for (i = 0; i < l->ledger.n && l->ledger.gap[i].last < from;) i++;
    }
    return LISTEN_QUIET;
}

static enum listen_result ask_all(struct asking *a, const struct source *s)
{
    struct listener *l = a->l;
    enum listen_result r = LISTEN_QUIET;
    for (unsigned tries = 0; tries < TRIES && !ledger_complete(&l->ledger) && !lost(r) && !a->no_memory;) {
        const long long before = l->session.recovered;
        r = one_round(l, s);
        tries = l->session.recovered > before ? 0 : tries + 1;
        if (l->ledger.n && l->ledger.gap[l->ledger.n - 1].last < l->kept_first) break; /* all gone */
    }
    return r;
}

/* What closes the line at once may take the word with it: waits until it was heard. */
static enum listen_result leave(struct listener *l, const struct source *s)
{
    enum listen_result r = LISTEN_QUIET;
    for (unsigned tries = 0; tries < 3 && r == LISTEN_QUIET; tries++) {
        if (!source_send(s, "\nleave\n", 7)) return LISTEN_LOST;
        r = listen_until(l, s->fd, listen_wait_over, LEAVE_MS);
    }
    return r;
}

/* The answers stand at the end of the file until here. */
static void mend_file(struct listener *l, off_t answers, const struct late *late)
{
    struct keep *k = l->keep;
    if (!late->n || !k->regular || k->error) return;
    if (mend(k, l->session.start, answers, late))
        l->position = k->written;
    else
        fprintf(stderr, "anechoic %s: %s: %s; records that came again stand at its end\n", l->command,
                k->name, strerror(errno));
}

enum listen_result ask_again(struct listener *l, const struct source *s)
{
    static struct asking a;
    const struct listen_session *session = &l->session;
    enum listen_result r = LISTEN_QUIET;
    a = (struct asking){.l = l};
    if (!source_can_ask(s)) return r;
    if (!session->kept && !l->invited && ledger_complete(&l->ledger)) return r;
    if (!l->invited) r = listen_until(l, s->fd, listen_invited, INVITED_MS);
    if (!l->invited) return r;
    const off_t answers = l->position;
    ledger_total(&l->ledger, l->kept_last + 1);
    l->asking = !ledger_complete(&l->ledger); /* until the end: an answer may come late */
    l->reply = arrived;
    l->reply_ctx = &a;
    r = ask_all(&a, s);
    if (!lost(r) && session->ended && ledger_complete(&l->ledger)) r = leave(l, s);
    l->asking = false;
    mend_file(l, answers, &a.late);
    late_free(&a.late);
    return r;
}
