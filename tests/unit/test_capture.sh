#!/bin/bash
# `anechoic capture` by a line with faults (tests/wire/wire.c): every damage to a record is found, what is good is
# kept, and a device that goes, a full disk and wrong words each get their line and status.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
case $build in /*) ;; *) build=$root/$build ;; esac
anechoic=$build/host/anechoic wire=$build/tests/wire
made=$(mktemp -d) dir=$made # sessions that all cases read; what a group of cases writes
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$made"' EXIT
failed=0
not_ok() {
    echo "not ok capture $1: $2"
    failed=1
}

# judge NAME STATUS WANTED [TEXT...]: the status, and lines of $dir/err
judge() {
    local name=$1 status=$2 wanted=$3 text
    shift 3
    [ "$status" = "$wanted" ] || { not_ok "$name" "status $status instead of $wanted: $(tail -n 3 "$dir/err" | tr '\n' ' ')"; return; }
    for text; do
        grep -qF -- "$text" "$dir/err" || { not_ok "$name" "it does not say '$text': $(tr '\n' ' ' <"$dir/err")"; return; }
    done
    echo "ok capture $name"
}

# capture NAME STATUS 'SOURCE AND OPTIONS' [TEXT...]
capture() {
    local name=$1 wanted=$2 options=$3 status=0
    shift 3
    # shellcheck disable=SC2086 # options are words
    timeout 60 "$anechoic" capture --lock-dir "$dir" $options >"$dir/out" 2>"$dir/err" || status=$?
    judge "$name" "$status" "$wanted" "$@"
}

# through 'WIRE OPTIONS' FROM KIND: starts a line; its end is $source
through() {
    [ -z "${wire_pid-}" ] || kill "$wire_pid" 2>/dev/null
    rm -f "$dir/line"
    # shellcheck disable=SC2086
    "$wire" $1 "$2" "$3:$dir/line" &
    wire_pid=$!
    local i
    for ((i = 0; i < 200; i++)); do [ ! -e "$dir/line" ] || break; sleep 0.05; done
    if [ "$3" = tcp ]; then source=127.0.0.1:$(cat "$dir/line"); else source=$dir/line; fi
}
# Records, each in a line of its own, also those whose line's end was hit.
good() { tr -d '\r' <"$1" | sed 's/{"n":[0-9]*,"t":"/\n&/g; s/,"crc":"[0-9a-f]\{8\}"}/&\n/g' | grep -a '^{"n"'; }
numbers() { good "$1" | sed 's/^{"n":\([0-9]*\),.*/\1/'; } # of the records of a file
in_order() { # in_order NAME RECORDS: $dir/copy has them all, in their order
    if [ "$(numbers "$dir/copy")" = "$(seq 0 $(($2 - 1)))" ]; then
        echo "ok capture $1"
    else
        not_ok "$1" "$(numbers "$dir/copy" | diff - <(seq 0 $(($2 - 1))) | head -n 3 | tr '\n' ' ')"
    fi
}

fetch() { # fetch RECORDS: $made/sessionRECORDS, from a console server's port
    through '' "session:$1" tcp
    "$anechoic" capture "$source" -o "$made/session$1" >"$dir/out" 2>"$dir/err"
    judge "reads $1 records from a console server's port" $? 0 "$1 records, complete, status 0"
}

# ---- the groups of cases ----

without_faults() {
    capture "reads a file" 0 "$made/session50 -o $dir/copy" '50 records, complete'
    if cmp -s "$made/session50" "$dir/copy"; then echo "ok capture keeps every byte"; else not_ok "keeps every byte" "the copy differs"; fi
    mkfifo "$dir/fifo"
    cat "$made/session50" >"$dir/fifo" &
    capture "reads a pipe" 0 "$dir/fifo" '50 records, complete'
    through '' session:10000 pty
    capture "reads 10,000 records at full speed" 0 "$source -o $dir/copy" '10000 records, complete'
}

slow_line() {
    through '--baud 9600' session:100 pty
    capture "reads 100 records at 9600 baud from a terminal line" 0 "$source --baud 9600n8 -o $dir/copy" '100 records, complete'
    in_order "kept them in their order" 100
}

