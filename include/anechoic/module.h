/* A module: a file that the loader hands to the kernel, with code of the user's own. This is its format.
 *
 * A header, a table, then strings and code. All numbers are little-endian; places are offsets in bytes from
 * the file's beginning. The host tool makes modules (host/module.h), the kernel reads them (kernel/module.h)
 * and verifies them as a whole before anything in them runs.
 *
 * Kind 1, snippets: the table has a struct module_snippet for each. The code of a snippet stands there once;
 * the kernel repeats it, so that a module of thousands stays small.
 *
 * Kind 2, a program: a struct module_program lies right behind the header, and the table has a struct
 * module_benchmark for each function that is measured. The program is one image, linked to run at address 0;
 * the kernel copies it to a page, clears what the file does not have, and adds the page's address to the
 * words that are listed.
 *
 * Kind 3, benchmarks with descriptors: sources as in bench/ and experiments/. A struct module_descriptors
 * lies right behind the header, and the table has a struct module_benchmark for each BENCHMARK() and
 * EXPERIMENT(). The image is loaded once, before anything is measured, and gets the addresses of the kernel's
 * functions.
 */
#pragma once
#include <stdint.h>

#define MODULE_MAGIC   "ANECHMOD" /* 8 bytes, without the NUL */
#define MODULE_VERSION 2

enum module_kind { MODULE_SNIPPETS = 1, MODULE_PROGRAM, MODULE_DESCRIPTORS, MODULE_KINDS };

struct module_header {
    char magic[8];
    uint32_t version;
    uint32_t crc;   /* CRC-32 (IEEE 802.3) of all bytes that follow this field, up to `bytes` */
    uint32_t bytes; /* of the whole file; loaders may load more */
    uint32_t kind;  /* enum module_kind */
    uint32_t bits;  /* 32 or 64: the mode that its code was made for */
    uint32_t count; /* rows of the table, at least 1 */
    uint32_t table; /* where it is; a multiple of 4 */
};

/* A string ends with a NUL inside of the file. Code of no bytes is at 0. */
struct module_code {
    uint32_t at, bytes;
};

/* When a part of a snippet runs, with nanoBench's meaning. */
enum snippet_part {
    SNIPPET_ONE_TIME, /* once, before everything else */
    SNIPPET_INIT,     /* in each repetition, before the code; what it does is over when the code begins */
    SNIPPET_LATE,     /* in each repetition, right before the code, which may begin while it still runs */
    SNIPPET_BODY,     /* the code: repeated, and counted */
    SNIPPET_PARTS
};

/* Marks in the code of a snippet (SNIPPET_BODY), 8 bytes each, little-endian: with no_mem=1 counting stops
 * there and starts again. The first two are nanoBench's. What replaces a mark is longer, and moves the code
 * behind it, unless there is room: so many MODULE_ROOM behind the mark as are needed; 96 bytes
 * with the mark are always enough, with 32 bits 32. So code that jumps across a mark needs them. */
#define MODULE_STOP       0xf0b513b1c2813f04ull
#define MODULE_START      0xe0b513b1c2813f04ull
#define MODULE_ROOM       0xd0b513b1c2813f04ull
#define MODULE_MARK_BYTES 8

struct module_snippet {
    uint32_t name; /* a string: the result's variant. Unique in the module, printable, 1 to 63 bytes */
    struct module_code part[SNIPPET_PARTS];
};

/* Places inside of the image are offsets in bytes from its beginning. What may be missing is 0 then. */
struct module_program {
    uint32_t name;            /* a string: of the file, without .mod */
    uint8_t build_id[20];     /* of the linked file, for its debug information; zeros: it has none */
    uint32_t memory;          /* bytes of the image where it runs; a multiple of 4 */
    struct module_code image; /* what the file has of it, from its beginning; the rest is 0 */
    uint32_t text, text_end;  /* its machine code */
    uint32_t relocation; /* in the file, a multiple of 4: offsets of words, ascending, none inside another.
                            A word has the bits of the mode */
    uint32_t relocations;
    uint32_t symbol; /* in the file, a multiple of 4: struct module_symbol, ascending */
    uint32_t symbols;
    uint32_t regions; /* a word that gets the address of the table of regions (bench/region.h); may be missing
                       */
    struct module_code labels; /* of regions 0, 1, ...: strings, one behind the other; may be missing */
    /* Of a program that prints, or that may end before it returns (lib/payload/); all three may be missing.
     */
    uint32_t start;  /* in text: is called instead of the entry, and calls it */
    uint32_t enter;  /* a word: the entry's address, for start */
    uint32_t once;   /* in text: void once(void), called before all else; may be missing */
    uint32_t output; /* a struct module_output, at a multiple of 4 */
    uint32_t trace;  /* a word that gets the address of the ring of a trace (bench/trace.h); may be missing */
    struct module_code channels; /* labels of its channels 0, 1, ..., as those of regions */
};

/* A function. */
struct module_symbol {
    uint32_t at, bytes; /* in text; bytes 0: not known */
    uint32_t name;      /* a string */
};

/* What a call leaves for the kernel to read, after the last one. The program clears `bytes` at the beginning
 * of a call. */
#define MODULE_OUTPUT_BYTES 4096
enum module_ended { MODULE_RETURNED, MODULE_EXITED, MODULE_ABORTED, MODULE_ENDINGS };
struct module_output {
    uint32_t bytes; /* printed; those that text has no room for are counted, too */
    uint32_t ended; /* enum module_ended, of the last call that did not return with status 0 */
    int32_t status; /* of exit() */
    char text[MODULE_OUTPUT_BYTES];
};

struct module_benchmark {
    uint32_t name;  /* a string: of bench=. Unique, a letter, then letters, digits or _, 1 to 63 bytes */
    uint32_t entry; /* in text: void entry(intptr_t arg). Of kind 3: its struct bench (bench/bench.h) */
    uint32_t
        arg[2]; /* what arg= is unless the command line says otherwise; the low half first. Of kind 3: 0 */
};

struct module_descriptors {
    struct module_program program; /* nothing in it that a call needs: from regions on all is 0 */
    uint32_t interface;            /* ANECHOIC_INTERFACE of the headers that it was compiled with */
    uint32_t calls; /* a word for each of ANECHOIC_CALLS, at a multiple of a word; 0: it calls none */
};

#define MODULE_NAME_BYTES 64 /* of all names, with the NUL */
