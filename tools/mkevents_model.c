/* An event's model: what the library's encodings of it, with no, one, two and three unit masks, have in
 * common (pmu/db_format.h). */
#include "tools/mkevents.h"
#include <string.h>
#include <strings.h>

struct umask umask[UMASKS];
struct event now;
struct three three[THREES];
unsigned n_threes;

static bool same(struct words a, struct words b) { return a.w[0] == b.w[0] && a.w[1] == b.w[1]; }

/* The bits that a unit mask stands for. Some are other names for several; the library then takes those, and
 * the bits beside the name are not always the same (bdw offcore_response_0:any_rfo). */
static uint64_t own_code(const struct umask *u, unsigned depth)
{
    uint64_t code = 0;
    if (!u->same[0] || strchr(u->same, '=') || depth == 4) return u->code; /* "=": with modifiers */
    for (unsigned i = 0; i < now.n; i++) {
        const char *name = string(umask[i].name), *at = u->same;
        size_t len = strlen(name);
        for (; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL)
            if (strncasecmp(at, name, len) == 0 && (at[len] == ':' || at[len] == '\0'))
                code |= own_code(&umask[i], depth + 1);
    }
    return code ? code : u->code;
}

static bool holds(uint64_t bits, uint64_t part) { return (bits & part) == part; }

/* Has u the latency that the library takes where none is given? Other names for one with a latency override
 * it. */
static bool takes_default_latency(const struct umask *u) { return u->alone.w[1] && !u->same[0]; }

/* A unit mask's bits of both words that are its own. */
static struct words own_bits(const struct umask *u)
{
    struct words own = {{0, 0}};
    uint64_t code = own_code(u, 0);
    if (now.latency) {
        own.w[1] = takes_default_latency(u) ? 0 : u->alone.w[1];
        return own;
    }
    if (pmu[n_pmus - 1].record.form == DB_SELECT)
        own.w[now.extra] = now.extra ? code : code << 8;
    else if (code < 16)
        own.w[0] = 1ull << (9 + code);
    for (int w = 0; w < 2; w++) own.w[w] &= u->alone.w[w];
    return own;
}

/* The bits of the layers in mask but d. */
static uint64_t layers_but(uint8_t mask, unsigned d)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < now.n_layers; i++)
        if (i != d && mask >> i & 1) bits |= now.layer[i];
    return bits;
}

/* The second word's defaults, and who drops and brings them. */
static void find_layers(void)
{
    now.n_layers = now.there = 0;
    for (unsigned i = 0; now.latency && i < now.n; i++) {
        struct umask *u = &umask[i];
        u->brings = takes_default_latency(u);
        u->drops = u->alone.w[1] && !u->brings;
        if (!u->brings) continue;
        now.layer[0] = u->alone.w[1];
        now.n_layers = 1;
    }
    if (now.latency) return;
    for (unsigned i = 0; i < now.n; i++) {
        if (!umask[i].is_default || !now.extra) continue;
        uint64_t bits = umask[i].code; /* a default is taken as it stands, not by its other name */
        unsigned d = 0;
        while (d < now.n_layers && now.layer[d] != bits) d++;
        if (d < now.n_layers || !(umask[i].alone.w[1] & bits)) continue;
        if (d == DB_LAYERS) fail("more defaults than the format has", string(now.name));
        now.layer[now.n_layers++] = bits;
        if (now.bare_known && holds(now.bare.w[1], bits)) now.there |= (uint8_t)(1u << d);
    }
    for (unsigned i = 0; i < now.n; i++) {
        struct umask *u = &umask[i];
        uint64_t own = own_bits(u).w[1];
        u->drops = u->brings = 0;
        for (unsigned d = 0; d < now.n_layers; d++) {
            uint8_t bit = (uint8_t)(1u << d);
            bool has = holds(u->alone.w[1], now.layer[d]);
            if ((now.there & bit) && !has) u->drops |= bit;
            if (!(now.there & bit) && has && !holds(own, now.layer[d])) u->brings |= bit;
        }
    }
    /* A layer that one of two surely keeps and that the two together lack: the other one drops it. */
    for (unsigned i = 0; i < now.n; i++)
        for (unsigned k = 0; k < now.n; k++)
            for (unsigned d = 0; now.together[i][k] && d < now.n_layers; d++) {
                uint8_t kept = (uint8_t)((now.there | umask[i].brings) & ~umask[i].drops);
                uint64_t others = layers_but(kept, d) | own_bits(&umask[i]).w[1];
                if ((kept >> d & 1) && !holds(others, now.layer[d]) &&
                    !holds(now.pair[i][k].w[1], now.layer[d]))
                    umask[k].drops |= (uint8_t)(1u << d);
            }
}

