#!/bin/bash
# `anechoic code` with scripts that only send a capture: what the kernel is asked for, what of its answers is printed, and
# what is refused. Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
# shellcheck disable=SC2034 # captures.sh uses them
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
anechoic=$(realpath "${1:-${BUILD:-$root/build}/host/anechoic}")
command=code failed=0
. "$root/tests/unit/captures.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit

# ---- captures as the kernel makes them ----

boot='{"t":"boot","schema":1,"version":"0.1.0","flavour":"x86_64","protocol":2,"loader":"","cmdline":"","platform":"PLATFORM","platform_detail":"","memory_kib":130620,"map":"mmap","map_truncated":false,"modules":2,"pool_base":4194304,"pool_bytes":125829120,"pool_type":"WB","consoles":[]}
{"t":"cpu","cpu":0,"vendor":"GenuineIntel","brand":"A brand","family":6,"model":85,"stepping":4,"signature":329300,"hypervisor":false,"invariant_tsc":true,"tsc_source":"unknown","apic":"absent","pmu":{"family":"arch","model":"Skylake-SP","pebs":false,"ds":true,"ibs":false,"lbr":true},"caches":[],"cache_source":"unknown","serialize":["cpuid"]}'
# result VARIANT EVENT OPS MIN MEDIAN MEAN MAX CI95 RAW OVERHEAD FLAGS [MORE]
result() {
    printf '{"t":"result","bench":"code","variant":"%s","params":{"unroll":100,"loop":0},"cpu":0,"ring":0,"event":"%s","unit":"%s/copy",%s"reps":20,"ops":%s,"raw_min":%s,"overhead":%s,"min":%s,"median":%s,"mode":%s,"mean":%s,"ci95":%s,"max":%s,"flags":[%s]}\n' \
        "$1" "$2" "$2" "${12-}" "$3" "$9" "${10}" "$4" "$5" "$4" "$6" "$8" "$7" "${11}"
}
exact() { result "$1" "$2" 100 "$3" "$3" "$3" "$3" 0.0 "$4" 20 '"modelled"'; }
{
    echo "${boot/PLATFORM/bochs}"
    exact 'imul rax, rbx' instructions 1.0 120
    exact 'imul rax, rbx' cycles 1.0 120
} | session >one
{
    echo "${boot/PLATFORM/bochs}"
    exact add instructions 1.0 120
    result add mem 100 0.0 0.333333 0.25 1.0 0.004 20 20 '"modelled","overhead-lowered"'
    echo '{"t":"error","what":"benchmark","bench":"code","variant":"bad","message":"code bad: #UD invalid opcode at 0x1000"}'
    exact 'sub\u0007' instructions 2.0 220
    echo '{"t":"result","bench":"code","variant":"sub\u0007","params":{},"cpu":0,"ring":0,"event":"stalls","unit":"stalls/copy","reps":20,"ops":100,"flags":["unmodelled"]}'
    echo '{"t":"note","what":"model","message":"no value: stalls"}'
    echo '{"t":"note","what":"events","message":"no count: misses"}'
    echo '{"t":"note","what":"usb","message":"about the machine"}'
} | session 1 >three
{
    echo "${boot/PLATFORM/silicon}"
    result a tsc 3000000 3.01 3.125 3.2 9.0 0.051 9030020 20 '"slow"'
} | session >silicon
{
    echo "${boot/PLATFORM/linux}"
    result a tsc 1000 2.0 2.26 2.3 9.0 0.02 2020 20 '"hosted"' '"core_per_tsc":1.325,"core_per_op":2.9945,'
} | session >hosted
{
    echo "${boot/PLATFORM/qemu-tcg}"
    for n in 1 2; do result a tsc 100 1.0 1.0 1.0 1.0 0.0 120 20 '"emulated"' '"sweep":"loop",' | sed "s/\"loop\":0/\"loop\":$n/"; done
} | session >sweep
# step CYCLES COUNT CAME
step() {
    printf '{"t":"step","bench":"code","variant":"a","params":{"unroll":2},"cpu":0,"ring":0,"asked":%s,"cycles":%s,"cycles_least":%s,"cycles_most":%s,"frozen":3,"count":[%s],"came":[%s],"least":[%s],"most":[%s]}\n' \
        "$1" "$1" "$1" "$1" "$2" "$3" "$2" "$2"
}
{
    echo "${boot/PLATFORM/qemu-tcg}"
    echo '{"t":"steps","bench":"code","variant":"a","params":{"unroll":2},"cpu":0,"ring":0,"events":["instructions"],"from":6,"to":8,"by":1,"rows":3,"reps":3,"ended":false,"cycles":12,"counts":[16],"empty":8,"empty_counts":[12],"as_empty":6,"late":0,"flags":["emulated"]}'
    step 6 10 10
    step 7 11 1
    step 8 11 0
} | session >stepped
sed 's/"bench":"code"/"bench":"other"/' one >damaged
{ echo "${boot/PLATFORM/silicon}"; echo '{"t":"error","what":"command line","word":"events=x","message":"unknown event: \"x\"","valid":"names"}'; } | session 2 >words

