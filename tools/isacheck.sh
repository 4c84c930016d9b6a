#!/bin/bash
# Refuse an i586 kernel that contains an instruction a 1993 Pentium lacks.
#
#   tools/isacheck.sh FILE        (OBJDUMP=... names another objdump)
#
# Emulators run ENDBR, long NOPs and the like on every CPU model; the real machine faults.
# So the judge is the disassembly, and the list is of what is allowed, not of what is known to be
# newer: the instructions of the Pentium Family Developer's Manual, volume 3, chapter 25, as objdump
# spells them.  Sections named .text.isa.* are exempt: they hold the code that is entered only after
# a CPUID check.
#
# Exit status: 0 clean, 1 something was refused (each with address, function and instruction) or
# there was no code to judge, 2 wrong usage or not an i386 ELF file.
set -eu -o pipefail

case "${1-}" in
-h | --help)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
    exit 0
    ;;
esac
if [ $# != 1 ]; then
    echo "isacheck: usage: tools/isacheck.sh FILE" >&2
    exit 2
fi
if [ ! -r "$1" ]; then
    echo "isacheck: cannot read $1" >&2
    exit 2
fi

# NAME, or NAME:SUFFIXES where objdump adds an operand size (bwl) to the name or leaves it out.
# Left out on purpose: UD2 (the Pentium has only the undocumented fault), SALC, ICEBP, FFREEP and
# the 486's test registers.  PAUSE is F3 90, a plain NOP to a Pentium.
allowed='
aaa aad aam aas adc:bwl add:bwl and:bwl arpl bound:wl bsf:wl bsr:wl bswap bt:wl btc:wl btr:wl
bts:wl call:wl cbtw cwtl cwtd cltd clc cld cli clts cmc cmp:bwl cmps:bwl cmpxchg:bwl cmpxchg8b
cpuid daa das dec:bwl div:bwl enter:wl hlt idiv:bwl imul:bwl in:bwl inc:bwl ins:bwl int int3 into
invd invlpg iret:wl jcxz jecxz jmp:wl lahf lar:wl lcall:wl lds:wl lea:wl leave:wl les:wl lfs:wl
lgdt:wl lgs:wl lidt:wl ljmp:wl lldt:w lmsw:w lods:bwl loop loope loopne loopw loopew loopnew lret:wl
lsl:wl lss:wl ltr:w mov:bwl movs:bwl movsbl movsbw movswl movzbl movzbw movzwl mul:bwl neg:bwl nop
not:bwl or:bwl out:bwl outs:bwl pause pop:wl popa:wl popf:wl push:bwl pusha:wl pushf:wl rcl:bwl
rcr:bwl rdmsr rdtsc ret:wl rol:bwl ror:bwl rsm sahf sal:bwl sar:bwl sbb:bwl scas:bwl sgdt:wl shl:bwl
shld:wl shr:bwl shrd:wl sidt:wl sldt:wl smsw:wl stc std sti stos:bwl str:wl sub:bwl test:bwl verr:w
verw:w wbinvd wrmsr xadd:bwl xchg:bwl xlat:b xor:bwl
ja jae jb jbe je jg jge jl jle jne jno jnp jns jo jp js
seta setae setb setbe sete setg setge setl setle setne setno setnp setns seto setp sets
f2xm1 fabs fadd:sl faddp fbld fbstp fchs fclex fcom:sl fcomp:sl fcompp fcos fdecstp fdiv:sl fdivp
fdivr:sl fdivrp ffree fiadd:sl ficom:sl ficomp:sl fidiv:sl fidivr:sl fild:sl fildll fimul:sl fincstp
finit fist:sl fistp:sl fistpll fisub:sl fisubr:sl fld:slt fld1 fldcw fldenv fldl2e fldl2t fldlg2
fldln2 fldpi fldz fmul:sl fmulp fnclex fninit fnop fnsave fnstcw fnstenv fnstsw fpatan fprem fprem1
fptan frndint frstor fsave fscale fsin fsincos fsqrt fst:sl fstcw fstenv fstp:slt fstsw fsub:sl
fsubp fsubr:sl fsubrp ftst fucom fucomp fucompp fwait fxam fxch fxtract fyl2x fyl2xp1'
prefixes='lock rep repz repnz repe repne data16 addr16 cs ds es fs gs ss'

LC_ALL=C "${OBJDUMP:-objdump}" -d -w --no-show-raw-insn "$1" |
    LC_ALL=C awk -v file="$1" -v allowed="$allowed" -v prefixes="$prefixes" '
BEGIN {
    n = split(allowed, word)
    for (i = 1; i <= n; i++) {
        split(word[i], part, ":")
        ok[part[1]] = 1
        for (j = 1; j <= length(part[2]); j++)
            ok[part[1] substr(part[2], j, 1)] = 1
    }
    n = split(prefixes, word)
    for (i = 1; i <= n; i++)
        prefix[word[i]] = 1
    FS = "\t"
}
/file format / { i386 = /file format elf32-i386/ }
/^Disassembly of section / {
    section = substr($0, 24, length($0) - 24)
    exempt = index(section, ".text.isa.") == 1
    next
}
/^[0-9a-f]+ <.*>:$/ {
    where = substr($0, index($0, "<"))
    sub(/:$/, "", where)
    next
}
exempt || !/^ *[0-9a-f]+:\t/ { next }
{
    judged++
    n = split($2, word, " ")
    for (i = 1; i < n && word[i] in prefix; i++)
        ;
    name = word[i]
    operands = i < n
    # Long NOPs with a register operand are spelt like the plain one.  The registers: MMX and later,
    # the 64-bit ones, CR1 and CR5 up, and the test registers that the 486 had.
    if (!(name in ok) || (name == "nop" && operands) ||
        $2 ~ /%([xyzt]?mm[0-9]|k[0-7]|bnd|r[a-dis0-9]|[sd]il|[sb]pl|cr([15-9]|1[0-9])|tr[0-9])/) {
        refused++
        if (refused <= 50) {
            address = $1
            gsub(/[ :]/, "", address)
            list = list sprintf("  %s %s %s: %s\n", address, section, where, $2)
        }
    }
}
END {
    if (!i386) {
        print "isacheck: " file ": not an i386 ELF file"
        exit 2
    }
    if (!judged) {
        print "isacheck: " file ": no code to judge outside of .text.isa.*"
        exit 1
    }
    if (refused) {
        print "isacheck: " file ": " refused " of " judged " instructions are not a Pentium'\''s:"
        printf "%s", list
        if (refused > 50)
            print "  ... and " refused - 50 " more"
        exit 1
    }
}' >&2
