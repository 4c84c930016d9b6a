#!/bin/bash
# `anechoic compare` says what changed between captures, and gives the right status.
# Usage: test_compare.sh [ANECHOIC]; without one it takes the build's.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
command=compare
. "$root/tests/unit/captures.sh"
anechoic=$(realpath "${1:-${BUILD:-$root/build}/host/anechoic}")
cd "$dir"

# compare NAME WANTED-STATUS WANTED-OUTPUT [ARGUMENT...]: the output is in both streams, a regular expression.
compare() {
    local name=$1 wanted=$2 output=$3 status=0
    shift 3
    "$anechoic" compare "$@" >out 2>err || status=$?
    if [ "$status" != "$wanted" ]; then
        verdict "$name" "exit status $status instead of $wanted: $(cat out err | tr '\n' ' ')"
    elif ! grep -qE -- "$output" out err; then
        verdict "$name" "the output lacks '$output': $(cat out err | tr '\n' ' ')"
    else
        verdict "$name"
    fi
}

# ---- captures ----

# boot PLATFORM MODEL: the first two records.
boot() {
    echo "{\"t\":\"boot\",\"platform\":\"$1\",\"platform_detail\":\"\",\"version\":\"0.1.0\",\"flavour\":\"i586\",\"acpi_oem\":\"\"}"
    echo "{\"t\":\"cpu\",\"cpu\":0,\"vendor\":\"GenuineIntel\",\"brand\":\"\",\"family\":6,\"model\":$2,\"stepping\":1,\"tsc_hz\":${3:-1000000000}}"
}

# result EVENT MEDIAN RAW-MIN CI FLAGS [PARAMS [RING [BENCH]]]
params='{"n":10,"m":2}'
result() {
    echo "{\"t\":\"result\",\"bench\":\"${8:-b}\",\"variant\":\"v\",\"params\":${6:-$params},\"cpu\":0,\"ring\":${7:-0},\"event\":\"$1\",\"unit\":\"$1/op\",\"reps\":20,\"ops\":10,\"raw_min\":$3,\"overhead\":10,\"min\":$2,\"median\":$2,\"mode\":$2,\"mean\":$2,\"ci95\":$4,\"max\":$2,\"flags\":[$5]}"
}

# counts FILE COUNT...: a modelled boot that counted so many instructions without spread, COUNT an operation.
counts() {
    local file=$1 count
    shift
    {
        boot bochs 15
        for count; do result instructions "$count.0" $((10 * count + 10)) 0.0 '"modelled"'; done
    } | session >"$file"
}

# times FILE MEDIAN...: a boot on a processor for each median.
times() {
    local file=$1 median
    shift
    for median; do
        { boot silicon 15 && result tsc "$median" 1010 0.5 ''; } | session
    done >"$file"
}

counts c100 100
counts c101 101
counts c103 103
times t1 100.0
times t5 100.0 100.2 99.9 100.1 99.8
times t5s 102.0 102.1 101.9 102.2 101.8
times t5e 100.1 100.0 100.1 99.9 100.0
for i in 1 2 3; do
    times "old$i" 10$i.0
    times "new$i" 15$i.0
done

# ---- verdicts ----

compare "sees equal counts" 0 '^b v n=10 m=2 +instructions +100 +100 +1 +same$' c100 c100
compare "sees one count more" 0 '100 +101 +1.01 +more$' c100 c101
compare "sees one count fewer" 0 'fewer$' c101 c100
compare "counts the rows" 0 '^1 row: 1 same$' c100 c100
compare "leaves out what is the same" 0 '^1 row: 1 same$' --changed c100 c100
expect "--changed shows no such row" test -z "$(grep '^b v' out)"
compare "cannot know from one boot" 0 'cannot tell +one boot a side: how far boots differ is not known' t1 t1
compare "cannot know from one boot of NEW" 0 'one boot of NEW' t5 t1
compare "takes the sessions of a file for boots" 0 'OLD: 5 boots, NEW: 5 boots' t5 t5s
compare "sees what is slower" 0 'tsc +100 +102 +1.02 +1.01[0-9]+ to 1.02[0-9]+ +slower$' t5 t5s
compare "sees what is faster" 0 'tsc +102 +100 +0.98[0-9]+ .* faster$' t5s t5
compare "sees what is the same" 0 'same$' t5 t5e
compare "has a margin" 0 'cannot tell +the interval holds both' --margin 0.01 t5 t5e
compare "takes several files a side" 0 'OLD: 3 boots, NEW: 3 boots' old1 old2 old3 -- new1 new2 new3
compare "and judges them" 0 'slower$' old1 old2 old3 -- new1 new2 new3
compare "reads standard input" 0 'more$' - c103 <c100
POSIXLY_CORRECT=1 compare "needs no permutation" 0 'slower$' old1 old2 old3 -- new1 new2 new3