# from NAME STATUS OPTIONS... : prints the capture "$name.txt" must be as wanted (standard input)
from() {
    local name=$1 wanted=$2 status=0
    shift 2
    "$anechoic" code "$@" >out 2>err || status=$?
    cat >wanted
    expect "$name" test "$status" = "$wanted"
    expect "$name, what is printed" diff wanted out
}
# says NAME TEXT: it is on standard error
says() { expect "$1" grep -qF -- "$2" err; }

from "answers of a capture" 0 --from one <<'TEXT'
imul rax, rbx
  Instructions retired: 1.00
  Core cycles: 1.00

Run on Skylake-SP (modelled in Bochs), not on a processor: counts are exact; cycles, time and latency need silicon.
TEXT
expect "nothing is said besides" test ! -s err
from "several, one of which failed" 1 --from three <<'TEXT'
add
  Instructions retired: 1.00
  mem: 0.3333 (overhead-lowered)

sub\x07
  Instructions retired: 2.00
  stalls: not modelled

Run on Skylake-SP (modelled in Bochs), not on a processor: counts are exact; cycles, time and latency need silicon.
TEXT
says "the fault" "anechoic code: code bad: #UD invalid opcode at 0x1000"
says "the note about events" "note: no count: misses"
expect "no other note" test "$(grep -c machine err)" = 0
"$anechoic" code --from hosted >out 2>err
expect "core cycles are the median by the clocks' ratio" grep -qx -e '  Core cycles: 2.99 +/- 0.03' out
expect "ticks stay as they are" grep -qx -e '  Time-stamp counter: 2.26 +/- 0.02' out
expect "Linux is named" grep -q 'as a Linux process.*what Linux does in between' out
"$anechoic" code --from hosted --aggregate min >out 2>err
expect "core cycles of the least" grep -q 'Core cycles: 2.65' out
from "the mean" 0 --from silicon --aggregate mean <<'TEXT'
a
  Time-stamp counter: 3.20 +/- 0.05 (slow)

Measured on A brand.
TEXT
from "the least" 0 --from silicon --aggregate min <<<'a
  Time-stamp counter: 3.01 +/- 0.05 (slow)

Measured on A brand.'
from "all copies together" 0 --from silicon --no-normalization --aggregate max <<<'a
  Time-stamp counter: 27000000.00 +/- 153000.00 (slow)

Measured on A brand.'
from "a range" 0 --from sweep <<<'a, loop 1
  Time-stamp counter: 1.00

a, loop 2
  Time-stamp counter: 1.00

Run on A brand (emulated by QEMU), not on a processor: time is the emulator'"'"'s, and counts instructions with --icount; latency needs silicon.'
sed 's/"raw_min":120/"raw_min":9007199254740993/; s/,"crc.*/}/; s/^{"n":[0-9]*,/{/; /"t":"end"/d' one | session >exact
"$anechoic" code --from one --format json >out
expect "json" jq -e '(.rows | map([.variant, .event, .value, .unit, .ops])) ==
    [["imul rax, rbx","instructions",1,"instructions/copy",100],["imul rax, rbx","cycles",1,"cycles/copy",100]]' out
expect "json says where it is from" jq -e '.notes[0] | startswith("Run on Skylake-SP (modelled in Bochs), not on a processor")' out
"$anechoic" code --from three --format json >out 2>err
expect "json has faults" jq -e '(.rows | map([.variant, .value, .message])) ==
    [["add",1,null],["add",0.333333,null],["bad",null,"code bad: #UD invalid opcode at 0x1000"],["sub\u0007",2,null],["sub\u0007",null,null]]' out
"$anechoic" code --from three --format ktap >out 2>err
expect "ktap" test "$(grep -cE '^(ok|not ok)' out): $(grep -c '# SKIP' out): $(grep -c '^not ok' out)" = "5: 1: 1"
"$anechoic" code --from one --format csv | head -n 1 >out
expect "csv" grep -q '^variant,params,cpu,ring,event,value,' out
from "steps" 0 --from stepped <<'TEXT'

