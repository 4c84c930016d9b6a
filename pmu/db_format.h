/* The event database as it lies in memory: written by tools/mkevents.c, read by pmu/database.c.
 *
 * Everything is little-endian, and the compiler adds no padding. Offsets are bytes from the start of the file
 * and multiples of 4; names and descriptions are offsets into the pool of NUL-terminated strings at the end.
 * Names are lower case; PMUs, a PMU's events and an event's unit masks are in the order of strcmp().
 *
 *   header | PMUs | for each PMU: offsets of its events, rules for counters | events with unit masks |
 * strings
 *
 * PMUs share identical events.
 *
 * An event's encoding: `select` is the value without a unit mask. `clear` of each named unit mask is removed
 * from it, then `set` of each is added. This reproduces libpfm4's groups with defaults: a unit mask removes
 * only the default of its group. If `extra` depends on unit masks too, defaults can share bits and depend on
 * each other: then each default is a layer, which unit masks drop or add.
 */
#pragma once
#include <stdint.h>

#define DB_MAGIC   "ANEvents" /* without a NUL */
#define DB_VERSION 1u

struct db_header {
    char magic[8];
    uint32_t version; /* DB_VERSION; any other is another format */
    uint32_t size;    /* of the whole file, a multiple of 4 */
    uint32_t sum[2];  /* db_sum() of everything after this field */
    uint32_t strings, strings_size;
    uint32_t source; /* string: its source */
    uint32_t pmus, n_pmus;
};

enum db_form {
    DB_SELECT, /* select as in PERFEVTSEL or AMD's PERF_CTL; extra goes into the MSR extra_msr */
    DB_ESCR    /* select is the ESCR, extra the CCCR; MSRs not given: pmu/netburst.c knows them */
};

struct db_pmu {
    uint32_t name, desc;
    uint32_t events, rules;
    uint16_t n_events;
    uint8_t n_rules, form; /* enum db_form */
};

/* The counters that can count an event: the first rule that fits; without one, the family's rule applies. */
struct db_rule {
    uint16_t first, last; /* event select, 12 bits */
    uint8_t umask, mask;  /* unit mask under mask */
    uint16_t fixed;       /* bit i: fixed counter i */
    uint32_t general;     /* bit i: general-purpose counter i */
};

enum {
    DB_WANTS_UMASK = 1, /* there is no default */
    DB_LONG_UMASKS = 2, /* unit masks are struct db_long_umask */
};

/* Properties that may follow its name. */
enum { DB_EDGE = 1, DB_INV = 2, DB_CMASK = 4, DB_ANY = 8, DB_USR = 16, DB_OS = 32 };

#define DB_CLASSES 8
#define DB_NAME    0xffffffu /* of db_umask.name: the string */

struct db_event {
    uint32_t name, desc;
    uint32_t select, extra; /* without enable, interrupt and privilege */
    uint8_t select_hi, extra_hi;
    uint16_t extra_msr; /* 0: none */
    uint8_t n_umasks, flags, modifiers, reserved;
    uint8_t
        apart[DB_CLASSES]; /* bit b of apart[a]: unit masks of class a and of class b exclude each other */
};

/* Follows its event. */
struct db_umask {
    uint32_t name; /* 24 bits; above them the class */
    uint32_t desc;
    uint32_t set, clear; /* of select */
};

#define DB_LAYERS 4

/* Between an event with DB_LONG_UMASKS and its unit masks. A layer that one unit mask drops is dropped, even
 * if others add it. */
struct db_layers {
    uint32_t bits[DB_LAYERS];
    uint8_t bits_hi[DB_LAYERS];
    uint8_t there, reserved[3]; /* bit i: layer i applies without a unit mask */
};

struct db_long_umask {
    struct db_umask is;
    uint32_t set; /* of extra */
    uint8_t set_hi, drops, brings, reserved;
};

_Static_assert(sizeof(struct db_header) == 44 && sizeof(struct db_pmu) == 20 &&
                   sizeof(struct db_rule) == 12 && sizeof(struct db_event) == 32 &&
                   sizeof(struct db_umask) == 16 && sizeof(struct db_layers) == 24 &&
                   sizeof(struct db_long_umask) == 24,
               "the format has no padding");

/* Fletcher's checksum over 32-bit words, which finds any one damaged word, or two exchanged words, and takes
 * three instructions per word: the whole database in some milliseconds on the slowest machine. */
static inline void db_sum(const void *at, uint32_t size, uint32_t sum[2])
{
    const uint32_t *w = at;
    sum[0] = 1, sum[1] = 0;
    for (uint32_t n = size / 4; n; n--) {
        sum[0] += *w++;
        sum[1] += sum[0];
    }
}
