#!/bin/bash
# `anechoic check` accepts a complete capture and nothing else.
# Usage: test_check.sh [ANECHOIC]; without one it takes the build's.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
anechoic=${1:-${BUILD:-$root/build}/host/anechoic}

# check NAME WANTED-STATUS WANTED-OUTPUT [ARGUMENT...]: run it on stdin and judge it.
check() {
    local name=$1 wanted=$2 output=$3 status=0
    shift 3
    "$anechoic" check "${@:--}" >"$dir/output" 2>&1 || status=$?
    if [ "$status" != "$wanted" ]; then
        echo "not ok check $name: exit status $status instead of $wanted: $(tr '\n' ' ' <"$dir/output")"
        failed=1
    elif ! grep -qF -- "$output" "$dir/output"; then
        echo "not ok check $name: the output lacks '$output': $(tr '\n' ' ' <"$dir/output")"
        failed=1
    else
        echo "ok check $name"
    fi
}

# says NAME LINES: so many were printed last.
says() {
    if [ "$(wc -l <"$dir/output")" = "$2" ]; then
        echo "ok check $1"
    else
        echo "not ok check $1: not $2 lines: $(tr '\n' ' ' <"$dir/output")"
        failed=1
    fi
}

# plain NAME: nothing that was printed last can be taken for a terminal's commands.
plain() {
    if LC_ALL=C grep -qa '[^ -~]' "$dir/output"; then
        echo "not ok check $1: $(cat -v "$dir/output" | tr '\n' ' ')"
        failed=1
    else
        echo "ok check $1"
    fi
}

# The examples of docs/records.md are one session of every type of record, amid lines for people.
good=$root/docs/records.md
count=$(grep -c '^{' "$good")
last=$((count - 1))
edit() { sed "$@" "$good"; }

check "accepts the documentation's session" 0 "$good: $count records, complete, status 0" "$good"
check "accepts standard input" 0 "standard input: $count records, complete, status 0" <"$good"
edit 's/$/\r/' | check "accepts CR LF" 0 "complete, status 0"
grep '^{' "$good" | head -c -1 | check "accepts a last line without LF" 0 "complete, status 0"
check "--strict knows every field of the documentation" 0 "complete, status 0" --strict "$good"
check "--text shows the lines for people" 0 "# Records" --text "$good"

edit 's/GenuineIntel/GenuineIntfl/' | check "sees a flipped byte" 1 "record 1: damaged: its CRC says"
edit '/^{"n":1,/s/"crc":"........"/"crc":"00000000"/' | check "sees a flipped CRC" 1 "its CRC says 00000000"
edit '/^{"n":4,/d' | check "sees a missing record" 1 "record 4 is missing"
edit '/^{"n":[456],/d' | check "sees missing records" 1 "records 4 to 6 are missing"
edit '/^{"n":0,/d' | check "sees a missing beginning" 1 "record 0 is missing"
edit '/^{"n":5,/p' | check "takes a record twice for one that was asked for again" 0 "$count records, complete, status 0; 1 record came again, unchanged"
{ edit "/^{\"n\":$last,/,\$d"; edit -n '/^{"n":[3-9],/p'; edit "1,/^{\"n\":$last,/{/^{\"n\":$last,/!d}"; } |
    check "takes records that were asked for again" 0 "$count records, complete, status 0; 7 records came again, unchanged"
{ edit '/^{"n":5,/d;/^{"n":9,/q'; edit -n '/^{"n":5,/p'; edit '1,/^{"n":9,/d'; } |
    check "takes a record that was missing and came later" 0 "$count records, complete, status 0"
edit "/^{\"n\":$last,/d" | check "sees a missing end" 1 "no \"end\": the capture stops after record $((last - 1))"
edit "/^{\"n\":$last,/s/.....\$//" | check "sees an end cut short" 1 "record $last: does not end in a CRC"
{ cat "$good"; grep '^{"n":5,' "$good"; } | check "sees a record after the end" 1 'record 5: after "end"'
edit "\$a{" | check "sees a broken line after the end" 1 "record $count: does not end in a CRC"
check "sees an empty capture" 1 "no records at all" </dev/null