code a unroll=2, ring 0, cycle by cycle: what had been counted up to there, and
what came since the row before; medians of 3 repetitions (emulated)
  the bracket takes 12 cycles, and 8 when it is empty; up to cycle 6 nothing
  differs from the empty one
     cycle instructions
         6           10     +10
         7           11      +1
         8           11

Run on A brand (emulated by QEMU), not on a processor: time is the emulator's, and counts instructions with --icount; latency needs silicon.
TEXT
"$anechoic" code --from stepped --format json >out 2>err
expect "steps in another format" test "$?: $(jq -c .rows out)" = "1: []"
says "that they are text" "tables of steps= are text: leave --format out"
from "no snippets in it" 1 --from damaged </dev/null
says "damage" "its CRC says"
from "words that were wrong" 1 --from words </dev/null
says "which words" 'unknown event: "x"; valid: names'
disk_full "a full disk" code --from one

# ---- what the kernel is asked for ----

mkdir scripts
cat >scripts/run-qemu.sh <<SCRIPT
#!/bin/bash
echo "\$0 \$*" >'$dir/called'
while [ \$# -gt 0 ]; do [ "\$1" != --module ] || cp "\$2" '$dir/module'; shift; done
if [ -e '$dir/slow' ]; then
    while read -r line; do echo "\$line"; sleep 0.1; done <'$dir/answer'
    exec sleep 60
fi
cat '$dir/answer'
exit \$(cat '$dir/status')
SCRIPT
cp scripts/run-qemu.sh scripts/run-bochs.sh
cp scripts/run-qemu.sh scripts/run-here.sh
chmod +x scripts/*
echo 0 >status

# asks NAME 'WORDS' ARGUMENT...: the script gets these
asks() {
    local name=$1 words=$2 status=0
    shift 2
    rm -f called module
    timeout 60 "$anechoic" code --scripts scripts "$@" >out 2>err || status=$?
    expect "$name" grep -qF -- "$words" called
    [ $status = "${comes_to-0}" ] || verdict "$name, status" "$status: $(cat err)"
}
# code OFFSET BYTES: of the module, in hexadecimal
bytes() { od -An -v -tx1 -j "$1" -N "$2" module | tr -d ' \n'; }

cp one answer
asks "runs here" "scripts/run-here.sh --flavour x86_64 --module" 'imul rax, rbx'
says "where, and why" "--on here: times of this processor; --on bochs:skylake counts on a model; --loop 10, since"
expect "in a loop" grep -q -e "bench=code:loop=10$" called
for code in 'mov R15, 1' '.byte 0x90'; do
    asks "code that may change R15" "--append text=none bench=code" --on here "$code"
    expect "is in no loop: $code" test "$(grep -c loop= called)" = 0
done
asks "copies that were asked for" "--append text=none bench=code:unroll=5" --unroll 5 nop
expect "are in no loop" test "$(grep -c loop= called)" = 0
asks "32 bits of a model" "run-bochs.sh --cpu skylake --flavour i586" --bits 32 nop
says "why on a model" "--on bochs:skylake, since the kernel of 32 bits does not run as a Linux process"
asks "samples of a model" "run-bochs.sh --cpu skylake" nop sample=pmi
says "why not here" "--on bochs:skylake, since Linux' signal arrives an unknown time after the counter's interrupt"
asks "ring 0" "run-bochs.sh --cpu skylake" --ring 0 nop
asks "boots Bochs" "scripts/run-bochs.sh --cpu skylake --flavour x86_64 --module" --on bochs:skylake 'imul rax, rbx'
expect "without headings" test "$(head -n 1 out)" = "Instructions retired: 1.00"
expect "its words" grep -qF -- "--append text=none bench=code events=instructions,cycles" called
expect "the module's code" test "$(bytes $(($(wc -c <module) - 4)) 4)" = 480fafc3
expect "the module's name" grep -qa 'imul rax, rbx' module
asks "a CPU without 64 bits" "--cpu p5 --flavour i586" --on bochs:p5 nop
asks "32 bits" "--flavour i586" --bits 32 nop
asks "QEMU counts instructions" "run-qemu.sh --flavour x86_64 --module" --on qemu nop
expect "by its clock" grep -qF -- "--icount --raw" called
expect "and no counters" test "$(grep -c events= called)" = 0
asks "KVM" "run-qemu.sh --accel kvm" --on kvm nop
asks "all numbers" "bench=code:unroll=7:loop=9:alignment=32:offset=5:basic=1 reps=11 warmup=3 events=tsc ring=3 serialize=lfence all=1" \
    --unroll 7 --loop 9 --alignment 32 --offset 5 --basic --reps 11 --warmup 3 -e tsc --ring 3 --serialize lfence nop all=1
asks "a range" "bench=code:unroll=1..16" --range 1-16 nop
asks "the script's own options" "--timeout=121 --icount --smp=2" --on qemu -x --smp=2 nop
asks "AT&T's syntax" run-here --syntax att 'imul %rbx, %rax'
expect "its code" test "$(bytes $(($(wc -c <module) - 4)) 4)" = 480fafc3
asks "parts" run-here --init 'push rax' --late-init 'pop rax' --one-time-init 'cld' 'nop'
expect "their code" test "$(bytes $(($(wc -c <module) - 4)) 4)" = fc505890
asks "no code" run-here ''
expect "it is empty" test "$(bytes 68 4)$(bytes 36 36 | cut -c 9-)" = "$(bytes 68 4)$(printf '0%.0s' {1..64})"
expect "a hundred kilobytes of snippet" "$anechoic" code --scripts scripts "$(printf 'nop; %.0s' {1..20000})"
expect "all of it" test "$(bytes $(($(wc -c <module) - 20000)) 20000 | tr -d 9)" = "$(printf '0%.0s' {1..20000})"
asks "the capture is kept" run-here -o kept nop
expect "as it came" cmp kept answer

cat >list <<'LIST'
# comments, and a name with blanks and brackets
add (R64, R64): add rax, rbx

load:  mov rax, [rax]
    --init mov rax, r14
# in between
           mov [rax], rax
    --late-init nop
loop: mov ecx, 10
  1:  dec ecx
      jnz 1b
empty:
LIST
# fault VARIANT BYTE [MORE]
fault() { echo '{"t":"error","what":"benchmark","bench":"code","variant":"'"$1"'",'"${3-}"'"byte":'"$2"',"message":"code '"$1"': #UD"}'; }
{ echo "${boot/PLATFORM/bochs}"; fault loop 5 '"copy":1,'; fault loop 7 '"copy":2,'; fault load 3 '"part":"init",'; fault load 0 '"part":"late_init",'; } |
    session 1 >answer
comes_to=1
asks "faults" run-here -f list
says "a fault's line" "code loop: #UD; list, line 10: 1:  dec ecx"
says "the next one's line" "code loop: #UD; list, line 11: jnz 1b"
says "a line of init code" "code load: #UD; list, line 7: mov [rax], rax"
says "a line of late init code" "code load: #UD; list, line 8: nop"
cp three answer
comes_to=1 # one of its snippets failed
asks "a file" run-here -f list
expect "with headings" test "$(head -n 1 out)" = "add"
expect "four snippets" test "$(bytes 28 4)" = 04000000
for code in 4801d8 488b00 4c89f0488900 b90a000000ffc975fc; do
    expect "the code $code" grep -q "$code" <(bytes 0 "$(wc -c <module)")
done
says "how many have answers" "2 of 4 snippets have an answer"
asks "a file on standard input" run-here -f - <list
printf 'a: nop\r\nb: hlt\r\n' >dos
asks "a file with carriage returns" run-here -f dos
expect "are as any" grep -q 6100906200f4 <(bytes 0 "$(wc -c <module)")
unset comes_to

# Nobody reads on: it ends.
touch slow
timeout 30 "$anechoic" code --scripts scripts -f list 2>err | head -n 1 >out
expect "answers that nobody reads" test "$(cat out): $(grep -c 'Broken pipe' err)" = "add: 1"
rm slow

# ---- what is refused ----

# refuses NAME STATUS TEXT ARGUMENT...: in one line, and nothing is run
refuses() {
    local name=$1 wanted=$2 text=$3 status=0
    shift 3
    rm -f called
    timeout 60 "$anechoic" code --scripts scripts "$@" >out 2>err || status=$?
    if [ $status != "$wanted" ]; then verdict "$name" "status $status: $(cat err)"
    elif ! grep -qF -- "$text" err; then verdict "$name" "$(cat err)"
    elif [ -e called ] || [ -s out ] || [ "$(wc -l <err)" != 1 ]; then verdict "$name" "ran, or says more: $(cat err)"
    elif grep -q /tmp err; then verdict "$name" "names a path: $(cat err)"
    else verdict "$name"; fi
}
refuses "what does not assemble" 2 "code, line 1: no such instruction: \`foo rax': foo rax" 'foo rax'
refuses "the line" 2 "code, line 3: no such instruction: \`bar': bar" $'nop\nnop\n  bar\nnop'
refuses "the part" 2 "--init, line 1: no such instruction: \`foo': foo" --init foo nop
refuses "an undefined symbol" 2 "undefined symbol: nowhere" 'call nowhere'
refuses "its line" 2 "code, line 4: undefined symbol: nowhere" $'nop\n.byte 0x90\n.rept 3; nop; .endr\ncall nowhere\nnop'
refuses "the line of an address" 2 "code, line 2: it has the address" $'nop\nmov rax, offset 1f\n1: nop'
refuses "the line in init code" 2 "--init, line 3: undefined symbol: nowhere" --init $'nop\n\nmov eax, nowhere' nop
refuses "a register that 32 bits lack" 2 "undefined symbol: r8 (there is no such register with --bits 32)" --bits 32 'mov eax, r8'
refuses "an address" 2 "a linker" 'mov rax, offset 1f; 1:'
refuses "a jump out of its part" 2 "it has the address of a place of its own" --init '1: nop' 'jmp 1b'
refuses "data" 2 "something in section .data" $'nop\n.data\n.long 1'
refuses "code without an end" 2 '"nop; .end" does not end' 'nop; .end'
refuses "no code at all" 2 "what shall be measured is missing"
refuses "an empty file" 2 "/dev/null: there is no snippet in it" -f /dev/null
refuses "a file that is not there" 2 "none: No such file or directory" -f none
refuses "a directory" 2 "Is a directory" -f .
refuses "another place" 2 "--on vmware: there are here, qemu, kvm, image:FILE, tty:DEVICE, and bochs: with one of p5, " --on vmware nop
refuses "an unknown CPU" 2 "--on bochs:z80: there are" --on bochs:z80 nop
refuses "a mode that a process lacks" 2 "--bits 32: the kernel of --on here has 64 bits only" --on here --bits 32 nop
refuses "a mode that the CPU lacks" 2 "--bits 64: the CPU of --on bochs:p5 has 32 bits only" --on bochs:p5 --bits 64 nop
refuses "image without a file" 2 "--on image: there are" --on image nop
refuses "image: without a file" 2 "--on image:: there are" --on image: nop
refuses "a word that is none" 2 '"rax," is no word for the kernel' imul rax, rbx
refuses "blanks in events" 2 "without blanks" --events 'a reps=5' nop
refuses "no number" 2 "--unroll 1K: a number" --unroll 1K nop
refuses "a range backwards" 2 "--range 9-3: two numbers" --range 9-3 nop
refuses "a range beside a number" 2 "no --unroll beside it" --range 3-9 --unroll 5 nop
refuses "another ring" 2 "--ring 1: it is one of 0|3" --ring 1 nop
refuses "another aggregate" 2 "--aggregate mode: it is one of" --aggregate mode nop
refuses "a capture on standard output" 2 "needs a file" -o - nop
refuses "code beside a capture" 2 "--from measures nothing" --from one nop
line() { printf '%b' "$1" >list; refuses "a file: $2" 2 "$3" -f list; }
line 'nop\n' "no name" "list, line 1: no name"
line '\n nop\n' "nothing to go on with" "list, line 2: it goes on"
line ': nop\n' "an empty name" "list, line 1: a name has 1 to 63 characters, not 0"
line "$(printf 'n%.0s' {1..64}): nop\n" "a long name" "not 64"
line 'a: nop\nb: hlt\na: nop\n' "two of a name" 'line 3: the name "a" is there already, in line 1'
line 'a: nop\n --foo x\n' "an unknown part" "line 2: unknown part --foo; there are --init"
line 'a: nop\n --init x\n --init y\n' "a part twice" 'line 3: "a" has --init already'
line 'a: nop\0\n' "no text" "line 1: a NUL byte"
line 'a: nop\nb: nop\n   foo\n' "what does not assemble" "list, line 3: no such instruction: \`foo': foo"
line 'a: nop\n   nop\nb: nop\n   hlt\n   call nowhere\n' "a symbol in its third line" "list, line 5: undefined symbol: nowhere"
line 'x: x: nop\na: jmp x\n' "another's label" "list, line 2: undefined symbol: x"
mkdir empty
status=0
PATH=$dir/empty "$anechoic" code --scripts scripts nop 2>err || status=$?
expect "without an assembler" test "$status: $(grep -c 'package binutils has it' err)" = "4: 1"
exit $failed
