/* PEBS records of a fixed layout. NetBurst: SDM vol. 3B (order 325384-059) tables 17-2 and 17-4. Formats 0 to
 * 3: Core 2 as NetBurst's 64-bit one; tables 18-23 (Nehalem), 18-44 (Haswell), 18-55 (Skylake). */
#include "pmu/pebs_fold.h"

/* In 64-bit records each field has 8 bytes: flags, IP, AX BX CX DX SI DI BP SP, R8-R15, and then these. */
enum {
    IP = 0x08,
    AX = 0x10,
    DATA = 0x98, /* format 1; 90h is the status, or from format 3 on the counters: one alone records here */
    SOURCE = 0xa0,
    LATENCY = 0xa8,
    EVENTING_IP = 0xb0, /* format 2; b8h is about transactions */
    TSC = 0xc0          /* format 3 */
};

/* Registers from r on, step bytes apart, in a record's order, from number `from` on; to is in encoding order.
 */
static inline __attribute__((always_inline)) void take_eight(uint64_t *to, const uint8_t *r, unsigned step,
                                                             unsigned from)
{
    static const uint8_t order[] = {0, 3, 1, 2, 6, 7, 5, 4};
#pragma GCC unroll 8
    for (unsigned k = from; k < 8; k++) PEBS_TAKE(to[order[k]], r + k * step);
}

PEBS_FOLD fold_as(const struct pebs *p, struct samples *out, const uint8_t *r, const uint8_t *end,
                  bool has_time, bool has_access)
{
    struct sample *s = out->at + out->n;
    const uint64_t head = pebs_head(p, p->valid), latency_bits = p->latency_bits;
    const uint32_t *const sources = p->sources;
    const unsigned bytes = p->record, ip = p->layout->ip;
    const uint8_t *const stop = pebs_whole(out, s, r, end, bytes);
    for (; r != stop; r += bytes, s++) {
        *(pebs_long *)s = head;
#ifdef __x86_64__
        pebs_copy(&s->flags, r, 18); /* all but IP and seven registers are in their places now */
        take_eight(s->reg, r + AX, 8, 1);
#else
        PEBS_TAKE(s->flags, r);
        take_eight(s->reg, r + AX, 8, 0);
#endif
        PEBS_TAKE(s->ip, r + ip);
        if (has_time) PEBS_TAKE_LONG(s->tsc, r + TSC);
        if (has_access) pebs_access(sources, latency_bits, s, r + DATA, r + SOURCE, r + LATENCY);
    }
    out->n = (unsigned)(s - out->at);
    return r;
}

/* All formats of 64-bit records: what differs is in the layout. */
static const uint8_t *fold(const struct pebs *p, struct samples *out, const uint8_t *r, const uint8_t *end)
{
    const bool has_time = p->record > TSC;
    if (p->memory)
        return has_time ? fold_as(p, out, r, end, true, true) : fold_as(p, out, r, end, false, true);
    return has_time ? fold_as(p, out, r, end, true, false) : fold_as(p, out, r, end, false, false);
}

#define LAYOUT(name, bytes, where, ...)      \
    const struct pebs_layout pebs_##name = { \
        .record = (bytes), .field = 8, .area = 128, .ip = (where), .fold = fold, __VA_ARGS__}

LAYOUT(wide, 0x90, IP, .general = 1);
/* A buffer that is longer than a page hangs a Core 2 (Linux' intel_ds_init()). So the records are as many as
 * fit on the area's own page. */
LAYOUT(core2, 0x90, IP, .general = 1, .most = (4096 - 128) / 0x90);
LAYOUT(nehalem, 0xb0, IP, .general = 4);
LAYOUT(haswell, 0xc0, EVENTING_IP, .general = 4);
LAYOUT(skylake, 0xc8, EVENTING_IP, .general = 4);

/* The 64-bit kernel never has NetBurst's 32-bit records, of the same registers as far as BP and SP. */
#if !defined(__x86_64__) || defined(HOST)
#define NARROW 40
static const uint8_t *fold_narrow(const struct pebs *p, struct samples *out, const uint8_t *r,
                                  const uint8_t *end)
{
    struct sample *s = out->at + out->n;
    const uint64_t head = pebs_head(p, p->valid);
    const uint8_t *const stop = pebs_whole(out, s, r, end, NARROW);
    for (; r != stop; r += NARROW, s++) {
        *(pebs_long *)s = head;
        PEBS_TAKE(s->flags, r);
        PEBS_TAKE(s->ip, r + 4);
        take_eight(s->reg, r + 8, 4, 0);
    }
    out->n = (unsigned)(s - out->at);
    return r;
}
const struct pebs_layout pebs_narrow = {
    .record = NARROW, .field = 4, .area = 128, .general = 1, .fold = fold_narrow};
#endif
