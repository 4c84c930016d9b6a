# The destinations of the report: serial ports, the screen; and the part of an interrupted run that is kept. Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2261

# ---- serial ports ----

com2() { # everything on the second port
    local status
    status=$(qemu "$1" 'console=com2,9600 bench=empty' -serial null -serial "file:$dir/$1.com2" </dev/null)
    records_of "$dir/$1.com2" "$dir/$1.jsonl"
    judge "$1" 0 "$status" 'results | length == 1' '.[0].consoles[0] == "0x2f8,9600"'
}
custom console-com2 com2

split() { # text on the first port, records on the second
    local status
    status=$(qemu "$1" 'records=com2 bench=empty' -serial "file:$dir/$1.com1" -serial "file:$dir/$1.com2" </dev/null)
    records_of "$dir/$1.com2" "$dir/$1.jsonl"
    if grep -q '^{' "$dir/$1.com1"; then fail "$1" "records on the text port"; return; fi
    if ! grep -q 'empty' "$dir/$1.com1"; then fail "$1" "no text on the text port"; return; fi
    judge "$1" 0 "$status" 'results | length == 1'
}
custom records-com2 split

absent() { # the console's port is empty, records go to the one that is there
    local status
    status=$(qemu "$1" 'records=com2 bench=empty' -serial none -device "isa-serial,chardev=c,index=1" \
        -chardev "file,id=c,path=$dir/$1.com2" </dev/null)
    records_of "$dir/$1.com2" "$dir/$1.jsonl"
    judge "$1" 0 "$status" 'results | length == 1' \
        'records("note"; (.message | test("no UART answers at port 0x3f8"))) | length == 1'
}
custom absent-uart absent

faces() { # records=none and text=none
    local status
    status=$(qemu "$1" 'records=none bench=empty' -serial "file:$dir/$1.com1" </dev/null)
    if [ "$status" != 0 ] || grep -q '^{' "$dir/$1.com1" || ! grep -q 'empty' "$dir/$1.com1"; then
        fail "$1" "records=none: status $status"; return
    fi
    status=$(qemu "$1" 'text=none bench=empty' -serial "file:$dir/$1.com1" </dev/null)
    records_of "$dir/$1.com1" "$dir/$1.jsonl"
    if tr -d '\r' <"$dir/$1.com1" | grep -q '^[^{]'; then fail "$1" "text=none: text all the same"; return; fi
    judge "$1" 0 "$status" 'results | length == 1'
}
custom one-face faces
boot records-rate 0 "--append 'records=com1,9600 bench=empty'" 'records("note"; (.message | test("another rate"))) | length == 1'

no_records() { # the script knows that there will be none
    ./run-qemu.sh --no-install --append 'records=none bench=empty' -o "$dir/$1.jsonl" >"$dir/$1.out" 2>&1 </dev/null ||
        { fail "$1" "exit status $?"; return; }
    if [ -s "$dir/$1.jsonl" ] || ! grep -q '^empty' "$dir/$1.out"; then fail "$1" "records, or no text"; return; fi
    say "ok $1"
}
custom records-none no_records

# until_seen PATTERN FILE [PID]: waits for a line with it, as long as a boot may take, and not for a process that has ended.
# False: none came.
until_seen() {
    local end=$((SECONDS + ${TIMEOUT:-120})) over=''
    until grep -aqs "$1" "$2"; do
        [ -z "$over" ] && [ $SECONDS -lt $end ] || return 1
        [ -z "${3-}" ] || kill -0 "$3" 2>/dev/null || over=yes # its last output is read once more
        [ -n "$over" ] || sleep 0.2
    done
}

interrupted() { # Ctrl-C to the script: the records that had come are kept
    local status seen limit=$((3 * ${TIMEOUT:-120})) # reps: test_slow shall last longer than that
    # What runs in the background ignores Ctrl-C, so it gets it back, and a process group as of a terminal.
    env --default-signal=INT setsid ./run-qemu.sh --no-install --timeout $limit --append 'bench=fp_add_latency,test_slow reps=10000' \
        -o "$dir/$1.jsonl" >"$dir/$1.out" 2>&1 </dev/null &
    until_seen '^fp_add_latency' "$dir/$1.out" $!
    seen=$?
    kill -INT $! 2>/dev/null
    for _ in {1..20}; do # and whoever is impatient presses it again while the records are put away
        sleep 0.002
        kill -INT -- -$! 2>/dev/null || break
    done
    wait $!
    status=$?
    if [ $seen != 0 ]; then fail "$1" "no result came, in ${TIMEOUT:-120} seconds at most"; return; fi
    if [ $status != 130 ]; then fail "$1" "status $status, not 130: it was not interrupted"; return; fi
    if grep -q '"t":"result"' "$dir/$1.jsonl"; then say "ok $1"; else fail "$1" "no result was kept"; fi
}
custom interrupted interrupted

