# Snippets on a seed, and what each of them counts.
#
#   awk -v seed=N -v count=N -v bits=32|64 -v has="mmx sse sse2" -v known=FILE -f tests/boot/generate.awk >LIST
#
# LIST is a file for `anechoic code -f`, FILE has a JSON object for each snippet: its name and the counts of one copy. Snippets are
# made of pieces, the first of none. All memory operands are aligned, at places that no snippet moves: only the string
# instructions use ESI and EDI, by bytes. Init makes EBX 0, and no piece changes it.

# From 0 up to below n, the same in every awk: Park and Miller's generator.
function random(n) {
    seed = seed * 16807 % 2147483647
    return int(seed / 2147483647 * n)
}

# NEEDS: a feature, 32 or 64 bits, or "-"; "wide": 16 bytes are one access;
# "ret": the load of a RET is counted. In TEXT @ax is EAX or RAX, PLACE a displacement, WORDS the bytes of two words.
function piece(needs, instructions, branches, taken, loads, stores, text) {
    if (needs != "-" && index(" " bits " " has " ", " " needs " ") == 0) return
    gsub(/@/, bits == 64 ? "r" : "e", text)
    sub(/WORDS/, bits / 4, text)
    of[pieces] = instructions " " branches " " taken " " loads " " stores
    code[pieces++] = text
}

# A multiple of 16 in the 4 KiB that are zero, as a displacement of none, one or four bytes.
function place(   kind) {
    kind = random(3)
    return kind == 0 ? 0 : kind == 1 ? 16 * (1 + random(7)) : 256 + 16 * random(200)
}

