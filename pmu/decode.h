/* The registers that select events, in words, and back: fields by name, events and unit masks as this CPU's
 * table and the event database have them, reserved bits that are set. Reads and writes no register.
 */
#pragma once
#include "pmu/pmu.h"

/* What a field of a register means. */
enum pmu_register_kind {
    REGISTER_FLAG,       /* text says what it does when set; clear: not shown */
    REGISTER_NUMBER,     /* text says of what; 0: not shown */
    REGISTER_CHOICE,     /* text has each value's meaning, "of 0|of 1|..." */
    REGISTER_EVENT,      /* event select */
    REGISTER_EVENT_HIGH, /* AMD: its bits 11:8 */
    REGISTER_MASK        /* unit mask; NetBurst: event mask */
};

struct pmu_register_field {
    const char *name; /* the manual's */
    uint8_t low, bits;
    uint8_t kind;       /* enum pmu_register_kind */
    uint32_t instances; /* bit i: the i-th of these registers has it, the others reserve it; 0: all have it */
    const char *text;
};

/* Registers of one kind: fields and MSRs. */
struct pmu_register {
    const char *name; /* lower case: what may follow `as` */
    uint32_t msr;     /* of the first; 0: the counters' own selects */
    uint16_t n;       /* how many there are at consecutive addresses */
    bool by_default;  /* a value without `as` is read as one */
    uint8_t n_fields;
    const struct pmu_register_field *fields;
};

/* Takes one line: a label of at most 18 characters, or "", and its text, of any length. */
typedef void pmu_decode_line(void *ctx, const char *label, const char *text);

/* What `value` means in the register named as[0..len), or with the MSR of that number ("0x186", "186h"). len
 * 0: in each register of this family that such a value may be meant for. False: *why names what is wrong, and
 * what is valid; nothing was passed to line(). */
bool pmu_decode_value(const struct pmu *pmu, uint64_t value, const char *as, size_t len,
                      pmu_decode_line *line, void *ctx, char *why, size_t cap);

/* What counting the event of this word (as after events=) takes: a line for each counter's register, "wrmsr
 * MSR VALUE", followed by what that means. On the lowest counter that can be used, or that would be if one
 * worked. False as above; near as for pmu_event_parse(). */
bool pmu_decode_event(const struct pmu *pmu, const char *word, size_t len, pmu_decode_line *line, void *ctx,
                      char *why, size_t cap, char *near, size_t near_cap);

/* The number of the i-th of a register's MSRs on this CPU; 0: there is none. */
uint32_t pmu_register_msr(const struct pmu *pmu, const struct pmu_register *r, unsigned i);

/* "0x1f", "1fh" or "31". False: it is no number of 64 bits. */
bool pmu_decode_number(const char *s, size_t len, uint64_t *value);

/* ---- the families' registers (pmu/decode_tables.c) ---- */
#define PMU_P5_REGISTERS       1
#define PMU_P6_REGISTERS       1
#define PMU_NETBURST_REGISTERS 4
#define PMU_ARCH_REGISTERS     2
#define PMU_AMD_REGISTERS      1
extern const struct pmu_register pmu_p5_registers[], pmu_p6_registers[], pmu_netburst_registers[],
    pmu_arch_registers[], pmu_amd_registers[];

/* ---- events by code (pmu/decode_names.c) ---- */

/* What a select register says, apart from what surrounds the event. */
struct pmu_sought {
    uint32_t event, umask;
    uint32_t modifiers; /* CMASK, INV, ANY and EDGE, at their bits of PERFEVTSEL */
    uint32_t counters;  /* some of these count it; 0: any */
    int escr;           /* NetBurst: the ESCR, as distance from 3A0h; -1: any */
};

/* Passes each event that this may be to one(): its word with unit masks, and its description. whole: the
 * modifiers are part of it. If none has this unit mask, those that have the event code are passed. Returns
 * their number.
 */
unsigned pmu_decode_names(const struct pmu *pmu, const struct pmu_sought *s,
                          void (*one)(void *ctx, const char *word, const char *desc, bool whole), void *ctx);
