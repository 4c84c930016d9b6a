/* What the files of mkevents share: the event that is being read, and what has been. */
#pragma once
#include "pmu/db_format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMUS   128
#define UMASKS 256
#define LINE   2048

/* ---- mkevents_pool.c ---- */

extern const char *input; /* the dump that is read, and where, for messages */
extern unsigned line_number;
__attribute__((noreturn)) void fail(const char *what, const char *which);
void *grow(void *at, size_t size); /* realloc(), or the end */

struct bytes { /* that grow */
    uint8_t *at;
    uint32_t n, cap;
};
uint32_t append(struct bytes *b, const void *data, uint32_t n); /* returns where */

/* Strings, each once: its place in the pool. */
extern struct bytes pool;
uint32_t intern(const char *s);
uint32_t intern_lower(const char *s);
const char *string(uint32_t at);
bool begins(const char *s, const char *with);

/* ---- what is read ---- */

struct words { /* of an encoding: select and extra, or ESCR and CCCR */
    uint64_t w[2];
};

struct umask {
    uint32_t name, desc;
    struct words alone; /* how the library encodes it by itself */
    uint64_t code;
    char same[512]; /* "A:B", which it is another name for */
    bool is_default;
    struct words set;
    uint64_t clear; /* of the first word */
    uint8_t drops, brings;
    unsigned class;
};
extern struct umask umask[UMASKS];

struct event { /* the one being read */
    uint32_t name, desc;
    bool open, bare_known, extra;
    bool latency; /* its second word is a load latency, not bits of unit masks */
    uint64_t layer[DB_LAYERS];
    unsigned n_layers;
    uint8_t there; /* layers that are there without a unit mask */
    uint8_t modifiers;
    struct words bare, pair[UMASKS][UMASKS];
    bool together[UMASKS][UMASKS];
    unsigned n;
};
extern struct event now;

struct three { /* its combinations of three */
    unsigned of[3];
    struct words is;
};
#define THREES (UMASKS * UMASKS / 2)
extern struct three three[THREES];
extern unsigned n_threes;

struct pmu {
    struct db_pmu record;
    uint32_t name;
    struct {
        uint32_t name, event; /* its place among the events */
    } * event;
    unsigned n;
};
extern struct pmu pmu[PMUS];
extern unsigned n_pmus; /* the last one is the event's */

/* ---- mkevents_model.c: an event's bits, and which unit masks exclude each other ---- */

/* Fills now.bare, now.layer and the unit masks' bits and classes, and checks that these give every encoding
 * that was read; ends the program where they do not. apart: of each class, those that exclude it. */
void find_model(uint8_t apart[DB_CLASSES]);

/* ---- mkevents_event.c: an event's record ---- */

extern struct bytes events;     /* records with their unit masks */
bool left_out(const char *pmu); /* by events_fixes.h */
void write_event(void);         /* the model, mended, as a record */
