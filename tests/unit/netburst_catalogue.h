/* What each NetBurst event needs, by the manual's tables and nothing of the driver's. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define USABLE (0x3ffffu & ~2u) /* counters: all but 1, which an erratum takes */

struct item {
    char word[64];
    unsigned esel;
    uint32_t value, counters; /* ESCR, at CPL 0-3 of thread 0 */
    uint16_t up_escr[2];
    uint32_t up;            /* 0: none */
    uint64_t replay;        /* 3F1h and 3F2h; for replay_event itself 0 */
    bool is_replay, metric; /* metric: needs a tag value of its own choice */
    unsigned front;         /* front-end tags: the mask of uop_type that a metric or uop_type itself sets */
    bool front_metric, front_plain;
    unsigned sets, sees,
        kind; /* execution tags that a plain event sets (for events of this kind) or counts */
};

#define CATALOGUE 300 /* at most */
extern struct item catalogue[CATALOGUE];
extern unsigned n_catalogue;

/* Every event with all of its masks and with the first alone, upstream events with tags, metrics. */
void fill_catalogue(void);
