#include "tests/unit/netburst_catalogue.h"
#include "tests/unit/netburst_manual.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

struct item catalogue[CATALOGUE];
unsigned n_catalogue;

static struct item *add(const char *name, unsigned select, unsigned esel, unsigned mask, uint32_t counters)
{
    struct item *i = &catalogue[n_catalogue++];
    size_t k = 0;
    memset(i, 0, sizeof *i);
    for (; name[k]; k++) i->word[k] = (char)tolower(name[k]);
    snprintf(i->word + k, sizeof i->word - k, ":0x%x", mask);
    i->esel = esel;
    i->value = select << 25 | mask << 9 | 0xc;
    i->counters = counters & USABLE;
    return i;
}

static void add_event(const struct nb_event *e, unsigned mask)
{
    struct item *i = add(e->name, e->select, e->esel, mask, e->counters);
    if (strcmp(e->name, "IOQ_active_entries") == 0) {
        i->up_escr[0] = 0x3a2;
        i->up = 0x03u << 25 | mask << 9 | 0xc;
    } else if (strcmp(e->name, "bsq_active_entries") == 0) {
        i->up_escr[0] = 0x3a0;
        i->up = 0x05u << 25 | mask << 9 | 0xc;
    } else if (strcmp(e->name, "replay_event") == 0) {
        i->is_replay = true;
    } else if (strcmp(e->name, "front_end_event") == 0) {
        i->front_plain = true;
    } else if (strcmp(e->name, "uop_type") == 0) {
        i->front = mask;
    } else if (strcmp(e->name, "execution_event") == 0) {
        i->sees = (mask | mask >> 4) & 15;
    }
}

void fill_catalogue(void)
{
    n_catalogue = 0;
    for (unsigned k = 0; k < N(nb_events); k++) {
        unsigned all = 0, first = 16;
        for (const char *m = nb_events[k].masks; m; m = strchr(m, ',') ? strchr(m, ',') + 1 : NULL) {
            unsigned bit = (unsigned)strtoul(m, NULL, 10);
            all |= 1u << bit;
            if (bit < first) first = bit;
        }
        add_event(&nb_events[k], all);
        if (all != 1u << first) add_event(&nb_events[k], 1u << first);
    }
    static const unsigned select[] = {0x08, 0x0e};
    static const char *const name[] = {"packed_SP_uop", "scalar_DP_uop"};
    for (unsigned k = 0; k < 2; k++)
        for (unsigned tag = 1; tag < 4; tag++) { /* upstream events of the user's */
            struct item *i = add(name[k], select[k], 1, 0x8000, 0xf00);
            char with[16];
            snprintf(with, sizeof with, ":tag=%u", tag);
            strcat(i->word, with);
            i->value |= 1u << 4 | tag << 5;
            i->sets = tag;
            i->kind = select[k];
        }
    for (unsigned k = 0; k < N(nb_metrics); k++)
        for (unsigned mask = 1; mask < 3; mask++) { /* nbogus, bogus */
            const struct nb_metric *m = &nb_metrics[k];
            struct item *i = add(m->name, m->down, 5, mask, 0x3f000);
            i->up_escr[0] = m->escr[0];
            i->up_escr[1] = m->escr[1];
            if (m->upstream) i->up = m->upstream | 0xc;
            i->replay = (uint64_t)m->vert << 32 | m->enable;
            i->is_replay = m->down == 0x09;
            i->metric = m->down == 0x0c;
            if (i->metric) i->value = 0x0cu << 25 | (mask == 1 ? 1 : 0x10) << 9 | 0xc;
            i->front_metric = m->down == 0x08;
            i->front = i->front_metric ? m->upstream >> 9 & 0xffff : 0;
            i->kind = m->upstream >> 25;
        }
}
