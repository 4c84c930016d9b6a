#include "measure/cause.h"
#include "kernel/module.h"

#define STRAIGHT_MOST 4096 /* bytes from a branch to a sample: as Linux' PEBS_FIXUP_SIZE, a page */

/* ---- private ---- */

static bool has(const struct code *code, uint64_t address)
{
    return address >= code->base && address - code->base < code->size;
}

static enum decode_flow flow_at(const struct code *code, uint64_t ip, unsigned *length, uint64_t *target)
{
    const uint32_t at = (uint32_t)(ip - code->base);
    return decode_flow(code->bytes + at, code->size - at, code->long_mode, ip, length, target);
}

/* ---- by code ---- */

/* What the code says of an address that was recorded. */
struct place {
    uint64_t before; /* the instruction that goes on there; 0: none */
    bool target;     /* a branch leads there, or may */
};

struct scan {
    const struct cause_code *in;
    const struct profile *next; /* the addresses that were recorded, ascending */
    struct place *place;        /* of each */
};

/* The recorded one at address; else the first after it, or next->n. */
static unsigned at_or_after(const struct profile *p, uint64_t address)
{
    unsigned low = 0, high = p->n;
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        if (p->line[middle].key < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct place *place_of(const struct scan *s, uint64_t address)
{
    const unsigned i = at_or_after(s->next, address);
    return i < s->next->n && s->next->line[i].key == address ? &s->place[i] : NULL;
}

/* Anything in these bytes may be the target of a branch. */
static void uncertain(const struct scan *s, uint64_t begin, uint64_t end)
{
    for (unsigned i = at_or_after(s->next, begin); i < s->next->n && s->next->line[i].key < end; i++)
        s->place[i].target = true;
}

static bool is_filler(const struct code *code, uint64_t begin, uint64_t end)
{
    for (; begin < end; begin++)
        if (code->bytes[begin - code->base]) return false;
    return true;
}

/* One function. False: it cannot be decoded, and may lead anywhere. */
static bool scan_function(const struct scan *s, uint64_t begin, uint64_t end)
{
    const struct code *code = s->in->code;
    struct place *p = place_of(s, begin);
    unsigned length;
    uint64_t target;
    if (p) p->target = true; /* it is called */
    for (uint64_t ip = begin; ip < end; ip += length) {
        const enum decode_flow flow = flow_at(code, ip, &length, &target);
        if (flow == FLOW_UNKNOWN || ip + length > end) return is_filler(code, ip, end);
        if (flow == FLOW_INDIRECT) uncertain(s, begin, end);
        if (flow == FLOW_MAYBE || flow == FLOW_JUMP || flow == FLOW_CALL) {
            p = place_of(s, target);
            if (p) p->target = true;
        }
        if (flow == FLOW_REPEATED && (p = place_of(s, ip))) p->target = true;
        if (flow != FLOW_ON && flow != FLOW_MAYBE && flow != FLOW_REPEATED) continue;
        p = place_of(s, ip + length);
        if (p) p->before = ip;
    }
    return true;
}

/* What lies between functions is taken for one as well: code without a name, or filler. */
static bool scan_program(const struct scan *s)
{
    const struct code *code = s->in->code;
    const uint64_t image = (uintptr_t)code->image.at, end = code->base + code->size;
    struct module_function f;
    for (uint64_t at = code->base, next; at < end; at = next) {
        if (module_function(code->image.of, (uint32_t)(at - image), &f)) {
            next = image + f.at + f.bytes;
        } else {
            next = at + 1;
            while (next < end && !module_function(code->image.of, (uint32_t)(next - image), &f)) next++;
        }
        if (next <= at || next > end) next = end;
        if (!scan_function(s, at, next)) return false;
    }
    return true;
}

/* ---- by branches ---- */

/* The instruction before ip on the way from the newest branch's target; 0: it is not certain. */
static uint64_t by_branches(const struct code *code, const struct branch *newest, uint64_t ip)
{
    uint64_t at = newest->to, before = newest->from, target;
    unsigned length;
    if (ip < at || ip - at > STRAIGHT_MOST || (ip != at && (!has(code, at) || !has(code, ip)))) return 0;
    while (at < ip) {
        const enum decode_flow flow = flow_at(code, at, &length, &target);
        if (flow != FLOW_ON && flow != FLOW_MAYBE && flow != FLOW_REPEATED) return 0;
        before = at;
        at += length;
    }
    return at == ip ? before : 0;
}

static void correct(struct sample *s, uint64_t ip, enum sample_corrected how)
{
    s->recorded = s->ip;
    s->ip = ip;
    s->corrected = (uint8_t)how;
    s->valid = (s->valid & ~(uint32_t)SAMPLE_NEXT) | SAMPLE_PRECISE;
}

/* ---- public ---- */

bool cause_find(const struct samples *s, const struct cause_code *in, struct arena *arena)
{
    const struct profile_filter all = {.counter = -1};
    const size_t mark = arena->used;
    struct profile next;
    bool any = false;
    for (unsigned i = 0; i < s->n && !any; i++) any = s->at[i].valid & SAMPLE_NEXT;
    if (!any) return true;
    struct scan scan = {.in = in, .next = &next};
    if (!profile_by_ip(s, &all, arena, &next) ||
        !(scan.place = arena_alloc(arena, next.n * sizeof *scan.place, sizeof(uint64_t)))) {
        arena->used = mark;
        return false;
    }
    for (unsigned i = 0; i < next.n; i++) scan.place[i] = (struct place){0, false};
    const bool known = in->code->image.at
                           ? scan_program(&scan)
                           : in->bytes && scan_function(&scan, in->payload, in->payload + in->bytes);
    for (unsigned i = 0; i < s->n; i++) {
        struct sample *x = &s->at[i];
        const struct place *p = place_of(&scan, x->ip);
        uint64_t ip = 0;
        if (!(x->valid & SAMPLE_NEXT) || !(x->valid & SAMPLE_IP)) continue;
        if (in->every_branch && x->valid & SAMPLE_BRANCHES && x->branches)
            ip = by_branches(in->code, &s->branch[(size_t)i * BRANCHES_MOST], x->ip);
        if (ip)
            correct(x, ip, CORRECTED_BY_BRANCHES);
        else if (known && p && p->before && !p->target)
            correct(x, p->before, CORRECTED_BY_CODE);
    }
    arena->used = mark;
    return true;
}
