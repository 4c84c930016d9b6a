/* Texts that the build has packed (tools/mkpacked.c): bytes beyond ASCII, and control characters, stand for
 * two others each. They lie in a section of their own, by which they are known. What takes a text to print or
 * to record takes packed ones: rec_str(), para_str() and put() of report/, and format and %s of the printf
 * family; nothing else does. */
#pragma once
#include <stdint.h>

#define UNPACK_MAX 256 /* bytes, with the terminator; the build refuses longer ones */

/* Pair n's byte: 80h to FFh, then 01h to 1Fh. */
#define UNPACK_PAIRS   159
#define UNPACK_CODE(n) ((uint8_t)((n) < 128 ? 0x80 + (n) : (n)-127))
#define UNPACK_PAIR(c) ((c)&0x80 ? (c)&0x7f : (c) + 127)
#define UNPACK_IS(c)   (((c)&0x80) || (c) < 0x20)

/* What c stands for, at out; returns the end. The build packs nothing that this does not give back. */
static inline char *unpack_byte(const uint8_t (*pairs)[2], char *out, uint8_t c)
{
    for (; UNPACK_IS(c); c = pairs[UNPACK_PAIR(c)][1])
        out = unpack_byte(pairs, out, pairs[UNPACK_PAIR(c)][0]);
    *out = (char)c;
    return out + 1;
}

#ifdef HOST
static inline const char *unpack(const char *s, char *room) { return (void)room, s; }
#else
/* s, or in room (UNPACK_MAX bytes) what it was before it was packed. */
const char *unpack(const char *s, char *room);
#endif
