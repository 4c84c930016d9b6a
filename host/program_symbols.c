/* What a linked file says by its symbols: its functions' names, and where the runtime and the regions keep
 * what the kernel must know (lib/payload/, include/anechoic/region.h). */
#include "host/program.h"
#include "include/anechoic/region.h"
#include "include/anechoic/trace.h"
#include <stdlib.h>
#include <string.h>

/* Symbols whose places the module tells the kernel. */
static const struct known {
    const char *name;
    size_t place; /* of struct program_image */
} known[] = {
    {"anechoic_region_table", offsetof(struct program_image, regions)},
    {"anechoic_trace_ring", offsetof(struct program_image, trace)},
    {"anechoic_start", offsetof(struct program_image, start)},
    {"anechoic_enter", offsetof(struct program_image, enter)},
    {"anechoic_once", offsetof(struct program_image, once)},
    {"anechoic_output", offsetof(struct program_image, output)},
    {"anechoic_calls", offsetof(struct program_image, calls)},
};

struct gathering {
    struct program_image *image;
    bool full; /* no memory left */
};

/* Of regions, or of channels: strings, one behind the other. */
static void take_labels(const struct program_image *image, const Elf64_Sym *s, uint8_t **labels,
                        uint32_t *bytes)
{
    if (s->st_size > image->n || s->st_value > image->n - s->st_size) return;
    const char(*row)[ANECHOIC_LABEL_BYTES] = (const void *)(image->bytes + s->st_value);
    *labels = malloc(s->st_size + 1);
    for (size_t i = 0; *labels && i < s->st_size / sizeof *row; i++) {
        const size_t n = strnlen(row[i], sizeof *row - 1);
        memcpy(*labels + *bytes, row[i], n);
        *bytes += (uint32_t)n + 1;
        (*labels)[*bytes - 1] = '\0';
    }
}

static bool printable(const char *name)
{
    for (const char *c = name; *c; c++)
        if (*c <= ' ' || *c > '~') return false;
    return *name;
}

/* Functions, and the global labels of assembly that does not say what they are. */
static bool is_function(const struct program_image *image, const char *name, const Elf64_Sym *s)
{
    const unsigned type = ELF64_ST_TYPE(s->st_info);
    return (type == STT_FUNC || (type == STT_NOTYPE && ELF64_ST_BIND(s->st_info) == STB_GLOBAL)) &&
           s->st_shndx != SHN_UNDEF && s->st_shndx < SHN_LORESERVE && s->st_value >= image->text &&
           s->st_value < image->text_end && printable(name);
}

static bool take(void *ctx, const char *name, const Elf64_Sym *s)
{
    struct gathering *g = ctx;
    struct program_image *image = g->image;
    if (s->st_shndx == SHN_UNDEF) return true;
    for (const struct known *k = known; k < known + sizeof known / sizeof *known; k++)
        if (strcmp(name, k->name) == 0) *(uint32_t *)((char *)image + k->place) = (uint32_t)s->st_value;
    if (strcmp(name, "anechoic_region_labels") == 0)
        take_labels(image, s, &image->labels, &image->label_bytes);
    if (strcmp(name, "anechoic_trace_labels") == 0)
        take_labels(image, s, &image->channels, &image->channel_bytes);
    if (!is_function(image, name, s)) return true;
    struct program_symbol *more = realloc(image->symbol, (image->symbols + 1) * sizeof *more);
    if (!more) return !(g->full = true);
    image->symbol = more;
    struct program_symbol *row = &more[image->symbols++];
    const uint64_t room = image->text_end - s->st_value;
    *row = (struct program_symbol){.at = (uint32_t)s->st_value,
                                   .bytes = (uint32_t)(s->st_size < room ? s->st_size : room)};
    memcpy(row->name, name, strnlen(name, sizeof row->name - 1));
    return true;
}

/* Of those at one place the longest comes first, and stays. */
static int by_place(const void *a, const void *b)
{
    const struct program_symbol *x = a, *y = b;
    if (x->at != y->at) return (x->at > y->at) - (x->at < y->at);
    if (x->bytes != y->bytes) return (x->bytes < y->bytes) - (x->bytes > y->bytes);
    return strcmp(x->name, y->name);
}

static void take_build_id(const struct object *o, struct program_image *image)
{
    static const size_t head = 16; /* sizes, type, "GNU" */
    size_t n;
    const uint8_t *note = object_section(o, ".note.gnu.build-id", &n);
    if (note && n == head + sizeof image->build_id)
        memcpy(image->build_id, note + head, sizeof image->build_id);
}

bool program_symbols(const struct object *o, struct program_image *image)
{
    struct gathering g = {.image = image};
    uint32_t kept = 0;
    take_build_id(o, image);
    object_symbols(o, take, &g);
    if (image->symbols) qsort(image->symbol, image->symbols, sizeof *image->symbol, by_place);
    for (uint32_t i = 0; i < image->symbols; i++)
        if (kept == 0 || image->symbol[i].at != image->symbol[kept - 1].at)
            image->symbol[kept++] = image->symbol[i];
    image->symbols = kept;
    return !g.full;
}
