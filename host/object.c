#include "host/object.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- rows of its tables, in either size: all become those of 64 bits ---- */

/* `size` bytes at `at`; NULL: they are not all in the file. */
static const void *bytes_at(const struct object *o, uint64_t at, uint64_t size)
{
    return at <= o->size && size <= o->size - at ? o->bytes + at : NULL;
}

static bool header(struct object *o, Elf64_Ehdr *h)
{
    const unsigned char *at = bytes_at(o, 0, sizeof *h);
    if (!at || memcmp(at, ELFMAG, SELFMAG) != 0) return false;
    o->is64 = at[EI_CLASS] == ELFCLASS64;
    memcpy(h, at, sizeof *h);
    if (o->is64) return h->e_machine == EM_X86_64;
    Elf32_Ehdr small;
    memcpy(&small, at, sizeof small);
    *h = (Elf64_Ehdr){.e_shoff = small.e_shoff, .e_shnum = small.e_shnum, .e_shstrndx = small.e_shstrndx};
    return small.e_machine == EM_386;
}

static bool section_at(const struct object *o, uint64_t table, size_t i, Elf64_Shdr *s)
{
    const size_t size = o->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    const void *at = bytes_at(o, table + i * size, size);
    if (!at) return false;
    if (o->is64) {
        memcpy(s, at, sizeof *s);
        return true;
    }
    Elf32_Shdr small;
    memcpy(&small, at, sizeof small);
    *s = (Elf64_Shdr){.sh_name = small.sh_name,
                      .sh_type = small.sh_type,
                      .sh_flags = small.sh_flags,
                      .sh_addr = small.sh_addr,
                      .sh_offset = small.sh_offset,
                      .sh_size = small.sh_size,
                      .sh_link = small.sh_link,
                      .sh_info = small.sh_info,
                      .sh_addralign = small.sh_addralign};
    return true;
}

static bool symbol_at(const struct object *o, const Elf64_Shdr *table, size_t i, Elf64_Sym *s)
{
    const size_t size = o->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    const void *at = bytes_at(o, table->sh_offset + i * size, size);
    if (!at || (i + 1) * size > table->sh_size) return false;
    if (o->is64) {
        memcpy(s, at, sizeof *s);
        return true;
    }
    Elf32_Sym small;
    memcpy(&small, at, sizeof small);
    *s = (Elf64_Sym){.st_name = small.st_name,
                     .st_info = small.st_info,
                     .st_shndx = small.st_shndx,
                     .st_value = small.st_value,
                     .st_size = small.st_size};
    return true;
}

/* With an addend in the table (x86-64) or without (i386). */
static size_t relocation_bytes(const struct object *o)
{
    return o->is64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rel);
}

static void relocation_at(const struct object *o, const uint8_t *at, uint64_t *offset, size_t *symbol)
{
    if (o->is64) {
        Elf64_Rela r;
        memcpy(&r, at, sizeof r);
        *offset = r.r_offset;
        *symbol = ELF64_R_SYM(r.r_info);
    } else {
        Elf32_Rel r;
        memcpy(&r, at, sizeof r);
        *offset = r.r_offset;
        *symbol = ELF32_R_SYM(r.r_info);
    }
}

/* A string of a table of strings; "": it is not in it. */
static const char *string_at(const struct object *o, size_t table, uint64_t at)
{
    if (table >= o->sections || at >= o->section[table].sh_size) return "";
    const Elf64_Shdr *s = &o->section[table];
    const char *bytes = bytes_at(o, s->sh_offset, s->sh_size);
    return bytes && bytes[s->sh_size - 1] == '\0' ? bytes + at : "";
}

/* ---- public ---- */

static bool read_all(struct object *o, const char *path)
{
    struct stat st;
    FILE *in = fopen(path, "rb");
    if (!in) return false;
    if (fstat(fileno(in), &st) == 0) o->bytes = malloc((size_t)st.st_size + 1);
    if (o->bytes) o->size = fread(o->bytes, 1, (size_t)st.st_size, in);
    const bool good = o->bytes && !ferror(in);
    fclose(in);
    return good;
}

