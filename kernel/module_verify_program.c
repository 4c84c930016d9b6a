/* A program in a module: its image, what is put right in it, and the functions that are measured. */
#include "include/anechoic/calls.h"
#include "include/anechoic/region.h"
#include "include/anechoic/trace.h"
#include "kernel/module_verify.h"
#include <string.h>

#define refuse module_refuse

static const struct module_program *program_of(const struct module_header *h)
{
    return (const struct module_program *)(h + 1);
}

/* Is a table of n rows of these bytes in the file? */
static bool has_table(const struct module_header *h, uint32_t at, uint32_t n, size_t row_bytes)
{
    return at % 4 == 0 && at >= sizeof *h && at <= h->bytes && n <= (h->bytes - at) / row_bytes;
}

static bool check_relocations(const struct module_header *h, const struct module_program *p, char *why,
                              size_t cap)
{
    static const uint32_t word = MODULE_BITS / 8;
    const uint32_t *at = (const uint32_t *)(const void *)((const uint8_t *)h + p->relocation);
    uint32_t from = 0; /* the end of the last word */
    if (p->relocations == 0) return true;
    if (!has_table(h, p->relocation, p->relocations, sizeof *at))
        return refuse(why, cap, "its table of %u relocations is not inside of it", (unsigned)p->relocations);
    for (uint32_t i = 0; i < p->relocations; i++) {
        if (at[i] < from)
            return refuse(why, cap, "its relocation %u lies inside of the one before it", (unsigned)i);
        if (at[i] > p->image.bytes || word > p->image.bytes - at[i])
            return refuse(why, cap, "its relocation %u is of offset %#x, outside of its image", (unsigned)i,
                          (unsigned)at[i]);
        from = at[i] + word;
    }
    return true;
}

static bool check_symbols(const struct module_header *h, const struct module_program *p, char *why,
                          size_t cap)
{
    const struct module_symbol *s =
        (const struct module_symbol *)(const void *)((const uint8_t *)h + p->symbol);
    uint32_t from = p->text;
    if (p->symbols == 0) return true;
    if (!has_table(h, p->symbol, p->symbols, sizeof *s))
        return refuse(why, cap, "its table of %u functions is not inside of it", (unsigned)p->symbols);
    for (uint32_t i = 0; i < p->symbols; from = s[i++].at) {
        if (s[i].at < from || s[i].at >= p->text_end || s[i].bytes > p->text_end - s[i].at)
            return refuse(why, cap,
                          "its function %u is not in its machine code, or not behind the one before it",
                          (unsigned)i);
        if (!module_check_string(h, s[i].name, "function", i, why, cap)) return false;
    }
    return true;
}

/* Is a place of these bytes in the memory that the program gets? */
static bool in_memory(const struct module_program *p, uint32_t at, size_t bytes)
{
    return at <= p->memory && bytes <= p->memory - at;
}

static bool in_text(const struct module_program *p, uint32_t at) { return at >= p->text && at < p->text_end; }

/* Of regions or channels: a word that gets an address, and labels. */
struct marks {
    uint32_t word;
    struct module_code labels;
    const char *of, *one, *many; /* "table of regions", "region", "regions" */
    unsigned most;
};

static bool check_marks(const struct module_header *h, const struct module_program *p, const struct marks *m,
                        char *why, size_t cap)
{
    const char *label = (const char *)h + m->labels.at;
    unsigned n = 0;
    if (m->word && !in_memory(p, m->word, MODULE_BITS / 8))
        return refuse(why, cap, "the place of its %s is not inside of its memory", m->of);
    if (m->labels.bytes == 0 && m->labels.at == 0) return true;
    if (!m->word || m->labels.bytes == 0 || !module_inside(h, m->labels) || label[m->labels.bytes - 1])
        return refuse(why, cap, "the labels of its %s are not inside of it", m->many);
    for (uint32_t at = 0; at < m->labels.bytes; at += (uint32_t)strlen(label + at) + 1, n++)
        if (!module_check_string(h, m->labels.at + at, m->one, n, why, cap)) return false;
    return n <= m->most || refuse(why, cap, "it has labels for %u %s; %u are valid", n, m->many, m->most);
}

static bool check_regions(const struct module_header *h, const struct module_program *p, char *why,
                          size_t cap)
{
    const struct marks regions = {p->regions, p->labels, "table of regions", "region", "regions", REGIONS},
                       channels = {p->trace,  p->channels, "ring of a trace",
                                   "channel", "channels",  TRACE_CHANNELS};
    return check_marks(h, p, &regions, why, cap) && check_marks(h, p, &channels, why, cap);
}

/* Do these places share a byte? */
static bool overlap(struct module_code a, struct module_code b)
{
    return a.at < b.at + b.bytes && b.at < a.at + a.bytes;
}

/* What the kernel writes, and what it reads when a call has ended: each has its own place, and start needs
 * both of its own. */