# Every damaged record is found, and no other is named.
damaged() { # damaged NAME SEED 'WIRE OPTIONS'
    local status=0
    through "--seed $2 --records-only --log $dir/log $3" session:300 tcp
    timeout 60 "$anechoic" capture "$source" -o "$dir/copy" >"$dir/out" 2>"$dir/err" || status=$?
    wait $wire_pid
    # What was kept undamaged is compared with what was sent.
    good "$dir/copy" | grep -xFf "$made/300" | sort -u >"$dir/arrived"
    local here faults
    here=$(wc -l <"$dir/arrived") faults=$(wc -l <"$dir/log")
    if [ "$faults" = 0 ]; then judge "$1 (seed $2, no fault drawn)" $status 0 '300 records, complete'; return; fi
    if [ "$here" = 300 ]; then # a CR that was hit: no record is damaged
        judge "$1 (seed $2, $faults faults, all harmless)" $status 0 '300 records, complete'; return; fi
    judge "$1 (seed $2, $faults faults)" $status 1 "$here good record" 'damaged or missing'
}
faults() {
    local seed
    for seed in 1 2 3; do
        damaged "finds bytes that were dropped" $seed '--drop 3000'
        damaged "finds bits that were flipped" $seed '--flip 3000'
        damaged "finds bytes that came twice" $seed '--double 3000'
    done
    damaged "finds all kinds of faults at once" 4 '--drop 700 --flip 700 --double 700 --delay 3000'
    damaged "finds the faults of a very bad line" 5 '--drop 90 --flip 90 --double 90'
    through '--delay 2000' session:100 tcp
    capture "does not mind delays" 0 "$source" '100 records, complete'
}

# A kernel that waits (report/wait.c itself): what is damaged is asked for again, and the file is mended.
recovered() { # recovered NAME 'WIRE OPTIONS' KIND [RECORDS]
    local records=${4:-300}
    through "$2" "session:$records:1000000" "$3"
    capture "$1" 0 "$source -o $dir/copy" "$records records, complete, status 0"
    in_order "$1: the file is mended" "$records"
}
recovery() {
    local seed
    recovered "asks a kernel that waits for nothing, where all came" '' tcp
    for seed in 1 2 3 4; do
        recovered "recovers all that was damaged (seed $seed)" "--seed $seed --drop 2500 --flip 2500 --double 2500" tcp
    done
}
recovery_bad_line() {
    recovered "recovers what a very bad line took" '--seed 9 --drop 600 --flip 600 --double 600 --delay 5000 --up 90' tcp 60
}
recovery_terminal() {
    recovered "recovers over a terminal line" '--seed 5 --drop 1500 --flip 1500 --double 1500 --up 100' pty
    grep -q 'came again when asked for' "$dir/err" || not_ok "recovers over a terminal line" "nothing was asked for"
}
recovery_in_part() {
    through '--seed 3 --flip 900' session:300:8000 tcp
    capture "names what the kernel no longer has" 1 "$source -o $dir/copy" 'came again when asked for' 'damaged or missing' 'NOT COMPLETE'
    through '--seed 6 --flip 1000' session:100:1000000 tcp
    capture "says so where the file cannot be mended" 0 "$source -o /dev/null" 'came again when asked for' '100 records, complete'
}

# A session at the monitor's prompt: what was damaged was asked for by hand, before "end".
resent() {
    local whole=$made/session50
    { head -n 20 "$whole" | sed 's/"n":9,/"n":8,/'; grep -a '^{"n":[5-9],' "$whole"; tail -n +21 "$whole"; } >"$dir/resent"
    [ "$(sed -n 's/^{"n":8,.*/x/p' "$dir/resent" | wc -l)" = 3 ] || not_ok "has a session with a damaged line" "$(numbers "$dir/resent" | tr '\n' ' ')"
    capture "takes what was asked for again at the prompt" 0 "$dir/resent -o $dir/copy" '4 records came again, unchanged' \
        '1 record came again when asked for' '50 records, complete'
    capture "drops the damaged line" 0 "$dir/copy" '50 records, complete'
    ! grep -q 'damaged: \|unchanged' "$dir/err" || not_ok "drops the damaged line" "$(cat "$dir/err")"
}

cable() {
    through '--cut 9000' session:300 pty
    capture "keeps what came before the cable was pulled" 1 "$source -o $dir/copy" 'gone' 'NOT COMPLETE' 'no "end"'
    if [ "$(head -c 9000 "$made/session300" | cmp - "$dir/copy" 2>&1)" = '' ] && [ "$(wc -c <"$dir/copy")" = 9000 ]; then
        echo "ok capture kept every byte that had come"; else not_ok "kept every byte that had come" "$(wc -c <"$dir/copy") bytes"; fi
    through '--cut 9000' session:300 tcp
    capture "says that a console server closed the line" 1 "$source -o $dir/copy" 'closed' 'NOT COMPLETE'
}

