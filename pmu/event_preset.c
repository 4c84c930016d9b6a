/* What an event word may say about its counter's beginning: init=VALUE, and A+>B. */
#include "pmu/event_fields.h"
#include <string.h>

#define REFUSE(...) pmu_refuse(why, cap, __VA_ARGS__)

/* ---- presets ---- */

void pmu_presets(const struct pmu *pmu, int64_t *least, int64_t *most)
{
    const bool all = pmu->preset_width == pmu->width;
    *least = -(int64_t)(1ull << (pmu->preset_width - 1));
    *most = (int64_t)(1ull << (pmu->preset_width - !all)) - 1;
}

static bool preset_number(const char *s, int64_t *value)
{
    const bool minus = *s == '-';
    const unsigned base = strncmp(s + minus, "0x", 2) == 0 ? 16 : 10;
    uint64_t v = 0;
    s += minus + (base == 16 ? 2 : 0);
    if (!*s) return false;
    for (; *s; s++) {
        const unsigned digit = *s >= '0' && *s <= '9'   ? (unsigned)(*s - '0')
                               : *s >= 'a' && *s <= 'f' ? (unsigned)(*s - 'a') + 10
                                                        : base;
        if (digit >= base) return false;
        v = v * base + digit;
        if (v >> 56) return false; /* beyond every counter */
    }
    *value = minus ? -(int64_t)v : (int64_t)v;
    return true;
}

bool pmu_take_preset(const struct pmu *pmu, char *s, struct pmu_code *out, char *why, size_t cap)
{
    static const char key[] = ":init=";
    char *at = strstr(s, key);
    int64_t least, most;
    if (!at) return true;
    char *value = at + sizeof key - 1, *rest = pmu_cut(value, ':');
    if (!pmu->preset_width) return REFUSE("counters of this CPU take no init=");
    pmu_presets(pmu, &least, &most);
    if (!preset_number(value, &out->init) || out->init < least || out->init > most)
        return REFUSE("init= takes a number from %lld to %lld here, such as -1000%s", (long long)least,
                      (long long)most,
                      pmu->preset_width == pmu->width
                          ? ""
                          : ": only 32 bits of a counter can be written, and bit 31 is copied upwards");
    if (out->init >> (pmu->width - 1) > 0) out->init -= 1ll << pmu->width; /* its sign */
    *at = '\0';
    if (rest) {
        *at++ = ':';
        memmove(at, rest, strlen(rest) + 1);
    }
    if (strstr(s, key)) return REFUSE("init is given twice");
    return out->preset = true;
}

/* ---- cascades ---- */

bool pmu_code_starts(const struct pmu_code *a, const struct pmu_code *target)
{
    const size_t n = strlen(a->name), mark = sizeof PMU_CASCADE - 1;
    return a->cascade == CASCADE_STARTER && target->cascade == CASCADE_TARGET &&
           strncmp(a->name, target->name, n) == 0 && strncmp(target->name + n, PMU_CASCADE, mark) == 0;
}

size_t pmu_cascade_mark(const char *word, size_t len)
{
    for (size_t at = 0; at + 1 < len; at++)
        if (word[at] == PMU_CASCADE[0] && word[at + 1] == PMU_CASCADE[1]) return at;
    return len;
}

bool pmu_cascade_parse(const struct pmu *pmu, const char *word, size_t len, struct pmu_code out[2], char *why,
                       size_t cap, char *near, size_t near_cap)
{
    const size_t mark = sizeof PMU_CASCADE - 1, at = pmu_cascade_mark(word, len);
    if (near_cap) near[0] = '\0';
    if (at == len) return REFUSE("a cascade is written A+>B");
    if (len >= PMU_NAME) return REFUSE("longer than any cascade (%u characters)", (unsigned)PMU_NAME - 1);
    if (!pmu->ops || !pmu->ops->cascade)
        return REFUSE("in a cascade (A+>B) one counter starts another, which only NetBurst's can "
                      "(Pentium 4, Pentium D, their Celerons and Xeons)");
    if (!pmu_event_parse(pmu, word, at, &out[0], why, cap, near, near_cap) ||
        !pmu_event_parse(pmu, word + at + mark, len - at - mark, &out[1], why, cap, near, near_cap) ||
        !pmu->ops->cascade(pmu, &out[0], &out[1], why, cap))
        return false;
    memcpy(out[1].name, word, len); /* the rest of it is 0 */
    return true;
}