# ---- what belongs together ----

{ boot bochs 15 && result instructions 100.0 1010 0.0 '"modelled"' '{"m":2,"n":10}'; } | session >order
compare "matches parameters in any order" 0 'same$' c100 order
{ boot bochs 15 && result instructions 100.0 1010 0.0 '"modelled"' '{"n":11,"m":2}'; } | session >other
compare "does not match other parameters" 2 'have nothing in common' c100 other
{ boot bochs 15 && result instructions 100.0 1010 0.0 '"modelled"' '{"n":10,"m":2}' 3; } | session >ring3
compare "does not match another ring" 2 'have nothing in common' c100 ring3
counts twice1 100 200
counts twice2 100 201
compare "matches the second with the second" 0 'b v n=10 m=2 \(2\) +instructions +200 +201 ' twice1 twice2
compare "names what only OLD has" 0 'only in OLD' twice1 c100
compare "names what only NEW has" 0 'only in NEW' c100 twice1
# 123456789 and 123456790 are one real of seven digits.
{ boot bochs 15 && result instructions 1.234568e+07 123456799 0.0 '"modelled"'; } | session >big1
{ boot bochs 15 && result instructions 1.234568e+07 123456800 0.0 '"modelled"'; } | session >big2
compare "compares all digits of a count" 0 'more$' big1 big2
compare "takes the documentation's session" 0 'tsc .*one boot a side' "$root/docs/records.md" "$root/docs/records.md"

# ---- machines ----

{ boot silicon 15 && result tsc 2.0 1010 0.5 ''; } | session >booted
{ boot linux 15 && result tsc 2.0 1010 0.5 '"hosted"'; } | session >here
{ boot linux 15 | sed 's/"platform":"linux"/&,"modelled":"skylake"/' && result tsc 2.0 1010 0.5 '"hosted"'; } | session >here_modelled
{ boot bochs 16 3000000000 && result instructions 100.0 1010 0.0 '"modelled"'; } | session >model16
{ boot silicon 15 1000900000 && result tsc 100.0 1010 0.5 ''; } | session >clock
{ boot bochs 15 3000000000 && result instructions 100.0 1010 0.0 '"modelled"'; } | session >c100clock
{ boot silicon 15 3000000000 && result tsc 100.0 1010 0.5 ''; } | session >clock3
{ boot silicon 15 && result instructions 100.0 1010 0.0 ''; } | session >hardware
result instructions 100.0 1010 0.0 '' | session >nowhere
compare "names a different machine" 0 '^different machines: model: 15, now 16$' c100 model16
compare "says that Linux ran in between" 0 '^OLD ran as a Linux process and NEW was booted: a difference may be what Linux costs$' here booted
compare "says it of the new one" 0 '^NEW ran as a Linux process and OLD was booted' booted here
compare "compares no model below Linux with a processor" 2 'one side was modelled or emulated' here_modelled booted
compare "names a different clock" 0 '^different machines: TSC rate in Hz: 1000000000, now 3000000000$' t1 clock3
compare "names a machine that changes within a side" 0 'different machines within OLD: model: 15, 16' \
    c100 model16 -- c100
