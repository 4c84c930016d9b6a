#!/bin/bash
# `anechoic payload build`: what becomes a module, and what is refused with which words. Prints "ok NAME" or "not ok NAME: why"
# for each case; exit status 1 when one failed.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
anechoic=$(realpath "${1:-${BUILD:-$root/build}/host/anechoic}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit
failed=0
verdict() { # verdict NAME WHY
    if [ -z "$2" ]; then
        echo "ok payload $1"
    else
        echo "not ok payload $1: $2"
        failed=1
    fi
}

# refused NAME STATUS TEXT ARGUMENT...: TEXT is in what is said, and no module is there.
refused() {
    local name=$1 status=$2 text=$3 said got why=''
    shift 3
    rm -f ./*.mod ./*.mod.debug
    said=$("$anechoic" payload "$@" 2>&1)
    got=$?
    [ $got = "$status" ] || why="status $got"
    grep -qF -- "$text" <<<"$said" || why="$why: $said"
    [ -z "$(ls ./*.mod ./*.mod.debug 2>/dev/null)" ] || why="$why: something is left"
    verdict "refuses $name" "$why"
}
# builds NAME TEXT ARGUMENT...
builds() {
    local name=$1 text=$2 said why=''
    shift 2
    said=$("$anechoic" payload build "$@" 2>&1) || why="status $?"
    grep -qF -- "$text" <<<"$said" || why="$why: $said"
    verdict "builds $name" "$why"
}

echo 'static long last; void payload(long n) { last = n; } void other(long n) { last = 2 * n; } long data;' >good.c
builds 'C' 'good.mod: ' good.c
builds '32 bits' '32 bits, bench=small' good.c --bits 32 -o small.mod
builds 'two functions' 'bench=payload,other' good.c --entry payload --entry other --arg 5 -o two.mod
printf '.globl payload\npayload: nop\nret\n' >plain.s
builds 'assembly that says no types' 'bench=plain' plain.s
gcc -c -fPIE -O1 good.c -o object.o
builds 'an object file' 'bench=object' object.o
ar qc lib.a object.o
printf 'void payload(long); void mine(long n) { payload(n); }\n' >uses.c
builds 'an archive' 'bench=mine' uses.c lib.a --entry mine
# One rule for the names of benchmarks: --entry's, else the module's.
builds 'one function by its name' 'x.mod: ' good.c --entry other -o x.mod
builds 'one function, called by its name' 'bits, bench=other' good.c --entry other -o x.mod
builds 'two functions by their names' 'bits, bench=other,payload' good.c --entry other --entry payload -o x.mod
builds 'a function by another name' 'bits, bench=first,second' good.c --entry first=other --arg 1 --entry second=other --arg 2 -o x.mod
builds 'an argument alone' 'bits, bench=x' good.c --arg 7 -o x.mod
verdict 'names of benchmarks in the module' "$("$anechoic" payload build good.c --entry twice=other -o x.mod >/dev/null; strings x.mod | grep -qx twice || echo "twice is not there")"
builds 'an option for gcc' 'bench=good' good.c -x -O0 -x -DX=1
[ -s good.mod.debug ] && readelf -S good.mod.debug | grep -q debug_line && why='' || why='it has none'
verdict 'debug information beside the module' "$why"
names=$(strings good.mod | grep -cxE 'payload|good') # of the function, of the program and of the benchmark
verdict 'names in the module' "$([ "$names" -ge 3 ] || echo "$names of them")"
[ "$(stat -c %s good.mod)" -lt 20000 ] && why='' || why="$(stat -c %s good.mod) bytes"
verdict 'size' "$why"

# ---- --stack in bytes, K and M: a frame of 100,000 bytes is large for 256 KiB, and not for 1 MiB ----
printf 'void payload(long n) { volatile char a[100000]; a[n] = 0; }\n' >frame.c
for stack in 262144:large 256K:large 1048576:fits 1024K:fits 1M:fits; do
    "$anechoic" payload build frame.c -o frame.mod --stack "${stack%:*}" >frame.out 2>&1 || echo failed >>frame.out
    grep -q 'frame size\|failed' frame.out && got=large || got=fits
    [ "$got" = "${stack#*:}" ] && why='' || why="$got: $(head -1 frame.out)"
    verdict "--stack ${stack%:*}" "$why"
done
refused 'a stack with an unknown suffix' 2 'such as 65536 or 256K' build good.c --stack 1G1

# ---- BENCHMARK() and EXPERIMENT() ----
cat >own.c <<'EOF'
#include "anechoic/experiment.h"
#include <stdio.h>
PAYLOAD static void nothing(void *arg) { (void)arg; }
static bool prepare(struct bench_run *run) { return snprintf(run->error, sizeof run->error, "%d", 5) == 1; }
BENCHMARK(second) = {.program = {.name = "second", .desc = "", .payload = nothing, .prepare = prepare}, .op = "call", .cost = ""};
static void run(struct lab *lab) { lab_value(lab, &(struct lab_quantity){.name = "a"}, NULL); }
EXPERIMENT(first) = {.program = {.name = "first", .desc = ""}, .experiment = run, .op = "call", .cost = ""};
EOF
for bits in 32 64; do
    builds "benchmarks for $bits bits" 'mine.mod: ' own.c -o mine.mod --bits $bits
    builds "benchmarks for $bits bits, sorted" 'bits, bench=first,second' own.c -o mine.mod --bits $bits
    kind=$(od -An -tu4 -j20 -N4 mine.mod | tr -d ' ')
    verdict "kind for $bits bits" "$([ "$kind" = 3 ] || echo "$kind")"
done
gcc -c -fPIE -O1 -DANECHOIC_PAYLOAD -I"$root" -I"$root/include" own.c -o own.o
builds 'benchmarks of an object file' 'bench=first,second' own.o
refused 'a benchmark and an entry' 2 'it has BENCHMARK()s, with parameters of their own' build own.c --entry nothing
refused 'a benchmark and an argument' 2 'it has BENCHMARK()s' build own.c --arg 3
sed 's/anechoic.experiment.h/old.h/' own.c >old.c
printf '#include "anechoic/calls.h"\n#undef ANECHOIC_INTERFACE\n#define ANECHOIC_INTERFACE 77\n#include "anechoic/experiment.h"\n' >old.h
refused 'another version of the interface' 2 'was compiled for version 77 of the interface, and this program has' build old.c
sed 's/lab_value/lab_valeu/' own.c >unknown.c
refused 'a function that the kernel does not have' 2 'lab_valeu' build unknown.c -x -Wno-implicit-function-declaration
sed 's/snprintf(run->error, sizeof run->error, "%d", 5)/printf("%d", 5)/' own.c >prints.c
refused 'printf() in a benchmark' 2 'printf() is for payload()' build prints.c
sed 's/"second"/"first"/' own.c >twice.c
refused 'two benchmarks of a name' 2 'it has two BENCHMARK()s of the name first' build twice.c
sed 's/"second"/"2nd"/' own.c >bad.c
refused 'a benchmark whose name bench= does not take' 2 '"2nd" cannot be the name of a benchmark' build bad.c

refused 'nothing to do' 2 'what shall be done is missing: build FILE' good.c
refused 'no file' 2 'there is no FILE' build
refused 'a file that is not there' 2 'none.c: No such file' build none.c
refused 'another ending' 2 'a file ends with .c, .s, .S, .o or .a' build good.txt
echo 'void payload(long n) { missing(n); }' >missing.c
refused 'an undefined symbol' 2 'missing' build missing.c -x -Wno-implicit-function-declaration
echo 'void payload(long n) { n = ; }' >wrong.c
refused 'what does not compile' 2 'wrong.c:1' build wrong.c
echo 'void run(long n) { (void)n; }' >run.c
refused 'no function of the name' 2 'payload' build run.c
# ---- the signature ----
# wrong_signature BITS SIGNATURE SHOWN...
wrong_signature() {
    printf '#include <stdint.h>\ntypedef struct { long a, b; } pair;\nstruct s { int a; };\n%s { %s }\n' "$2" "${4-}" >sig.c
    refused "$2 for $1 bits" 2 "payload has the wrong signature: $3. A measured function must be void payload(long n)" build sig.c --bits "$1"
}
wrong_signature 64 'void payload(double x)' 'void payload(double x)' '(void)x;'
wrong_signature 64 'void payload(long a, long b)' 'void payload(long int a, long int b)' '(void)a, (void)b;'
wrong_signature 64 'int payload(int argc, char **argv)' 'int payload(int argc, char **argv)' 'return argc + !argv;'
wrong_signature 64 'void payload(int n)' 'void payload(int n)' '(void)n;'
wrong_signature 64 'void payload(uint32_t n)' 'void payload(uint32_t n)' '(void)n;'
wrong_signature 64 'void payload(const float f)' 'void payload(const float f)' '(void)f;'
wrong_signature 64 'void payload(struct s s)' 'void payload(struct s s)' '(void)s;'
wrong_signature 64 'void payload(long n, ...)' 'void payload(long int n, ...)' '(void)n;'
wrong_signature 64 'double payload(long n)' 'double payload(long int n)' 'return n;'
wrong_signature 64 'pair payload(void)' 'pair payload(void)' 'return (pair){1, 2};'
wrong_signature 32 'void payload(long long n)' 'void payload(long long int n)' '(void)n;'
wrong_signature 32 'float payload(long n)' 'float payload(long int n)' 'return n;'
# right_signature BITS SIGNATURE
right_signature() {
    printf '#include <stdint.h>\ntypedef intptr_t number;\n%s { %s }\n' "$2" "${3-}" >sig.c
    builds "$2 for $1 bits" "bits, bench=sig" sig.c --bits "$1"
}
right_signature 64 'void payload(long n)' '(void)n;'
right_signature 64 'void payload(void)'
right_signature 64 'void payload()'
right_signature 64 'void payload(void *to)' '(void)to;'
right_signature 64 'int payload(number n)' 'return (int)n;'
right_signature 64 'void payload(const volatile uint64_t n)' '(void)n;'
right_signature 32 'void payload(int n)' '(void)n;'
right_signature 32 'long long payload(uint32_t n)' 'return n;'
unchecked='payload: its signature was not checked, since its file has no debug information (gcc -g): it is called as void payload(long n)'
printf 'void payload(double x) { (void)x; }\n' >bare.c
gcc -c -fPIE -O1 bare.c -o bare.o
builds 'an object file without debug information' "$unchecked" bare.o
gcc -c -g -gdwarf-4 -fPIE -O1 bare.c -o bare.o
refused 'an object file with debug information' 2 'payload has the wrong signature: void payload(double x)' build bare.o
gcc -c -g -fPIE -O1 good.c -o checked.o
said=$("$anechoic" payload build plain.s 2>&1 && "$anechoic" payload build checked.o 2>&1)
verdict 'says nothing of what is checked, nor of assembly' "$(! grep 'not checked' <<<"$said")"
echo 'void far(long n, long m) { (void)n, (void)m; }' >two.h
refused 'the wrong one of two functions' 2 'far has the wrong signature: void far(long int n, long int m)' \
    build good.c -x -include -x two.h --entry other --entry far

refused 'data for a function' 2 'data is data, not a function' build good.c --entry data
refused 'a name that bench= does not take' 2 'cannot be the name of a benchmark' build good.c -o 1st.mod
refused 'a name that is too long' 2 'a name that is too long' build good.c -o "$(printf 'a%.0s' {1..64}).mod"
refused 'an --arg that is no number' 2 '--arg x is no number' build good.c --arg x
refused 'an --arg of more than 32 bits' 2 'more than 32 bits' build good.c --bits 32 --arg 0x100000000
refused '--bits 16' 2 '--bits 16: 32 and 64 are valid' build good.c --bits 16
refused '--heap 0' 2 '--heap 0 is no number from 1' build good.c --heap 0
refused 'an entry without a function' 2 '--entry x=: it needs NAME=FUNCTION' build good.c --entry x=
refused 'an entry without a name' 2 '--entry =other: it needs NAME=FUNCTION' build good.c --entry =other
refused 'a function twice' 2 '--entry other is given twice' build good.c --entry other --entry other
printf 'long made; __attribute__((constructor)) void first(void) { made = 1; }\nvoid payload(long n) { made = n; }\n' >first.c
refused 'a constructor' 2 'it has constructors or destructors, which nothing calls' build first.c
printf '__thread long mine; void payload(long n) { mine = n; }\n' >thread.c
refused 'a variable of a thread' 2 'thread-local' build thread.c
printf 'char room[1] __attribute__((aligned(8192))) = {1}; void payload(long n) { room[0] = (char)n; }\n' >aligned.c
refused 'an alignment of two pages' 2 'aligned to more than a page' build aligned.c
gcc -c -fno-pie -mcmodel=large -O1 -x c - -o absolute.o <<<'long data; void payload(long n) { data = n; }'
refused 'an object that cannot move' 2 'absolute.o' build absolute.o -x -mcmodel=large
cp object.o x.o
why=$("$anechoic" payload build x.o -o x.o 2>&1)
verdict 'refuses to overwrite its source' "$(grep -q 'would destroy a file' <<<"$why" && cmp -s x.o object.o || echo "$why")"
exit $failed
