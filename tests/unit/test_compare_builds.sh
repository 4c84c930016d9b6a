#!/bin/bash
# tests/compare-builds.jq sees each value that differs, and nothing in what is passed over: the session of docs/records.md,
# with four truths, is set against itself with one change.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
{
    grep '^{' "$root/docs/records.md"
    for event in instructions branches branches uops; do # two of one key
        echo '{"t":"truth","program":"nops","ring":0,"event":"'$event'","raw":9,"measured":5.5,"verdict":"agrees","flags":["modelled"]}'
    done
} >"$dir/base"

# case_of NAME 'sed script' 'condition over the result'; a script that changes nothing has failed, but for an empty one.
case_of() {
    sed "$2" "$dir/base" >"$dir/new"
    jq -n --slurpfile base "$dir/base" --slurpfile new "$dir/new" -f "$root/tests/compare-builds.jq" >"$dir/result"
    if [ "$(jq "$3" "$dir/result")" = true ] && { [ -z "$2" ] || ! cmp -s "$dir/base" "$dir/new"; }; then
        echo "ok compare-builds $1"
    else
        echo "not ok compare-builds $1: $(jq -c . "$dir/result")"
        failed=1
    fi
}
same='.compared > 90 and .differ == []'
one() { echo ".differ | length == 1 and (.[0] | test(\"$1\"))"; }

case_of itself '' "$same and .added == []"
case_of 'numbers and checksums' 's/"n":[0-9]*,/"n":999,/; s/"crc":"[^"]*"/"crc":"0"/' "$same"
case_of words 's/"note":"[^"]*"/"note":"other"/; s/"message":"/&other /' "$same"
case_of ticks 's/"tsc_hz":[0-9]*/"tsc_hz":1/; s/"ns_per_op":[0-9.]*/"ns_per_op":1/; s/"largest_gap_tsc":96/"largest_gap_tsc":1/' "$same"
case_of harness 's/"raw":9/"raw":10/; s/"overhead":84/"overhead":85/; s/"raw_min":5096/"raw_min":5097/' "$same"
case_of 'a new field' 's/"measured"/"late":1,"measured"/' "$same"' and .added == [range(4) | "truth: field late"]'
case_of 'a new record' '$s/$/{"t":"truth","program":"new","ring":3}/' "$same"' and .added == ["truth program=new ring=3"]'
for change in 's/"measured":5.5/"measured":6/' 's/"measured":5.5,//' 's/"verdict":"agrees"/"verdict":"within"/' 's/\["modelled"\]/[]/'; do
    case_of "$change" "$(grep -n '"event":"branches"' "$dir/base" | tail -n 1 | cut -d: -f1)$change" \
        "$(one '^truth program=nops ring=0 event=branches #2: [a-z]+ was ')"
done
case_of 'a record that is gone' '/"median":5.014/d' "$(one '^result .*bench=fp_add_latency.*: gone$')"
case_of "a cache's ways" 's/"ways":4,"sets":32/"ways":8,"sets":16/' "$(one '^cpu cpu=0: caches was ')"
case_of "the article's figure" 's/"ours":49.5/"ours":49.6/' "$(one 'what=PMI at .69: ours was 49.5, is 49.6$')"
case_of 'the status' '/"t":"end"/s/"status":0/"status":1/' "$(one '^end: status was 0, is 1$')"
exit $failed