compare "takes clocks within 1 % for the same" 0 tsc t1 clock
expect "and does not name them" test -z "$(grep TSC out)"
compare "says nothing of an emulator's clock" 0 same c100 c100clock
expect "which comes and goes" test -z "$(grep TSC out)"
compare "says that numbers are a model's" 0 'Not measured on a processor: both sides were modelled or emulated' c100 c100
if "$anechoic" compare t5 t5s | grep -q 'Not measured'; then verdict "says nothing of it of a processor" "it does"; else verdict "says nothing of it of a processor"; fi
compare "refuses a model against silicon" 2 'one side was modelled or emulated' c100 hardware
compare "refuses silicon against a model" 2 'one side was modelled or emulated' hardware c100
compare "refuses a side of both" 2 'OLD has boots of a model' c100 hardware -- c100 c101
compare "says when a side does not say" 0 'NEW does not say on what it ran' hardware nowhere
{ boot bochs 15 && result instructions 100.0 1010 0.0 '"modelled"'; } | session 1 >failed
compare "says that a boot failed" 0 'NEW: 1 boot did not end well' c100 failed

# ---- for CI ----

compare "--fail-over passes what is below" 0 '0 rows are beyond 2 %' --fail-over 2 c100 c101
compare "--fail-over fails what is beyond" 1 'b v n=10 m=2, instructions: more by 3 % at least, beyond 2 %' \
    --fail-over 2 c100 c103
compare "--fail-over passes what is less" 0 fewer --fail-over 0 c103 c100
compare "--fail-over looks at the whole interval" 0 slower --fail-over 1.99 t5 t5s
compare "--fail-over fails a whole interval" 1 'slower by' --fail-over 1.5 t5 t5s
compare "--fail-over fails a row that is gone" 1 'NEW does not have it' --fail-over 5 twice1 c100
compare "--fail-over does not fail what cannot be known" 0 'cannot tell' --fail-over 0 t1 t1

# ---- formats ----

compare "prints csv" 0 '^b,v,"\{""n"":10,""m"":2\}",0,0,,,instructions,instructions/op,100.0,101.0,1.01,' --format csv c100 c101
columns=$(sed 's/"[^"]*\("[^"]*\)*"//g' out | awk -F, '{ print NF }' | sort -u | wc -l)
expect "gives all lines of csv the same columns" test "$columns" = 1
compare "prints JSON" 0 '' --format json c100 c101
expect "JSON has the values" jq -e '.rows[] | [.bench, .params.n, .old, .new, .verdict, .exact] == ["b",10,100,101,"more",true]' out
compare "prints Markdown" 0 '^\| b v n=10 m=2 \| instructions \| 100 \| 101 \| 1.01 \|  \| more \|  \|$' --format markdown c100 c101
compare "prints KTAP" 1 '^not ok 1 b v n=10 m=2 instructions$' --format ktap --fail-over 2 c100 c103
proves "KTAP fails in Perl's parser of TAP" 1 'Failed test:  1$'
"$anechoic" compare --format ktap twice1 twice1 >out
proves "KTAP passes there" 0 'Tests=2,'
"$anechoic" compare --format ktap t1 t1 >out
proves "KTAP is skipped there" 0 '# SKIP one boot a side'

# ---- bad input ----

compare "wants two names" 2 'takes two captures, or several on both sides of "--"; 1 is named' c100
compare "wants -- among three" 2 '3 are named' c100 c100 c100
compare "wants OLD" 2 'OLD has no capture' -- c100
compare "wants NEW" 2 'NEW has no capture' c100 --
compare "refuses a percentage that is none" 2 '"5%" is no percentage' --fail-over 5% c100 c100
compare "refuses a negative one" 2 '"-1" is no percentage' --margin=-1 c100 c100
compare "refuses infinity" 2 '"inf" is no percentage' --margin inf c100 c100
compare "refuses an unknown format" 2 '"xml" is none of text\|csv' --format xml c100 c100
compare "names a file that is not there" 2 'nothing-here: No such file' c100 nothing-here
: >empty
compare "says that a file is empty" 2 'NEW has no result' c100 empty
expect "and names it" grep -x 'empty: no records at all' err
sed '$d' c101 >shortened
compare "compares what a cut capture has" 2 '100 +101 +1.01 +more$' c100 shortened
expect "and says where it is cut" grep 'shortened: line .*no "end"' err
sed 's/"raw_min":1010/"raw_min":1011/' c100 >flipped
compare "does not compare a damaged record" 2 'NEW has no result' c100 flipped
disk_full "says that the disk is full" compare c100 c101
compare "shows its usage" 0 'usage: anechoic compare \[OPTION...\] OLD NEW \| OLD... -- NEW...' --help

exit $failed