# What people's terminals save: a record begins where {"n": begins and its CRC holds.
saved() { check "finds records $1" 0 "$count records, complete, status 0"; }
esc=$(printf '\033')
edit 's/^/[12:34:56.789] /' | saved "after tio's time"
edit 's/^/[1.234567 0.000123] /' | saved "after grabserial's time"
edit 's/^/2026-11-27T12:00:00.1234567Z /' | saved "in a CI log"
edit 's/^/Nov 27 12:00:00 lab ser2net[812]: /' | saved "in a journal"
edit 's/^/good.rec:/' | saved "in what grep prints"
edit 's/^/\t    /' | saved "that are indented"
edit "s/^/${esc}[0m${esc}[32m/; s/\$/${esc}[K${esc}[0m  /" | saved "amid colours"
edit 's/$/\r\r/' | saved "before CR CR LF"
edit 's/^/\r/' | saved "after LF CR"
tr '\n' '\r' <"$good" | saved "in lines that end in CR"
edit 's/^{"n":5,/{"n":\r5,/; s/^{"n":7,"t"/&\r\r/' | saved "with stray CRs"
edit 's/^/\x00/; s/"t"/\x00&/' | saved "with NULs"
edit '1s/^/\xef\xbb\xbf/' | saved "after a byte order mark"
grep '^{' "$good" | iconv -f ASCII -t UTF-16 | saved "in UTF-16"
grep '^{' "$good" | iconv -f ASCII -t UTF-16BE | saved "in UTF-16 of the other order"
grep '^{' "$good" | tr -d '\n' | saved "without lines"
grep '^{' "$good" | fold -w 80 | saved "in lines of 80"
grep '^{' "$good" | fold -w 40 | sed 's/$/\r/' | saved "in lines of 40 and CR LF"
grep '^{' "$good" | sed "s/\"t\"/${esc}[01;31m${esc}[K&${esc}[m${esc}[K/" | saved "with colours in them"
grep '^{' "$good" | sed "s/^{\"n\"/{${esc}[31m\"n\"${esc}[m/" | saved "with colours in their beginning"
grep '^{' "$good" | sed "s/.\{79\}/&${esc}[K\r\n/g" | saved "in lines of 79 that are cleared to their ends"
for width in 40 64 80 100; do
    grep '^{' "$good" | sed 's/^/[12:34:56.789] /' | fold -w $width | saved "after a time, in lines of $width"
    grep '^{' "$good" | fold -w $width | sed 's/^/Nov 27 12:34:56 lab ser2net[812]: /; s/$/\r/' | saved "in lines of $width in a journal"
done
grep '^{' "$good" | paste -d' ' - - | saved "two in a line"
paste -d' ' <(grep '^{' "$good") <(grep '^{' "$good") | check "takes a record twice in a line for one" 0 "$count records, complete, status 0; $count records came again"
edit '/^{"n":2,/s/^/x/' | saved "after any text"
{ printf 'login: '; cat "$good"; } | check "keeps the text before a record" 0 "login: " --text -
edit 's/^{/[12:34:56.789] {/' | check "shows a time" 0 "[12:34:56.789]" --text -
if [ "$(grep -c '12:34:56' "$dir/output")" = 1 ]; then echo "ok check shows times before records once"; else
    echo "not ok check shows times before records once: $(grep -c 12:34:56 "$dir/output")"; failed=1; fi
for packer in gzip xz zstd; do
    ! command -v $packer >/dev/null || $packer -c <"$good" | check "says that $packer packed it" 1 "compressed: unpack it with $packer -d"
