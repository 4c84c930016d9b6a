/* Tags of μops, as programmed by the upstream ESCRs and the PEBS registers (SDM 18.15.6, tables 19-31 to
 * 19-33). */
#include "sim/netburst.h"
#include <string.h>

#define BIT(n) (1u << (n))

enum {
    UOP_TYPE = 0x02,         /* RAT */
    LOAD_PORT_REPLAY = 0x04, /* SAAT */
    STORE_PORT_REPLAY = 0x05,
};

/* Upstream of execution_event: the event select of each class. Mask ALL. */
static const uint8_t class_select[NB_CLASSES] = {
    [CLASS_PACKED_SP] = 0x08, [CLASS_PACKED_DP] = 0x0c, [CLASS_SCALAR_SP] = 0x0a, [CLASS_SCALAR_DP] = 0x0e,
    [CLASS_MMX64] = 0x02,     [CLASS_MMX128] = 0x1a,    [CLASS_X87] = 0x04,
};
#define MASK_ALL BIT(15)

/* "May be powered down unless some counter of that ESCR (or its pair) is enabled and a non-zero event is
 * selected" (facts 3.3): an upstream event tags nothing then. */
static bool has_power(const struct sim *s, enum nb_unit unit)
{
    const struct netburst *nb = nb_of(s);
    for (unsigned n = 0; n < NB_COUNTERS; n++) {
        const uint32_t cccr = nb->counter[n].cccr;
        unsigned side;
        if (cccr & CCCR_ENABLE && nb_route(n, CCCR_ESEL(cccr), &side) == unit &&
            ESCR_SELECT(nb_escr(s, unit, side)) != 0)
            return true;
    }
    return false;
}

/* The part of a unit's ESCR that controls tags. */
static uint32_t upstream(const struct sim *s, enum nb_unit unit, unsigned side)
{
    return has_power(s, unit) ? nb_escr(s, unit, side) : 0;
}

/* An ESCR of this unit selects the event with this mask bit at this level. */
static bool selects(uint32_t escr, unsigned select, uint32_t mask, unsigned level)
{
    return ESCR_SELECT(escr) == select && ESCR_MASK(escr) & mask && escr & nb_level_bit(level);
}

static void resolve_replay(const struct sim *s, struct nb_tags *t, unsigned level)
{
    const struct netburst *nb = nb_of(s);
    const bool loads = nb->pebs_matrix & PEBS_MATRIX_LOADS, stores = nb->pebs_matrix & PEBS_MATRIX_STORES;
    const uint64_t on = nb->pebs_tags & PEBS_UOP_TAG ? nb->pebs_tags : 0;
    bool split_loads, split_stores;

    /* Split loads through SAAT_ESCR1; split stores through SAAT_ESCR0 by table 19-33 and through ESCR1 by the
     * event's own entry: either. */
    split_loads = selects(upstream(s, U_SAAT, 1), LOAD_PORT_REPLAY, BIT(1), level);
    split_stores = selects(upstream(s, U_SAAT, 0), STORE_PORT_REPLAY, BIT(1), level) ||
                   selects(upstream(s, U_SAAT, 1), STORE_PORT_REPLAY, BIT(1), level);
    if (loads && on & BIT(0)) t->replay_loads[level] |= REPLAY_L1;
    if (loads && on & BIT(1)) t->replay_loads[level] |= REPLAY_L2;
    if (loads && on & BIT(2)) t->replay_loads[level] |= REPLAY_DTLB;
    if (stores && on & BIT(2)) t->replay_stores[level] |= REPLAY_DTLB;
    if (loads && on & BIT(10) && split_loads) t->replay_loads[level] |= REPLAY_SPLIT;
    if (stores && on & BIT(10) && split_stores) t->replay_stores[level] |= REPLAY_SPLIT;
}

void nb_resolve_tags(struct sim *s)
{
    struct nb_tags *t = &nb_of(s)->tags;
    memset(t, 0, sizeof *t);
    for (unsigned level = 0; level < NB_LEVELS; level++) {
        resolve_replay(s, t, level);
        for (unsigned side = 0; side < 2; side++) {
            const uint32_t rat = upstream(s, U_RAT, side), firm = upstream(s, U_FIRM, side);
            t->loads[level] |= selects(rat, UOP_TYPE, BIT(1), level);
            t->stores[level] |= selects(rat, UOP_TYPE, BIT(2), level);
            for (unsigned k = 0; firm & ESCR_TAG && k < NB_CLASSES; k++)
                if (selects(firm, class_select[k], MASK_ALL, level))
                    t->execution[level][k] |= ESCR_TAG_VALUE(firm);
        }
    }
}
