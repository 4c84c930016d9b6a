/* memset() and memcpy() of the 64-bit kernel; i586 has newlib's. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* newlib's write 256 bytes and more by MOVNTI, which evicts the lines from the caches. Memory that is cleared
 * between two repetitions must stay as warm as other memory. */
#define WORD sizeof(uint64_t)

void *memset(void *to, int value, size_t bytes)
{
    void *at = to;
    size_t words = bytes / WORD, rest = bytes % WORD;
    const uint64_t word = UINT64_C(0x0101010101010101) * (uint8_t)value;
    __asm__ volatile("rep stosq" : "+D"(at), "+c"(words) : "a"(word) : "memory");
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(rest) : "a"(word) : "memory");
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    void *at = to;
    size_t words = bytes / WORD, rest = bytes % WORD;
    __asm__ volatile("rep movsq" : "+D"(at), "+S"(from), "+c"(words)::"memory");
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(rest)::"memory");
    return to;
}
