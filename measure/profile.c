#include "measure/profile.h"
#include "kernel/module.h"
#include "measure/stats.h"

/* ---- private ---- */

static bool in_code(const struct code *code, uint64_t address)
{
    return address >= code->base && address - code->base < code->size;
}

static bool passes(const struct sample *s, const struct profile_filter *f)
{
    if (s->valid & SAMPLE_OUTSIDE || (s->valid & f->valid) != f->valid) return false;
    bool counter = f->counter < 0 || (s->valid & SAMPLE_COUNTER && s->counter == (unsigned)f->counter);
    return counter && (!f->ip || (s->valid & SAMPLE_IP && s->ip == f->ip));
}

/* code NULL: by instruction. */
static bool key_of(const struct sample *s, const struct code *code, unsigned how, uint64_t *key)
{
    uint8_t bytes;
    *key = code ? s->data : s->ip;
    if (s->valid & (code ? SAMPLE_DATA : SAMPLE_IP)) return true;
    if (!code || !(s->valid & SAMPLE_PRECISE) || !in_code(code, s->ip)) return false;
    uint32_t at = (uint32_t)(s->ip - code->base);
    return decode_access(code->bytes + at, code->size - at, code->long_mode, s, how, key, &bytes);
}

/* Keys are sorted and counted; the lines overwrite them. */
static bool fold(const struct samples *s, const struct profile_filter *filter, const struct code *code,
                 unsigned how, struct arena *arena, struct profile *out)
{
    unsigned n = 0, distinct = 0;
    uint64_t *key = arena_alloc(arena, s->n * sizeof *key, sizeof *key);
    *out = (struct profile){.lost = s->lost};
    if (!key) return false;
    for (unsigned i = 0; i < s->n; i++) {
        if (!passes(&s->at[i], filter)) continue;
        out->samples++;
        if (key_of(&s->at[i], code, how, &key[n])) n++;
    }
    out->unknown = out->samples - n;
    stats_sort(key, n);
    for (unsigned i = 0; i < n; i++) distinct += i == 0 || key[i] != key[i - 1];
    out->line = arena_alloc(arena, distinct * sizeof *out->line, sizeof(uint64_t));
    if (!out->line) return false;
    for (unsigned i = 0; i < n; i++) {
        if (i == 0 || key[i] != key[i - 1]) out->line[out->n++] = (struct profile_line){key[i], 0};
        out->line[out->n - 1].count++;
    }
    return true;
}

static bool ranks_before(const struct profile_line *a, const struct profile_line *b)
{
    return a->count > b->count || (a->count == b->count && a->key < b->key);
}

/* ---- public ---- */

bool profile_by_ip(const struct samples *s, const struct profile_filter *filter, struct arena *arena,
                   struct profile *out)
{
    return fold(s, filter, NULL, 0, arena, out);
}

bool profile_by_data(const struct samples *s, const struct profile_filter *filter, const struct code *code,
                     unsigned how, struct arena *arena, struct profile *out)
{
    return fold(s, filter, code, how, arena, out);
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
