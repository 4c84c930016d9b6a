/* Samples for a test of profiles: of code as the article's, a load that misses amid loads that hit. */
#pragma once
#include "measure/profile.h"

#define N(a) (sizeof(a) / sizeof(a)[0])

extern uint8_t memory[1 << 18];
extern struct arena arena; /* at first all of memory[] */
extern const struct profile_filter all;
extern const struct cache p4;

/* ---- code ---- */

#define TARGET_AT 30
extern uint8_t bytes[400];  /* 15 x mov 0(%ebx),%ecx as 8B 0B; mov (%eax),%eax; movs of six bytes */
extern struct code article; /* without benchmarks */

/* Code and arena as they are at first: before each test. */
int prepare(void **state);

uint64_t ip_behind(unsigned instructions); /* that many behind the target */

/* ---- samples ---- */

extern struct samples samples;

void take_none(void);

/* One more, with its address and counter. */
struct sample *take(uint64_t ip);

/* A load of the target's with all that PEBS may say. Its data: a place for each level. */
struct sample *take_load(unsigned level, unsigned tlb, uint32_t latency);
void take_loads(
    void); /* a hundred of them: 60 from L2, 30 from L3, 9 from memory, one of which less is known */

extern const struct profile_line table_1[8];

/* PEBS samples with EAX as in table 1, in an order that is not sorted. */
void take_table_1(void);
