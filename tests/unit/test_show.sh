#!/bin/bash
# `anechoic show --format` gives the records to other programs.
# Usage: test_show.sh [ANECHOIC]; without one it takes the build's.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
command=show
. "$root/tests/unit/captures.sh"
anechoic=$(realpath "${1:-${BUILD:-$root/build}/host/anechoic}")
cd "$dir"

# same NAME WANTED GOT: two files.
same() { expect "$1" diff "$2" "$3"; }

# show STATUS ARGUMENT...: to the files out and err.
show() {
    local wanted=$1 status=0
    shift
    "$anechoic" show "$@" >out 2>err || status=$?
    expect "$* comes to $wanted" test "$status" = "$wanted"
}

cpu='{"t":"cpu","cpu":0,"pmu":{"family":"P5"}}'

# result EVENT MEAN CI RAW...: 5 repetitions of one operation each, with an overhead of 7.
result() {
    local event=$1 mean=$2 ci=$3 raw
    shift 3
    echo "{\"t\":\"result\",$of_b,\"event\":\"$event\",\"unit\":\"x\",\"reps\":5,\"ops\":1,\"raw_min\":7,\"overhead\":7,\"min\":$mean,\"median\":$mean,\"mean\":$mean,\"ci95\":$ci,\"max\":$mean,\"flags\":[]}"
    [ $# = 0 ] || {
        raw=$(for value; do echo $((value + 7)); done | paste -sd,)
        echo "{\"t\":\"reps\",$of_b,\"event\":\"$event\",\"first\":0,\"overhead\":7,\"raw\":[$raw],\"flagged\":[]}"
    }
}

of_b='"bench":"b","variant":"","params":{"n":1},"cpu":0,"ring":0'

# region ID EVENT REPS ENTERED TOTAL LEAST MOST CI PER-ENTRY: without its repetitions.
region() {
    echo "{\"t\":\"region\",$of_b,\"event\":\"$2\",\"id\":$1,\"reps\":$3,\"entered\":$4,\"exited\":$4,\"total\":$5,\"least\":$6,\"most\":$7,\"min\":$6,\"max\":$7,\"ci95\":$8,\"per_entry\":$9,\"flags\":[]}"
}

