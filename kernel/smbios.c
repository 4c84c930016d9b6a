/* The SMBIOS structures: a walk within the table's bounds. */
#include "kernel/smbios.h"
#include <string.h>

/* SMBIOS 3.7, 6.1.2: type, length of the formatted part, handle; strings follow it, each with its NUL, and
 * another NUL behind the last (6.1.3) */
enum { TYPE, LENGTH, HEADER = 4 };
enum { TYPE_IPMI = 38, TYPE_END = 127 };

/* 7.1, 7.2, 7.3: the offset of a string's number, from 1; 0: none */
static const struct wanted {
    uint8_t type, offset;
    size_t to;
} wanted[] = {
    {0, 4, offsetof(struct smbios, bios_vendor)},    {0, 5, offsetof(struct smbios, bios_version)},
    {0, 8, offsetof(struct smbios, bios_date)},      {1, 4, offsetof(struct smbios, system_maker)},
    {1, 5, offsetof(struct smbios, system_product)}, {2, 4, offsetof(struct smbios, board_maker)},
    {2, 5, offsetof(struct smbios, board_product)},
};

/* One structure of which all is within the table. */
struct structure {
    const uint8_t *at;
    const char *strings, *end; /* end: behind the second NUL */
};

/* The structure at p, of which `left` bytes may be looked at; false: it is not whole. */
static bool structure_at(const uint8_t *p, uint32_t left, struct structure *out)
{
    if (left < HEADER || p[LENGTH] < HEADER || p[LENGTH] > left) return false;
    *out = (struct structure){p, (const char *)p + p[LENGTH], NULL};
    for (uint32_t i = p[LENGTH]; i + 1 < left; i++)
        if (!p[i] && !p[i + 1]) {
            out->end = (const char *)p + i + 2;
            return true;
        }
    return false;
}

/* The n-th string, from 1; NULL: there is none. */
static const char *string_of(const struct structure *s, unsigned n)
{
    const char *at = s->strings;
    if (!n) return NULL;
    while (--n && at < s->end && *at) at += strlen(at) + 1;
    return at < s->end && *at ? at : NULL;
}

static void keep(char *to, const char *from)
{
    size_t n = 0, used = 0;
    for (; n < SMBIOS_TEXT - 1 && from[n]; n++) {
        const char c = from[n];
        to[n] = c < ' ' || c > '~' ? '?' : c;
        if (to[n] != ' ') used = n + 1; /* makers fill with blanks */
    }
    to[used] = '\0';
}

/* Of several structures of a type the first one counts. */
static void read_structure(const struct structure *s, uint32_t *seen, struct smbios *out)
{
    const uint8_t type = s->at[TYPE];
    if (type >= 32 || *seen >> type & 1) return;
    *seen |= 1u << type;
    for (const struct wanted *w = wanted; w < wanted + sizeof wanted / sizeof *wanted; w++) {
        const char *text =
            w->type == type && w->offset < s->at[LENGTH] ? string_of(s, s->at[w->offset]) : NULL;
        if (text) keep((char *)out + w->to, text);
    }
}

void smbios_read(const struct smbios_table *table, struct smbios *out)
{
    struct structure s;
    uint32_t seen = 0, at = 0;
    const uint8_t *bytes = phys_peek(table->addr, table->len);
    if (!bytes) {
        out->fault = "its structures lie where this kernel cannot read";
        return;
    }
    for (; at < table->len; at += (uint32_t)((const uint8_t *)s.end - s.at)) {
        if (!structure_at(bytes + at, table->len - at, &s)) {
            out->fault = table->longer ? "it is longer than 256 KiB" : "a structure is longer than the table";
            return;
        }
        read_structure(&s, &seen, out);
        out->bmc |= bytes[at + TYPE] == TYPE_IPMI;
        if (bytes[at + TYPE] == TYPE_END) return;
    }
    if (table->longer) out->fault = "it is longer than 256 KiB";
}

void smbios_probe(const struct bootinfo *bi, struct smbios *out)
{
    struct smbios_table table;
    *out = (struct smbios){.source = "none"};
    const char *source = smbios_find(bi, &table, &out->fault);
    if (!source) return;
    out->source = source;
    out->fault = NULL;
    smbios_read(&table, out);
}
