/* The decoder against instructions as the assembler encodes them: lengths, addresses, and what must be
 * unknown. */
#include "measure/decode.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
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

static void check(const struct row *r, size_t n, bool long_mode, const struct sample *s)
{
    for (; n--; r++) {
        uint8_t code[32], bytes = 99;
        uint64_t address = 1;
        memset(code, 0x90, sizeof code);
        memcpy(code, r->code, r->length);
        unsigned length = decode_length(code, sizeof code, long_mode);
        if (length != (r->address == NOT_DECODED ? 0 : r->length)) fail_msg("%s: length %u", r->text, length);
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

/* ---- 32 bits ---- */

#define AX 0x11030u
#define CX 0x12000u
#define DX 0x13000u
#define BX 0x14000u
#define SP 0x15000u
#define BP 0x16000u
#define SI 0x17000u
#define DI 0x18000u
#define IP 0x101000u

static const struct row rows_32[] = {
    {"mov (%eax),%eax", "\x8b\x00", 2, B, AX, 4},
    {"mov (%eax),%eax", "\x8b\x00", 2, A, UNKNOWN, 0},
    {"mov (%eax),%edx", "\x8b\x10", 2, A, AX, 4},
    {"mov (%edx,%eax,4),%eax", "\x8b\x04\x82", 3, A, UNKNOWN, 0},
    {"mov (%eax,%eax,2),%ecx", "\x8b\x0c\x40", 3, A, AX + AX * 2, 4},
    {"mov 0x10(%ebx),%ecx", "\x8b\x4b\x10", 3, B, BX + 0x10, 4},
    {"mov -0x80(%ebp),%ecx", "\x8b\x4d\x80", 3, B, BP - 0x80, 4},
    {"mov -0x12345(%esi,%edi,8),%ecx", "\x8b\x8c\xfe\xbb\xdc\xfe\xff", 7, B, SI + DI * 8 - 0x12345, 4},
    {"mov 0x123456,%ecx", "\x8b\x0d\x56\x34\x12\x00", 6, B, 0x123456, 4},
    {"mov 0x1000(,%edi,4),%ecx", "\x8b\x0c\xbd\x00\x10\x00\x00", 7, B, 0x1000 + DI * 4, 4},
    {"mov 4(%esp),%ecx", "\x8b\x4c\x24\x04", 4, B, SP + 4, 4},
    {"mov 4(%esp),%ecx", "\x8b\x4c\x24\x04", 4, A, SP + 4, 4},
    {"mov 0x123456,%eax", "\xa1\x56\x34\x12\x00", 5, B, 0x123456, 4},
    {"mov 0x123456,%al", "\xa0\x56\x34\x12\x00", 5, A, 0x123456, 1},
    {"mov %eax,0x123456", "\xa3\x56\x34\x12\x00", 5, B, 0x123456, 4},
    {"mov %ax,0x123456", "\x66\xa3\x56\x34\x12\x00", 6, B, 0x123456, 2},
    {"mov %eax,(%ebx)", "\x89\x03", 2, B, BX, 4},
    {"mov %eax,(%eax)", "\x89\x00", 2, A, AX, 4},
    {"mov %al,(%ebx)", "\x88\x03", 2, B, BX, 1},
    {"mov %ax,(%ebx)", "\x66\x89\x03", 3, B, BX, 2},
    {"movl $0x12345678,8(%ebx)", "\xc7\x43\x08\x78\x56\x34\x12", 7, B, BX + 8, 4},
    {"movw $0x1234,8(%ebx)", "\x66\xc7\x43\x08\x34\x12", 6, B, BX + 8, 2},
    {"movb $1,8(%ebx)", "\xc6\x43\x08\x01", 4, B, BX + 8, 1},
    {"mov (%eax),%al", "\x8a\x00", 2, A, UNKNOWN, 0},
    {"mov (%eax),%ah", "\x8a\x20", 2, A, UNKNOWN, 0},
    {"mov (%eax),%cl", "\x8a\x08", 2, A, AX, 1},
    {"mov (%ecx),%ch", "\x8a\x29", 2, A, UNKNOWN, 0},
    {"movzbl (%eax),%eax", "\x0f\xb6\x00", 3, A, UNKNOWN, 0},
    {"movzbl (%edx),%esi", "\x0f\xb6\x32", 3, A, DX, 1},
    {"movswl 2(%edx),%esi", "\x0f\xbf\x72\x02", 4, B, DX + 2, 2},
    {"mov %ds,(%ebx)", "\x8c\x1b", 2, B, BX, 2},
    {"add (%ebx),%eax", "\x03\x03", 2, B, BX, 4},
    {"add (%eax),%eax", "\x03\x00", 2, A, UNKNOWN, 0},
    {"cmp (%eax),%eax", "\x3b\x00", 2, A, AX, 4},
    {"test %eax,(%eax)", "\x85\x00", 2, A, AX, 4},
    {"add %eax,(%ebx)", "\x01\x03", 2, B, BX, 4},
    {"add %eax,(%ebx)", "\x01\x03", 2, B | L, BX, 4},
    {"add %eax,(%ebx)", "\x01\x03", 2, B | S, BX, 4},
    {"cmp %eax,(%ebx)", "\x39\x03", 2, B | L, BX, 4},
    {"cmp %eax,(%ebx)", "\x39\x03", 2, B | S, UNKNOWN, 0},
    {"cmpl $1,(%ebx)", "\x83\x3b\x01", 3, B | S, UNKNOWN, 0},
    {"addl $1,(%ebx)", "\x83\x03\x01", 3, B | S, BX, 4},
    {"addl $0x12345,(%ebx)", "\x81\x03\x45\x23\x01\x00", 6, B, BX, 4},
    {"addw $0x1234,(%ebx)", "\x66\x81\x03\x34\x12", 5, B, BX, 2},
    {"incl (%ebx)", "\xff\x03", 2, B, BX, 4},
    {"lock incl (%ebx)", "\xf0\xff\x03", 3, B, BX, 4},
    {"negl (%ebx)", "\xf7\x1b", 2, B, BX, 4},
    {"testl $1,(%ebx)", "\xf7\x03\x01\x00\x00\x00", 6, B | S, UNKNOWN, 0},
    {"testl $1,(%ebx)", "\xf7\x03\x01\x00\x00\x00", 6, B | L, BX, 4},
    {"testb $1,3(%ebx)", "\xf6\x43\x03\x01", 4, B | L, BX + 3, 1},
    {"mull (%eax)", "\xf7\x20", 2, A, UNKNOWN, 0},
    {"divl (%edx)", "\xf7\x32", 2, A, UNKNOWN, 0},
    {"mull (%ebx)", "\xf7\x23", 2, A, BX, 4},
    {"mull (%eax)", "\xf7\x20", 2, B, AX, 4},
    {"imul (%ecx),%ecx", "\x0f\xaf\x09", 3, A, UNKNOWN, 0},
    {"imul $100,(%ecx),%edx", "\x6b\x11\x64", 3, B, CX, 4},
    {"xchg %eax,(%ebx)", "\x87\x03", 2, B, BX, 4},
    {"xchg %eax,(%eax)", "\x87\x00", 2, A, UNKNOWN, 0},
    {"xadd %eax,(%ebx)", "\x0f\xc1\x03", 3, B, BX, 4},
    {"xadd %eax,(%eax)", "\x0f\xc1\x00", 3, A, UNKNOWN, 0},
    {"cmpxchg %ecx,(%ebx)", "\x0f\xb1\x0b", 3, B, BX, 4},
    {"cmpxchg %ecx,(%eax)", "\x0f\xb1\x08", 3, A, UNKNOWN, 0},
    {"cmpxchg8b (%ebx)", "\x0f\xc7\x0b", 3, B, BX, 8},
    {"cmpxchg8b (%edx)", "\x0f\xc7\x0a", 3, A, UNKNOWN, 0},
    {"shll $3,(%ebx)", "\xc1\x23\x03", 3, B, BX, 4},
    {"sarb %cl,(%ebx)", "\xd2\x3b", 2, B, BX, 1},
    {"shld $2,%eax,(%ebx)", "\x0f\xa4\x03\x02", 4, B, BX, 4},
    {"bt %eax,(%ebx)", "\x0f\xa3\x03", 3, B, BX + AX / 32 * 4, 4},
    {"bt %eax,(%ebx)", "\x0f\xa3\x03", 3, B | S, UNKNOWN, 0},
    {"bts %ecx,(%ebx)", "\x0f\xab\x0b", 3, B | S, BX + CX / 32 * 4, 4},
    {"btw %ax,(%ebx)", "\x66\x0f\xa3\x03", 4, B, BX + 0x1030 / 16 * 2, 2},
    {"btsl $3,(%ebx)", "\x0f\xba\x2b\x03", 4, B | S, BX, 4},
    {"btl $3,(%ebx)", "\x0f\xba\x23\x03", 4, B | S, UNKNOWN, 0},
    {"sete (%ebx)", "\x0f\x94\x03", 3, B, BX, 1},
    {"cmovne (%ebx),%eax", "\x0f\x45\x03", 3, B, BX, 4},
    {"lea (%ebx),%eax", "\x8d\x03", 2, B, UNKNOWN, 0},
    {"nopl 0(%eax,%eax,1)", "\x0f\x1f\x04\x00", 4, B, UNKNOWN, 0},
    {"prefetchnta (%eax)", "\x0f\x18\x00", 3, B, UNKNOWN, 0},
    {"nop", "\x90", 1, B, UNKNOWN, 0},
    {"mov %eax,%ebx", "\x89\xc3", 2, B, UNKNOWN, 0},
    {"invlpg (%eax)", "\x0f\x01\x38", 3, B, UNKNOWN, 0},
    {"mov %gs:(%eax),%ebx", "\x65\x8b\x18", 3, B, UNKNOWN, 0},
    {"mov %fs:0x10,%eax", "\x64\xa1\x10\x00\x00\x00", 6, B, UNKNOWN, 0},
    {"mov %ss:(%eax),%ebx", "\x36\x8b\x18", 3, B, AX, 4},
    {"mov (%bx,%si),%eax", "\x67\x8b\x00", 3, B, UNKNOWN, 0},
    {"addr16 mov 0x1234,%eax", "\x67\xa1\x34\x12", 4, B, UNKNOWN, 0},
    {"push %eax", "\x50", 1, B, SP - 4, 4},
    {"push %eax", "\x50", 1, A, SP, 4},
    {"pushw %ax", "\x66\x50", 2, B, SP - 2, 2},
    {"push $1", "\x6a\x01", 2, B, SP - 4, 4},
    {"push $0x12345", "\x68\x45\x23\x01\x00", 5, B, SP - 4, 4},
    {"pushf", "\x9c", 1, B, SP - 4, 4},
    {"push %ds", "\x1e", 1, B, SP - 4, 4},
    {"push %esp", "\x54", 1, B, SP - 4, 4},
    {"pop %eax", "\x58", 1, B, SP, 4},
    {"pop %eax", "\x58", 1, A, SP - 4, 4},
    {"pop %esp", "\x5c", 1, A, UNKNOWN, 0},
    {"pop %esp", "\x5c", 1, B, SP, 4},
    {"popf", "\x9d", 1, B, SP, 4},
    {"popw %ax", "\x66\x58", 2, A, SP - 2, 2},
    {"pop %fs", "\x0f\xa1", 2, B, SP, 4},
    {"pushl 8(%ebx)", "\xff\x73\x08", 3, B, UNKNOWN, 0},
    {"pushl 8(%ebx)", "\xff\x73\x08", 3, B | L, BX + 8, 4},
    {"pushl 8(%ebx)", "\xff\x73\x08", 3, B | S, SP - 4, 4},
    {"pushl 8(%esp)", "\xff\x74\x24\x08", 4, B | L, SP + 8, 4},
    {"pushl 8(%esp)", "\xff\x74\x24\x08", 4, A | L, SP + 12, 4},
    {"pushl 8(%esp)", "\xff\x74\x24\x08", 4, A | S, SP, 4},
    {"popl 8(%esp)", "\x8f\x44\x24\x08", 4, B | S, SP + 12, 4},
    {"popl 8(%esp)", "\x8f\x44\x24\x08", 4, A | S, SP + 8, 4},
    {"popl 8(%esp)", "\x8f\x44\x24\x08", 4, B | L, SP, 4},
    {"popl 8(%esp)", "\x8f\x44\x24\x08", 4, A | L, SP - 4, 4},
    {"popl (%ebx)", "\x8f\x03", 2, B, UNKNOWN, 0},
    {"call .+0x100", "\xe8\xfb\x00\x00\x00", 5, B, SP - 4, 4},
    {"call .+0x100", "\xe8\xfb\x00\x00\x00", 5, A, SP, 4},
    {"call *%eax", "\xff\xd0", 2, B | S, SP - 4, 4},
    {"call *8(%ebx)", "\xff\x53\x08", 3, B | S, SP - 4, 4},
    {"call *8(%ebx)", "\xff\x53\x08", 3, B | L, BX + 8, 4},
    {"jmp *8(%ebx)", "\xff\x63\x08", 3, B | L, BX + 8, 4},
    {"jmp *8(%ebx)", "\xff\x63\x08", 3, B | S, UNKNOWN, 0},
    {"jmp *%eax", "\xff\xe0", 2, B, UNKNOWN, 0},
    {"ret", "\xc3", 1, B, SP, 4},
    {"ret", "\xc3", 1, A, SP - 4, 4},
    {"ret $8", "\xc2\x08\x00", 3, B, SP, 4},
    {"ret $8", "\xc2\x08\x00", 3, A, SP - 12, 4},
    {"repz ret", "\xf3\xc3", 2, B, SP, 4},
    {"leave", "\xc9", 1, B, BP, 4},
    {"leave", "\xc9", 1, A, SP - 4, 4},
    {"enter $16,$0", "\xc8\x10\x00\x00", 4, B, UNKNOWN, 0},
    {"pusha", "\x60", 1, B, UNKNOWN, 0},
    {"lret", "\xcb", 1, B, UNKNOWN, 0},
    {"iret", "\xcf", 1, B, UNKNOWN, 0},
    {"lcall $8,$0x1234", "\x9a\x34\x12\x00\x00\x08\x00", 7, B, UNKNOWN, 0},
    {"lcall *(%ebx)", "\xff\x1b", 2, B | L, UNKNOWN, 0},
    {"int $0x80", "\xcd\x80", 2, B, UNKNOWN, 0},
    {"les (%ebx),%eax", "\xc4\x03", 2, B, UNKNOWN, 0},
    {"bound %eax,(%ebx)", "\x62\x03", 2, B, UNKNOWN, 0},
    {"lods %ds:(%esi),%eax", "\xad", 1, B, SI, 4},
    {"lodsl", "\xad", 1, A, SI - 4, 4},
    {"stosb", "\xaa", 1, B, DI, 1},
    {"stosw", "\x66\xab", 2, A, DI - 2, 2},
    {"movsl", "\xa5", 1, B, UNKNOWN, 0},
    {"movsl", "\xa5", 1, B | L, SI, 4},
    {"movsl", "\xa5", 1, B | S, DI, 4},
    {"movsl", "\xa5", 1, A | S, DI - 4, 4},
    {"scasl", "\xaf", 1, B, DI, 4},
    {"cmpsb", "\xa6", 1, B, UNKNOWN, 0},
    {"rep movsl", "\xf3\xa5", 2, B | L, SI, 4},
    {"rep movsl", "\xf3\xa5", 2, B | S, DI, 4},
    {"rep movsl", "\xf3\xa5", 2, A | S, UNKNOWN, 0},
    {"rep stosl", "\xf3\xab", 2, B | S, DI, 4},
    {"movsl %fs:(%esi),%es:(%edi)", "\x64\xa5", 2, B | L, UNKNOWN, 0},
    {"xlat", "\xd7", 1, B, BX + 0x30, 1},
    {"xlat", "\xd7", 1, A, UNKNOWN, 0},
    {"insb", "\x6c", 1, B, UNKNOWN, 0},
    {"outsl", "\x6f", 1, B, UNKNOWN, 0},
    {"flds (%ebx)", "\xd9\x03", 2, B, BX, 4},
    {"fldl (%ebx)", "\xdd\x03", 2, B, BX, 8},
    {"fldt (%ebx)", "\xdb\x2b", 2, B, BX, 10},
    {"fldt (%ebx)", "\xdb\x2b", 2, B | S, UNKNOWN, 0},
    {"fstps (%ebx)", "\xd9\x1b", 2, B | S, BX, 4},
    {"fstl (%ebx)", "\xdd\x13", 2, B | S, BX, 8},
    {"fstpt (%ebx)", "\xdb\x3b", 2, B | S, BX, 10},
    {"fstpt (%ebx)", "\xdb\x3b", 2, B | L, UNKNOWN, 0},
    {"fildl (%ebx)", "\xdb\x03", 2, B | L, BX, 4},
    {"fildll (%ebx)", "\xdf\x2b", 2, B | L, BX, 8},
    {"filds (%ebx)", "\xdf\x03", 2, B | L, BX, 2},
    {"fistpll (%ebx)", "\xdf\x3b", 2, B | S, BX, 8},
    {"fistps (%ebx)", "\xdf\x1b", 2, B | S, BX, 2},
    {"fistl (%ebx)", "\xdb\x13", 2, B | S, BX, 4},
    {"fadds (%ebx)", "\xd8\x03", 2, B | L, BX, 4},
    {"fmull 8(%ebx)", "\xdc\x4b\x08", 3, B | L, BX + 8, 8},
    {"fidivl (%ebx)", "\xda\x33", 2, B | L, BX, 4},
    {"ficoms (%ebx)", "\xde\x13", 2, B | L, BX, 2},
    {"fnstcw (%ebx)", "\xd9\x3b", 2, B | S, BX, 2},
    {"fldcw (%ebx)", "\xd9\x2b", 2, B | L, BX, 2},
    {"fnstsw (%ebx)", "\xdd\x3b", 2, B | S, BX, 2},
    {"fnstenv (%ebx)", "\xd9\x33", 2, B | S, BX, 28},
    {"fnsave (%ebx)", "\xdd\x33", 2, B | S, BX, 108},
    {"fldenv (%ebx)", "\xd9\x23", 2, B | L, BX, 28},
    {"fbld (%ebx)", "\xdf\x23", 2, B | L, BX, 10},
    {"fbstp (%ebx)", "\xdf\x33", 2, B | S, BX, 10},
    {"fisttpl (%ebx)", "\xdb\x0b", 2, B | S, BX, 4},
    {"fadd %st(1),%st", "\xd8\xc1", 2, B, UNKNOWN, 0},
    {"fnstsw %ax", "\xdf\xe0", 2, B, UNKNOWN, 0},
    {"fld1", "\xd9\xe8", 2, B, UNKNOWN, 0},
    {"movq (%ebx),%mm0", "\x0f\x6f\x03", 3, B | L, BX, 8},
    {"movq %mm0,(%ebx)", "\x0f\x7f\x03", 3, B | S, BX, 8},
    {"movd (%ebx),%mm0", "\x0f\x6e\x03", 3, B | L, BX, 4},
    {"movd %mm0,(%ebx)", "\x0f\x7e\x03", 3, B | S, BX, 4},
    {"paddw (%ebx),%mm1", "\x0f\xfd\x0b", 3, B | L, BX, 8},
    {"punpcklbw (%ebx),%mm1", "\x0f\x60\x0b", 3, B | L, BX, 4},
    {"punpckhbw (%ebx),%mm1", "\x0f\x68\x0b", 3, B | L, BX, 8},
    {"psllw $3,%mm1", "\x0f\x71\xf1\x03", 4, B, UNKNOWN, 0},
    {"movntq %mm0,(%ebx)", "\x0f\xe7\x03", 3, B | S, BX, 8},
    {"emms", "\x0f\x77", 2, B, UNKNOWN, 0},
    {"pshufw $1,(%ebx),%mm0", "\x0f\x70\x03\x01", 4, B | L, BX, 8},
    {"pinsrw $1,(%ebx),%mm0", "\x0f\xc4\x03\x01", 4, B | L, BX, 2},
    {"movaps (%ebx),%xmm0", "\x0f\x28\x03", 3, B | L, BX, 16},
    {"movaps %xmm0,(%ebx)", "\x0f\x29\x03", 3, B | S, BX, 16},
    {"movss (%ebx),%xmm0", "\xf3\x0f\x10\x03", 4, B | L, BX, 4},
    {"movss %xmm0,(%ebx)", "\xf3\x0f\x11\x03", 4, B | S, BX, 4},
    {"movsd (%ebx),%xmm0", "\xf2\x0f\x10\x03", 4, B | L, BX, 8},
    {"movups (%ebx),%xmm0", "\x0f\x10\x03", 3, B | L, BX, 16},
    {"addps (%ebx),%xmm0", "\x0f\x58\x03", 3, B | L, BX, 16},
    {"mulss (%ebx),%xmm0", "\xf3\x0f\x59\x03", 4, B | L, BX, 4},
    {"divsd (%ebx),%xmm0", "\xf2\x0f\x5e\x03", 4, B | L, BX, 8},
    {"addpd (%ebx),%xmm0", "\x66\x0f\x58\x03", 4, B | L, BX, 16},
    {"movlps (%ebx),%xmm0", "\x0f\x12\x03", 3, B | L, BX, 8},
    {"movhps %xmm0,(%ebx)", "\x0f\x17\x03", 3, B | S, BX, 8},
    {"movlpd %xmm0,(%ebx)", "\x66\x0f\x13\x03", 4, B | S, BX, 8},
    {"movntps %xmm0,(%ebx)", "\x0f\x2b\x03", 3, B | S, BX, 16},
    {"cvtsi2ss (%ebx),%xmm0", "\xf3\x0f\x2a\x03", 4, B | L, BX, 4},
    {"cvtpi2ps (%ebx),%xmm0", "\x0f\x2a\x03", 3, B | L, BX, 8},
    {"cvttss2si (%ebx),%eax", "\xf3\x0f\x2c\x03", 4, B | L, BX, 4},
    {"cvttsd2si (%ebx),%eax", "\xf2\x0f\x2c\x03", 4, B | L, BX, 8},
    {"cvttsd2si (%eax),%eax", "\xf2\x0f\x2c\x00", 4, A | L, UNKNOWN, 0},
    {"ucomiss (%ebx),%xmm0", "\x0f\x2e\x03", 3, B | L, BX, 4},
    {"comisd (%ebx),%xmm0", "\x66\x0f\x2f\x03", 4, B | L, BX, 8},
    {"cvtps2pd (%ebx),%xmm0", "\x0f\x5a\x03", 3, B | L, BX, 8},
    {"cvtsd2ss (%ebx),%xmm0", "\xf2\x0f\x5a\x03", 4, B | L, BX, 8},
    {"cvtdq2ps (%ebx),%xmm0", "\x0f\x5b\x03", 3, B | L, BX, 16},
    {"cvtdq2pd (%ebx),%xmm0", "\xf3\x0f\xe6\x03", 4, B | L, BX, 8},
    {"movdqa (%ebx),%xmm0", "\x66\x0f\x6f\x03", 4, B | L, BX, 16},
    {"movdqu %xmm0,(%ebx)", "\xf3\x0f\x7f\x03", 4, B | S, BX, 16},
    {"movq (%ebx),%xmm0", "\xf3\x0f\x7e\x03", 4, B | L, BX, 8},
    {"movq %xmm0,(%ebx)", "\x66\x0f\xd6\x03", 4, B | S, BX, 8},
    {"movnti %eax,(%ebx)", "\x0f\xc3\x03", 3, B | S, BX, 4},
    {"movntdq %xmm0,(%ebx)", "\x66\x0f\xe7\x03", 4, B | S, BX, 16},
    {"paddq (%ebx),%xmm1", "\x66\x0f\xd4\x0b", 4, B | L, BX, 16},
    {"pshufd $1,(%ebx),%xmm1", "\x66\x0f\x70\x0b\x01", 5, B | L, BX, 16},
    {"shufps $1,(%ebx),%xmm1", "\x0f\xc6\x0b\x01", 4, B | L, BX, 16},
    {"cmpeqss (%ebx),%xmm1", "\xf3\x0f\xc2\x0b\x00", 5, B | L, BX, 4},
    {"sqrtsd (%ebx),%xmm1", "\xf2\x0f\x51\x0b", 4, B | L, BX, 8},
    {"punpckldq (%ebx),%xmm1", "\x66\x0f\x62\x0b", 4, B | L, BX, 16},
    {"stmxcsr (%ebx)", "\x0f\xae\x1b", 3, B | S, BX, 4},
    {"ldmxcsr (%ebx)", "\x0f\xae\x13", 3, B | L, BX, 4},
    {"clflush (%ebx)", "\x0f\xae\x3b", 3, B, UNKNOWN, 0},
    {"fxsave (%ebx)", "\x0f\xae\x03", 3, B, UNKNOWN, 0},
    {"lfence", "\x0f\xae\xe8", 3, B, UNKNOWN, 0},
    {"maskmovq %mm0,%mm1", "\x0f\xf7\xc8", 3, B, UNKNOWN, 0},
    {"pshufb (%ebx),%xmm0", "\x66\x0f\x38\x00\x03", 5, B, UNKNOWN, 0},
    {"palignr $1,(%ebx),%xmm0", "\x66\x0f\x3a\x0f\x03\x01", 6, B, UNKNOWN, 0},
    {"mov %cr3,%eax", "\x0f\x20\xd8", 3, B, UNKNOWN, 0},
    {"mov %eax,%dr7", "\x0f\x23\xf8", 3, B, UNKNOWN, 0},
    {"rdtsc", "\x0f\x31", 2, B, UNKNOWN, 0},
    {"rdpmc", "\x0f\x33", 2, B, UNKNOWN, 0},
    {"cpuid", "\x0f\xa2", 2, B, UNKNOWN, 0},
    {"wbinvd", "\x0f\x09", 2, B, UNKNOWN, 0},
    {"rdmsr", "\x0f\x32", 2, B, UNKNOWN, 0},
    {"in (%dx),%al", "\xec", 1, B, UNKNOWN, 0},
    {"out %al,$0x80", "\xe6\x80", 2, B, UNKNOWN, 0},
    {"jne .+0x10", "\x75\x0e", 2, B, UNKNOWN, 0},
    {"jne .+0x1000", "\x0f\x85\xfa\x0f\x00\x00", 6, B, UNKNOWN, 0},
    {"jmp .+0x1000", "\xe9\xfb\x0f\x00\x00", 5, B, UNKNOWN, 0},
    {"loop .-2", "\xe2\xfc", 2, B, UNKNOWN, 0},
    {"bswap %eax", "\x0f\xc8", 2, B, UNKNOWN, 0},
    {"movl $0x12345678,%eax", "\xb8\x78\x56\x34\x12", 5, B, UNKNOWN, 0},
    {"movw $0x1234,%ax", "\x66\xb8\x34\x12", 4, B, UNKNOWN, 0},
    {"sgdtl (%ebx)", "\x0f\x01\x03", 3, B, UNKNOWN, 0},
    {"ltr %ax", "\x0f\x00\xd8", 3, B, UNKNOWN, 0},
    {"aam", "\xd4\x0a", 2, B, UNKNOWN, 0},
};

static void code_32(void **state)
{
    (void)state;
    const struct sample s = {
        .valid = SAMPLE_IP | SAMPLE_REGS, .ip = IP, .reg = {AX, CX, DX, BX, SP, BP, SI, DI}};
    check(rows_32, N(rows_32), false, &s);
}

/* ---- 64 bits ---- */

#undef AX
#undef CX
#undef DX
#undef BX
#undef SP
#undef BP
#undef SI
#undef DI
#undef IP
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
    {"vaddsd (%rbx),%xmm0,%xmm0", "\xc5\xfb\x58\x03", 4, B, NOT_DECODED, 0},
    {"andn (%rbx),%eax,%eax", "\xc4\xe2\x78\xf2\x03", 5, B, NOT_DECODED, 0},
    {"nopw %cs:0x0(%rax,%rax,1)", "\x2e\x66\x0f\x1f\x04\x00", 6, B, UNKNOWN, 0},
    {"endbr64", "\xf3\x0f\x1e\xfa", 4, B, UNKNOWN, 0},
    {"syscall", "\x0f\x05", 2, B, UNKNOWN, 0},
    {"mov %cr8,%rax", "\x44\x0f\x20\xc0", 4, B, UNKNOWN, 0},
    {"serialize", "\x0f\x01\xe8", 3, B, UNKNOWN, 0},
    {"lea (%rbx),%rax", "\x48\x8d\x03", 3, B, UNKNOWN, 0},
    {"vmovaps (%rbx),%zmm1", "\x62\xf1\x7c\x48\x28\x0b", 6, B, NOT_DECODED, 0},
};

static void code_64(void **state)
{
    (void)state;
    const struct sample s = {.valid = SAMPLE_IP | SAMPLE_REGS,
                             .ip = IP,
                             .reg = {AX, CX, DX, BX, SP, BP, SI, DI, R8, R9, 0, 0, R12, R13}};
    check(rows_64, N(rows_64), true, &s);
}

/* ---- what depends on more than the bytes ---- */

static bool access_32(const char *code, unsigned len, const struct sample *s, unsigned how, uint64_t *address)
{
    uint8_t bytes;
    return decode_access((const uint8_t *)code, len, false, s, how, address, &bytes);
}

static void direction_and_count(void **state)
{
    (void)state;
    struct sample s = {
        .valid = SAMPLE_IP | SAMPLE_REGS, .flags = 1 << 10, .reg = {[6] = 0x7000, [7] = 0x8000}};
    uint64_t a;
    assert_true(access_32("\xad", 1, &s, A, &a)); /* LODSL downwards: SI has been moved down by 4 */
    assert_int_equal(a, 0x7004);
    assert_true(access_32("\xad", 1, &s, B, &a));
    assert_int_equal(a, 0x7000);
    assert_false(access_32("\xf3\xab", 2, &s, B, &a)); /* REP STOSL with a count of 0 stores nothing */
    s.reg[1] = 1;
    assert_true(access_32("\xf3\xab", 2, &s, B, &a));
    assert_int_equal(a, 0x8000);
}

static void negative_bit(void **state)
{
    (void)state;
    struct sample s = {.valid = SAMPLE_IP | SAMPLE_REGS, .reg = {[0] = 0xffffffff, [3] = 0x8000}};
    uint64_t a;
    assert_true(access_32("\x0f\xa3\x03", 3, &s, B, &a)); /* bt %eax,(%ebx): bit -1 is in the word below */
    assert_int_equal(a, 0x7ffc);
    s.reg[0] = 0xffe0; /* btw: -32 */
    assert_true(access_32("\x66\x0f\xa3\x03", 4, &s, B, &a));
    assert_int_equal(a, 0x8000 - 4);
}

static void addresses_wrap(void **state)
{
    (void)state;
    struct sample s = {.valid = SAMPLE_IP | SAMPLE_REGS, .reg = {[0] = 0xfffffff0}};
    uint64_t a;
    assert_true(access_32("\x8b\x58\x20", 3, &s, B, &a)); /* mov 0x20(%eax),%ebx */
    assert_int_equal(a, 0x10);
    assert_true(access_32("\x50", 1, &s, B, &a)); /* push with ESP = 0 */
    assert_int_equal(a, 0xfffffffc);
}

static void needs_registers(void **state)
{
    (void)state;
    struct sample s = {.valid = SAMPLE_IP};
    uint64_t a;
    assert_false(access_32("\x8b\x18", 2, &s, B, &a));
    s.valid = SAMPLE_REGS;
    assert_false(access_32("\x8b\x18", 2, &s, B, &a));
}

static void not_instructions(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        unsigned len;
        bool long_mode;
    } bad[] = {
        {"\x0f\x0b", 1, false},                                                          /* cut */
        {"\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", 16, false}, /* 16 bytes */
        {"\x06", 1, true},                                                               /* PUSH ES */
        {"\x82\xc0\x01", 3, true},                                                       /* ADD's alias */
        {"\xc5\xf8\x28\xc1", 4, false},        /* VMOVAPS, not LDS */
        {"\xc6\x48\x01\x02", 4, false},        /* C6 /1 */
        {"\xff\x38", 2, false},                /* FF /7 */
        {"\x66\xe8\x00\x00\x00\x00", 6, true}, /* Intel and AMD differ */
        {"\x66\xc3", 2, true},
        {"\x0f\xff\xc0", 3, false}, /* UD0 */
    };
    for (size_t i = 0; i < N(bad); i++)
        assert_int_equal(decode_length((const uint8_t *)bad[i].code, bad[i].len, bad[i].long_mode), 0);
    assert_int_equal(decode_length((const uint8_t *)"\x66\xe8\x00\x00", 4, false), 4);
}

/* ---- against a disassembler (tests/unit/test_decode_payload.sh) ---- */

/* Lines of hexadecimal bytes, an instruction each: those that have another length, or none, are shown. */
static int walk(bool long_mode)
{
    char line[256];
    unsigned bad = 0, seen = 0;
    for (; fgets(line, sizeof line, stdin); seen++) {
        uint8_t code[16] = {0};
        unsigned n = 0;
        char *end;
        for (char *at = line; n < sizeof code; at = end) {
            unsigned long byte = strtoul(at, &end, 16);
            if (end == at) break;
            code[n++] = (uint8_t)byte;
        }
        unsigned length = decode_length(code, n, long_mode);
        if (length == n) continue;
        if (bad++ < 10) printf("length %u: %s", length, line);
    }
    printf("%u instructions\n", seen);
    return bad || seen == 0;
}

int main(int argc, char **argv)
{
    if (argc > 1) return walk(strcmp(argv[1], "64") == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_32),
        cmocka_unit_test(code_64),
        cmocka_unit_test(direction_and_count),
        cmocka_unit_test(negative_bit),
        cmocka_unit_test(addresses_wrap),
        cmocka_unit_test(needs_registers),
        cmocka_unit_test(not_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
