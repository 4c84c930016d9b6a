/* libFuzzer: the instruction decoder. First byte: mode and how the registers are read; the rest: registers
 * and code.
 */
#include "measure/decode.h"
#include <stdlib.h>
#include <string.h>

static void check(int ok)
{
    if (!ok) abort();
}

/* A copy of exactly len bytes, so that a byte too far is seen. */
static unsigned length_of(const uint8_t *code, unsigned len, bool long_mode)
{
    uint8_t *copy = malloc(len ? len : 1);
    memcpy(copy, code, len);
    unsigned length = decode_length(copy, len, long_mode);
    free(copy);
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sample s = {.valid = SAMPLE_IP | SAMPLE_REGS};
    const size_t head = 1 + 17;
    if (size < head || size > head + 32) return 0;
    bool long_mode = data[0] & 1;
    unsigned len = (unsigned)(size - head), how = data[0] >> 1 & 7;
    const uint8_t *code = data + head;
    for (unsigned i = 0; i < 16; i++) /* distinct, and far apart */
        s.reg[i] = (uint64_t)data[1 + i] << 40 | (uint64_t)(i + 1) << 24 | data[1 + i];
    s.ip = 0x100000;
    s.flags = (uint64_t)data[17] << 8;

    unsigned length = length_of(code, len, long_mode);
    check(length <= len && length <= DECODE_MAX_BYTES);
    uint64_t target = 0;
    unsigned flow_length = 99;
    const enum decode_flow flow = decode_flow(code, len, long_mode, s.ip, &flow_length, &target);
    check(flow_length == length && (flow == FLOW_UNKNOWN) == !length && (long_mode || target <= UINT32_MAX));
    uint64_t address = 0, again = 0;
    uint8_t bytes = 0, bytes_again = 0;
    bool known = decode_access(code, len, long_mode, &s, how, &address, &bytes);
    if (length == 0) {
        check(!known);
        return 0;
    }
    for (unsigned cut = 0; cut < length; cut++) check(length_of(code, cut, long_mode) == 0);
    check(length_of(code, length, long_mode) == length);

    /* Whatever follows is of no account. */
    check(decode_access(code, length, long_mode, &s, how, &again, &bytes_again) == known);
    check(address == again && bytes == bytes_again);
    if (!known) return 0;
    check(bytes > 0 && bytes <= 108 && (long_mode || address <= UINT32_MAX));

    /* One direction where none was asked for: both then name the same address. What is known after the
     * instruction is known before it as well, but for REP with a count of 0. */
    unsigned before = how & DECODE_BEFORE;
    if (how == before) {
        bool load = decode_access(code, length, long_mode, &s, before | DECODE_LOADS, &again, &bytes_again);
        check(!load || again == address);
        bool store = decode_access(code, length, long_mode, &s, before | DECODE_STORES, &again, &bytes_again);
        check((load || store) && (!store || again == address));
    }
    if (!before) check(decode_access(code, length, long_mode, &s, how | DECODE_BEFORE, &again, &bytes_again));
    return 0;
}
