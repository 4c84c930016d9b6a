/* A module to a machine at its prompt, line by line (kernel/transfer.h). */
#include "host/prompt.h"
#include "include/anechoic/module.h"
#include "kernel/transfer.h"
#include <stdio.h>
#include <string.h>

#define READY_MS   2000
#define ANSWER_MS  2500 /* the kernel asks again after a second without a byte */
#define SLOWER     2    /* so often that time is doubled */
#define LINE_TRIES 12
#define LOAD_TRIES                                                                           \
    3 /* of the whole: each with shorter lines, more of which a bad serial line lets through \
       */
#define VERIFIED_MS 5000

/* ---- one line ---- */

static bool answered(const struct prompt *p) { return p->answer != ANSWER_NONE || p->shown; }
static bool ready(const struct prompt *p) { return p->module_bits != 0 || (p->shown && p->error); }

/* Ten bits a byte, both ways. A machine that is slow to read gets more time at the second try, and once more
 * at the third. */
static long time_of(const struct prompt *p, unsigned bytes, unsigned tries)
{
    return (ANSWER_MS << (tries < SLOWER ? tries : SLOWER)) +
           (long)(10000ull * (bytes + 16) / p->wanted.baud);
}

enum sent { SENT, SENT_AGAIN, SENT_LOST };

/* Line `number`, once, with ms to answer. *number becomes that of the line that is due. */
static enum sent send_line(struct prompt *p, const char *line, unsigned n, unsigned long *number, long ms,
                           enum prompt_pump *why)
{
    p->answer = ANSWER_NONE;
    *why = source_send(&p->source, line, n) ? prompt_pump(p, answered, ms, -1) : PUMP_GONE;
    while (*why == PUMP_ENOUGH && p->answer == ANSWER_OK && p->answer_n < *number && !p->shown) {
        p->answer = ANSWER_NONE; /* of a line before that was sent twice */
        *why = prompt_pump(p, answered, ms, -1);
    }
    if (p->answer == ANSWER_END) return SENT; /* what follows may be here, too */
    if (*why == PUMP_GONE || *why == PUMP_STOPPED || p->shown || p->answer == ANSWER_FAILED) return SENT_LOST;
    if (*why == PUMP_ENOUGH && p->answer == ANSWER_OK && p->answer_n == *number) {
        ++*number;
        return SENT;
    }
    if (*why == PUMP_ENOUGH && p->answer == ANSWER_AGAIN && p->answer_n == *number + 1)
        ++*number; /* ok was lost */
    return SENT_AGAIN;
}

/* All of them. False: *why, or the machine has failed or shows its prompt. */
static bool send_all(struct prompt *p, const uint8_t *module, size_t size, unsigned most,
                     enum prompt_pump *why)
{
    char line[TRANSFER_LINE_BYTES];
    unsigned long number = 0;
    const unsigned long lines = (size + most - 1) / most;
    for (unsigned tries = 0; tries < LINE_TRIES; tries++) {
        const size_t at = number * most;
        const unsigned n = number == lines ? 0 : size - at < most ? (unsigned)(size - at) : most;
        const unsigned length = transfer_line(line, (uint32_t)number, module + at, n);
        const enum sent s = send_line(p, line, length, &number, time_of(p, length, tries), why);
        if (s == SENT_LOST) return false;
        if (s == SENT) tries = 0;
        if (s == SENT && p->answer == ANSWER_END) return true;
    }
    *why = PUMP_LATE;
    snprintf(p->why, sizeof p->why, "line %lu of %lu did not get through in %d tries", number + 1, lines + 1,
             LINE_TRIES);
    return false;
}

/* ---- the whole ---- */

static bool verified(const struct prompt *p) { return p->loaded || p->refused || p->damaged; }

static int fits(struct prompt *p, const struct module_header *h, size_t size)
{
    if (h->bits != p->module_bits)
        return command_failed(
            p->command, STATUS_USAGE,
            "%s: the module has code of %u bits, and the kernel there takes %u; --bits %u makes it so",
            p->source.name, (unsigned)h->bits, p->module_bits, p->module_bits);
    if (size > p->room)
        return command_failed(p->command, STATUS_IMPOSSIBLE,
                              "%s: the module has %zu bytes, and the kernel there has room for %llu",
                              p->source.name, size, p->room);
    return STATUS_GOOD;
}

/* Once. PUMP_LATE: it may go better another time. */
static int load_once(struct prompt *p, const char *name, const uint8_t *module, size_t size, unsigned most,
                     enum prompt_pump *why)
{
    char line[16 + MODULE_NAME_BYTES];
    struct module_header h;
    memcpy(&h, module, sizeof h);
    snprintf(line, sizeof line, "load %.*s", MODULE_NAME_BYTES - 1, name);
    *why = prompt_ask(p, line);
    if (*why == PUMP_ENOUGH) *why = prompt_pump(p, ready, READY_MS, -1);
    if (*why != PUMP_ENOUGH) return STATUS_IMPOSSIBLE;
    const int status = fits(p, &h, size);
    if (status != STATUS_GOOD) {
        prompt_interrupt(p);
        *why = PUMP_ENOUGH;
        return status;
    }
    if (!send_all(p, module, size, most, why)) {
        if (*why == PUMP_ENOUGH) *why = PUMP_LATE;
        return STATUS_IMPOSSIBLE;
    }
    *why = prompt_pump(p, verified, VERIFIED_MS, -1);
    if (*why == PUMP_GONE || *why == PUMP_STOPPED) return STATUS_IMPOSSIBLE;
    prompt_pump(p, prompt_shown, READY_MS, -1);
    if (!prompt_mend(p, !verified(p))) return STATUS_FOUND;
    *why = p->loaded || p->refused ? PUMP_ENOUGH : PUMP_LATE;
    return p->loaded ? STATUS_GOOD : PROMPT_FAULTS; /* the error record says why */
}

int prompt_load(struct prompt *p, const char *name, const uint8_t *module, size_t size)
{
    enum prompt_pump why = PUMP_LATE;
    int status = STATUS_IMPOSSIBLE;
    if (size < sizeof(struct module_header) || memcmp(module, MODULE_MAGIC, sizeof MODULE_MAGIC - 1) != 0)
        return command_failed(p->command, STATUS_USAGE, "%s: this is no module", name);
    unsigned most = TRANSFER_BYTES;
    for (unsigned tries = 0; tries < LOAD_TRIES && why == PUMP_LATE; tries++, most /= 4) {
        p->why[0] = '\0';
        p->loads = true;
        status = load_once(p, name, module, size, most, &why);
        p->loads = false;
        if (why != PUMP_LATE) break;
        const enum prompt_pump r = prompt_interrupt(p); /* whatever it does, it is at its prompt then */
        if (r == PUMP_GONE || r == PUMP_STOPPED) why = r;
    }
    if (why == PUMP_ENOUGH) return status;
    if (why == PUMP_LATE && p->why[0])
        return command_failed(p->command, STATUS_IMPOSSIBLE, "%s: the module is not loaded: %s",
                              p->source.name, p->why);
    return prompt_lost(p, why, "the module was sent");
}
