/* The parts that event words are made of: numbers, privileges, and fields ("cmask=1", "edge", "t0=u"). They
 * serve /event=0xc4,inv/ and what follows a name alike. Syntax: docs/events.md. */
#pragma once
#include "pmu/driver.h"

/* "0x1f" or "31" of at most 32 bits; nothing else, not even a sign. False: another string, *value is as
 * before. */
bool pmu_number(const char *s, uint32_t *value);

/* "u", "k", "uk": added to earlier privileges. False: another string. */
bool pmu_privilege(const char *s, bool *usr, bool *os);

/* Cut s at its first c: returns the part after it; NULL: there is no c. */
char *pmu_cut(char *s, char c);

enum pmu_field_takes { FIELD_TAKES_NUMBER, FIELD_TAKES_NOTHING, FIELD_TAKES_PRIVILEGE };

/* A field's word, and the place of its value. */
struct pmu_field_word {
    const char *name;
    uint16_t bit; /* enum pmu_field */
    uint8_t at;   /* offset in struct pmu_fields of a uint32_t, a bool or a struct pmu_thread, as it takes */
    enum pmu_field_takes takes;
    bool modifier; /* it may also follow the name of an event */
};

/* The field that s ("name" or "name=...") names. NULL: this family has no such field. */
const struct pmu_field_word *pmu_field_named(const struct pmu *pmu, const char *s);

/* The fields that this family accepts, for an error: "event=, umask=, inv". */
void pmu_field_list(const struct pmu *pmu, char *out, size_t cap);

/* Set the field of f that s names from its value; s is cut at its "=". False: a second time, or a wrong
 * value; why says it. */
bool pmu_field_set(const struct pmu_field_word *word, char *s, struct pmu_fields *f, char *why,
                   size_t why_cap);

/* Take init=VALUE out of the word s (lower case) and into *out: it may follow every kind of event, at any
 * place behind its name. False: why says what is wrong with it, and what is valid. */
bool pmu_take_preset(const struct pmu *pmu, char *s, struct pmu_code *out, char *why, size_t cap);
