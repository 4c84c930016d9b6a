/* What the assembler or the linker wrote: the sections of an ELF file for x86, 32 or 64 bits, what a linker
 * would still have to fill in, and what a loader would. */
#pragma once
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sections have the fields of 64 bits, whichever the object has. */
struct object {
    uint8_t *bytes;
    size_t size;
    bool is64;
    Elf64_Shdr *section;
    size_t sections;
    size_t names; /* the section that has their names */
};

/* False: errno says why; EINVAL: the file is no such object. */
bool object_open(struct object *o, const char *path);
void object_close(struct object *o);

const char *object_section_name(const struct object *o, size_t i);
/* The bytes of a section; of one without any, or that is not there, NULL and *size 0. */
const uint8_t *object_section(const struct object *o, const char *name, size_t *size);

/* A place that is not filled in. */
struct object_gap {
    const char *section; /* in which it is */
    uint64_t offset;
    const char *symbol; /* whose address belongs there; "" where it has no name */
    bool undefined;     /* the symbol is nowhere in the object */
};

/* Calls one() for each. False: the object is damaged. */
bool object_gaps(const struct object *o, void (*one)(void *ctx, const struct object_gap *gap), void *ctx);

/* Of a linked file. Both call one() for each until it returns false, and then return false themselves. */

/* What a loader would fill in; of 32 bits the addend stands in the word. False also: the file is damaged. */
bool object_relocations(const struct object *o, bool (*one)(void *ctx, const Elf64_Rela *r), void *ctx);
bool object_symbols(const struct object *o, bool (*one)(void *ctx, const char *name, const Elf64_Sym *s),
                    void *ctx);

/* Of a section that has some; NULL: they are not in the file. */
const uint8_t *object_bytes(const struct object *o, const Elf64_Shdr *s);
