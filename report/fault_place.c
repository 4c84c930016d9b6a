#include "report/fault_place.h"
#include "kernel/bootinfo.h"
#include "kernel/module.h"
#include "measure/decode.h"
#include <stdio.h>

enum { INT3 = 0xcc, INTO = 0xce, ICEBP = 0xf1 };
#define FLAGS_TF (1u << 8)

/* ---- parts ---- */

static bool in(uint64_t ip, uint64_t begin, uint64_t bytes, struct fault_place *p, enum place_part part)
{
    if (ip < begin || ip - begin >= bytes) return false;
    p->part = part;
    p->byte = (uint32_t)(ip - begin);
    return true;
}

/* Fills in part, copy and byte for an address of the payload or its baseline. */
static bool in_payload(const struct bench_copies *c, uint64_t code, uint32_t copies, uint64_t ip,
                       struct fault_place *p)
{
    const uint64_t first = code + c->head, all = (uint64_t)copies * c->bytes;
    if (!code) return false;
    if (in(ip, code + c->init.at, c->init.bytes, p, PLACE_INIT) ||
        in(ip, code + c->late.at, c->late.bytes, p, PLACE_LATE) || in(ip, code, c->head, p, PLACE_BEFORE) ||
        in(ip, first + all, c->tail, p, PLACE_AFTER))
        return true;
    if (!in(ip, first, all, p, PLACE_COPY)) return false;
    p->copy = p->byte / c->bytes + 1;
    p->byte %= c->bytes;
    return true;
}

static void find_part(const struct bench_run *b, uint64_t ip, struct fault_place *p)
{
    const struct bench_copies *c = &b->copies;
    p->part = b->payload && c->tail ? PLACE_OUTSIDE : PLACE_OTHER;
    p->copy = p->byte = 0;
    if (in_payload(c, (uintptr_t)b->baseline, c->shorter, ip, p)) return;
    if (in_payload(c, (uintptr_t)b->payload, c->longer, ip, p)) return;
    if (b->once) in(ip, (uintptr_t)b->once + c->once.at, c->once.bytes, p, PLACE_ONCE);
}

/* ---- the instruction ---- */

/* Where the code that ip is in begins: of the copy, the part, or the user's function. 0: it is not known. */
static uint64_t begin_of(const struct run *run, uint64_t ip)
{
    const struct bench_image *image = &run->bench.image;
    struct module_function f;
    struct fault_place p;
    if (image->at) {
        const uint64_t at = ip - (uintptr_t)image->at;
        if (at >= module_program(image->of)->text_end || !module_function(image->of, (uint32_t)at, &f))
            return 0;
        return (uintptr_t)image->at + f.at;
    }
    find_part(&run->bench, ip, &p);
    return p.part == PLACE_OTHER || p.part == PLACE_OUTSIDE ? 0 : ip - p.byte;
}

/* Does an instruction begin at ip, if that code is decoded from its beginning? */
static bool is_boundary(const struct run *run, uint64_t ip)
{
    uint64_t at = begin_of(run, ip);
    if (!at) return false;
    while (at < ip) {
        const uint8_t *code = phys_peek(at, 1);
        const uint64_t left = ip - at;
        const unsigned length =
            code ? decode_length(code, left < DECODE_MAX_BYTES ? (unsigned)left : DECODE_MAX_BYTES,
                                 sizeof(void *) == 8)
                 : 0;
        if (!length) return false;
        at += length;
    }
    return at == ip;
}

/* Bytes from the beginning of the instruction to the address that the CPU saved: 0 for faults, which save
 * their own. Traps and INT n save the next instruction's (SDM vol. 3A section 6.5, table 6-1). Only INT3
 * raises #BP, and only INTO #OF; for another vector the bytes of INT n must be an instruction, since a fault
 * may follow a constant with the same bytes. */
static unsigned saved_after(const struct run *run)
{
    const struct trap *t = &run->trap;
    const uint8_t *code =
        begin_of(run, t->ip - 2) || begin_of(run, t->ip - 1) ? phys_peek(t->ip - 2, 2) : NULL;
    if (!code) return 0; /* elsewhere no memory may be mapped */
    if (code[0] == INT_N && code[1] == t->vector && is_boundary(run, t->ip - 2)) return 2;
    if (t->vector == VECTOR_BP && code[1] == INT3) return 1;
    if (t->vector == VECTOR_OF && code[1] == INTO) return 1;
    return t->vector == VECTOR_DB && code[1] == ICEBP && !(t->flags & FLAGS_TF) ? 1 : 0;
}

/* Is there an instruction at the address, in memory that is mapped? A double fault may save any address (SDM
 * vol. 3A section 6.15), #DB the one after an instruction, and a page fault may be the fetch's own. */
static bool was_fetched(const struct trap *t, unsigned after)
{
    return t->vector != VECTOR_DF && (t->vector != VECTOR_DB || after) &&
           (t->vector != VECTOR_PF || t->cr2 != t->ip);
}

/* ---- public ---- */

void fault_place(const struct run *run, struct fault_place *place)
{
    const unsigned after = run->status == RUN_TRAP ? saved_after(run) : 0;
    place->address = run->trap.ip - after;
    place->has_address = run->status == RUN_TRAP && was_fetched(&run->trap, after);
    find_part(&run->bench, place->address, place);
}

const char *fault_place_part(const struct fault_place *place)
{
    static const char *const names[] = {
        [PLACE_INIT] = "init", [PLACE_LATE] = "late_init", [PLACE_ONCE] = "one_time_init"};
    return place->part < sizeof names / sizeof *names ? names[place->part] : NULL;
}

void fault_place_text(const struct fault_place *place, char *text, size_t cap)
{
    static const char *const names[] = {
        [PLACE_INIT] = "init", [PLACE_LATE] = "late init", [PLACE_ONCE] = "one-time init"};
    text[0] = '\0';
    switch (place->part) {
    case PLACE_COPY:
        snprintf(text, cap, ", byte %u of copy %u", (unsigned)place->byte, (unsigned)place->copy);
        break;
    case PLACE_INIT:
    case PLACE_LATE:
    case PLACE_ONCE:
        snprintf(text, cap, ", byte %u of %s", (unsigned)place->byte, names[place->part]);
        break;
    case PLACE_BEFORE:
        snprintf(text, cap, ", before the first copy");
        break;
    case PLACE_AFTER:
        snprintf(text, cap, ", after the last copy");
        break;
    case PLACE_OUTSIDE:
        snprintf(text, cap, ", outside the code");
        break;
    default:
        break;
    }
}
