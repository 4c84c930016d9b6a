/* Models by name, and the life of one. */
#include "sim/core.h"
#include <stdlib.h>
#include <string.h>

static const struct sim_model models[] = {
#define MODEL(name, family, signature, ...) {#name, &sim_##family##_family, signature, &sim_traits_##name},
#include "sim/models.def"
#undef MODEL
};
#define MODELS (sizeof models / sizeof *models)

static const struct sim_model *model_named(const char *name)
{
    for (unsigned i = 0; i < MODELS; i++)
        if (strcmp(models[i].name, name) == 0) return &models[i];
    return NULL;
}

/* Its bit of sim_event.models: which of its family's it is. */
static uint8_t model_bit(const struct sim_model *m)
{
    unsigned before = 0;
    for (const struct sim_model *other = models; other < m; other++) before += other->family == m->family;
    return (uint8_t)(1u << before);
}

/* Bits of the switches named in list, by index into names. */
static bool parse_errata(const char *const *names, const char *list, uint32_t *bits)
{
    *bits = 0;
    if (!list) return true;
    while (*list) {
        size_t len = strcspn(list, ",");
        unsigned k = 0;
        while (names[k] && (strlen(names[k]) != len || strncmp(names[k], list, len) != 0)) k++;
        if (!names[k]) return false;
        *bits |= 1u << k;
        list += len;
        if (*list == ',' && *++list == 0) return false;
    }
    return true;
}

/* ---- public ---- */

struct sim *sim_new(const char *model, const char *errata, const struct sim_host *host)
{
    const struct sim_model *m = model_named(model);
    uint32_t bits;
    if (!m || !parse_errata(m->family->errata, errata, &bits)) return NULL;
    struct sim *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->model = m;
    s->family = m->family;
    s->model_bit = model_bit(m);
    s->errata = bits;
    if (host) s->host = *host;
    s->state = calloc(1, s->family->state_size);
    if (!s->state || !s->family->init(s)) {
        sim_free(s);
        return NULL;
    }
    sim_reset(s);
    return s;
}

struct sim *sim_thread(struct sim *first, const struct sim_host *host)
{
    if (!first->family->pair || first->sibling) return NULL;
    struct sim *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->model = first->model;
    s->family = first->family;
    s->model_bit = first->model_bit;
    s->errata = first->errata;
    s->interrupt = first->interrupt;
    if (host) s->host = *host;
    s->state = first->state;
    s->sibling = first;
    s->thread = 1;
    if (!s->family->pair(s)) {
        free(s);
        return NULL;
    }
    first->sibling = s;
    sim_reset(first);
    sim_reset(s);
    return s;
}

void sim_free(struct sim *s)
{
    if (!s) return;
    sim_oracle_free(s);
    if (s->thread == 0) {
        if (s->state) s->family->fini(s);
        free(s->state);
    } else {
        if (s->state != s->sibling->state) free(s->state);
        s->sibling->sibling = NULL;
    }
    free(s);
}

const char *sim_model_name(unsigned i) { return i < MODELS ? models[i].name : NULL; }

const char *sim_family_model(const char *family, unsigned i)
{
    for (const struct sim_model *m = models; m < models + MODELS; m++)
        if (strcmp(m->family->name, family) == 0 && i-- == 0) return m->name;
    return NULL;
}

const char *sim_erratum_name(const char *model, unsigned i)
{
    const struct sim_model *m = model_named(model);
    for (unsigned k = 0; m && m->family->errata[k]; k++) {
        if (k == i) return m->family->errata[k];
    }
    return NULL;
}

void sim_reset(struct sim *s)
{
    sim_settle(s);
    s->active = s->oracle != NULL;
    s->halted = false;
    s->cpl = 0;
    sim_pmi_reset(s);
    s->family->reset(s);
}
