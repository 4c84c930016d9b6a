/* Records of a session that came, by number and CRC, so that one that comes again is known (`resend` at the
 * kernel's prompt). Of the last REPEATS_KEPT numbers, so that memory does not grow with the capture: as many
 * as the kernel keeps, and more. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define REPEATS_KEPT 65536

struct repeats {
    uint32_t *crc;  /* by number modulo REPEATS_KEPT; NULL: nothing has come, or there is no memory */
    uint8_t *came;  /* a bit each: 0, it never came */
    long long next; /* behind the highest number that came */
};

enum repeat {
    REPEAT_NEW,    /* it did not come before, or was damaged then */
    REPEAT_SAME,   /* it did */
    REPEAT_OTHER,  /* one of this number came, with other bytes */
    REPEAT_UNKNOWN /* so long ago that this is not known any more */
};
enum repeat repeats_judge(const struct repeats *r, long long n, uint32_t crc); /* n >= 0 */
void repeats_add(struct repeats *r, long long n, uint32_t crc);
/* The numbers begin anew at n: what came from there on is forgotten. */
void repeats_rewind(struct repeats *r, long long n);
void repeats_free(struct repeats *r); /* begins again */
