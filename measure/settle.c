#include "measure/settle.h"
#include "kernel/hw.h"
#include "kernel/repeated.h"
#include <stdint.h>

#define JUMP_BYTES 4 /* four into each 16 bytes: one into each set of a Pentium's buffer */
#define JUMPS      (SETTLE_BYTES / JUMP_BYTES)
#define JMP_REL8   0xeb
#define RET        0xc3

static REPEATED_DATA const uint8_t *jumps;

void settle_init(uint8_t *code)
{
    for (unsigned i = 0; i < JUMPS; i++) {
        code[i * JUMP_BYTES] = i + 1 < JUMPS ? JMP_REL8 : RET;
        code[i * JUMP_BYTES + 1] = JUMP_BYTES - 2;
    }
    jumps = code;
}

REPEATED_BEHIND void settle_jumps(void) { hw_call_written(jumps); }

REPEATED_BEHIND void settle(bool caches)
{
    if (caches) hw_forget();
    settle_jumps();
}