ctrl_c() {
    local i pid status=0
    mkfifo "$dir/slow"
    { head -c 9000 "$made/session300"; exec sleep 20; } >"$dir/slow" & # ended with its group
    "$anechoic" capture "$dir/slow" -o "$dir/copy" >"$dir/out" 2>"$dir/err" &
    pid=$!
    for ((i = 0; i < 100; i++)); do [ "$(stat -c %s "$dir/copy" 2>/dev/null || echo 0)" -lt 8000 ] || break; sleep 0.05; done
    kill -INT $pid
    wait $pid || status=$?
    judge "ends in order by Ctrl-C" $status 1 'NOT COMPLETE'
    if head -c 9000 "$made/session300" | cmp -s - "$dir/copy"; then echo "ok capture keeps what came before Ctrl-C"; else not_ok "keeps what came before Ctrl-C" "$(wc -c <"$dir/copy") bytes"; fi
}

files() {
    capture "says that the disk is full" 1 "$made/session50 -o /dev/full" '/dev/full: No space left on device' '50 records, complete'
    cat "$made/session50" "$made/session300" >"$dir/two"
    capture "stops at the end" 0 "$dir/two -o $dir/copy" '50 records, complete'
    if cmp -s "$made/session50" "$dir/copy"; then echo "ok capture stops before the next session"; else not_ok "stops before the next session" "$(wc -c <"$dir/copy") bytes"; fi
    capture "goes on for the next session" 0 "--forever $dir/two -o $dir/copy" '50 records, complete' 'session 2: 300 records, complete'
    cmp -s "$dir/two" "$dir/copy" || not_ok "goes on for the next session" "the copy differs"
    sed 's/^/[12:34:56.789] /; s/\r$/\x1b[0m&/' "$dir/two" >"$dir/stamped"
    capture "goes on for the next session of a log with times" 0 "--forever $dir/stamped -o $dir/copy" '50 records, complete' 'session 2: 300 records, complete'
    cmp -s "$dir/stamped" "$dir/copy" || not_ok "keeps a log with times" "the copy differs"
    fold -w 80 "$made/session50" >"$dir/folded"
    capture "joins the lines of a file" 0 "$dir/folded" '50 records, complete'
    { head -c 3000 "$made/session50"; echo; cat "$made/session300"; } >"$dir/cut"
    capture "tells a session that stops from the next one" 1 "--forever $dir/cut" 'no "end"' 'session 2: 300 records, complete'
    : >"$dir/empty"
    capture "sees an empty capture" 1 "$dir/empty" 'no records at all'
    head -c 30000 "$anechoic" | tr -d '{' >"$dir/noise"
    capture "takes noise for a wrong rate" 1 "$dir/noise" 'is --baud right?'
    tr -d '\r' <"$made/session300" | tr '\n' ' ' >"$dir/long"
    cat "$dir/long" "$dir/long" "$dir/long" >"$dir/longer"
    capture "survives a line of any length" 1 "$dir/longer" 'a line of more than' 'no records at all'
}