bool object_open(struct object *o, const char *path)
{
    Elf64_Ehdr h;
    *o = (struct object){0};
    bool good = read_all(o, path);
    if (good && header(o, &h)) {
        o->section = calloc(h.e_shnum + 1u, sizeof *o->section);
        good = o->section;
        for (; good && o->sections < h.e_shnum; o->sections++)
            if (!section_at(o, h.e_shoff, o->sections, &o->section[o->sections])) break;
        o->names = h.e_shstrndx;
        if (!good || o->sections == h.e_shnum) return good;
    }
    if (good) errno = EINVAL;
    object_close(o);
    return false;
}

void object_close(struct object *o)
{
    free(o->bytes);
    free(o->section);
    *o = (struct object){0};
}

const char *object_section_name(const struct object *o, size_t i)
{
    return string_at(o, o->names, o->section[i].sh_name);
}

const uint8_t *object_section(const struct object *o, const char *name, size_t *size)
{
    *size = 0;
    for (size_t i = 0; i < o->sections; i++) {
        const Elf64_Shdr *s = &o->section[i];
        if (s->sh_type == SHT_NOBITS || strcmp(object_section_name(o, i), name) != 0) continue;
        const uint8_t *bytes = s->sh_size ? bytes_at(o, s->sh_offset, s->sh_size) : NULL;
        if (bytes) *size = s->sh_size;
        return bytes;
    }
    return NULL;
}

bool object_gaps(const struct object *o, void (*one)(void *ctx, const struct object_gap *gap), void *ctx)
{
    for (const Elf64_Shdr *s = o->section; s < o->section + o->sections; s++) {
        if (s->sh_type != SHT_REL && s->sh_type != SHT_RELA) continue;
        const uint8_t *row = bytes_at(o, s->sh_offset, s->sh_size);
        if (!row || s->sh_info >= o->sections || s->sh_link >= o->sections) return false;
        const Elf64_Shdr *symbols = &o->section[s->sh_link];
        for (size_t i = 0; i < s->sh_size / relocation_bytes(o); i++) {
            struct object_gap gap = {.section = object_section_name(o, s->sh_info)};
            Elf64_Sym symbol;
            size_t index;
            relocation_at(o, row + i * relocation_bytes(o), &gap.offset, &index);
            if (!symbol_at(o, symbols, index, &symbol)) return false;
            gap.symbol = ELF64_ST_TYPE(symbol.st_info) == STT_SECTION
                             ? ""
                             : string_at(o, symbols->sh_link, symbol.st_name);
            gap.undefined = symbol.st_shndx == SHN_UNDEF && *gap.symbol;
            one(ctx, &gap);
        }
    }
    return true;
}

bool object_relocations(const struct object *o, bool (*one)(void *ctx, const Elf64_Rela *r), void *ctx)
{
    for (const Elf64_Shdr *s = o->section; s < o->section + o->sections; s++) {
        if ((s->sh_type != SHT_REL && s->sh_type != SHT_RELA) || !(s->sh_flags & SHF_ALLOC)) continue;
        const uint8_t *row = bytes_at(o, s->sh_offset, s->sh_size);
        if (!row) return false;
        for (size_t i = 0; i < s->sh_size / relocation_bytes(o); i++) {
            Elf64_Rela r = {0};
            memcpy(&r, row + i * relocation_bytes(o), o->is64 ? sizeof r : 0);
            if (!o->is64) {
                Elf32_Rel small;
                memcpy(&small, row + i * sizeof small, sizeof small);
                r.r_offset = small.r_offset;
                r.r_info = ELF64_R_INFO((uint64_t)ELF32_R_SYM(small.r_info), ELF32_R_TYPE(small.r_info));
            }
            if (!one(ctx, &r)) return false;
        }
    }
    return true;
}

bool object_symbols(const struct object *o, bool (*one)(void *ctx, const char *name, const Elf64_Sym *s),
                    void *ctx)
{
    for (const Elf64_Shdr *s = o->section; s < o->section + o->sections; s++) {
        Elf64_Sym symbol;
        if (s->sh_type != SHT_SYMTAB) continue;
        for (size_t i = 1; symbol_at(o, s, i, &symbol); i++)
            if (!one(ctx, string_at(o, s->sh_link, symbol.st_name), &symbol)) return false;
    }
    return true;
}

const uint8_t *object_bytes(const struct object *o, const Elf64_Shdr *s)
{
    return bytes_at(o, s->sh_offset, s->sh_size);
}