done
# Damage is damage there as well, of whatever part.
for prefix in '' '[12:34:56.789] ' "${esc}[32m" '   '; do
    stamped() { edit "$1" | sed "s/^/$prefix/"; }
    where="after '$(printf %q "$prefix")'"
    stamped 's/GenuineIntel/GenuineIntfl/' | check "sees a flipped byte $where" 1 "record 1: damaged: its CRC says"
    stamped '/^{"n":3,/s/"crc":"..../&x/' | check "sees a CRC of nine digits $where" 1 "record 3: does not end in a CRC"
    stamped '/^{"n":4,/s/^{"n":4/{"m":4/' | check "sees a damaged beginning $where" 1 "record 4: damaged: its CRC says"
    stamped '/^{"n":4,/s/^.\{9\}//' | check "sees a lost beginning $where" 1 "record 4: damaged: its CRC says"
    stamped '/^{"n":4,/s/\(.\{60\}\).*/\1/' | check "sees a record cut short $where" 1 "record 4: does not end in a CRC"
    stamped '/^{"n":4,/s/^\(.......\).*/\1/' | check "sees a record cut to its number $where" 1 "record 4: does not end in a CRC"
done
# What is broken in a way that nobody can join is said, and only that is lost.
grep '^{' "$good" | sed '/^{"n":5,/{N;s/^\(.\{50\}\)\(.*\)\n\(.*\)/\1\3\2/}' | check "finds the record inside of another one" 1 "$((count - 1)) good records, NOT COMPLETE, 2 faults"
grep '^{' "$good" | sed '/^{"n":5,/{N;s/^\(.\{50\}\)\(.*\)\n\(.\{40\}\)\(.*\)/\1\3\2\4/}' | check "sees two records that are mixed" 1 "$((count - 2)) good records, NOT COMPLETE, 2 faults"
edit '/^{"n":5,/s/^.\{50\}/&[ 12.3] usb 1-1: new device\n/' | check "sees a line of another program in a record" 1 "line $(($(grep -n '^{"n":5,' "$good" | cut -d: -f1))): record 5: does not end in a CRC"
edit '/^{"n":5,/s/^\(.\{50\}\).*/\1\n{"by":"a program"}/' | check "sees a record that is not continued" 1 "record 5: does not end in a CRC"
edit '/^{"n":4,/{s/.....$//;N;s/\n//}' | check "finds the record that is glued to a cut one" 1 "$((count - 1)) good records, NOT COMPLETE, 1 fault"
edit '5s/^/ | {"n":5,"x":1} and {"n":6}: printed by a program/' | check "takes other JSON in a line for text" 0 "complete, status 0"

# Records with the right CRC and the wrong contents. The CRCs are zlib's, not our own.
# contents NAME WANTED-OUTPUT RECORD [OPTION]: the record stands as number 0, before its end.
contents() {
    printf '%s\n' "$3" '{"n":1,"t":"end","records":2,"status":0,"crc":"2d1e28d8"}' | check "$1" 1 "$2" ${4+"$4" -}
}
contents 'sees a missing field' 'record 0 (note), "message": is missing' \
    '{"n":0,"t":"note","what":"x","crc":"ab7a4300"}'
contents 'sees a byte beyond ASCII' 'record 0: byte c3h is not ASCII' \
    '{"n":0,"t":"note","what":"x","message":"café","crc":"21cb05f0"}'
contents 'sees a wrong type' 'record 0 (note), "message": is not a string' \
    '{"n":0,"t":"note","what":"x","message":5,"crc":"110dff27"}'
contents '--strict sees an unknown type of record' 'record 0 (nota): no such type of record' \
    '{"n":0,"t":"nota","what":"x","message":"y","crc":"e5ab03f1"}' --strict
printf '%s\n' '{"n":0,"t":"nota","what":"x","message":"y","crc":"e5ab03f1"}' '{"n":1,"t":"end","records":2,"status":0,"crc":"2d1e28d8"}' |
    check 'passes over an unknown type of record' 0 '1 record of types that this version does not know, such as nota'
contents 'sees an integer for a real' '"us": is not a real' \
    '{"n":0,"t":"result","bench":"fwq","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","unit":"tsc/quantum","reps":2,"ops":1,"raw_min":9,"overhead":0,"min":9.0,"median":9.0,"mode":9.0,"mean":9.0,"ci95":0.0,"max":9.0,"flags":[],"fwq":{"us":10,"late_min":0,"late_10pct":0,"detour_max_tsc":0,"lost_share":0.0},"crc":"6edefeec"}'
