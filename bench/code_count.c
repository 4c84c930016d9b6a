#include "bench/code_count.h"

#define START_ADDS 0x10000u /* to the register that counts pauses; stop adds 1 */

/* ---- registers ---- */

#ifdef __x86_64__

/* Sum i is in R8 + i, the number of pauses in R13. EDX:EAX becomes RAX first. */
static void put_zero(struct writer *w, unsigned i) { PUT(w, 0x45, 0x31, (uint8_t)(0xc0 + 9 * i)); }
static void put_zero_pauses(struct writer *w) { put_zero(w, 5); }
static void put_sum(struct writer *w, bool add, unsigned i)
{
    PUT(w, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0); /* SHL RDX, 32; OR RAX, RDX */
    PUT(w, 0x49, add ? 0x01 : 0x29, (uint8_t)(0xc0 + i));
}
static void put_stopped(struct writer *w) { PUT(w, 0x49, 0xff, 0xc5); } /* INC R13 */
static void put_started(struct writer *w)
{
    PUT(w, 0x49, 0x81, 0xc5); /* ADD R13, */
    put_32(w, START_ADDS);
}
static void put_store(struct writer *w, unsigned i, uint64_t *to)
{
    PUT(w, 0xb8); /* MOV EAX, */
    put_address(w, to);
    PUT(w, 0x4c, 0x89, (uint8_t)(i << 3)); /* MOV [RAX], */
}
static void put_judge(struct writer *w, uint32_t expected, uint32_t *wrong)
{
    PUT(w, 0x41, 0x81, 0xed); /* SUB R13D, */
    put_32(w, expected);
    PUT(w, 0xb8); /* MOV EAX, */
    put_address(w, wrong);
    PUT(w, 0x44, 0x09, 0x28); /* OR [RAX], R13D */
}

#else

/* Sums are in EBX and EBP, 32 bits each, the number of pauses in EDI. */
static const uint8_t sum_in[1 + CODE_EVENTS] = {3, 5};

static void put_zero(struct writer *w, unsigned i) { PUT(w, 0x31, (uint8_t)(0xc0 + 9 * sum_in[i])); }
static void put_zero_pauses(struct writer *w) { PUT(w, 0x31, 0xff); }
static void put_sum(struct writer *w, bool add, unsigned i)
{
    PUT(w, add ? 0x01 : 0x29, (uint8_t)(0xc0 + sum_in[i]));
}
static void put_stopped(struct writer *w) { PUT(w, 0x47); } /* INC EDI */
static void put_started(struct writer *w)
{
    PUT(w, 0x81, 0xc7); /* ADD EDI, */
    put_32(w, START_ADDS);
}
static void put_store(struct writer *w, unsigned i, uint64_t *to)
{
    PUT(w, 0x36, 0x89, (uint8_t)(0x05 + (sum_in[i] << 3))); /* MOV SS:[], */
    put_address(w, to);
}
static void put_judge(struct writer *w, uint32_t expected, uint32_t *wrong)
{
    PUT(w, 0x81, 0xef); /* SUB EDI, */
    put_32(w, expected);
    PUT(w, 0x36, 0x09, 0x3d); /* OR SS:[], EDI */
    put_address(w, wrong);
}

#endif

/* ---- readings ---- */

/* Sum 0 is the time stamp's, sum i that of counter i - 1. */
static void put_reading(struct writer *w, const struct code_count *c, bool add, unsigned i)
{
    if (i == 0) {
        PUT(w, 0x0f, 0x31); /* RDTSC */
    } else {
        PUT(w, 0xb9); /* MOV ECX, */
        put_32(w, c->counters->select[i - 1]);
        PUT(w, 0x0f, c->counters->opcode);
    }
    put_sum(w, add, i);
}

static void put_start(struct writer *w, const struct code_count *c)
{
    put_code(w, c->fence);
    for (unsigned i = 0; i <= c->counters->n; i++) put_reading(w, c, false, i);
    put_code(w, c->fence);
}

static void put_stop(struct writer *w, const struct code_count *c)
{
    put_code(w, c->fence);
    for (unsigned i = c->counters->n + 1; i-- > 0;) put_reading(w, c, true, i);
    put_code(w, c->fence);
}

/* ---- pauses ---- */

static void put_pause_begin(struct writer *w, const struct code_count *c)
{
    put_stop(w, c);
    put_stopped(w);
}

static void put_pause_end(struct writer *w, const struct code_count *c)
{
    put_started(w);
    put_start(w, c);
}

/* Is this mark at this place of the snippet? */
static bool is_mark(struct module_bytes body, uint32_t at, uint64_t mark)
{
    return body.n - at >= sizeof mark && memcmp(body.at + at, &mark, sizeof mark) == 0;
}

/* The one at this place; 0: there is none. */
static uint64_t mark_at(struct module_bytes body, uint32_t at)
{
    return is_mark(body, at, MODULE_STOP) ? MODULE_STOP : is_mark(body, at, MODULE_START) ? MODULE_START : 0;
}

static void put_nops(struct writer *w, uint64_t n)
{
    while (n--) PUT(w, 0x90);
}

/* What replaces a mark, in `room` bytes if they suffice: what is left is filled where nothing is counted. */
static void put_mark(struct writer *w, const struct code_count *c, uint64_t mark, uint64_t room)
{
    struct writer counted = {.at = NULL};
    (mark == MODULE_STOP ? put_pause_begin : put_pause_end)(&counted, c);
    const uint64_t left = room > counted.n ? room - counted.n : 0;
    if (mark == MODULE_STOP) {
        put_pause_begin(w, c);
        put_nops(w, left);
    } else {
        put_nops(w, left);
        put_pause_end(w, c);
    }
}

/* ---- public ---- */

int code_pauses(struct module_bytes body)
{
    int stops = 0, starts = 0;
    for (uint32_t at = 0; at < body.n; at++) {
        const uint64_t mark = mark_at(body, at);
        if (!mark) continue;
        stops += mark == MODULE_STOP;
        starts += mark == MODULE_START;
        if (starts > stops || stops > starts + 1) return -1;
        at += MODULE_MARK_BYTES - 1;
    }
    return stops == starts ? stops : -1;
}

void put_body(struct writer *w, const struct code_count *c, struct module_bytes body)
{
    uint32_t done = 0;
    for (uint32_t at = 0; c->counters && at < body.n;) {
        const uint64_t mark = mark_at(body, at);
        uint32_t end = at + MODULE_MARK_BYTES;
        if (!mark) {
            at++;
            continue;
        }
        while (is_mark(body, end, MODULE_ROOM)) end += MODULE_MARK_BYTES;
        put(w, body.at + done, at - done);
        put_mark(w, c, mark, end - at);
        done = at = end;
    }
    put(w, body.at + done, body.n - done);
}

void put_pause(struct writer *w, const struct code_count *c)
{
    put_pause_begin(w, c);
    put_pause_end(w, c);
}

void put_count_begin(struct writer *w, const struct code_count *c, bool can_pause)
{
    for (unsigned i = 0; i <= c->counters->n; i++) put_zero(w, i);
    if (can_pause) put_zero_pauses(w);
    put_start(w, c);
}

void put_count_end(struct writer *w, const struct code_count *c, uint64_t pauses, bool can_pause)
{
    put_stop(w, c);
    for (unsigned i = 0; i <= c->counters->n; i++) put_store(w, i, &c->sums[i]);
    if (can_pause) put_judge(w, (uint32_t)(pauses * (START_ADDS + 1)), c->wrong);
}
