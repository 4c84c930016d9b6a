/* Four functions that are counted here and by other programs (tests/boot/cases/payload.sh): each is called
 * with how much it shall do, makes its own data, and keeps its result in `result`, so that none of it is left
 * out. */
#include <stddef.h>
#include <stdint.h>

#define MOST 4096

static uint32_t random_state;
uint32_t result;

/* Numerical Recipes' generator of 32 bits. */
static uint32_t random_next(void) { return random_state = random_state * 1664525u + 1013904223u; }

/* CRC-32 of n bytes, bit by bit. */
void crc32(long n)
{
    uint32_t crc = ~0u;
    random_state = 1;
    for (long i = 0; i < n; i++) {
        crc ^= random_next() >> 24;
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    result = ~crc;
}

static void sift(uint32_t *heap, size_t at, size_t n)
{
    const uint32_t value = heap[at];
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= value) break;
        heap[at] = heap[child];
    }
    heap[at] = value;
}

/* Heapsort of n numbers, at most MOST. */
void sort(long n)
{
    static uint32_t number[MOST];
    const size_t all = n > MOST ? MOST : (size_t)n;
    random_state = 2;
    for (size_t i = 0; i < all; i++) number[i] = random_next();
    for (size_t i = all / 2; i-- > 0;) sift(number, i, all);
    for (size_t end = all; end-- > 1;) {
        const uint32_t largest = number[0];
        number[0] = number[end];
        number[end] = largest;
        sift(number, 0, end);
    }
    result = all ? number[all / 2] : 0;
}

/* memchr(): in n bytes the first that is 0, at most MOST. */
void find(long n)
{
    static uint8_t bytes[MOST];
    const size_t all = n > MOST ? MOST : (size_t)n;
    random_state = 3;
    for (size_t i = 0; i < all; i++) bytes[i] = (uint8_t)(random_next() >> 24 | 1);
    if (all) bytes[all - 1] = 0;
    const uint8_t *at = bytes;
    while (at < bytes + all && *at != 0) at++;
    result = (uint32_t)(at - bytes);
}

/* The product of two matrices of n rows, at most 32. */
void matrix(long n)
{
    static double a[32][32], b[32][32], c[32][32];
    const int all = n > 32 ? 32 : (int)n;
    for (int i = 0; i < all; i++)
        for (int k = 0; k < all; k++) {
            a[i][k] = i + 2 * k;
            b[i][k] = 3 * i - k;
        }
    for (int i = 0; i < all; i++)
        for (int k = 0; k < all; k++) {
            double sum = 0;
            for (int m = 0; m < all; m++) sum += a[i][m] * b[m][k];
            c[i][k] = sum;
        }
    result = all ? (uint32_t)c[all - 1][all - 1] : 0;
}

/* A word copied by one instruction that repeats itself: it counts as one here, and elsewhere as many. */
void move(long n)
{
    static uint8_t from[MOST], to[MOST];
    const uint8_t *source = from;
    uint8_t *target = to;
    size_t all = n > MOST ? MOST : (size_t)n;
    __asm__ volatile("cld\n\trep movsb" : "+S"(source), "+D"(target), "+c"(all)::"memory");
    result = (uint32_t)(target - to);
}
