/* The signatures of the functions that are measured, by the linked file's debug information (DWARF 5, chapter
 * 7.5, as readelf prints it): the kernel calls each as void f(long n), whatever it is. */
#include "host/program.h"
#include "host/report_tool.h"
#include <stdlib.h>
#include <string.h>

#define NOWHERE   UINT64_MAX
#define TEXT      512 /* of a signature in a message */
#define DEEP      16  /* typedefs of typedefs */
#define TAG_BYTES 32

/* Encodings of base types, DWARF 5, table 7.11. */
enum { BOOLEAN = 2, SIGNED = 5, SIGNED_CHAR = 6, UNSIGNED = 7, UNSIGNED_CHAR = 8 };

/* A debugging information entry. What it lacks is "" or 0; references are NOWHERE then. */
struct die {
    uint64_t at; /* in .debug_info */
    unsigned level;
    char tag[TAG_BYTES]; /* "subprogram" */
    char name[MODULE_NAME_BYTES];
    uint64_t type, origin; /* references to others: origin says the rest of this one */
    uint64_t low_pc, high_pc, bytes;
    unsigned encoding;
    bool assembly; /* a compile unit's language */
};

struct dies {
    struct die *at; /* ascending */
    size_t n;
    unsigned bits;
};

/* ---- reading ---- */

static uint64_t reference(const char *value) /* "<0x56>", and perhaps more */
{
    return value[0] == '<' ? strtoull(value + 1, NULL, 16) : NOWHERE;
}

static void take_attribute(struct die *d, const char *name, const char *value)
{
    const char *behind = value[0] == '(' ? strstr(value, "): ") : NULL;
    if (behind) value = behind + strlen("): ");
    if (strcmp(name, "name") == 0)
        snprintf(d->name, sizeof d->name, "%.*s", (int)(sizeof d->name - 1), value);
    else if (strcmp(name, "type") == 0)
        d->type = reference(value);
    else if (strcmp(name, "abstract_origin") == 0 || strcmp(name, "specification") == 0)
        d->origin = reference(value);
    else if (strcmp(name, "low_pc") == 0)
        d->low_pc = strtoull(value, NULL, 16);
    else if (strcmp(name, "high_pc") == 0)
        d->high_pc = strtoull(value, NULL, 16);
    else if (strcmp(name, "byte_size") == 0)
        d->bytes = strtoull(value, NULL, 0);
    else if (strcmp(name, "encoding") == 0)
        d->encoding = (unsigned)strtoul(value, NULL, 0);
    else if (strcmp(name, "language") == 0)
        d->assembly = strstr(value, "assembler") != NULL;
}

/* " <1><5c>: Abbrev Number: 5 (DW_TAG_subprogram)" begins an entry; "    <5d>   DW_AT_name   : f" is of it.
 * False: no memory. */
static bool take_line(struct dies *all, char *line)
{
    char tag[TAG_BYTES], name[TAG_BYTES], *value;
    unsigned level;
    unsigned long long at;
    int end = 0;
    if (sscanf(line, " <%u><%llx>: Abbrev Number: %*u (DW_TAG_%31[a-z_]", &level, &at, tag) == 3) {
        struct die *more = realloc(all->at, (all->n + 1) * sizeof *more);
        if (!more) return false;
        all->at = more;
        struct die *d = &more[all->n++];
        *d = (struct die){.at = at, .level = level, .type = NOWHERE, .origin = NOWHERE};
        memcpy(d->tag, tag, sizeof tag);
    } else if (all->n && sscanf(line, " <%*x> DW_AT_%31[a-z_] : %n", name, &end) == 1 && end) {
        value = line + end;
        take_attribute(&all->at[all->n - 1], name, value);
    }
    return true;
}

static bool read_all(struct dies *all, const char *elf)
{
    char *const command[] = {"env", "LC_ALL=C", "readelf", "--debug-dump=info", (char *)(uintptr_t)elf, NULL};
    char *text = tool_run(command, NULL);
    bool good = text != NULL;
    for (char *line = text, *end; good && line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = '\0';
        good = take_line(all, line);
    }
    free(text);
    return good;
}

/* ---- entries and their types ---- */

static int by_place(const void *key, const void *die)
{
    const uint64_t a = *(const uint64_t *)key, b = ((const struct die *)die)->at;
    return (a > b) - (a < b);
}

static const struct die *die_at(const struct dies *all, uint64_t at)
{
    return all->n ? bsearch(&at, all->at, all->n, sizeof *all->at, by_place) : NULL;
}

static bool is(const struct die *d, const char *tag) { return d && strcmp(d->tag, tag) == 0; }

/* What an entry says, or the one that it refers to. */
static const char *name_of(const struct dies *all, const struct die *d)
{
    for (unsigned i = 0; d && i < DEEP; i++, d = die_at(all, d->origin))
        if (d->name[0]) return d->name;
    return "";
}
static const struct die *type_of(const struct dies *all, const struct die *d)
{
    for (unsigned i = 0; d && i < DEEP; i++, d = die_at(all, d->origin))
        if (d->type != NOWHERE) return die_at(all, d->type);
    return NULL; /* void */
}

