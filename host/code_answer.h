/* The answers of bench=code: a line "NAME: VALUE" for each event, as nanoBench prints them, or a table for
 * programs. They are taken from records, as these come or from a capture. */
#pragma once
#include "host/records.h"
#include "host/snippets.h"
#include "host/table.h"

#define ANSWER_AGGREGATES "min|median|mean|max"

struct answers {
    /* Set before answers_begin(). */
    const char *command;             /* in messages */
    enum table_format format;        /* TABLE_TEXT: printed at once */
    const char *aggregate;           /* which of the statistics; a field of the records */
    bool total;                      /* of all operations together, not of one */
    const struct snippets *snippets; /* whose lines errors name; NULL: not known */
    bool headings;                   /* the snippets' names and parameters above their lines */

    size_t answered, failed;                      /* snippets, with each value of a range one; faults */
    char heading[512];                            /* of the snippet that came last */
    bool printed, stepped;                        /* stepped: a table of steps= */
    bool modelled, emulated, virtualized, hosted; /* where the numbers come from */
    json_t *boot, *cpu;                           /* the session's records, or NULL */
    struct table table;
};

void answers_begin(struct answers *a);
/* A record of a session, whatever it is. Faults and notes that are about snippets go to standard error. */
void answers_record(struct answers *a, const struct received *r);
/* Says where the numbers come from, and prints the table. False: it could not be printed; errno says why. */
bool answers_end(struct answers *a);
