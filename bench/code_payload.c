#include "bench/code_payload.h"
#include <string.h>

#define PAGE 4096u
#define FULL \
    64 /* bytes of INT3 behind the RET, so that a decoder that reads ahead finds the same every time */

/* ---- memory ---- */

size_t code_area_bytes(size_t pool)
{
    size_t bytes = CODE_AREA_MAX;
    while (bytes > pool / 8) bytes /= 2;
    return bytes;
}

bool code_memory(struct code_memory *memory, size_t area, struct arena *arena)
{
    const size_t zeroed = area / 2 < CODE_ZEROED ? area / 2 : CODE_ZEROED;
    memory->kept = arena_alloc(arena, 64, 64);
    if (!memory->kept) return false;
    for (unsigned i = 0; i < CODE_AREAS; i++) {
        uint8_t *at = arena_alloc(arena, area, PAGE);
        if (!at) return false;
        memory->middle[i] = at + area / 2;
        memset(memory->middle[i] - zeroed, 0, 2 * zeroed);
    }
    return true;
}

/* ---- the parts ---- */

#ifdef __x86_64__

/* Addresses below 4 GiB: a MOV of 32 bits clears the upper half. */
static void put_save(struct writer *w, const struct code_memory *m)
{
    PUT(w, 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57); /* PUSH RBX, RBP, R12 to R15 */
    PUT(w, 0x9c, 0xb8);                                                 /* PUSHF; MOV EAX, */
    put_address(w, m->kept);
    PUT(w, 0x48, 0x89, 0x20); /* MOV [RAX], RSP */
}

static void put_areas(struct writer *w, const struct code_memory *m)
{
    static const uint8_t mov[CODE_AREAS] = {0xbe, 0xbf, 0xbe, 0xbd,
                                            0xbc}; /* R14D with REX.B; EDI ESI EBP ESP */
    PUT(w, 0x41);
    for (unsigned i = 0; i < CODE_AREAS; i++) {
        put(w, &mov[i], 1);
        put_address(w, m->middle[i]);
    }
}

static void put_loop(struct writer *w, const struct code_payload *c)
{
    PUT(w, 0x41, 0xbf); /* MOV R15D, */
    put_32(w, c->turns);
}

static void put_turn(struct writer *w, const struct code_payload *c)
{
    (void)c;
    PUT(w, 0x49, 0xff, 0xcf); /* DEC R15 */
}

static void put_restore(struct writer *w, const struct code_memory *m)
{
    PUT(w, 0xb8); /* MOV EAX, */
    put_address(w, m->kept);
    PUT(w, 0x48, 0x8b, 0x20, 0x9d); /* MOV RSP, [RAX]; POPF */
    PUT(w, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b,
        0xc3); /* POP R15 to R12, RBP, RBX; RET */
}

#else

/* Memory is reached through SS: a snippet may leave anything in the other segment registers. */
static void put_save(struct writer *w, const struct code_memory *m)
{
    PUT(w, 0x53, 0x56, 0x57, 0x55, 0x1e, 0x06); /* PUSH EBX, ESI, EDI, EBP, DS, ES */
    PUT(w, 0x0f, 0xa0, 0x0f, 0xa8, 0x9c);       /* PUSH FS, GS; PUSHF */
    PUT(w, 0x36, 0x89, 0x25);                   /* MOV SS:[], ESP */
    put_address(w, m->kept);
}

static void put_areas(struct writer *w, const struct code_memory *m)
{
    static const uint8_t mov[CODE_AREAS] = {0xbf, 0xbe, 0xbd, 0xbc}; /* EDI ESI EBP ESP */
    for (unsigned i = 0; i < CODE_AREAS; i++) {
        put(w, &mov[i], 1);
        put_address(w, m->middle[i]);
    }
}

static void put_loop(struct writer *w, const struct code_payload *c)
{
    PUT(w, 0x36, 0xc7, 0x05); /* MOV SS:[], */
    put_address(w, c->memory->kept + 1);
    put_32(w, c->turns);
}

static void put_turn(struct writer *w, const struct code_payload *c)
{
    PUT(w, 0x36, 0xff, 0x0d); /* DEC SS:[] */
    put_address(w, c->memory->kept + 1);
}

static void put_restore(struct writer *w, const struct code_memory *m)
{
    PUT(w, 0x36, 0x8b, 0x25); /* MOV ESP, SS:[] */
    put_address(w, m->kept);
    PUT(w, 0x9d, 0x0f, 0xa9, 0x0f, 0xa1, 0x07, 0x1f); /* POPF; POP GS, FS, ES, DS */
    PUT(w, 0x5d, 0x5f, 0x5e, 0x5b, 0xc3);             /* POP EBP, EDI, ESI, EBX; RET */
}

