/* Reads the dumps in tests/unit/topology/. */
#include "tests/unit/fake_topology.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One CPU line, and the CPUID lines after it. */
struct kind {
    char processors[160]; /* the rest of the CPU line */
    struct fake_cpuid leaf[32];
    size_t leaves;
};
#define KINDS 8

#define N(a) (sizeof(a) / sizeof *(a))

static _Noreturn void wrong(const char *name, const char *line)
{
    fprintf(stderr, "tests/unit/topology/%s.txt: wrong line: %s\n", name, line);
    abort();
}

static bool starts(const char *text, const char *word) { return strncmp(text, word, strlen(word)) == 0; }

/* Returns how many kinds the dump has. */
static size_t read_dump(const char *name, struct kind kinds[KINDS])
{
    char line[200];
    size_t n = 0;
    snprintf(line, sizeof line, "tests/unit/topology/%s.txt", name);
    FILE *f = fopen(line, "r");
    if (!f) wrong(name, "the file cannot be read");
    while (fgets(line, sizeof line, f)) {
        struct fake_cpuid leaf = {.subleaf = FAKE_ANY_SUBLEAF};
        struct cpuid_regs *r = &leaf.regs;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "CPUID %x: %x-%x-%x-%x [SL %x]", &leaf.leaf, &r->eax, &r->ebx, &r->ecx, &r->edx,
                   &leaf.subleaf) >= 5) {
            if (n == 0 || kinds[n - 1].leaves == N(kinds->leaf)) wrong(name, line);
            kinds[n - 1].leaf[kinds[n - 1].leaves++] = leaf;
        } else if (starts(line, "CPU ")) {
            if (n == KINDS || strlen(line) >= sizeof kinds->processors) wrong(name, line);
            strcpy(kinds[n++].processors, line + 4);
        } else if (*line && *line != '#') {
            wrong(name, line);
        }
    }
    fclose(f);
    return n;
}

/* Puts a processor's ID and node into its leaves. Leaf 1 has the ID if HTT is set; the Pentium III has none.
 */
static void put_in(struct fake_cpuid *leaf, uint32_t id, uint32_t node)
{
    switch (leaf->leaf) {
    case 1:
        if (leaf->regs.edx >> 28 & 1) leaf->regs.ebx = (leaf->regs.ebx & 0xffffff) | id << 24;
        break;
    case 0xb:
    case 0x1f:
    case 0x80000026:
        leaf->regs.edx = id;
        break;
    case 0x8000001e:
        leaf->regs.eax = id;
        leaf->regs.ecx = (leaf->regs.ecx & ~0xffu) | node;
        break;
    }
}

static void read_one(const struct kind *kind, uint32_t apic_id, uint32_t node, struct topology_ids *ids)
{
    struct fake_cpuid table[N(kind->leaf)];
    struct cpu_id id;
    for (size_t i = 0; i < kind->leaves; i++) {
        table[i] = kind->leaf[i];
        put_in(&table[i], apic_id, node);
    }
    fake_reset();
    fake_cpuid(table, kind->leaves);
    cpu_identify(&id);
    topology_read(&id, apic_id, ids);
    fake_reset();
}

/* Returns the number after a word, or otherwise if the line has no such word. */
static uint32_t number_after(const char *line, const char *word, int base, uint32_t otherwise)
{
    const char *at = strstr(line, word);
    return at ? (uint32_t)strtoul(at + strlen(word), NULL, base) : otherwise;
}

static uint32_t first_id(const struct kind *kind) { return (uint32_t)strtoul(kind->processors, NULL, 16); }

unsigned fake_processors(const char *name, struct topology_ids ids[PROCESSORS_MAX])
{
    struct kind kinds[KINDS] = {0};
    const struct kind *const end = kinds + read_dump(name, kinds);
    unsigned n = 0;
    for (const struct kind *kind = kinds, *leaves = kinds; kind < end; kind++, leaves = kinds) {
        const uint32_t like = number_after(kind->processors, " like ", 16, first_id(kind));
        const uint32_t node = number_after(kind->processors, " node ", 10, 0);
        while (leaves < end && first_id(leaves) != like) leaves++;
        if (leaves == end || leaves->leaves == 0) wrong(name, kind->processors);
        const char *at = kind->processors;
        for (char *next; *at && !starts(at, " node ") && !starts(at, " like "); at = next) {
            uint32_t id = (uint32_t)strtoul(at, &next, 16), last = id, step = 1;
            if (next == at) wrong(name, kind->processors);
            if (*next == '-') last = (uint32_t)strtoul(next + 1, &next, 16);
            if (*next == '/') step = (uint32_t)strtoul(next + 1, &next, 10);
            for (; id <= last; id += step) {
                if (n == PROCESSORS_MAX || step == 0) wrong(name, kind->processors);
                read_one(leaves, id, node, &ids[n++]);
            }
        }
    }
    return n;
}

void fake_build(struct topology *t, const struct topology_ids *ids, unsigned n)
{
    const struct topology_ids *each[PROCESSORS_MAX];
    for (unsigned i = 0; i < n; i++) each[i] = &ids[i];
    topology_build(t, each, n);
}

void fake_topology(const char *name, struct topology *t)
{
    struct topology_ids ids[PROCESSORS_MAX];
    fake_build(t, ids, fake_processors(name, ids));
}