devices() {
    through '' session:5 pty
    printf '%10d\n' $$ >"$dir/LCK..$(readlink "$dir/line" | sed 's,/dev/,,;y,/,_,')"
    capture "respects another program's lock" 4 "$source" "process $$ uses it"
    printf '%10d\n' 999999999 >"$dir/LCK..$(readlink "$dir/line" | sed 's,/dev/,,;y,/,_,')"
    capture "replaces a lock whose process is gone" 0 "$source" '5 records, complete'
    if compgen -G "$dir/LCK*" >/dev/null || compgen -G "$dir/LTMP*" >/dev/null; then not_ok "leaves no lock behind" "$(cd "$dir" && echo L*)"; else echo "ok capture leaves no lock behind"; fi
    through '' session:300 pty
    mkfifo "$dir/unread"
    true <"$dir/unread" &
    exec 5>"$dir/unread"
    wait $! # until the reader is gone
    status=0
    "$anechoic" capture --lock-dir "$dir" "$source" >&5 2>"$dir/err" || status=$?
    exec 5>&-
    if [ "$status" = 4 ] && grep -q 'standard output: ' "$dir/err" && ! compgen -G "$dir/LCK*" >/dev/null; then
        echo "ok capture ends in order when nobody reads"
    else
        not_ok "ends in order when nobody reads" "status $status, $(cd "$dir" && echo L*): $(cat "$dir/err")"
    fi
    capture "refuses another frame" 2 "--baud 9600e7 $made/session50" '9600, 19200'
    capture "says which option a rate is" 2 "/dev/none,9600" 'a rate is --baud RATE'
    capture "refuses a rate that no line has" 2 "--baud 9601 $made/session50" '9600, 19200'
    capture "names a source that is not there" 2 "$dir/none" 'No such file' 'HOST:PORT'
    capture "names a port that refuses" 2 127.0.0.1:1 '127.0.0.1:1: Connection refused'
    capture "names a port that there cannot be" 2 127.0.0.1:65537 'there is no port 65537'
    capture "names a port without a number" 2 127.0.0.1:no-such-service 'there is no port no-such-service' 'a number from 1 to 65535'
    capture "names a directory" 2 "$dir" 'is a directory'
    capture "needs a source" 2 '' 'no device, file or HOST:PORT'
    cp "$made/session50" "$dir/self"
    capture "does not write over what it reads" 2 "$dir/self -o $dir/self" 'it is what is captured'
    cmp -s "$made/session50" "$dir/self" || not_ok "does not write over what it reads" "the file is another one"
    capture "names a file that cannot be written" 2 "$made/session50 -o $dir/none/file" "$dir/none/file: No such file"
}

# A job that LAVA ran (docs/lab.md): the records are those that the machine sent, whatever carried them.
lava() {
    local log=$root/tests/unit/captures/lava.log entry
    capture "takes the records out of a LAVA job's log" 0 "$log -o $dir/copy" "$log: 10 records, complete, status 0"
    if "$anechoic" check --strict "$dir/copy" >"$dir/err" 2>&1 && grep -q '^done: 2 measurements' "$dir/copy"; then
        echo "ok capture a LAVA log's file is a capture"; else not_ok "a LAVA log's file is a capture" "$(cat "$dir/err")"; fi
    sed 's/^/- /' "$log" >"$dir/server.log"
    "$anechoic" capture - <"$dir/server.log" -o "$dir/server" >"$dir/out" 2>"$dir/err"
    judge "takes a server's log from a pipe" $? 0 '10 records, complete'
    cmp -s "$dir/copy" "$dir/server" || not_ok "takes a server's log from a pipe" "the file is another one"
    { echo 'a warning of Python'; sed 's/"target"/"feedback"/' "$log"; } >"$dir/warned.log"
    capture "takes a log that begins with a warning, and feedback" 0 "$dir/warned.log -o $dir/warned" '10 records, complete'
    cat "$log" "$log" >"$dir/two.log"
    capture "takes all boots of a log" 0 "$dir/two.log" '10 records, complete' 'session 2: 10 records, complete'

    entry=$(grep -n 'n\\\\\\":5,' "$log" | cut -d : -f 1)
    sed "${entry}s/3.20636/3.20637/" "$log" >"$dir/bad.log"
    capture "names a damaged record by the log's line" 1 "$dir/bad.log" "line $entry: record 5: damaged" '9 good records, NOT COMPLETE'
    sed "${entry}s/.\{40\}\$//" "$log" >"$dir/bad.log"
    capture "names an entry that is cut" 1 "$dir/bad.log" "line $entry: no YAML, cut short or damaged" 'record 5 is missing'
    sed "${entry}s/.*/Traceback (most recent call last):/" "$log" >"$dir/bad.log"
    capture "names a line that is no entry" 1 "$dir/bad.log" "line $entry: no entry of a LAVA log" 'record 5 is missing'
    sed "${entry}s/\"msg\": .*/\"msg\": {\"a\": 1}}/" "$log" >"$dir/bad.log"
    capture "names an entry without text" 1 "$dir/bad.log" "line $entry: an entry of the machine's output without text"
    sed "${entry}s/\"msg\": .*/\"msg\": \"<line way too long ...>\"}/" "$log" >"$dir/bad.log"
    capture "names what LAVA left out" 1 "$dir/bad.log" "line $entry: LAVA has left out a line" 'record 5 is missing'
    head -n "$((entry - 1))" "$log" >"$dir/bad.log"
    capture "names a log that stops" 1 "$dir/bad.log" 'no "end"' '5 good records, NOT COMPLETE'
    { grep -v '"target"\|"feedback"' "$log"; echo '{"dt": "2026-11-23T14:06:52", "lvl": "error", "msg": "Infrastructure: Connection closed"}'; } >"$dir/bad.log"
    capture "says why a job has no output" 1 "$dir/bad.log" "a LAVA job's log without a machine's output" 'the job says: Infrastructure: Connection closed' 'no records at all'
    { head -n "$entry" "$log"; head -c 200000 /dev/zero | tr '\0' x; } >"$dir/bad.log"
    capture "survives a log's line of any length" 1 "$dir/bad.log" "line $((entry + 1)): no" 'NOT COMPLETE'
}

