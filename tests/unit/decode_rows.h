/* Instructions as the assembler encodes them, a row each, and what the decoder has to make of them. */
#pragma once
#include "measure/decode.h"
#include "tests/unit/unit.h"
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

enum { B = DECODE_BEFORE, A = 0 /* registers are those after */, L = DECODE_LOADS, S = DECODE_STORES };
#define UNKNOWN     UINT64_C(0xdead0000dead0000) /* the length is known, the address is not */
#define NOT_DECODED UINT64_C(0xdead0000dead0001)

struct row {
    const char *text, *code;
    unsigned length, how;
    uint64_t address;
    unsigned bytes;
};

/* Holds n rows against the decoder, s being the registers before or after, as r->how says. */
static inline void check(const struct row *r, size_t n, bool long_mode, const struct sample *s)
{
    for (; n--; r++) {
        uint8_t code[32], bytes = 99;
        uint64_t address = 1;
        memset(code, 0x90, sizeof code);
        memcpy(code, r->code, r->length);
        unsigned length = decode_length(code, sizeof code, long_mode);
        if (length != (r->address == NOT_DECODED ? 0 : r->length)) fail_msg("%s: length %u", r->text, length);
        assert_int_equal(decode_length(code, r->length, long_mode), length); /* it needs no byte behind it */
        bool known = decode_access(code, sizeof code, long_mode, s, r->how, &address, &bytes);
        if (r->address == UNKNOWN || r->address == NOT_DECODED) {
            if (known) fail_msg("%s, how %u: %#llx", r->text, r->how, (unsigned long long)address);
            assert_true(address == 1 && bytes == 99);
            continue;
        }
        if (!known) fail_msg("%s, how %u: unknown", r->text, r->how);
        if (address != r->address || bytes != r->bytes)
            fail_msg("%s, how %u: %#llx, %u bytes", r->text, r->how, (unsigned long long)address, bytes);
        for (unsigned cut = 0; cut < r->length; cut++) { /* cut off anywhere it is unknown */
            assert_int_equal(decode_length(code, cut, long_mode), 0);
            assert_false(decode_access(code, cut, long_mode, s, r->how, &address, &bytes));
        }
    }
}
