#!/bin/bash
# Records of accesses to memory on the user's computer: they are what the catalogue says, they become text, tables of a
# database and a page. Usage: test_memory_records.sh
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
anechoic=${BUILD:-$root/build}/host/anechoic
anechoic=$(realpath "$anechoic")
# shellcheck disable=SC2034 # captures.sh uses them
command=memory failed=0
# shellcheck source=captures.sh
. "$root/tests/unit/captures.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

of='"bench":"l1_profile","variant":"","params":{"n":80000000},"cpu":0,"ring":3,"event":"loads:u"'
from="$of,\"method\":\"pebs\",\"period\":99999,\"jitter\":false"
latency() { printf '"latencies":%s,"latency_least":%s,"latency_median":%s,"latency_p95":%s,"latency_most":%s' "$@"; }
# row BY WHAT COUNT SHARE LATENCIES...: the rest of a record
row() {
    printf '{"t":"memory",%s,"by":"%s","what":"%s","samples":800,"accesses":800,"count":%s,"share":%s,' "$from" "$1" "$2" "$3" "$4"
    shift 4
    latency "$@"
    [ "$1" != 800 ] || printf ',"traits":{"load":800,"locked":3},"histogram":[0,0,0,0,600,0,200]'
    printf ',"flags":["modelled"]}\n'
}
{
    sed -n 's/^{"n":0,\(.*\),"crc".*/{\1}/p' "$root/tests/unit/captures/skylake-events.rec"
    row all all 800 1.0 800 14 14 44 60
    row level L2 600 0.75 600 14 14 14 14
    row level L3 200 0.25 200 44 44 44 60
    row translation walk 800 1.0 800 14 14 44 60
    printf '{"t":"profile",%s,"by":"data address","samples":800,"unknown":0,"lost":0,"addresses":"recorded","distinct":1,"first":0,' "$from"
    printf '"lines":[{"address":"0x400000","count":800,"share":1.0,"levels":{"L2":600,"L3":200},%s}],"flags":["modelled"]}\n' \
        "$(latency 800 14 14 44 60)"
    printf '{"t":"profile",%s,"by":"instruction","samples":800,"unknown":0,"lost":0,"plus_one":800,"distinct":1,"first":0,' "$from"
    printf '"lines":[{"address":"0x200000","count":800,"share":1.0,"plus_one":800,"levels":{"L2":800},%s}],"flags":["modelled"]}\n' \
        "$(latency 800 14 14 44 60)"
} | session >memory.rec

expect "the records are the catalogue's" "$anechoic" check --strict memory.rec
"$anechoic" show memory.rec >shown 2>&1 || true
expect "shows the table" grep -qE '^ +75\.00 % +600  L2 +14 +14 +14 +14$' shown
expect "shows the translation" grep -qE '^ +100\.00 % +800  page walk +14 +14 +44 +60$' shown
expect "shows the distribution" grep -qE '^ +8 to 15 +600  #{40}$' shown
expect "shows the levels of an address" grep -qE '0x400000 +14 L2 75\.0 %, L3 25\.0 %$' shown
expect "shows what is one instruction late" grep -qE '0x200000\+' shown
"$anechoic" export -o memory.db memory.rec >/dev/null
if command -v sqlite3 >/dev/null; then
    expect "exports a row for each level" test "$(sqlite3 memory.db "select what, count, latency_median from memory where by = 'level' order by what")" = $'L2|600|14\nL3|200|44'
    expect "exports lines with latencies" test "$(sqlite3 memory.db "select latency_p95, levels ->> 'L3' from profile_lines where levels ->> 'L3' is not null")" = "44|200"
else
    echo "skipped memory export: there is no sqlite3"
fi
"$anechoic" report memory.rec -o memory.html >/dev/null
page() { sed 's| xmlns="[^"]*"||g' memory.html | xmllint --nonet --xpath "$1" -; }
if command -v xmllint >/dev/null; then
    expect "the page has the rows" test "$(page 'count(//section[@id = "memory"]//tbody/tr)')" = 4
    expect "the page has the median of a level" test "$(page 'string(//section[@id = "memory"]//tr[td[1] = "L3"]/td[5])')" = 44
    expect "the page has what they are" test "$(page 'string(//section[@id = "memory"]//tr[td[1] = "all"]/td[10])')" = "800 load, 3 locked"
    expect "an address has its levels" test "$(page 'string(//section[@id = "addresses"]//tr[td[1] = "0x400000"]/td[last()])')" = "L2 75.0 %, L3 25.0 %"
    expect "an instruction has its latency" test "$(page 'string(//section[@id = "profiles"]//tr[td[1] = "0x200000"]/td[7])')" = 14
    expect "an instruction says what is late" test "$(page 'count(//section[@id = "profiles"]//td[contains(., "800 of the instruction before")])')" = 1
    if command -v gnuplot >/dev/null; then
        expect "the page has the distribution" test "$(page 'count(//section[@id = "memory"]//svg)')" = 1
    else
        echo "skipped memory picture: there is no gnuplot"
    fi
else
    echo "skipped memory page: there is no xmllint"
fi
exit $failed