# A file a boot: names that do not write over each other, and none for what is printed in between.
each() {
    local day pid status=0 i
    { echo 'GRUB loading'; cat "$made/session50"; echo 'power off'; cat "$made/session5"; head -c 3000 "$made/session50"; echo; cat "$made/session5"; } >"$dir/four"
    capture "keeps each boot in a file of its own" 1 "--forever --each $dir/four -o $dir/lab.rec" 'a boot begins' '-1.rec: 50 records, complete' \
        '-2.rec: 5 records, complete' '-3.rec: ' 'NOT COMPLETE' '-4.rec: 5 records, complete'
    day=$(date +%Y-%m-%d)
    if [ "$(cd "$dir" && echo lab-*)" = "$(echo "lab-$day-"{1,2,3,4}.rec)" ] && cmp -s <(good "$made/session50") <(good "$dir/lab-$day-1.rec") &&
        cmp -s <(good "$made/session5") <(good "$dir/lab-$day-4.rec") && [ "$(head -c 10 "$dir/lab-$day-2.rec")" = '{"n":0,"t"' ]; then
        echo "ok capture each file has its boot, from record 0"; else not_ok "each file has its boot, from record 0" "$(cd "$dir" && wc -c lab-* | tr '\n' ' ')"; fi
    capture "keeps one boot in a file that is new" 0 "--each $dir/four -o $dir/lab.rec" "lab-$day-5.rec: 50 records, complete"
    sed 's/^/[12:34:56.789] /' "$dir/four" >"$dir/stamped"
    capture "keeps each boot of a log with times in a file" 1 "--forever --each $dir/stamped -o $dir/times" "times-$day-1: 50 records, complete"
    capture "keeps each boot of a LAVA log in a file" 0 "--each $root/tests/unit/captures/lava.log -o $dir/job" "job-$day-1: 10 records, complete"
    mkfifo "$dir/slow"
    { cat "$made/session50"; exec sleep 20; } >"$dir/slow" &
    rm "$dir/err"
    "$anechoic" capture --forever --each "$dir/slow" -o "$dir/slow.rec" >"$dir/out" 2>"$dir/err" &
    pid=$!
    for ((i = 0; i < 200; i++)); do ! grep -qs complete "$dir/err" || break; sleep 0.05; done
    kill -TERM $pid
    wait $pid || status=$?
    judge "ends tidily by SIGTERM between boots" $status 0 "slow-$day-1.rec: 50 records, complete"
    capture "needs a name for each boot's file" 2 "--each $dir/four" '--each needs -o FILE'
    capture "names a directory that is not there" 2 "--each $dir/four -o $dir/none/lab.rec" "no file can be made in $dir/none/: No such file"
}

# ---- all of them, at once: most of their time they wait, for a slow line or for an answer that was lost ----
fetch 50
if grep -q 'after number 40' "$dir/out" && ! grep -q '^{' "$dir/out"; then echo "ok capture shows text, and no records"; else not_ok "shows text, and no records" "$(tail -n 2 "$dir/out")"; fi
fetch 300
fetch 5
good "$made/session300" >"$made/300"

group() { # group NAME: in a directory and a process of its own
    failed=0 wire_pid='' dir=$made/$1
    trap 'kill $(jobs -p) 2>/dev/null' EXIT
    mkdir "$dir"
    "$1"
    exit $failed
}
declare -A running
groups=(without_faults slow_line faults recovery recovery_bad_line recovery_terminal recovery_in_part resent cable ctrl_c files devices lava each)
for name in "${groups[@]}"; do
    (group "$name") >"$made/$name.said" 2>&1 &
    running[$name]=$!
done
for name in "${groups[@]}"; do
    wait "${running[$name]}" || failed=1
    cat "$made/$name.said"
done
exit $failed