static bool check_start(const struct module_program *p, char *why, size_t cap)
{
    static const uint32_t word = MODULE_BITS / 8;
    const struct module_code enter = {p->enter, word}, output = {p->output, sizeof(struct module_output)},
                             regions = {p->regions, p->regions ? word : 0},
                             trace = {p->trace, p->trace ? word : 0};
    if (overlap(regions, trace)) return refuse(why, cap, "the places that the kernel writes overlap");
    if (!p->start && !p->enter && !p->once && !p->output) return true;
    if (!p->start || !in_text(p, p->start) || (p->once && !in_text(p, p->once)))
        return refuse(why, cap, "where it starts is not in its machine code");
    if (!p->enter || !p->output || !in_memory(p, p->enter, word) || p->output % 4 != 0 ||
        !in_memory(p, p->output, sizeof(struct module_output)))
        return refuse(why, cap, "the place of what it prints is not inside of its memory");
    return (!overlap(enter, output) && !overlap(enter, regions) && !overlap(output, regions) &&
            !overlap(enter, trace) && !overlap(output, trace)) ||
           refuse(why, cap, "the places that the kernel writes overlap");
}

bool module_check_program(const struct module_header *h, char *why, size_t cap)
{
    const struct module_program *p = program_of(h);
    if (!module_check_string(h, p->name, "program", 0, why, cap)) return false;
    if (p->image.bytes == 0 || !module_inside(h, p->image))
        return refuse(why, cap, "its image is not inside of it");
    if (p->image.bytes > p->memory || p->memory % 4 != 0 || p->memory > INT32_MAX)
        return refuse(why, cap, "its image of %u bytes does not fit into the %u bytes that it wants",
                      (unsigned)p->image.bytes, (unsigned)p->memory);
    if (p->text >= p->text_end || p->text_end > p->image.bytes)
        return refuse(why, cap, "its machine code is not inside of its image");
    return check_relocations(h, p, why, cap) && check_symbols(h, p, why, cap) &&
           check_regions(h, p, why, cap) && check_start(p, why, cap);
}

static bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

/* A name that can stand in bench=. */
static bool is_word(const char *name)
{
    if (!is_letter(name[0])) return false;
    while (is_letter(*name) || (*name >= '0' && *name <= '9') || *name == '_') name++;
    return *name == '\0';
}

static bool check_word(const struct module_header *h, uint32_t i, char *why, size_t cap)
{
    const char *name = module_row_name(h, i);
    return is_word(name) ||
           refuse(why, cap, "the name of its benchmark %s is not a letter, then letters, digits or _", name);
}

bool module_check_benchmark(const struct module_header *h, uint32_t i, char *why, size_t cap)
{
    const struct module_program *p = program_of(h);
    const struct module_benchmark *b = module_row_at(h, i);
    const char *name = module_row_name(h, i);
    if (!check_word(h, i, why, cap)) return false;
    if (b->entry < p->text || b->entry >= p->text_end)
        return refuse(why, cap, "the entry of its benchmark %s is not in its machine code", name);
    if (((uint64_t)b->arg[1] << 32 | b->arg[0]) > MODULE_ARG_MAX)
        return refuse(why, cap, "the argument of its benchmark %s is no number from 0 to %llu", name,
                      (unsigned long long)MODULE_ARG_MAX);
    return true;
}

/* ---- with descriptors ---- */

#define WORD (MODULE_BITS / 8)

bool module_check_descriptors(const struct module_header *h, char *why, size_t cap)
{
    const struct module_descriptors *d = (const struct module_descriptors *)(h + 1);
    const struct module_program *p = &d->program;
    if (d->interface != ANECHOIC_INTERFACE)
        return refuse(why, cap,
                      "it was built for version %u of the interface, and this kernel has %u: build it again",
                      (unsigned)d->interface, ANECHOIC_INTERFACE);
    if (!module_check_program(h, why, cap)) return false;
    if (p->regions || p->trace || p->start || p->enter || p->once || p->output)
        return refuse(why, cap, "it has what only a program has: a place of regions, or of what is printed");
    return (d->calls % WORD == 0 && in_memory(p, d->calls, ANECHOIC_CALLS_N * WORD)) ||
           refuse(why, cap, "the place of the kernel's functions is not inside of its memory");
}

bool module_check_descriptor(const struct module_header *h, uint32_t i, char *why, size_t cap)
{
    const struct module_program *p = program_of(h);
    const struct module_benchmark *b = module_row_at(h, i);
    if (!check_word(h, i, why, cap)) return false;
    if (b->arg[0] || b->arg[1])
        return refuse(why, cap, "its benchmark %s has an argument; those with descriptors have parameters",
                      module_row_name(h, i));
    return (b->entry % WORD == 0 && b->entry < p->memory) ||
           refuse(why, cap, "the descriptor of its benchmark %s is not inside of its memory",
                  module_row_name(h, i));
}
