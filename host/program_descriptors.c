/* BENCHMARK()s and EXPERIMENT()s in a linked program: the table that bench/bench.h makes of them. */
#include "host/program.h"
#include "include/anechoic/calls.h"
#include <stdlib.h>
#include <string.h>

/* A word of the image, in which relocations are offsets by now. False: there is none. */
static bool word_at(const struct program_image *image, uint64_t at, unsigned bits, uint64_t *word)
{
    const size_t bytes = bits / 8;
    *word = 0;
    if (at > image->n || bytes > image->n - at) return false;
    memcpy(word, image->bytes + at, bytes);
    return true;
}

/* Of the descriptor: struct bench begins with its program, and that with its name. */
static const char *name_of(const struct program_image *image, uint64_t bench, unsigned bits)
{
    uint64_t at;
    if (!word_at(image, bench, bits, &at) || at >= image->n ||
        !memchr(image->bytes + at, '\0', image->n - at))
        return NULL;
    return (const char *)image->bytes + at;
}

/* What only void payload(long n) can use. newlib's other functions may contain an assert(), and so what ends
 * a call: the module does not tell the kernel of it. */
static const char *misplaced(struct program_image *image)
{
    if (image->regions) return "region_table() is for payload(): a benchmark gets its table as run->regions";
    if (image->trace) return "trace_ring() is for payload(): a benchmark gets its ring as run->trace";
    if (image->once) return "printf() is for payload(): an experiment has lab_value()";
    image->start = image->enter = image->output = 0;
    return NULL;
}

/* As the kernel sorts its own. */
static int by_name(const void *a, const void *b)
{
    const struct program_entry *x = a, *y = b;
    return strcmp(x->name, y->name);
}

bool program_descriptors(const struct command *self, struct program_image *image, uint64_t table,
                         uint64_t bytes, unsigned bits, struct program_entry *entry, size_t *entries)
{
    const uint64_t row = 2 * bits / 8; /* struct bench_row */
    const char *wrong = misplaced(image);
    if (wrong) return command_failed(self, STATUS_USAGE, "%s", wrong), false;
    if (bytes / row > PROGRAM_ENTRIES)
        return command_failed(self, STATUS_USAGE, "it has %llu BENCHMARK()s; %d are valid",
                              (unsigned long long)(bytes / row), PROGRAM_ENTRIES),
               false;
    for (*entries = 0; *entries < bytes / row; ++*entries) {
        uint64_t bench, interface;
        const char *name;
        if (!word_at(image, table + *entries * row, bits, &bench) ||
            !word_at(image, table + *entries * row + bits / 8, bits, &interface) ||
            !(name = name_of(image, bench, bits)))
            return command_failed(self, STATUS_USAGE, "BENCHMARK() %zu of it has no name", *entries + 1),
                   false;
        if (interface != ANECHOIC_INTERFACE)
            return command_failed(self, STATUS_USAGE,
                                  "%s was compiled for version %llu of the interface, and this program has "
                                  "%d: compile it "
                                  "again",
                                  name, (unsigned long long)interface, ANECHOIC_INTERFACE),
                   false;
        for (size_t i = 0; i < *entries; i++)
            if (strcmp(entry[i].name, name) == 0)
                return command_failed(self, STATUS_USAGE, "it has two BENCHMARK()s of the name %s", name),
                       false;
        entry[*entries] = (struct program_entry){.name = name, .at = (uint32_t)bench};
    }
    qsort(entry, *entries, sizeof *entry, by_name);
    image->interface = ANECHOIC_INTERFACE;
    return true;
}