cancel() { # cancel NAME WORDS ERRORS: Ctrl-C over the serial line ends a long run, and the session is whole
    local status errors=$3
    status=$( (until_seen '"t":"cpu"' "$dir/$1.com1"; printf '\003'; until_seen '"t":"end"' "$dir/$1.com1") |
        qemu "$1" "$2" -smp 3 -chardev "stdio,id=c,signal=off,logfile=$dir/$1.com1" -serial chardev:c)
    records_of "$dir/$1.com1" "$dir/$1.jsonl"
    judge "$1" 1 "$status" 'errors | length == $errors and all(.message | test("cancelled"))' 'results == []' '.[-1].status == 1'
}
custom cancel cancel 'bench=test_slow reps=100000' 1
# Only one of those that are sampled together hears it.
custom cancel-together cancel 'cpu=all together=1 bench=stride_thrash:n=1000000 sample=timer period=100000000 reps=100000' 3
custom cancel-together-others cancel 'cpu=1-2 together=1 bench=stride_thrash:n=1000000 sample=timer period=100000000 reps=100000' 2

# ---- the screen ----

# No serial port at all, and the text is read from the display memory or the picture.
# screen NAME MONITOR-COMMAND CHECK QEMU-ARGUMENTS...
monitor() {
    local name=$1 command=$2 check=$3
    shift 3
    coproc QEMU { exec timeout 150 qemu-system-x86_64 -nodefaults -display none -m 256 -vga std -serial none \
        -monitor stdio "$@" >"$dir/$name.out" 2>&1; }
    local pid=$QEMU_PID to=${QEMU[1]}
    for _ in {1..240}; do
        sleep 0.5
        echo "$command" 2>/dev/null 1>&"$to" || break
        if $check "$dir/$name.memory"; then
            echo quit >&"$to"
            wait "$pid"
            say "ok $name"
            return
        fi
    done
    kill "$pid" 2>/dev/null
    fail "$name" "the screen does not show what it should"
}
# Characters are every second byte; the last line of the run, and a result, must be there.
ega_shows() { [ -s "$1" ] && LC_ALL=C tr -d '\a\007' <"$1" | tr '\0' ' ' | grep -aq 'done: 4 measurements, 0 failed'; }
ega() {
    monitor "$1" "pmemsave 0xb8000 0x8000 \"$dir/$1.memory\"" ega_shows -cpu max \
        -kernel build/x86_64/anechoic.elf -append exit=halt
}
custom screen-ega ega

# A framebuffer: the picture has some thousand pixels in the kernel's own ink (D0h in every channel), and of the large
# pages, as QEMU's monitor shows them, at least one is present, writable, and write-combining: PWT set, PCD clear.
picture_shows() {
    [ -s "$1" ] && [ "$(LC_ALL=C tr -dc '\320' <"$1" | wc -c)" -gt 30000 ] &&
        grep -aEq '0x[0-9a-f]{14}[8ace]b' "${1%.memory}.out"
}
framebuffer() {
    tools/mkiso.sh --append 'exit=halt bench=all' "$dir/$1.iso" >"$dir/$1.out" 2>&1 || { fail "$1" "no image"; return; }
    cp /usr/share/OVMF/OVMF_VARS_4M.fd "$dir/$1.vars"
    local pages
    pages=$(nm build/x86_64/kernel.elf | awk '$3 == "boot_pd" { print $1 }')
    monitor "$1" "screendump \"$dir/$1.memory\"
        xp /2048gx 0x$pages" picture_shows -cpu max -cdrom "$dir/$1.iso" \
        -drive if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd \
        -drive "if=pflash,unit=1,format=raw,file=$dir/$1.vars"
}
custom screen-framebuffer framebuffer
