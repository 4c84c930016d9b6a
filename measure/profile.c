#include "measure/profile.h"
#include "kernel/module.h"
#include "measure/memory_profile.h"
#include "measure/stats.h"
#include <string.h>

/* ---- private ---- */

static bool in_code(const struct code *code, uint64_t address)
{
    return address >= code->base && address - code->base < code->size;
}

/* A sample says something of an access. */
enum { SAID = SAMPLE_LEVEL | SAMPLE_LATENCY | SAMPLE_RETIRE };

/* What folding is by, and what comes of it. code NULL: by instruction. */
struct fold {
    const struct samples *s;
    const struct profile_filter *filter;
    const struct code *code;
    unsigned how;
    struct profile *out;
};

static bool key_of(const struct fold *f, const struct sample *s, uint64_t *key)
{
    const struct code *code = f->code;
    uint8_t bytes;
    *key = code ? s->data : s->ip;
    if (s->valid & (code ? SAMPLE_DATA : SAMPLE_IP)) {
        f->out->hardware |= code != NULL;
        return true;
    }
    if (!code || !(s->valid & SAMPLE_PRECISE) || !in_code(code, s->ip)) return false;
    uint32_t at = (uint32_t)(s->ip - code->base);
    const bool known =
        decode_access(code->bytes + at, code->size - at, code->long_mode, s, f->how, key, &bytes);
    f->out->registers |= known;
    return known;
}