static void find_bits(void)
{
    if (!now.bare_known) { /* no default: what all have in common is the event's */
        now.bare = now.n ? umask[0].alone : (struct words){{0, 0}};
        for (unsigned i = 1; i < now.n; i++)
            for (int w = 0; w < 2; w++) now.bare.w[w] &= umask[i].alone.w[w];
    }
    find_layers();
    now.bare.w[1] &= ~layers_but(now.there, DB_LAYERS);
    for (unsigned i = 0; i < now.n; i++) {
        struct umask *u = &umask[i];
        struct words own = own_bits(u);
        uint8_t kept = (uint8_t)((now.there | u->brings) & ~u->drops);
        u->clear = now.bare.w[0] & ~u->alone.w[0];
        /* Bits of its own that are a default's too stay when another unit mask drops that default. */
        u->set.w[0] = (u->alone.w[0] & ~now.bare.w[0]) | own.w[0];
        u->set.w[1] = (u->alone.w[1] & ~now.bare.w[1] & ~layers_but(kept, DB_LAYERS)) | own.w[1];
    }
}

/* What the model says of up to three unit masks. */
static struct words model(const unsigned *of, unsigned n)
{
    struct words w = now.bare, set = {{0, 0}};
    uint8_t there = now.there, drops = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct umask *u = &umask[of[i]];
        w.w[0] &= ~u->clear;
        there |= u->brings;
        drops |= u->drops;
        for (int k = 0; k < 2; k++) set.w[k] |= u->set.w[k];
    }
    w.w[0] |= set.w[0];
    w.w[1] |= set.w[1] | layers_but(there & (uint8_t)~drops, DB_LAYERS);
    return w;
}

static bool alike(unsigned a, unsigned b)
{
    for (unsigned i = 0; i < now.n; i++)
        if (i != a && i != b && now.together[i][a] != now.together[i][b]) return false;
    return true;
}

/* Classes: unit masks that get on with the same others. */
static void find_classes(uint8_t apart[DB_CLASSES])
{
    unsigned first[DB_CLASSES], second[DB_CLASSES], n = 0;
    for (unsigned i = 0; i < now.n; i++) {
        unsigned c = 0;
        while (c < n &&
               !(alike(first[c], i) &&
                 (second[c] == UMASKS || now.together[first[c]][i] == now.together[first[c]][second[c]])))
            c++;
        if (c == DB_CLASSES) fail("more classes of unit masks than the format has", string(now.name));
        if (c == n)
            first[n] = i, second[n++] = UMASKS;
        else if (second[c] == UMASKS)
            second[c] = i;
        umask[i].class = c;
    }
    memset(apart, 0, DB_CLASSES);
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = 0; b < n; b++) {
            unsigned other = a == b ? second[a] : first[b];
            if (other != UMASKS && !now.together[first[a]][other]) apart[a] |= (uint8_t)(1u << b);
        }
}

/* Does the model say what the library says? */
static void check_model(const uint8_t apart[DB_CLASSES])
{
    for (unsigned a = 0; a < now.n; a++) {
        if (!same(model(&a, 1), umask[a].alone)) fail("the model is wrong for a unit mask", string(now.name));
        for (unsigned b = a + 1; b < now.n; b++) {
            bool together = !(apart[umask[a].class] >> umask[b].class & 1);
            if (together != now.together[a][b]) fail("the classes are wrong", string(now.name));
            if (together && !same(model((unsigned[]){a, b}, 2), now.pair[a][b]))
                fail("the model is wrong for two unit masks", string(now.name));
        }
    }
    for (unsigned i = 0; i < n_threes; i++)
        if (!same(model(three[i].of, 3), three[i].is))
            fail("the model is wrong for three unit masks", string(now.name));
}

void find_model(uint8_t apart[DB_CLASSES])
{
    find_bits();
    find_classes(apart);
    check_model(apart);
}
