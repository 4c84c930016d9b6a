/* A module to a machine at its prompt, line by line (kernel/transfer.h). */
#include "host/prompt.h"
#include "include/anechoic/module.h"
#include "kernel/transfer.h"
#include <stdio.h>
#include <string.h>

#define READY_MS    2000
#define ANSWER_MS   2500 /* the kernel asks again after a second without a byte */
#define LINE_TRIES  20
#define LOAD_TRIES  3 /* of the whole, where the prompt came back in between */
#define VERIFIED_MS 10000

/* ---- one line ---- */

static bool answered(const struct prompt *p) { return p->answer != ANSWER_NONE || p->shown; }
static bool ready(const struct prompt *p) { return p->module_bits != 0 || (p->shown && p->error); }

/* Ten bits a byte, both ways. */
static long time_of(const struct prompt *p, unsigned bytes)
{
    return ANSWER_MS + (long)(10000ull * (bytes + 16) / p->wanted.baud);
}

enum sent { SENT, SENT_AGAIN, SENT_LOST };

/* Line `number`, once. *number becomes that of the line that is due. */
static enum sent send_line(struct prompt *p, const char *line, unsigned n, unsigned long *number,
                           enum prompt_pump *why)
{
    p->answer = ANSWER_NONE;
    *why = source_send(&p->source, line, n) ? prompt_pump(p, answered, time_of(p, n), -1) : PUMP_GONE;
    while (*why == PUMP_ENOUGH && p->answer == ANSWER_OK && p->answer_n < *number && !p->shown) {
        p->answer = ANSWER_NONE; /* of a line before that was sent twice */
        *why = prompt_pump(p, answered, time_of(p, n), -1);
    }
    if (*why == PUMP_GONE || *why == PUMP_STOPPED || p->shown || p->answer == ANSWER_FAILED) return SENT_LOST;
    if (p->answer == ANSWER_END) return SENT;
    if (*why == PUMP_ENOUGH && p->answer == ANSWER_OK && p->answer_n == *number) {
        ++*number;
        return SENT;
    }
    if (*why == PUMP_ENOUGH && p->answer == ANSWER_AGAIN && p->answer_n == *number + 1)
        ++*number; /* ok was lost */
    return SENT_AGAIN;
}

/* All of them. False: *why, or the machine has failed or shows its prompt. */
static bool send_all(struct prompt *p, const uint8_t *module, size_t size, enum prompt_pump *why)
{
    char line[TRANSFER_LINE_BYTES];
    unsigned long number = 0;
    const unsigned long lines = (size + TRANSFER_BYTES - 1) / TRANSFER_BYTES;
    for (unsigned tries = 0; tries < LINE_TRIES; tries++) {
        const size_t at = number * TRANSFER_BYTES;
        const unsigned n = number == lines              ? 0
                           : size - at < TRANSFER_BYTES ? (unsigned)(size - at)
                                                        : TRANSFER_BYTES;
        const unsigned length = transfer_line(line, (uint32_t)number, module + at, n);
        const enum sent s = send_line(p, line, length, &number, why);
        if (s == SENT_LOST) return false;
        if (s == SENT) tries = 0;
        if (s == SENT && p->answer == ANSWER_END) return true;
    }
    *why = PUMP_LATE;
    return false;
}

/* ---- the whole ---- */

static bool verified(const struct prompt *p) { return p->shown && (p->loaded || p->refused || p->damaged); }

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
static int load_once(struct prompt *p, const char *name, const uint8_t *module, size_t size,
                     enum prompt_pump *why)
{
    char line[16 + MODULE_NAME_BYTES];
    struct module_header h;
    memcpy(&h, module, sizeof h);
    snprintf(line, sizeof line, "load %.*s\r", MODULE_NAME_BYTES - 1, name);
    *why = prompt_ask(p, line) ? prompt_pump(p, ready, READY_MS, -1) : PUMP_GONE;
    if (*why != PUMP_ENOUGH) return STATUS_IMPOSSIBLE;
    const int status = fits(p, &h, size);
    if (status != STATUS_GOOD) {
        prompt_ask(p, "\003");
        prompt_pump(p, prompt_shown, READY_MS, -1);
        *why = PUMP_ENOUGH;
        return status;
    }
    if (!send_all(p, module, size, why)) {
        if (*why == PUMP_ENOUGH) *why = PUMP_LATE;
        return STATUS_IMPOSSIBLE;
    }
    *why = prompt_pump(p, verified, VERIFIED_MS, -1);
    if (*why == PUMP_GONE || *why == PUMP_STOPPED) return STATUS_IMPOSSIBLE;
    if (!prompt_mend(p)) return STATUS_FOUND;
    *why = p->loaded || p->refused ? PUMP_ENOUGH : PUMP_LATE;
    return p->loaded ? STATUS_GOOD : PROMPT_FAULTS; /* the error record says why */
}

int prompt_load(struct prompt *p, const char *name, const uint8_t *module, size_t size)
{
    enum prompt_pump why = PUMP_LATE;
    int status = STATUS_IMPOSSIBLE;
    if (size < sizeof(struct module_header) || memcmp(module, MODULE_MAGIC, sizeof MODULE_MAGIC - 1) != 0)
        return command_failed(p->command, STATUS_USAGE, "%s: this is no module", name);
    for (unsigned tries = 0; tries < LOAD_TRIES && why == PUMP_LATE; tries++) {
        p->loads = true;
        status = load_once(p, name, module, size, &why);
        p->loads = false;
        if (why != PUMP_LATE) break;
        prompt_ask(p, "\003"); /* whatever it does, it is at its prompt then */
        const enum prompt_pump r = prompt_pump(p, prompt_shown, READY_MS, -1);
        if (r == PUMP_GONE || r == PUMP_STOPPED) why = r;
    }
    if (why == PUMP_ENOUGH) return status;
    if (p->answer == ANSWER_FAILED)
        return command_failed(p->command, STATUS_IMPOSSIBLE, "%s: load: %s", p->source.name, p->why);
    return prompt_lost(p, why, "the module was sent");
}
