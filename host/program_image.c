#include "host/object.h"
#include "host/program.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

/* The linker begins at address 0. */
struct reducing {
    const struct command *self;
    const struct program_job *job;
    const struct object *o;
    struct program_image *image;
    struct program_entry *entry;
    size_t *entries;
    int status;
};

static int fail(struct reducing *r, const char *what)
{
    return r->status = command_failed(r->self, STATUS_USAGE, "%s", what);
}

/* ---- the image ---- */

static bool is_part(const Elf64_Shdr *s) { return s->sh_flags & SHF_ALLOC && s->sh_size; }

/* What of memory the program takes, and what of that the file has and is code. */
static bool measure(struct reducing *r)
{
    uint64_t from = UINT64_MAX, end = 0, filled = 0, text = UINT64_MAX, text_end = 0;
    for (const Elf64_Shdr *s = r->o->section; s < r->o->section + r->o->sections; s++) {
        const uint64_t after = s->sh_addr + s->sh_size;
        if (!is_part(s)) continue;
        if (s->sh_type == SHT_INIT_ARRAY || s->sh_type == SHT_FINI_ARRAY)
            return fail(r, "it has constructors or destructors, which nothing calls"), false;
        if (s->sh_flags & SHF_TLS)
            return fail(r, "it has thread-local variables; there are no threads"), false;
        if (s->sh_addralign > PAGE)
            return fail(r, "it has data or code aligned to more than a page, 4096 bytes"), false;
        if (s->sh_addr < from) from = s->sh_addr;
        if (after > end) end = after;
        if (s->sh_type != SHT_NOBITS && after > filled) filled = after;
        if (!(s->sh_flags & SHF_EXECINSTR)) continue;
        if (s->sh_addr < text) text = s->sh_addr;
        if (after > text_end) text_end = after;
    }
    if (!text_end) text = from; /* no code: no entry is in it */
    if (from > end) return fail(r, "there is nothing in it"), false;
    if (end > INT32_MAX / 2) return fail(r, "it takes more than 1 GiB of memory"), false;
    *r->image = (struct program_image){.name = r->image->name,
                                       .n = (uint32_t)filled,
                                       .memory = (uint32_t)((end + 3) & ~3u),
                                       .text = (uint32_t)text,
                                       .text_end = (uint32_t)(text_end)};
    r->image->bytes = calloc(1, r->image->n);
    return r->image->bytes || fail(r, strerror(errno)) == STATUS_GOOD;
}

static bool copy(struct reducing *r)
{
    for (const Elf64_Shdr *s = r->o->section; s < r->o->section + r->o->sections; s++) {
        if (!is_part(s) || s->sh_type == SHT_NOBITS) continue;
        const uint8_t *bytes = object_bytes(r->o, s);
        if (!bytes) return fail(r, "what the linker wrote is damaged"), false;
        memcpy(r->image->bytes + s->sh_addr, bytes, s->sh_size);
    }
    return true;
}

/* ---- relocations ---- */

/* Only words that get the address of the image added: all symbols are the program's own. */
static bool take_relocation(void *ctx, const Elf64_Rela *rel)
{
    struct reducing *r = ctx;
    struct program_image *image = r->image;
    const uint32_t relative = r->o->is64 ? R_X86_64_RELATIVE : R_386_RELATIVE,
                   type = ELF64_R_TYPE(rel->r_info);
    const size_t word = r->o->is64 ? 8 : 4;
    if (type == (r->o->is64 ? R_X86_64_NONE : R_386_NONE)) return true;
    if (type == (r->o->is64 ? R_X86_64_IRELATIVE : R_386_IRELATIVE))
        return fail(r, "it chooses functions when it is loaded (ifunc), which is not supported"), false;
    if (type != relative || rel->r_offset > image->n - word) {
        r->status = command_failed(r->self, STATUS_USAGE,
                                   "it needs a relocation of type %u at %#llx, which is not supported", type,
                                   (unsigned long long)rel->r_offset);
        return false;
    }
    uint32_t *more = realloc(image->relocation, (image->relocations + 1) * sizeof *more);
    if (!more) return fail(r, strerror(errno)), false;
    image->relocation = more;
    const uint32_t at = more[image->relocations++] = (uint32_t)rel->r_offset;
    uint64_t value = (uint64_t)rel->r_addend;
    if (!r->o->is64) memcpy(&value, image->bytes + at, word);
    memcpy(image->bytes + at, &value, word);
    return true;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* ---- entries ---- */

static bool take_symbol(void *ctx, const char *name, const Elf64_Sym *s)
{
    struct reducing *r = ctx;
    const bool hidden = ELF64_ST_BIND(s->st_info) == STB_LOCAL && ELF64_ST_TYPE(s->st_info) != STT_FUNC;
    for (size_t i = 0; i < r->job->entries && !hidden && s->st_shndx != SHN_UNDEF; i++)
        if (strcmp(name, r->job->entry[i].function) == 0) r->entry[i].at = (uint32_t)s->st_value;
    return true;
}

static void find_entries(struct reducing *r)
{
    for (size_t i = 0; i < r->job->entries; i++) r->entry[i].at = UINT32_MAX;
    object_symbols(r->o, take_symbol, r);
    for (size_t i = 0; i < r->job->entries && !r->status; i++) {
        const uint32_t at = r->entry[i].at;
        if (at == UINT32_MAX)
            r->status =
                command_failed(r->self, STATUS_USAGE,
                               "there is no function %s in it; --entry NAME names another, which must not "
                               "be static",
                               r->job->entry[i].function);
        else if (at < r->image->text || at >= r->image->text_end)
            r->status = command_failed(r->self, STATUS_USAGE, "%s is data, not a function",
                                       r->job->entry[i].function);
    }
}

/* The table of BENCHMARK()s; NULL: it has none. */
static const Elf64_Shdr *descriptors(const struct object *o)
{
    for (size_t i = 0; i < o->sections; i++)
        if (is_part(&o->section[i]) && strcmp(object_section_name(o, i), "anechoic_benches") == 0)
            return &o->section[i];
    return NULL;
}

static void find_benchmarks(struct reducing *r)
{
    const Elf64_Shdr *table = descriptors(r->o);
    if (!table) {
        find_entries(r);
        return;
    }
    if (r->job->asked)
        fail(r, "it has BENCHMARK()s, with parameters of their own: --entry and --arg are for functions");
    else if (!program_descriptors(r->self, r->image, table->sh_addr, table->sh_size, r->o->is64 ? 64 : 32,
                                  r->entry, r->entries))
        r->status = STATUS_USAGE;
}

int program_image(const struct command *self, const struct program_job *j, const char *elf,
                  struct program_image *image, struct program_entry *entry, size_t *entries)
{
    struct object o;
    struct reducing r = {.self = self, .job = j, .o = &o, .image = image, .entry = entry, .entries = entries};
    if (!object_open(&o, elf))
        return command_failed(self, STATUS_IMPOSSIBLE, "what the linker wrote cannot be read: %s",
                              strerror(errno));
    if (measure(&r) && copy(&r)) {
        if (!object_relocations(&o, take_relocation, &r) && !r.status)
            fail(&r, "what the linker wrote is damaged");
        qsort(image->relocation, image->relocations, sizeof *image->relocation, ascending);
        if (!r.status && !program_symbols(&o, image)) fail(&r, strerror(ENOMEM));
        if (!r.status) find_benchmarks(&r);
    }
    object_close(&o);
    return r.status;
}