#endif

static void put_head(struct writer *w, const struct code_payload *c)
{
    put_save(w, c->memory);
    put_areas(w, c->memory);
    put_code(w, c->init);
    if (c->count.counters)
        put_count_begin(w, &c->count, c->pauses != 0);
    else
        put_code(w, c->fence);
    put_code(w, c->late);
    if (c->turns) put_loop(w, c);
}

/* Pauses of no code. */
static uint64_t pauses_behind(const struct code_payload *c)
{
    return c->copied > c->copies ? (uint64_t)(c->copied - c->copies) * c->pauses : 0;
}

static void put_copies(struct writer *w, const struct code_payload *c)
{
    const uint64_t first = w->n;
    for (uint32_t i = 0; i < c->copies; i++) put_body(w, &c->count, c->body);
    for (uint64_t i = pauses_behind(c); i > 0; i--) put_pause(w, &c->count);
    if (!c->turns) return;
    put_turn(w, c);
    PUT(w, 0x0f, 0x85); /* JNZ to the first copy */
    put_32(w, (uint32_t)(first - (w->n + 4)));
}

static void put_tail(struct writer *w, const struct code_payload *c)
{
    static const uint8_t int3 = 0xcc;
    const uint64_t pauses = (uint64_t)c->copies * c->pauses + pauses_behind(c);
    if (c->count.counters) put_count_end(w, &c->count, pauses * (c->turns ? c->turns : 1), c->pauses != 0);
    put_restore(w, c->memory);
    for (unsigned i = 0; i < FULL; i++) put(w, &int3, 1);
}

/* ---- public ---- */

static uint64_t bytes_of(void (*part)(struct writer *w, const struct code_payload *c),
                         const struct code_payload *c)
{
    struct writer w = {.at = NULL};
    part(&w, c);
    return w.n;
}

uint32_t code_head(const struct code_payload *c) { return (uint32_t)bytes_of(put_head, c); }

void code_places(const struct code_payload *c, struct bench_copies *places)
{
    struct code_payload without = *c; /* copies */
    without.copies = 0;
    const uint32_t loop = c->turns ? (uint32_t)bytes_of(put_loop, c) : 0;
    places->head = code_head(c);
    places->tail = (uint32_t)(bytes_of(put_copies, &without) + bytes_of(put_tail, c));
    places->bytes = (uint32_t)code_copy_bytes(c);
    struct writer w = {.at = NULL};
    put_save(&w, c->memory);
    put_areas(&w, c->memory);
    places->init = (struct bench_part){(uint32_t)w.n, c->init.n};
    places->late = (struct bench_part){places->head - loop - c->late.n, c->late.n};
}

uint64_t code_copy_bytes(const struct code_payload *c)
{
    struct writer w = {.at = NULL};
    put_body(&w, &c->count, c->body);
    return w.n;
}

/* Of the first copy, from a page on: room for the head, then the next place that is aligned as is wanted. */
static uint64_t first_copy(const struct code_payload *c)
{
    const uint64_t head = code_head(c), from = head > c->offset ? head - c->offset : 0;
    return ((from + c->alignment - 1) & -(uint64_t)c->alignment) + c->offset;
}

static uint64_t bytes_from_page(const struct code_payload *c)
{
    struct code_payload without = *c; /* copies and pauses, which are many */
    struct writer pause = {.at = NULL};
    without.copies = without.copied = 0;
    if (pauses_behind(c)) put_pause(&pause, &c->count);
    return first_copy(c) + (uint64_t)c->copies * code_copy_bytes(c) + pauses_behind(c) * pause.n +
           bytes_of(put_copies, &without) + bytes_of(put_tail, c);
}

static uint32_t page_of(const struct code_payload *c) { return c->alignment > PAGE ? c->alignment : PAGE; }

uint64_t code_bytes(const struct code_payload *c) { return bytes_from_page(c) + page_of(c) - 1; }

payload_fn *code_write(const struct code_payload *c, struct arena *arena)
{
    const uint64_t bytes = bytes_from_page(c);
    if (bytes > arena_left(arena)) return NULL;
    uint8_t *page = arena_alloc(arena, (size_t)bytes, page_of(c));
    if (!page) return NULL;
    struct writer w = {.at = page + first_copy(c) - code_head(c)};
    payload_fn *payload = (payload_fn *)(uintptr_t)w.at;
    put_head(&w, c);
    put_copies(&w, c);
    put_tail(&w, c);
    return payload;
}