contents 'sees a result without its interval' '"ci95": is missing' \
    '{"n":0,"t":"result","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","unit":"tsc/b","reps":1,"ops":1,"raw_min":9,"overhead":0,"min":9.0,"median":9.0,"mode":9.0,"mean":9.0,"max":9.0,"flags":[],"crc":"ad5b1729"}'
contents 'sees two intervals' '"ci95": is there beside another' \
    '{"n":0,"t":"result","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","unit":"tsc/b","reps":1,"ops":1,"raw_min":9,"overhead":0,"min":9.0,"median":9.0,"mode":9.0,"mean":9.0,"ci99":null,"ci95":null,"max":9.0,"flags":[],"crc":"61eecf1a"}'
contents 'sees a flag that there is not' '"flags", element 0: "slew" is none of hosted|emulated|virtualized' \
    '{"n":0,"t":"result","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","unit":"tsc/b","reps":1,"ops":1,"raw_min":9,"overhead":0,"min":9.0,"median":9.0,"mode":9.0,"mean":9.0,"ci99":null,"max":9.0,"flags":["slew"],"crc":"b8449e1b"}'
contents '--strict sees an unknown field' '"new": is in no catalogue' \
    '{"n":0,"t":"result","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","unit":"tsc/b","reps":1,"ops":1,"raw_min":9,"overhead":0,"min":9.0,"median":9.0,"mode":9.0,"mean":9.0,"ci99":null,"max":9.0,"flags":[],"new":[{}],"crc":"fdc99289"}' --strict
contents "--strict sees another record's field" '"nested_markers": is in no catalogue' \
    '{"n":0,"t":"result","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","unit":"tsc/b","reps":1,"ops":1,"raw_min":9,"overhead":0,"min":9.0,"median":9.0,"mode":9.0,"mean":9.0,"ci99":null,"max":9.0,"flags":[],"nested_markers":1.0,"crc":"81a5eb0e"}' --strict
contents '--strict sees an unknown field in a list' '"flagged", element 0, "why": is in no catalogue' \
    '{"n":0,"t":"reps","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","first":0,"overhead":0,"raw":[],"flagged":[{"rep":1,"flag":"smi","why":""}],"crc":"fa0e65fe"}' --strict
contents 'sees a value of what is not modelled' '"raw_min": is there, though the event is not modelled' \
    '{"n":0,"t":"result","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"x","unit":"x/b","reps":1,"ops":1,"raw_min":0,"flags":["unmodelled"],"crc":"2c5a28b0"}'
printf '%s\n' '{"n":0,"t":"result","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"x","unit":"x/b","reps":1,"ops":1,"flags":["unmodelled"],"crc":"30d5f187"}' \
    '{"n":1,"t":"end","records":2,"status":0,"crc":"2d1e28d8"}' | check 'accepts none' 0 '2 records, complete, status 0'
# The PMU model has no time: fields that come from a clock are absent.
modelled='{"n":0,"t":"boot","schema":1,"version":"0.1.0","flavour":"i586","protocol":2,"loader":"","cmdline":"","platform":"bochs","platform_detail":"","memory_kib":1047936,"map":"mmap","map_truncated":false,"modules":0,"pool_base":4194304,"pool_bytes":67108864,"pool_type":"WB","consoles":[],"modelled":"skylake","crc":"06e2eb5a"}'
end_third='{"n":2,"t":"end","records":3,"status":0,"crc":"db3d97ed"}'
timed='{"n":1,"t":"processors","source":"none","asked":1,"up":1,"usable":1,"disabled":0,"apic_ids":"0","rest":"hlt","bytes_each":0,"start_tsc":7,"not_up":[],"crc":"2b79e28b"}'
untimed='{"n":1,"t":"processors","source":"none","asked":1,"up":1,"usable":1,"disabled":0,"apic_ids":"0","rest":"hlt","bytes_each":0,"not_up":[],"crc":"78dcf4af"}'
printf '%s\n' "$modelled" "$untimed" "$end_third" | check 'accepts a modelled session without times' 0 'complete, status 0' --strict -
printf '%s\n' "$modelled" "$timed" "$end_third" | check 'accepts times of an older modelled session' 0 'complete, status 0'
printf '%s\n' "$modelled" "$timed" "$end_third" |
    check '--strict sees a time of the PMU model' 1 'record 1 (processors), "start_tsc": is there, though the PMU model has no clock' --strict -