# region_reps ID EVENT FIRST LEAST:MOST...: what was read has the markers' 9 as well.
region_reps() {
    local which="\"id\":$1,\"first\":$3" event=$2 least most raw
    shift 3
    least=$(printf '%s\n' "${@%:*}" | paste -sd,)
    most=$(printf '%s\n' "${@#*:}" | paste -sd,)
    raw=$(for range; do echo $((${range#*:} + 9)); done | paste -sd,)
    echo "{\"t\":\"region_reps\",$of_b,\"event\":\"$event\",$which,\"least\":[$least],\"most\":[$most],\"raw\":[$raw]}"
}

# equal_region ID EVENT VALUE: five repetitions that were all the same.
equal_region() {
    region "$1" "$2" 5 1 "$3.0" "$3.0" "$3.0" 0.0 "$3.0"
    region_reps "$1" "$2" 0 "$3:$3" "$3:$3" "$3:$3" "$3:$3" "$3:$3"
}

# ---- p5mon: the thesis' own figures (seed 003) ----

# Figure 4.7. Its intervals have the divisor n: 63.2 0.574 and 22.3 0.252. With n - 1, and Student's t of 4 degrees
# of freedom, they are these.
{
    echo "$cpu"
    result data_read_miss 11006.4 76.24674 11113 11003 10962 10975 10979
    result data_write_miss 8848.6 26.94123 8856 8876 8816 8850 8845
} | session >figure7
cat >wanted <<'END'
# run_p5mon results file
# Command: b n=1
# Results (5 repetitions, 95% confidence level):
#   Event: data_read_miss
#     rep 0: 11113
#     rep 1: 11003
#     rep 2: 10962
#     rep 3: 10975
#     rep 4: 10979
#     Average: 11006.4 +/- 76.2 (0.693%)
#   Event: data_write_miss
#     rep 0: 8856
#     rep 1: 8876
#     rep 2: 8816
#     rep 3: 8850
#     rep 4: 8845
#     Average: 8848.6 +/- 26.9 (0.304%)
# Event Repetition Value [conf.int] [percentage]
0x3 0 11113
0x3 1 11003
0x3 2 10962
0x3 3 10975
0x3 4 10979
0x3 -1 11006.4 76.2 0.693
0x4 0 8856
0x4 1 8876
0x4 2 8816
0x4 3 8850
0x4 4 8845
0x4 -1 8848.6 26.9 0.304
END
show 0 --format p5mon figure7
same "p5mon is figure 4.7, with 4.4 in comments" wanted out

# Figure 4.8: the summary only.
{ echo "$cpu" && result count_clocks 11006.4 76.24674 && result instructions 8848.6 0.0; } | session >figure8
show 0 --format p5mon figure8
grep -v '^#' out >lines || true
printf '%s\n' 'count_clocks -1 11006.4 76.2 0.693' '0x16 -1 8848.6 0.0 0.000' >wanted
same "p5mon without all=1 is figure 4.8; an event without code has its name" wanted lines

# Table C.1's names, of which some have capitals.
{ echo "$cpu" && result IO_read_or_write_cycle 1.0 0.0 && result write_to_M_or_E_lines 2.0 0.0 && result breakpoint_match_DR0 3.0 0.0; } | session >capitals
show 0 --format p5mon capitals
grep -v '^#' out >lines || true
printf '%s\n' '0x1d -1 1.0 0.0 0.000' '0x5 -1 2.0 0.0 0.000' '0x23 -1 3.0 0.0 0.000' >wanted
same "p5mon has the codes of names with capitals" wanted lines

# Figure 4.9, in which 3 is 5 in region 0 and 0 in region 1, and 4 is 6 and 2.
{
    echo "$cpu"
    result data_read_miss 5.0 0.0 5 5 5 5 5
    equal_region 0 data_read_miss 5
    equal_region 1 data_read_miss 0
    result data_write_miss 8.0 0.0 8 8 8 8 8
    equal_region 0 data_write_miss 6
    equal_region 1 data_write_miss 2
} | session >figure9
cat >wanted <<'END'
# Region Event Repetition Value [conf.int] [percentage]
# Region 0: entered 1 exited 1
0 0x3 0 5
0 0x3 1 5
0 0x3 2 5
0 0x3 3 5
0 0x3 4 5
0 0x3 -1 5.0 0.0 0.000 5.0
0 0x4 0 6
0 0x4 1 6
0 0x4 2 6
0 0x4 3 6
0 0x4 4 6
0 0x4 -1 6.0 0.0 0.000 6.0
# Region 1: entered 1 exited 1
1 0x3 0 0
1 0x3 1 0
1 0x3 2 0
1 0x3 3 0
1 0x3 4 0
1 0x3 -1 0.0 0.0 NaN 0.0
1 0x4 0 2
1 0x4 1 2
1 0x4 2 2
1 0x4 3 2
1 0x4 4 2
1 0x4 -1 2.0 0.0 0.000 2.0
END
show 0 --format p5mon figure9
sed -n '/^# Region Event/,$p' out >lines
same "p5mon is figure 4.9" wanted lines
expect "and has figure 4.6 in comments" grep '^#       Average: 6.0 +/- 0.0 (0.000%) 6.0 per time region entered$' out
expect "and its heading" grep '^# Results (for 2 regions, 5 repetitions, 95% confidence level):$' out
sed 's/"family":"P5"/"family":"P6"/' figure9 >p6

# Figure 4.6, of which the second region is known between bounds only; and what has no value at all.
{
    echo "$cpu"
    result branches 4871.0 0.0 4871 4871 4871
    region 0 btb_hits 3 1 502.3333 502.3333 502.3333 18.64633 502.3333
    region_reps 0 btb_hits 0 498:498 498:498
    region_reps 0 btb_hits 2 511:511
    region 1 btb_hits 3 100 null 2986.0 2993.0 6.5 null
    region_reps 1 btb_hits 0 2990:2995 2989:2996 2988:2988
    region 2 btb_hits 3 2 null null null null null
    region 3 btb_hits 3 1 57.33333 57.33333 57.33333 5.17 57.33333
    region_reps 3 btb_hits 2 55:55
} | sed 's/"reps":5/"reps":3/' | session >figure6
cat >wanted <<'END'
#   Region 0, entered 1 times and exited 1 times:
#     Event: btb_hits
#       rep 0: 498
#       rep 1: 498
#       rep 2: 511
#       Average: 502.3 +/- 18.6 (3.712%) 502.3 per time region entered
#   Region 1, entered 100 times and exited 100 times:
#     Event: btb_hits
#       rep 0: from 2990 to 2995
#       rep 1: from 2989 to 2996
#       rep 2: 2988
#       not known as one number: from 2986.0 to 2993.0
#   Region 2, entered 2 times and exited 2 times:
#     Event: btb_hits
#       not known as one number: no value
#   Region 3, entered 1 times and exited 1 times:
#     Event: btb_hits
#       rep 2: 55
#       Average: 57.3 +/- 5.2 (9.017%) 57.3 per time region entered
# Region Event Repetition Value [conf.int] [percentage]
# Region 0: entered 1 exited 1
0 0x13 0 498
0 0x13 1 498
0 0x13 2 511
0 0x13 -1 502.3 18.6 3.712 502.3
# Region 1: entered 100 exited 100
# 1 0x13 0: from 2990 to 2995
# 1 0x13 1: from 2989 to 2996
1 0x13 2 2988
# 1 0x13: from 2986.0 to 2993.0
# Region 2: entered 2 exited 2
# 2 0x13: no value
# Region 3: entered 1 exited 1
3 0x13 2 55
3 0x13 -1 57.3 5.2 9.017 57.3
END
show 0 --format p5mon figure6
sed -n '/^#   Region 0/,$p' out >lines
same "p5mon is figure 4.6, bounds are comments, and a lost record leaves its repetitions out" wanted lines
expect "codes are a Pentium's only" test -z "$("$anechoic" show --format p5mon p6 2>&1 | grep 0x3)"

# ---- ktap ----

truth() { # EVENT VERDICT
    echo "{\"t\":\"truth\",\"program\":\"loop\",\"desc\":\"\",\"ring\":0,\"event\":\"$1\",\"expected\":5,\"measured\":5.0,\"min\":5.0,\"max\":5.0,\"reps\":5,\"reason\":\"counted\",\"remark\":false,\"verdict\":\"$2\",\"flags\":[]}"
}
{ truth branches agrees && truth flops within && truth port absent; } | session >good
show 0 --format ktap good
proves "ktap passes in Perl's parser of TAP" 0 'Tests=5,'
expect "what is absent is skipped" grep '^ok 3 loop port # SKIP absent$' out
{
    truth branches differs
    echo '{"t":"error","what":"benchmark","bench":"fault_gp","message":"fault_gp: #GP"}'
} | session 1 >bad
show 0 --format ktap bad
proves "ktap fails there" 1 'Failed tests:  1-3$'
expect "a truth row that differs fails" grep '^not ok 1 loop branches$' out
expect "a failed benchmark fails" grep '^not ok 2 fault_gp$' out
expect "with its message" grep 'message: fault_gp: _GP' out
expect "a session with a bad status fails" grep '^not ok 3 session 1 of bad$' out
sed '$d' good >shortened
show 1 --format ktap shortened
expect "a session without end fails" grep '^not ok 4 session 1 of shortened$' out
expect "and its capture" grep '^not ok 5 capture shortened$' out
: >empty
show 1 --format ktap empty
expect "nothing is no success" grep '^not ok 1 capture empty$' out

# ---- csv and json ----

show 0 --format csv figure9
expect "csv has a line for each row" test "$(wc -l <out)" = 7
expect "and its values" grep '^region,b,,"{""n"":1}",0,0,1,data_write_miss,,5,2.0,2.0,2.0,2.0,,0.0,,2.0,' out
region 0 cycles 5 1 null 3.0 7.0 null null | session >bounds
show 0 --format csv bounds
expect "csv has the bounds of what is not known as one number" grep '^region,b,,"{""n"":1}",0,0,0,cycles,,5,,3.0,7.0,' out
show 0 --format ktap bounds
expect "and ktap" grep '; least: 3; most: 7;' out
capture_on() { # capture_on PLATFORM BRAND [FLAG]: an error before its processor is known, a result
    echo '{"t":"boot","platform":"'"$1"'"}'
    echo '{"t":"error","what":"x","message":"early"}'
    echo '{"t":"cpu","cpu":0,"vendor":"GenuineIntel","brand":"'"$2"'","family":6,"model":85,"pmu":{"model":"Skylake-SP"}}'
    echo '{"t":"result","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","unit":"tsc/op","median":5.0,"flags":['"${3:+\"$3\"}"']}'
}
{ capture_on silicon '   Intel(R)  Pentium(R) 4' | session; capture_on bochs 'Intel(R) Core(TM) i7' modelled | session; } >two
capture_on qemu-tcg 'QEMU Virtual CPU' | session >three
capture_on bochs 'Some CPU' emulated | session >by-itself
show 0 --format csv by-itself
expect "Bochs without the model is emulated" grep 'Some CPU (emulated by Bochs)' out
show 0 --format csv two three
same "csv tells files, machines and sessions apart" <(sed 's/.*,\([^,]*,[^,]*,[^,]*\)$/\1/' out) <(printf '%s\n' file,machine,session \
    'two,Intel(R) Pentium(R) 4,1' 'two,Intel(R) Pentium(R) 4,1' 'two,Skylake-SP (modelled in Bochs),2' 'two,Skylake-SP (modelled in Bochs),2' \
    "three,QEMU Virtual CPU (emulated by QEMU),1" "three,QEMU Virtual CPU (emulated by QEMU),1")
show 0 --format json figure9 good
expect "json has the values of all captures" jq -e '[.rows[] | [.record, .bench, .event, .value]] |
    [.[0], .[-1]] == [["result","b","data_read_miss",5],["truth","loop","port",5]]' out

# ---- a section that was marked at the prompt ----

mark() { echo "{\"t\":\"mark\",\"name\":\"$1\",\"first\":$2,\"last\":$3}"; }
{
    result first 1.0 0.0
    result second 2.0 0.0
    mark both 0 1
    result third 3.0 0.0
    mark late 3 3
} | session >marked
show 0 --mark both --format json marked
expect "a section is shown alone" jq -e '[.rows[].event] == ["first", "second"]' out
show 0 --mark late --format json marked
expect "and another one" jq -e '[.rows[].event] == ["third"]' out
show 2 --mark soon marked
expect "the marks that there are, are named" grep -x 'anechoic show: marked: no section is marked "soon"; valid: both, late' err
show 2 --mark both good
expect "or that there is none" grep 'valid: none is marked' err
"$anechoic" show --mark both - <marked >out 2>err && verdict "a file on standard input can be read twice" || verdict "a file on standard input can be read twice" "$(cat err)"
cat marked | "$anechoic" show --mark both - >out 2>err || expect "a pipe cannot" grep 'which a pipe does not allow' err

# ---- bad input ----

show 2 --format xml good
expect "an unknown format is named" grep '"xml" is none of text|csv|json|ktap|p5mon' err
show 2 --format json
expect "no file is a misuse" grep 'no file is named' err
sed '$d' figure7 >shortened
show 1 shortened figure7
expect "which fault is of which capture" grep -x 'shortened: line 5: no "end": the capture stops after record 4' err
mkdir directory
show 2 directory
expect "a directory is one line" test "$(wc -l <err)" = 1
# Strings that are none of the kernel's: a terminal is not commanded.
{
    echo "$cpu"
    result 'x\u001b[2J\u009b5n' 5.0 0.0 5 5 5 5 5
    equal_region 1 'x\u001b[2J\u009b5n' 5
    echo '{"t":"truth","program":"p\u001b[2J","event":"e\u009b5n","ring":0,"reps":5,"expected":"1","verdict":"agrees","measured":1,"min":1,"max":1,"overhead":0,"flags":[],"reason":"r\u001b[2J"}'
} | session >commands
for format in text csv json ktap p5mon; do
    show 0 --format $format commands
    expect "$format has no control characters" bash -c '! LC_ALL=C grep -aP "[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]" out'
done
disk_full "a full disk is said" show --format csv good

exit $failed