/* Without its names and qualifiers. */
static const struct die *bare(const struct dies *all, const struct die *type)
{
    static const char *const through[] = {"typedef", "const_type", "volatile_type", "restrict_type",
                                          "atomic_type"};
    for (unsigned i = 0, k = 0; type && i < DEEP && k < sizeof through / sizeof *through; i++)
        for (k = 0; k < sizeof through / sizeof *through; k++)
            if (is(type, through[k])) {
                type = type_of(all, type);
                break;
            }
    return type;
}

static void write_type(const struct dies *all, const struct die *t, unsigned deep, FILE *to)
{
    static const char *const words[][2] = {{"const_type", "const "},
                                           {"volatile_type", "volatile "},
                                           {"structure_type", "struct "},
                                           {"union_type", "union "},
                                           {"enumeration_type", "enum "}};
    if (!t || deep > DEEP) {
        fputs("void", to);
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is(t, words[i][0])) fputs(words[i][1], to);
    if (is(t, "pointer_type")) {
        const struct die *what = type_of(all, t);
        write_type(all, what, deep + 1, to);
        fputs(what && is(what, "pointer_type") ? "*" : " *", to);
    } else if (t->name[0])
        fputs(t->name, to);
    else if (t->type != NOWHERE)
        write_type(all, type_of(all, t), deep + 1, to);
    else
        fputs("...", to);
}

/* ---- signatures ---- */

static bool is_integer(const struct die *t)
{
    return is(t, "base_type") &&
           (t->encoding == BOOLEAN || t->encoding == SIGNED || t->encoding == SIGNED_CHAR ||
            t->encoding == UNSIGNED || t->encoding == UNSIGNED_CHAR);
}

/* What one word can be. */
static bool takes_word(const struct dies *all, const struct die *parameter)
{
    const struct die *t = bare(all, type_of(all, parameter));
    return is(t, "pointer_type") || (is_integer(t) && t->bytes * 8 == all->bits);
}

/* Nobody looks at it, and it leaves nothing behind, as a double does on the x87's stack, and a struct in the
 * memory that the caller names. */
static bool returns_nothing(const struct dies *all, const struct die *f)
{
    const struct die *t = bare(all, type_of(all, f));
    return !t || is_integer(t) || is(t, "pointer_type") || is(t, "enumeration_type");
}

/* Judges it, and writes it as C has it. */
static bool judge(const struct dies *all, const struct die *f, FILE *to)
{
    const struct die *const end = all->at + all->n;
    unsigned n = 0;
    bool good = returns_nothing(all, f);
    write_type(all, type_of(all, f), 0, to);
    fprintf(to, " %s(", name_of(all, f));
    for (const struct die *d = f + 1; d < end && d->level > f->level; d++) {
        if (d->level != f->level + 1) continue;
        if (is(d, "unspecified_parameters") && n) {
            fputs(", ...", to);
            good = false;
        }
        if (!is(d, "formal_parameter")) continue;
        if (n++) fputs(", ", to);
        write_type(all, type_of(all, d), 0, to);
        if (*name_of(all, d))
            fprintf(to, "%s%s", is(type_of(all, d), "pointer_type") ? "" : " ", name_of(all, d));
        good = good && takes_word(all, d);
    }
    fputs(n ? ")" : "void)", to);
    return good && n <= 1;
}

/* A compile unit in assembly, which has no signatures, is at this place; high_pc is an address or a size. */
static bool is_assembly(const struct die *unit, uint64_t at)
{
    const uint64_t end = unit->high_pc > unit->low_pc ? unit->high_pc : unit->low_pc + unit->high_pc;
    return unit->assembly && at >= unit->low_pc && at < end;
}

/* The function at an entry's place, by its own name if it has several. */
static const struct die *function_at(const struct dies *all, const struct program_entry *e, bool *assembly)
{
    const struct die *found = NULL;
    *assembly = false;
    for (const struct die *d = all->at; d < all->at + all->n; d++) {
        if (is(d, "compile_unit") && is_assembly(d, e->at)) *assembly = true;
        if (!is(d, "subprogram") || d->low_pc != e->at) continue;
        if (found && strcmp(name_of(all, d), e->function) != 0) continue;
        found = d;
    }
    return found;
}

static int check(const struct command *self, const struct dies *all, const struct program_entry *e)
{
    char text[TEXT] = "";
    bool assembly;
    const struct die *f = function_at(all, e, &assembly);
    if (assembly) return STATUS_GOOD;
    if (!f) {
        printf("%s: its signature was not checked, since its file has no debug information (gcc -g): it is "
               "called "
               "as void %s(long n)\n",
               e->function, e->function);
        return STATUS_GOOD;
    }
    FILE *to = fmemopen(text, sizeof text, "w");
    if (!to) return command_failed(self, STATUS_IMPOSSIBLE, "there is no memory");
    const bool good = judge(all, f, to);
    fclose(to);
    text[sizeof text - 1] = '\0';
    if (good) return STATUS_GOOD;
    return command_failed(self, STATUS_USAGE,
                          "%s has the wrong signature: %s. A measured function must be void %s(long n)",
                          e->function, text, e->function);
}

int program_signatures(const struct command *self, const char *elf, unsigned bits,
                       const struct program_entry *entry, size_t entries)
{
    struct dies all = {.bits = bits};
    int status = STATUS_GOOD;
    if (!read_all(&all, elf)) all.n = 0;
    for (size_t i = 0; i < entries && status == STATUS_GOOD; i++)
        if (entry[i].function) status = check(self, &all, &entry[i]);
    free(all.at);
    return status;
}