/* Lines ascend. */
static unsigned line_of(const struct profile *p, uint64_t key)
{
    unsigned low = 0, high = p->n - 1;
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        if (p->line[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Each line's spread of one duration. Keys: the line above, the duration below, so that a line's are together
 * and in order. */
static void spread_lines(const struct fold *f, uint32_t valid, struct profile_access *access, uint64_t *key)
{
    uint32_t n = 0;
    uint64_t of;
    for (const struct sample *s = f->s->at; s < f->s->at + f->s->n; s++)
        if (s->valid & valid && profile_passes(s, f->filter) && key_of(f, s, &of))
            key[n++] =
                (uint64_t)line_of(f->out, of) << 32 | (valid == SAMPLE_LATENCY ? s->latency : s->retire);
    stats_sort(key, n);
    for (uint32_t begin = 0, end = 0; begin < n; begin = end) {
        const uint32_t line = (uint32_t)(key[begin] >> 32);
        while (end < n && key[end] >> 32 == line) end++;
        quantiles_of(key + begin, end - begin,
                     valid == SAMPLE_LATENCY ? &access[line].latency : &access[line].retire);
    }
}

/* Beside their counts: what was said of their accesses, and what is one instruction late. key: for as many
 * as there are samples. */
static bool add_accesses(const struct fold *f, uint32_t said, struct arena *arena, uint64_t *key)
{
    struct profile *p = f->out;
    struct profile_access *access = NULL;
    uint64_t of;
    if (said & SAID && p->n) {
        access = arena_alloc(arena, p->n * sizeof *access, sizeof(uint64_t));
        if (!access) return false;
        memset(access, 0, p->n * sizeof *access);
        for (unsigned i = 0; i < p->n; i++) p->line[i].access = &access[i];
    }
    for (const struct sample *s = f->s->at; s < f->s->at + f->s->n; s++) {
        if (!profile_passes(s, f->filter) || !key_of(f, s, &of)) continue;
        const unsigned line = line_of(p, of);
        if (!f->code && s->valid & SAMPLE_NEXT) {
            p->line[line].next++;
            p->next++;
        }
        p->imprecise += !f->code && !(s->valid & (SAMPLE_PRECISE | SAMPLE_NEXT)) && !s->corrected;
        if (s->corrected && s->corrected < CORRECTIONS) p->corrected[s->corrected]++;
        if (s->valid & SAMPLE_LEVEL && s->level && s->level < LEVELS) access[line].level[s->level]++;
    }
    if (said & SAMPLE_LATENCY && access) spread_lines(f, SAMPLE_LATENCY, access, key);
    if (said & SAMPLE_RETIRE && access) spread_lines(f, SAMPLE_RETIRE, access, key);
    return true;
}

/* Keys are sorted and counted; the lines overwrite them. */
static bool fold(const struct fold *f, struct arena *arena)
{
    const struct samples *s = f->s;
    struct profile *out = f->out;
    unsigned n = 0, distinct = 0;
    uint32_t said = 0;
    uint64_t *key = arena_alloc(arena, s->n * sizeof *key, sizeof *key);
    *out = (struct profile){.lost = s->lost};
    if (!key) return false;
    for (unsigned i = 0; i < s->n; i++) {
        if (!profile_passes(&s->at[i], f->filter)) continue;
        out->samples++;
        if (!key_of(f, &s->at[i], &key[n])) continue;
        said |= s->at[i].valid;
        n++;
    }
    out->unknown = out->samples - n;
    stats_sort(key, n);
    for (unsigned i = 0; i < n; i++) distinct += i == 0 || key[i] != key[i - 1];
    out->line = arena_alloc(arena, distinct * sizeof *out->line, sizeof(uint64_t));
    if (!out->line) return false;
    for (unsigned i = 0; i < n; i++) {
        if (i == 0 || key[i] != key[i - 1]) out->line[out->n++] = (struct profile_line){.key = key[i]};
        out->line[out->n - 1].count++;
    }
    return add_accesses(f, said, arena, key);
}

static bool ranks_before(const struct profile_line *a, const struct profile_line *b)
{
    return a->count > b->count || (a->count == b->count && a->key < b->key);
}

/* ---- public ---- */

bool profile_passes(const struct sample *s, const struct profile_filter *f)
{
    if (s->valid & SAMPLE_OUTSIDE) return false;
    if (f->accesses && !memory_is_access(s)) return false;
    bool counter = f->counter < 0 || (s->valid & SAMPLE_COUNTER && s->counter == (unsigned)f->counter);
    return counter && (!f->ip || (s->valid & SAMPLE_IP && s->ip == f->ip));
}

bool profile_by_ip(const struct samples *s, const struct profile_filter *filter, struct arena *arena,
                   struct profile *out)
{
    const struct fold f = {.s = s, .filter = filter, .out = out};
    return fold(&f, arena);
}

bool profile_by_data(const struct samples *s, const struct profile_filter *filter, const struct code *code,
                     unsigned how, struct arena *arena, struct profile *out)
{
    const struct fold f = {.s = s, .filter = filter, .code = code, .how = how, .out = out};
    return fold(&f, arena);
}

/* Shell sort (gaps of D. Knuth, The Art of Computer Programming 5.2.1): little code, no recursion, and at
 * worst of the order of n to the power of 1.5. */
void profile_rank(struct profile *p)
{
    unsigned gap = 1;
    while (gap < p->n) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (unsigned i = gap; i < p->n; i++) {
            struct profile_line x = p->line[i];
            unsigned k = i;
            for (; k >= gap && ranks_before(&x, &p->line[k - gap]); k -= gap) p->line[k] = p->line[k - gap];
            p->line[k] = x;
        }
}

bool profile_distance(const struct code *code, uint64_t target, uint64_t ip, int64_t *instructions)
{
    uint32_t a = (uint32_t)(target - code->base), b = (uint32_t)(ip - code->base);
    uint32_t from = a < b ? a : b, to = a < b ? b : a;
    int n = 0;
    if (!in_code(code, target) || !in_code(code, ip)) return false;
    for (; from < to; n++) {
        unsigned length = decode_length(code->bytes + from, code->size - from, code->long_mode);
        if (length == 0) return false;
        from += length;
    }
    if (from != to) return false;
    *instructions = a < b ? n : -n;
    return true;
}

/* Those that are found when the kernel runs are not in code. */
static unsigned payloads_of(const struct bench *b) { return b->found ? 0 : bench_variants(b); }

struct code profile_code_of(const struct bench_image *image, bool long_mode)
{
    const struct module_program *p = module_program(image->of);
    return (struct code){.bytes = image->at + p->text,
                         .base = (uintptr_t)image->at + p->text,
                         .size = p->text_end - p->text,
                         .long_mode = long_mode,
                         .image = *image};
}

uint32_t profile_payload_bytes(const struct code *code, uint64_t payload)
{
    struct module_function f;
    if (code->image.at) {
        const uint32_t at = (uint32_t)(payload - (uintptr_t)code->image.at);
        return in_code(code, payload) && module_function(code->image.of, at, &f) ? f.at + f.bytes - at : 0;
    }
    if (!in_code(code, payload) || payload - code->base >= code->payloads) return 0;
    uint64_t end = code->base + code->payloads;
    for (const struct bench *const *b = code->benches; b < code->benches_end; b++)
        for (unsigned v = 0; v < payloads_of(*b); v++) {
            const uint64_t other = (uintptr_t)bench_program(*b, v).payload;
            if (other > payload && other < end) end = other;
        }
    return (uint32_t)(end - payload);
}

static bool user_symbol(const struct code *code, uint64_t ip, struct symbol *out)
{
    struct module_function f;
    const uint32_t at = (uint32_t)(ip - (uintptr_t)code->image.at);
    if (!in_code(code, ip) || !module_function(code->image.of, at, &f)) return false;
    *out = (struct symbol){.function = f.name, .offset = at - f.at};
    return true;
}

bool profile_symbol(const struct code *code, uint64_t ip, struct symbol *out)
{
    bool found = false;
    if (code->image.at) return user_symbol(code, ip, out);
    if (!in_code(code, ip) || ip - code->base >= code->payloads) return false;
    for (const struct bench *const *b = code->benches; b < code->benches_end; b++)
        for (unsigned v = 0; v < payloads_of(*b); v++) {
            uintptr_t begin = (uintptr_t)bench_program(*b, v).payload;
            if (begin < code->base || begin > ip || (found && (uintptr_t)ip - begin >= out->offset)) continue;
            *out = (struct symbol){*b, v, (uintptr_t)ip - begin, NULL};
            found = true;
        }
    return found;
}

bool profile_places(struct profile *p, const struct code *code, uint64_t target, struct arena *arena)
{
    struct profile_place *place = arena_alloc(arena, p->n * sizeof *place, sizeof(uint64_t));
    p->place = place;
    for (unsigned i = 0; place && i < p->n; i++) {
        const uint64_t ip = p->line[i].key;
        place[i] = (struct profile_place){.has_target = target != 0, .bytes = (int64_t)(ip - target)};
        place[i].named = profile_symbol(code, ip, &place[i].symbol);
        if (in_code(code, ip)) {
            const uint32_t at = (uint32_t)(ip - code->base);
            place[i].code = code->bytes + at;
            place[i].length = decode_length(code->bytes + at, code->size - at, code->long_mode);
        }
        place[i].decoded = target && profile_distance(code, target, ip, &place[i].instructions);
    }
    return place;
}
