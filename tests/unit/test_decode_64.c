/* The decoder against 64-bit code as the assembler encodes it: REX, addresses relative to RIP, and what is
 * other than in 32 bits. */
#include "tests/unit/decode_rows.h"

#define HIGH UINT64_C(0x123400000000)
#define AX   (HIGH + 0x11030)
#define CX   (HIGH + 0x12000)
#define DX   (HIGH + 0x13000)
#define BX   (HIGH + 0x14000)
#define SP   (HIGH + 0x15000)
#define BP   (HIGH + 0x16000)
#define SI   (HIGH + 0x17000)
#define DI   (HIGH + 0x18000)
#define R8   (HIGH + 0x8000)
#define R9   (HIGH + 0x9000)
#define R12  (HIGH + 0xc000)
#define R13  (HIGH + 0xd000)
#define IP   (HIGH + 0x101000)

static const struct row rows_64[] = {
    /* APX, as binutils 2.44 encodes it (Intel's 355828): REX2, and EVEX's map 4. Of r16 to r31 samples have
     * nothing. */
    {"add %r16,%r17", "\xd5\x58\x01\xc1", 4, B, UNKNOWN, 0},
    {"mov 8(%r16),%eax", "\xd5\x10\x8b\x40\x08", 5, B, UNKNOWN, 0},
    {"mov $0x1122334455667788,%r16", "\xd5\x18\xb8\x88\x77\x66\x55\x44\x33\x22\x11", 11, B, UNKNOWN, 0},
    {"mov $1,%r16d", "\xd5\x10\xb8\x01\x00\x00\x00", 7, B, UNKNOWN, 0},
    {"movw $1,(%r16)", "\x66\xd5\x10\xc7\x00\x01\x00", 7, B, UNKNOWN, 0},
    {"push %r16", "\xd5\x10\x50", 3, B, UNKNOWN, 0},
    {"imul %r16,%rax", "\xd5\x98\xaf\xc0", 4, B, UNKNOWN, 0},
    {"shld $1,%r16d,%eax", "\xd5\xc0\xa4\xc0\x01", 5, B, UNKNOWN, 0},
    {"jmpabs $0x1122334455667788", "\xd5\x00\xa1\x88\x77\x66\x55\x44\x33\x22\x11", 11, B, UNKNOWN, 0},
    {"jo by REX2", "\xd5\x00\x70\x01", 4, B, NOT_DECODED, 0},
    {"REX after REX2", "\xd5\x00\x48\x90", 4, B, NOT_DECODED, 0},
    {"add %eax,%ecx,%edx", "\x62\xf4\x6c\x18\x01\xc1", 6, B, UNKNOWN, 0},
    {"add $1,%ecx,%edx", "\x62\xf4\x6c\x18\x83\xc1\x01", 7, B, UNKNOWN, 0},
    {"add $0x12345,%ecx,%edx", "\x62\xf4\x6c\x18\x81\xc1\x45\x23\x01\x00", 10, B, UNKNOWN, 0},
    {"add $0x1234,%cx,%dx", "\x62\xf4\x6d\x18\x81\xc1\x34\x12", 8, B, UNKNOWN, 0},
    {"add $0x12345,%rcx,%rdx", "\x62\xf4\xec\x18\x81\xc1\x45\x23\x01\x00", 10, B, UNKNOWN, 0},
    {"shld $1,%eax,%ecx,%edx", "\x62\xf4\x6c\x18\x24\xc1\x01", 7, B, UNKNOWN, 0},
    {"ctestz $1,%ecx", "\x62\xf4\x04\x04\xf7\xc1\x01\x00\x00\x00", 10, B, UNKNOWN, 0},
    {"ctestz $1,%cl", "\x62\xf4\x04\x04\xf6\xc1\x01", 7, B, UNKNOWN, 0},
    {"{nf} neg %ecx", "\x62\xf4\x7c\x0c\xf7\xd9", 6, B, UNKNOWN, 0},
    {"push2 %rcx,%rdx", "\x62\xf4\x6c\x18\xff\xf1", 6, B, UNKNOWN, 0},
    {"setz %r16b", "\x62\xfc\x7f\x08\x44\xc0", 6, B, UNKNOWN, 0},
    {"ud0 8(%rax),%eax", "\x0f\xff\x40\x08", 4, B, UNKNOWN, 0},
    {"xstore-rng", "\x0f\xa7\xc0", 3, B, UNKNOWN, 0},
    {"rep xcrypt-ecb", "\xf3\x0f\xa7\xc8", 4, B, UNKNOWN, 0},
    {"rep xsha1", "\xf3\x0f\xa6\xc8", 4, B, UNKNOWN, 0},
    {"mov (%rax),%rax", "\x48\x8b\x00", 3, B, AX, 8},
    {"mov (%rax),%rax", "\x48\x8b\x00", 3, A, UNKNOWN, 0},
    {"mov (%rax),%r8", "\x4c\x8b\x00", 3, A, AX, 8},
    {"mov (%r8),%r8", "\x4d\x8b\x00", 3, A, UNKNOWN, 0},
    {"mov (%r8),%rax", "\x49\x8b\x00", 3, A, R8, 8},
    {"mov (%eax),%ebx", "\x67\x8b\x18", 3, B, (uint32_t)(AX), 4},
    {"mov -8(%eax,%ecx,4),%ebx", "\x67\x8b\x5c\x88\xf8", 5, B, (uint32_t)(AX + CX * 4 - 8), 4},
    {"mov (%r12),%eax", "\x41\x8b\x04\x24", 4, B, R12, 4},
    {"mov (%r13),%eax", "\x41\x8b\x45\x00", 4, B, R13, 4},
    {"mov 8(%r12,%r13,4),%eax", "\x43\x8b\x44\xac\x08", 5, B, R12 + R13 * 4 + 8, 4},
    {"mov (%rax,%r12,1),%eax", "\x42\x8b\x04\x20", 4, B, AX + R12, 4},
    {"mov (%rsp),%rax", "\x48\x8b\x04\x24", 4, B, SP, 8},
    {"mov 0x1234,%eax", "\x8b\x04\x25\x34\x12\x00\x00", 7, B, 0x1234, 4},
    {"mov 0x1000(%rip),%eax", "\x8b\x05\x00\x10\x00\x00", 6, B, IP + 6 + 0x1000, 4},
    {"movl $0x12345678,0x1000(%rip)", "\xc7\x05\x00\x10\x00\x00\x78\x56\x34\x12", 10, B, IP + 10 + 0x1000, 4},
    {"movb $1,-0x10(%rip)", "\xc6\x05\xf0\xff\xff\xff\x01", 7, B, IP + 7 - 0x10, 1},
    {"addl $1,0x1000(%rip)", "\x83\x05\x00\x10\x00\x00\x01", 7, B, IP + 7 + 0x1000, 4},
    {"mov 0x1000(%eip),%eax", "\x67\x8b\x05\x00\x10\x00\x00", 7, B, (uint32_t)(IP + 7 + 0x1000), 4},
    {"mov 0x1000(%rip),%rax", "\x48\x8b\x05\x00\x10\x00\x00", 7, A, IP + 7 + 0x1000, 8},
    {"movabs 0x1122334455667788,%eax", "\xa1\x88\x77\x66\x55\x44\x33\x22\x11", 9, B, 0x1122334455667788, 4},
    {"movabs %rax,0x1122334455667788", "\x48\xa3\x88\x77\x66\x55\x44\x33\x22\x11", 10, B, 0x1122334455667788,
     8},
    {"movabs $0x1122334455667788,%rax", "\x48\xb8\x88\x77\x66\x55\x44\x33\x22\x11", 10, B, UNKNOWN, 0},
    {"movslq (%rbx),%rax", "\x48\x63\x03", 3, B, BX, 4},
    {"movslq (%rbx),%rbx", "\x48\x63\x1b", 3, A, UNKNOWN, 0},
    {"movzbl (%rbx),%eax", "\x0f\xb6\x03", 3, B, BX, 1},
    {"mov (%rsi),%sil", "\x40\x8a\x36", 3, A, UNKNOWN, 0},
    {"mov (%rbx),%bh", "\x8a\x3b", 2, A, UNKNOWN, 0},
    {"push %rax", "\x50", 1, B, SP - 8, 8},
    {"push %r12", "\x41\x54", 2, A, SP, 8},
    {"pop %rax", "\x58", 1, B, SP, 8},
    {"pop %r12", "\x41\x5c", 2, A, SP - 8, 8},
    {"pop %rsp", "\x5c", 1, A, UNKNOWN, 0},
    {"push $1", "\x6a\x01", 2, B, SP - 8, 8},
    {"push $0x12345", "\x68\x45\x23\x01\x00", 5, B, SP - 8, 8},
    {"push 8(%rbx)", "\xff\x73\x08", 3, B | L, BX + 8, 8},
    {"pop 8(%rsp)", "\x8f\x44\x24\x08", 4, B | S, SP + 16, 8},
    {"pushw %ax", "\x66\x50", 2, B, SP - 2, 2},
    {"call .+0x100", "\xe8\xfb\x00\x00\x00", 5, B, SP - 8, 8},
    {"call *8(%rbx)", "\xff\x53\x08", 3, B | L, BX + 8, 8},
    {"jmp *0x100(%rip)", "\xff\x25\x00\x01\x00\x00", 6, B | L, IP + 6 + 0x100, 8},
    {"ret", "\xc3", 1, B, SP, 8},
    {"ret $8", "\xc2\x08\x00", 3, A, SP - 16, 8},
    {"leave", "\xc9", 1, B, BP, 8},
    {"pushf", "\x9c", 1, B, SP - 8, 8},
    {"push %fs", "\x0f\xa0", 2, B, SP - 8, 8},
    {"rep stosq", "\xf3\x48\xab", 3, B | S, DI, 8},
    {"movsq", "\x48\xa5", 2, B | L, SI, 8},
    {"lodsb", "\xac", 1, A | L, SI - 1, 1},
    {"addr32 stosl", "\x67\xab", 2, B | S, (uint32_t)(DI), 4},
    {"xlat", "\xd7", 1, B, BX + 0x30, 1},
    {"bts %rax,(%rbx)", "\x48\x0f\xab\x03", 4, B, BX + (uint64_t)((int64_t)(AX) >> 6) * 8, 8},
    {"bts %r8d,(%rbx)", "\x44\x0f\xab\x03", 4, B, BX + 0x8000 / 32 * 4, 4},
    {"cmpxchg16b (%rbx)", "\x48\x0f\xc7\x0b", 4, B, BX, 16},
    {"movq (%rbx),%xmm9", "\xf3\x44\x0f\x7e\x0b", 5, B | L, BX, 8},
    {"movsd 8(%rbx,%r9,8),%xmm9", "\xf2\x46\x0f\x10\x4c\xcb\x08", 7, B | L, BX + R9 * 8 + 8, 8},
    {"movq %rax,8(%rbx)", "\x48\x89\x43\x08", 4, B | S, BX + 8, 8},
    {"cvtsi2sdq (%rbx),%xmm0", "\xf2\x48\x0f\x2a\x03", 5, B | L, BX, 8},
    {"movntiq %rax,(%rbx)", "\x48\x0f\xc3\x03", 4, B | S, BX, 8},
    {"movdqa 0x100(%rip),%xmm8", "\x66\x44\x0f\x6f\x05\x00\x01\x00\x00", 9, B | L, IP + 9 + 0x100, 16},
    {"addsd 8(%rbx),%xmm1", "\xf2\x0f\x58\x4b\x08", 5, B | L, BX + 8, 8},
    {"mov %gs:0x10,%rax", "\x65\x48\x8b\x04\x25\x10\x00\x00\x00", 9, B, UNKNOWN, 0},
    {"mov %fs:(%rax),%rax", "\x64\x48\x8b\x00", 4, B, UNKNOWN, 0},
    {"mov %cs:(%rax),%rdx", "\x2e\x48\x8b\x10", 4, B, AX, 8},
    {"fldl (%r9)", "\x41\xdd\x01", 3, B, R9, 8},
    {"vaddsd (%rbx),%xmm0,%xmm0", "\xc5\xfb\x58\x03", 4, B, UNKNOWN, 0},
    {"andn (%rbx),%eax,%eax", "\xc4\xe2\x78\xf2\x03", 5, B, UNKNOWN, 0},
    {"nopw %cs:0x0(%rax,%rax,1)", "\x2e\x66\x0f\x1f\x04\x00", 6, B, UNKNOWN, 0},
    {"endbr64", "\xf3\x0f\x1e\xfa", 4, B, UNKNOWN, 0},
    {"syscall", "\x0f\x05", 2, B, UNKNOWN, 0},
    {"mov %cr8,%rax", "\x44\x0f\x20\xc0", 4, B, UNKNOWN, 0},
    {"serialize", "\x0f\x01\xe8", 3, B, UNKNOWN, 0},
    {"lea (%rbx),%rax", "\x48\x8d\x03", 3, B, UNKNOWN, 0},
    {"vmovaps (%rbx),%zmm1", "\x62\xf1\x7c\x48\x28\x0b", 6, B, UNKNOWN, 0},
};

TEST(code_64)
{
    const struct sample s = {.valid = SAMPLE_IP | SAMPLE_REGS,
                             .ip = IP,
                             .reg = {AX, CX, DX, BX, SP, BP, SI, DI, R8, R9, 0, 0, R12, R13}};
    check(rows_64, N(rows_64), true, &s);
}
