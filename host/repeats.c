#include "host/repeats.h"
#include <stdlib.h>
#include <string.h>

#define BITS_BYTES (REPEATS_KEPT / 8)

static void set(struct repeats *r, long long n, bool came)
{
    const unsigned at = (unsigned)(n % REPEATS_KEPT);
    r->came[at / 8] = (uint8_t)((r->came[at / 8] & ~(1u << at % 8)) | (unsigned)came << at % 8);
}

/* Numbers from next to n have no slot yet: what these held is forgotten. */
static void advance(struct repeats *r, long long n)
{
    if (n - r->next >= REPEATS_KEPT)
        memset(r->came, 0, BITS_BYTES);
    else
        for (long long i = r->next; i <= n; i++) set(r, i, false);
    r->next = n + 1;
}

/* ---- public ---- */

enum repeat repeats_judge(const struct repeats *r, long long n, uint32_t crc)
{
    if (n >= r->next) return REPEAT_NEW;
    if (!r->crc || n < r->next - REPEATS_KEPT) return REPEAT_UNKNOWN;
    const unsigned at = (unsigned)(n % REPEATS_KEPT);
    if (!(r->came[at / 8] >> at % 8 & 1)) return REPEAT_NEW;
    return r->crc[at] == crc ? REPEAT_SAME : REPEAT_OTHER;
}

void repeats_add(struct repeats *r, long long n, uint32_t crc)
{
    if (!r->crc)
        r->crc = calloc(1, REPEATS_KEPT * sizeof *r->crc + BITS_BYTES); /* pages come as they are used */
    if (!r->crc) { /* nothing can be judged: from now on all that is below next is unknown */
        if (n >= r->next) r->next = n + 1;
        return;
    }
    r->came = (uint8_t *)(r->crc + REPEATS_KEPT);
    if (n >= r->next) advance(r, n);
    if (n < r->next - REPEATS_KEPT) return;
    r->crc[n % REPEATS_KEPT] = crc;
    set(r, n, true);
}

void repeats_rewind(struct repeats *r, long long n)
{
    if (n < r->next) r->next = n;
}

void repeats_free(struct repeats *r)
{
    free(r->crc);
    *r = (struct repeats){.next = 0};
}