printf '%s\n' '{"n":0,"t":"boot","schema":1,"version":"0.1.0","flavour":"i586","protocol":2,"loader":"","cmdline":"","platform":"bochs","platform_detail":"","memory_kib":1047936,"map":"mmap","map_truncated":false,"modules":0,"pool_base":4194304,"pool_bytes":67108864,"pool_type":"WB","consoles":[],"crc":"38cb2eec"}' "$untimed" "$end_third" |
    check 'misses a time elsewhere' 1 'record 1 (processors), "start_tsc": is missing'
printf '%s\n' "$modelled" '{"n":1,"t":"experiment","experiment":"e","what":"median latency","unit":"core cycles","article":4.5,"flags":[],"crc":"5515a783"}' "$end_third" |
    check "accepts an article's cycles" 0 'complete, status 0' --strict -
printf '%s\n' "$modelled" '{"n":1,"t":"experiment","experiment":"e","what":"median latency","unit":"core cycles","article":4.5,"ours":14.0,"flags":["modelled"],"crc":"b4e50597"}' "$end_third" |
    check "--strict sees the PMU model's cycles" 1 '"ours": is there, though the PMU model has no clock' --strict -
contents 'sees a bad element' 'element 1: is not an unsigned integer' \
    '{"n":0,"t":"reps","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","first":0,"overhead":0,"raw":[1,-2],"flagged":[],"crc":"2da2ae45"}'
contents 'sees a bad member' 'member "x": is not an integer or a string' \
    '{"n":0,"t":"reps","bench":"b","variant":"","params":{"x":1.5},"cpu":0,"ring":0,"event":"tsc","first":0,"overhead":0,"raw":[],"flagged":[],"crc":"44eb257b"}'
contents 'sees an incomplete element' '"flagged", element 0, "rep": is missing' \
    '{"n":0,"t":"reps","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","first":0,"overhead":0,"raw":[],"flagged":[{"flag":"smi"}],"crc":"a9b3e83b"}'
contents 'sees a small integer in a string' '"measurements": is not an unsigned integer' \
    '{"n":0,"t":"done","measurements":"3","failed":0,"crc":"464f08c6"}'
contents 'sees a value that there is not' '"verdict": "calm" is none of quiet|disturbed|unknown' \
    '{"n":0,"t":"quiet","watched_tsc":1,"gaps":0,"threshold_tsc":1,"largest_gap_tsc":1,"typical_tsc":1,"smi_counter":false,"verdict":"calm","reason":"","crc":"4a06caa0"}'
contents 'sees a field twice' 'not JSON: duplicate object key' \
    '{"n":0,"t":"note","what":"x","what":"y","message":"z","crc":"04624ef3"}'
contents 'sees what is not JSON' 'not JSON' \
    '{"n":0,"t":"note","what":"x","message":,"crc":"039e0bc8"}'
contents 'sees a record without number' 'without number or type' \
    '{"t":"note","what":"x","message":"y","crc":"24ed9ad4"}'
printf '%s\n' \
    '{"n":0,"t":"reps","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","first":0,"overhead":0,"raw":[9007199254740992,"18446744073709551615"],"flagged":[],"crc":"93559402"}' \
    '{"n":1,"t":"end","records":2,"status":0,"crc":"2d1e28d8"}' |
    check 'accepts big integers' 0 '2 records, complete, status 0'
printf '%s\n' \
    '{"n":0,"t":"result","bench":"b","variant":"","params":{"s":"x"},"cpu":0,"ring":3,"event":"tsc","unit":"tsc/b","reps":1,"ops":1,"raw_min":9,"overhead":0,"min":9.0,"median":9.0,"mode":9.0,"mean":9.0,"ci99":null,"max":9.0,"culled":null,"flags":[],"new":[{}],"crc":"31db27e0"}' \
    '{"n":1,"t":"end","records":2,"status":0,"crc":"2d1e28d8"}' |
    check 'accepts null, ci99 and new fields' 0 '2 records, complete, status 0'
