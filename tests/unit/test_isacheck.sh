#!/bin/bash
# tools/isacheck.sh refuses what a Pentium lacks, wherever it stands, and nothing else.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# verdict NAME WANTED-STATUS [WANTED-OUTPUT]: judge the last run of check.
verdict() {
    if [ "$status" != "$2" ]; then
        echo "not ok isacheck $1: exit status $status instead of $2: $(tr '\n' ' ' <"$dir/output")"
        failed=1
    elif [ $# = 3 ] && ! grep -qF -- "$3" "$dir/output"; then
        echo "not ok isacheck $1: the output lacks '$3': $(tr '\n' ' ' <"$dir/output")"
        failed=1
    else
        echo "ok isacheck $1"
    fi
}

# check [AS-OPTION]: assemble stdin (32-bit unless told otherwise) and run isacheck on it.
check() {
    as "${1:---32}" -o "$dir/case.o" -
    status=0
    "$root/tools/isacheck.sh" "$dir/case.o" >"$dir/output" 2>&1 || status=$?
}

# What a Pentium lacks, as assembly and as objdump spells it: in .text it must be refused with its
# address, function and name, behind other code and behind a prefix too; in .text.isa.x not.
while IFS='|' read -r name code spelt; do
    check <<<".text; first: nop; nop; .globl culprit; culprit: nop; $code; ret"
    verdict "refuses $name" 1 "  3 .text <culprit>: $spelt"
    check <<<".text; nop; .section .text.isa.x,\"ax\",@progbits; culprit: $code; ret"
    verdict "allows $name in .text.isa.x" 0
    check <<<".text; nop; .section .text.isax,\"ax\",@progbits; culprit: $code; ret"
    verdict "refuses $name in .text.isax" 1 "  0 .text.isax <culprit>: $spelt"
done <<'CASES'
cmov|cmovne %eax,%ebx|cmovne
fcmov|fcmovb %st(1),%st|fcmovb
fcomi|fcomi %st(1),%st|fcomi
fucomip|fucomip %st(1),%st|fucomip
fisttp|fisttpl (%eax)|fisttpl
fxsave|fxsave (%eax)|fxsave
endbr32|endbr32|endbr32
a long NOP|nopw 0(%eax)|nopw
a padded long NOP|.byte 0x66,0x2e,0x0f,0x1f,0x84,0,0,0,0,0|nopw
a long NOP of a register|.byte 0x0f,0x1f,0xc0|nop
movntdq|movntdq %xmm0,(%eax)|movntdq
movd|movd %eax,%mm0|movd
emms|emms|emms
sfence|sfence|sfence
lfence|lfence|lfence
prefetcht0|prefetcht0 (%eax)|prefetcht0
ud2|ud2|ud2
rdpmc|rdpmc|rdpmc
sysenter|sysenter|sysenter
popcnt|popcnt %eax,%ebx|popcnt
a byte that is no instruction|.byte 0x0f,0xff,0xc0; .byte 0x0f,0x04|ud0
an AVX store|vmovaps %ymm0,(%eax)|vmovaps
CR8|.byte 0xf0,0x0f,0x20,0xc0|mov
CASES

# One of each kind that the Pentium has: none may be refused.
check <<'PENTIUM'
.text
    aaa; aad; aam; aas; daa; das; adcl $1,(%eax); add %al,(%ebx); arpl %ax,(%ecx); bound %eax,(%ebx)
    bsf %eax,%ebx; bsr (%eax),%bx; bswap %ecx; btl $3,(%eax); bts %eax,%ebx; btr %ax,%bx; btcl $1,(%eax)
    call *%eax; call .; lcall $8,$0; ljmp $8,$0; ljmp *(%eax); cbtw; cwtl; cwtd; cltd; clc; cld; cli; clts; cmc
    cmpxchg %al,(%ebx); lock cmpxchg8b (%eax); cpuid; rdtsc; rdmsr; wrmsr; rsm; invd; wbinvd; invlpg (%eax)
    rep movsb; rep movsl; repe cmpsw; repne scasb; rep stosw; lodsl; rep insb; rep outsl; cs lodsb
    decl (%eax); div %cl; idivw (%eax); imul $5,(%eax),%ecx; in $5,%al; out %eax,%dx; int $3; int $0x80; into
    enter $8,$0; leave; iret; jecxz .; loop .; loopne .; lahf; sahf; lar %ax,%bx; lsl (%eax),%ebx
    lds (%eax),%ebx; les (%eax),%cx; lfs (%eax),%ebx; lgs (%eax),%ebx; lss (%eax),%esp; lea (%eax,%ebx,4),%ecx
    lgdt (%eax); lidt (%eax); sgdt (%eax); sidt (%eax); lldt %ax; sldt (%eax); ltr %ax; str %ax; lmsw %ax; smsw (%eax)
    mov %cr0,%eax; mov %eax,%cr2; mov %eax,%cr3; mov %cr4,%eax; mov %db7,%eax; mov %ds,%ax; mov %ax,%gs
    movb $1,(%eax); movw $1,(%eax); movl $1,(%eax); movsbl %al,%ebx; movsbw (%eax),%bx; movswl %ax,%ebx
    movzbl (%eax),%ebx; movzbw %al,%bx; movzwl %ax,%ebx; mull (%eax); neg %ax; notl (%eax); nop; pause
    xchg %ax,%ax; lea 0(%esi),%esi; popa; pusha; popf; pushf; pushfw; popfw; push $1; pushl (%eax); push %fs; pop %es
    rcll $2,(%eax); rcr %cl,%ebx; rol %eax; rorb $1,(%eax); sal %eax; sarl %cl,(%eax); shld $1,%eax,%ebx
    shrd %cl,%ax,(%ebx); sbb %eax,%eax; sete %al; setg (%eax); stc; std; sti; test %al,%al; testl $1,(%eax)
    verr %ax; verw (%eax); xadd %eax,(%ebx); xlat; xorb $1,%fs:(%eax); ja .; jpo .; ret; ret $4; repz ret; lret; hlt
    f2xm1; fabs; fadds (%eax); faddl (%eax); fadd %st(1),%st; faddp; fiadds (%eax); ficompl (%eax); fbld (%eax)
    fbstp (%eax); fchs; fclex; fnclex; fcoms (%eax); fcompp; fcos; fdecstp; fdivrp; fidivrl (%eax); ffree %st(1)
    filds (%eax); fildl (%eax); fildll (%eax); fistl (%eax); fistpll (%eax); fincstp; finit; fninit; fldt (%eax)
    flds (%eax); fld1; fldz; fldpi; fldl2e; fldl2t; fldlg2; fldln2; fldcw (%eax); fldenv (%eax); fnop; fpatan
    fprem; fprem1; fptan; frndint; frstor (%eax); fsave (%eax); fnsave (%eax); fscale; fsin; fsincos; fsqrt
    fstps (%eax); fstpt (%eax); fst %st(2); fnstcw (%eax); fstcw (%eax); fnstenv (%eax); fnstsw %ax; fstsw (%eax)
    fsubrp; fisubs (%eax); ftst; fucom; fucomp; fucompp; fwait; fxam; fxch; fxtract; fyl2x; fyl2xp1; fmulp
PENTIUM
verdict "accepts the Pentium's instructions" 0

# objdump prints bytes that belong to an object as bytes; so nothing can hide behind a symbol's type.
check <<<'.text; nop; .type hidden,@object; hidden: .byte 0x0f,0x0b; .size hidden,2; ret'
verdict "refuses data among code" 1 "  1 .text <hidden>: "
check <<<'.data; .long 1'
verdict "refuses a file without code" 1 "no code to judge"
check <<<'.section .text.isa.sse2,"ax",@progbits; sfence'
verdict "refuses a file with nothing but .text.isa" 1 "no code to judge"
check --64 <<<'.text; nop'
verdict "refuses a 64-bit file" 2 "not an i386 ELF file"
echo text >"$dir/text"
status=0
"$root/tools/isacheck.sh" "$dir/text" >"$dir/output" 2>&1 || status=$?
verdict "refuses what is no ELF file" 2 "not an i386 ELF file"
status=0
"$root/tools/isacheck.sh" "$dir/absent" >"$dir/output" 2>&1 || status=$?
verdict "refuses an absent file" 2 "cannot read"

exit "$failed"
