/* The jumps that make branch target buffers forget. That they do, and that caches are emptied, boots of
 * relinked kernels show (tests/boot/cases/layout.sh). */
#include "measure/settle.c"
#include "tests/unit/unit.h"

/* JMP rel8 (EB) every four bytes, and a RET (C3) in the last place: 16,384 targets in 64 KiB of code. */
TEST(code)
{
    static uint8_t code[SETTLE_BYTES + 1];
    code[SETTLE_BYTES] = 7;
    settle_init(code);
    const uint8_t *at = code;
    assert_ptr_equal(jumps, code);
    assert_int_equal(code[SETTLE_BYTES], 7);
    for (; *at == 0xeb && at < code + SETTLE_BYTES; at += 2 + at[1]) assert_int_equal(at[1], 2);
    assert_int_equal(*at, 0xc3);
    assert_ptr_equal(at, code + SETTLE_BYTES - 4);
}