function all_pieces() {
    piece("-", 1, 0, 0, 0, 0, "nop")
    piece("-", 1, 0, 0, 0, 0, "inc eax")
    piece("-", 1, 0, 0, 0, 0, "mov ecx, edx")
    piece("-", 1, 0, 0, 0, 0, "mov edx, 0x12345678")
    piece("-", 1, 0, 0, 0, 0, "add eax, 1000000")
    piece("-", 1, 0, 0, 0, 0, "imul eax, edx, 12345")
    piece("-", 1, 0, 0, 0, 0, "lea ecx, [@bp + 8 * @bx + 5]")
    piece("-", 1, 0, 0, 0, 0, "shld eax, edx, 7")
    piece("-", 1, 0, 0, 0, 0, "xchg eax, edx")
    piece("-", 2, 0, 0, 0, 0, "cdq; bswap edx")
    piece("-", 2, 0, 0, 0, 0, "cmp eax, edx; setb cl")
    piece("-", 3, 0, 0, 0, 0, "xor edx, edx; mov ecx, 7; div ecx")
    piece("32", 3, 0, 0, 0, 0, "aaa; das; cwde")
    # of each length
    piece("-", 1, 0, 0, 0, 0, ".byte 0x66, 0x90")
    piece("-", 1, 0, 0, 0, 0, ".byte 0x8d, 0x76, 0x00")
    piece("-", 1, 0, 0, 0, 0, ".byte 0x8d, 0x74, 0x26, 0x00")
    piece("-", 1, 0, 0, 0, 0, ".byte 0x3e, 0x8d, 0x74, 0x26, 0x00")
    piece("-", 1, 0, 0, 0, 0, ".byte 0x8d, 0xb6, 0, 0, 0, 0")
    piece("-", 1, 0, 0, 0, 0, ".byte 0x8d, 0xb4, 0x26, 0, 0, 0, 0")
    piece("-", 1, 0, 0, 0, 0, ".byte 0x3e, 0x8d, 0xb4, 0x26, 0, 0, 0, 0")
    piece("-", 1, 0, 0, 0, 0, ".byte 0x3e, 0x3e, 0x8d, 0xb4, 0x26, 0, 0, 0, 0")
    piece("-", 1, 0, 0, 0, 0, ".byte 0x3e, 0x3e, 0x3e, 0x8d, 0xb4, 0x26, 0, 0, 0, 0")
    piece("-", 1, 0, 0, 0, 0, ".fill 4, 1, 0x3e; .byte 0x8d, 0xb4, 0x26, 0, 0, 0, 0")
    piece("-", 1, 0, 0, 0, 0, ".fill 5, 1, 0x3e; .byte 0x8d, 0xb4, 0x26, 0, 0, 0, 0")
    piece("-", 1, 0, 0, 0, 0, ".fill 6, 1, 0x3e; .byte 0x8d, 0xb4, 0x26, 0, 0, 0, 0")
    piece("-", 1, 0, 0, 0, 0, ".fill 7, 1, 0x3e; .byte 0x8d, 0xb4, 0x26, 0, 0, 0, 0")
    piece("-", 1, 0, 0, 0, 0, ".fill 8, 1, 0x3e; .byte 0x8d, 0xb4, 0x26, 0, 0, 0, 0")
    piece("64", 1, 0, 0, 0, 0, "movabs rax, 0x123456789abcdef0")
    piece("64", 1, 0, 0, 0, 0, "lea r8, [r9 + 4 * r10 + 1000]")
    piece("64", 2, 0, 0, 0, 0, "mov r13, r8; imul r13, rax")
    # loads and stores
    piece("-", 1, 0, 0, 1, 0, "mov eax, [@bp + PLACE]")
    piece("-", 1, 0, 0, 1, 0, "movzx edx, byte ptr [@bp + @bx + PLACE]")
    piece("-", 1, 0, 0, 1, 0, "cmp dword ptr [@bp + 4 * @bx + PLACE], 1234567")
    piece("-", 1, 0, 0, 0, 1, "mov [@bp + PLACE], edx")
    piece("-", 1, 0, 0, 0, 1, "mov word ptr [@sp + PLACE], 0x1234")
    piece("-", 1, 0, 0, 1, 1, "add dword ptr [@bp + PLACE], 5")
    piece("-", 1, 0, 0, 1, 1, "xadd [@bp + @bx + PLACE], ecx")
    piece("-", 2, 0, 0, 1, 1, "push @ax; pop @dx")
    piece("-", 3, 0, 0, 0, 2, "push 5; push @cx; lea @sp, [@sp + WORDS]")
    piece("-", 1, 0, 0, 1, 0, "lodsb")
    piece("-", 1, 0, 0, 0, 1, "stosb")
    piece("-", 1, 0, 0, 1, 1, "movsb")
    piece("64", 1, 0, 0, 1, 0, "mov r12, [r14 + PLACE]")
    piece("64", 1, 0, 0, 0, 1, "mov qword ptr [r14 + PLACE], 0x12345678")
    # branches, taken and not
    piece("-", 1, 1, 1, 0, 0, "jmp 9f; 9:")
    piece("-", 1, 1, 1, 0, 0, "jmp 9f; ud2; 9:")
    piece("-", 2, 1, 1, 0, 0, "cmp ebx, ebx; jz 9f; ud2; 9:")
    piece("-", 2, 1, 0, 0, 0, "test ebx, ebx; jnz 9f; 9:")
    piece("-", 3, 2, 1, 0, 0, "test ebx, ebx; jc 9f; jns 9f; .fill 130, 1, 0xf4; 9:")
    piece("-", 7, 3, 2, 0, 0, "mov ecx, 3; 9: dec ecx; jnz 9b")
    piece("-", 5, 4, 3, 0, 0, "mov ecx, 4; 9: loop 9b")
    piece("-", 2, 1, 1, 1, 1, "call 9f; ud2; 9: pop @dx")
    piece("ret", 3, 3, 3, 1, 1, "call 9f; jmp 8f; 9: ret; 8:")
    # x87, MMX, SSE
    piece("-", 2, 0, 0, 0, 0, "fld1; fstp st(0)")
    piece("-", 3, 0, 0, 1, 1, "fld dword ptr [@bp + PLACE]; fchs; fstp dword ptr [@sp + PLACE]")
    piece("-", 3, 0, 0, 1, 1, "fild dword ptr [@bp + @bx + PLACE]; fabs; fistp dword ptr [@bp + PLACE]")
    piece("-", 4, 0, 0, 1, 0, "fldz; fadd qword ptr [@sp + PLACE]; fxch st(1); fstp st(0)")
    piece("mmx", 3, 0, 0, 1, 0, "movq mm0, [@bp + PLACE]; paddd mm1, mm0; emms")
    piece("mmx", 2, 0, 0, 0, 1, "movd [@bp + PLACE], mm2; emms")
    piece("sse", 2, 0, 0, 1, 0, "movss xmm0, [@bp + PLACE]; addps xmm1, xmm0")
    piece("wide", 2, 0, 0, 1, 0, "movaps xmm2, [@bp + PLACE]; mulps xmm1, xmm2")
    piece("wide", 1, 0, 0, 0, 1, "movaps [@sp + PLACE], xmm1")
    piece("sse2", 2, 0, 0, 1, 0, "movsd xmm2, [@bp + PLACE]; mulsd xmm2, xmm3")
    piece("sse2", 2, 0, 0, 0, 1, "pxor xmm4, xmm5; movq [@bp + PLACE], xmm4")
}

function snippet(i,   n, text, at, sum, k, part) {
    n = i ? 1 + random(i % 40) : 0
    for (k = 1; k <= 5; k++) sum[k] = 0
    for (text = ""; n > 0; n--) {
        at = random(pieces)
        part = code[at]
        while (sub(/PLACE/, place(), part)) continue
        text = text part (part ~ /:$/ ? " " : "; ")
        split(of[at], counts)
        for (k = 1; k <= 5; k++) sum[k] += counts[k]
    }
    printf "s%d: %s\n", i, text
    printf "{\"name\":\"s%d\",\"instructions\":%d,\"branches\":%d,\"taken\":%d,\"not_taken\":%d,\"loads\":%d,\"stores\":%d,\"accesses\":%d}\n",
        i, sum[1], sum[2], sum[3], sum[2] - sum[3], sum[4], sum[5], sum[4] + sum[5] >known
}

BEGIN {
    pieces = 0
    all_pieces()
    for (i = 0; i < count; i++) snippet(i)
}