contents 'sees a line that is too long' 'record 0: 5059 bytes long' \
    "{\"n\":0,\"t\":\"note\",\"what\":\"x\",\"message\":\"$(printf '%5000s' '' | tr ' ' x)\",\"crc\":\"47dc6800\"}"
{ printf '%70000s\n' '' | tr ' ' x && cat "$good"; } | check "says where a line of any length is" 1 "line 1: a line of more than 65536 bytes"
edit '/^{"n":[46],/d' | check "counts the good records" 1 "$((count - 2)) good records, NOT COMPLETE, 2 faults"
printf '%s\n' '{"n":0,"t":"end","records":1,"status":3,"crc":"e70bfaa4"}' | check "accepts a session that is nothing but its end" 0 "1 record, complete, status 3"

# What a damaged line, or one of a program that is not ours, would have a terminal do: it is shown, not done.
esc=$(printf '\033')
edit "/^{\"n\":1,/s/\"crc\":\"......../\"crc\":\"${esc}[2Jxxxx/" | grep '^{' >"$dir/damaged"
check "escapes a damaged CRC" 1 'its CRC says \x1b[2Jxxxx, its bytes' <"$dir/damaged"
plain "prints nothing else of it"
contents 'escapes a value' '"verdict": "\x1b[2J\xc2\x9b5n" is none of' \
    '{"n":0,"t":"quiet","watched_tsc":1,"gaps":0,"threshold_tsc":1,"largest_gap_tsc":1,"typical_tsc":1,"smi_counter":false,"verdict":"\u001b[2J\u009b5n","reason":"","crc":"31c5b050"}'
plain "prints nothing else of it"
printf '{"n":0,"crc":"\033[31mab\377"}\n' | check 'escapes what is no UTF-8' 1 'its CRC says \x1b[31mab\xff'
contents 'escapes a name' '"\x1b[31m": is in no catalogue' \
    '{"n":0,"t":"note","what":"x","message":"y","\u001b[31m":1,"crc":"0b7db878"}' --strict
plain "prints nothing else of it"
contents '--strict escapes a type' 'record 0 (\x1b[2J): no such type of record' \
    '{"n":0,"t":"\u001b[2J","crc":"e04410b6"}' --strict
plain "prints nothing else of it"
printf '%s\n' "${esc}]0;title$(printf '\007\377')" "a$(printf '\t')b" '{"n":0,"t":"end","records":1,"status":0,"crc":"7e02ab1e"}' >"$dir/texts"
check "--text escapes what is no text" 0 '\x1b]0;title\x07\xff' --text "$dir/texts"
printf 'gr\303\266\303\237e \360\237\230\200\n' >>"$dir/texts"
printf 'bad \300\257 \340\200\257 \355\240\200 \364\220\200\200 \302\233 \303\n' >>"$dir/texts"
check "--text keeps UTF-8" 0 "$(printf 'gr\303\266\303\237e \360\237\230\200')" --text "$dir/texts"
check "--text escapes what only looks like it" 0 'bad \xc0\xaf \xe0\x80\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xc2\x9b \xc3' --text "$dir/texts"
check "--text keeps tabs" 0 "a$(printf '\t')b" --text "$dir/texts"

printf '%s\n' '{"n":0,"t":"end","records":7,"status":0,"crc":"913f0efe"}' | check "sees a wrong count" 1 "counts 7 records; by its number there are 1"

check "shows its usage" 0 "usage: anechoic check" --help
check "demands a file" 2 "no file is named" --text
check "refuses an unknown option" 2 "unrecognized option '--nonsense'" --nonsense
check "names a file that is not there" 2 "none: No such file" "$dir/none"
check "takes two files" 0 "$good: $count records" "$good" "$good"
cat "$good" "$good" | check "sees two sessions" 0 "in 2 sessions, complete, status 0"
check "begins getopt's message with its name" 2 "anechoic check: unrecognized option" --nonsense
check "reads standard input once" 2 "standard input can be read once only" - - <"$good"
check "names a directory" 2 "anechoic check: $dir: Is a directory" "$dir"
says "says no more of it" 1
check "has the worst of two statuses" 2 "$good: $count records" "$good" "$dir/none"

exit $failed
