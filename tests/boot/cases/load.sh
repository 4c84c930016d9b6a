# `load` at the prompt: anechoic code and run ask a machine that has booted, over a pseudo-terminal. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154

# waits NAME FLAVOUR 'WIRE OPTIONS' QEMU-OPTION...: a machine at its prompt; its line is $dir/NAME.line, what it sends goes to NAME.log
waits() {
    local name=$1 flavour=$2 wire=$3 i
    shift 3
    timeout 900 qemu-system-x86_64 -nodefaults -display none -no-reboot -m 64 -cpu max -device isa-debug-exit,iobase=0xf4,iosize=4 \
        -kernel "build/$flavour/anechoic.elf" -append exit=monitor,qemu \
        -chardev "socket,id=c,path=$dir/$name.socket,server=on,logfile=$dir/$name.log" -serial chardev:c "$@" 2>"$dir/$name.qemu" &
    qemu=$!
    # shellcheck disable=SC2086 # options are words
    build/tests/wire $wire "$dir/$name.socket" "pty:$dir/$name.line" &
    wire_pid=$!
    # shellcheck disable=SC2064 # these two, whatever the variables are when the case ends
    trap "kill $qemu $wire_pid 2>/dev/null" EXIT
    for ((i = 0; i < 1200; i++)); do
        ! grep -aq 'anechoic> ' "$dir/$name.log" 2>/dev/null || return 0
        sleep 0.1
    done
    return 1
}
# asked NAME STATUS ARGUMENT...: what anechoic prints is in NAME.out
asked() {
    local name=$1 wanted=$2 status=0
    shift 2
    timeout 300 build/host/anechoic "$@" >"$dir/$name.out" 2>"$dir/$name.err" || status=$?
    [ $status = "$wanted" ] || { fail "$name" "$*: status $status: $(tail -n 2 "$dir/$name.err" | tr '\n' ' ')"; return 1; }
}
# printed NAME TEXT...: lines of it
printed() {
    local name=$1 text
    shift
    for text; do grep -qxF -- "$text" "$dir/$name.out" || { fail "$name" "not printed: $text"; return 1; }; done
}
# kept NAME CONDITION...: of the stretches of the session that -o has kept, one behind the other, and of its end
kept() {
    local name=$1 condition jq_options=()
    shift
    printf '\003exit\r' >"$dir/$name.line"
    wait $qemu
    status=$(($? / 2 - 16))
    kill $wire_pid 2>/dev/null
    [ $status = 1 ] || { fail "$name" "the session's status is $status"; return; } # the snippet that traps
    cat "$dir/$name".kept* | grep -a '^{' >"$dir/$name.jsonl"
    for condition; do
        holds "$condition" "$dir/$name.jsonl" || { fail "$name" "not true: $condition"; return; }
    done
    say "ok $name"
}

load_code() {
    local name=$1 flavour=${1##*-} bits=64 other=32 status qemu wire_pid
    [ "$flavour" = x86_64 ] || { bits=32 other=64; }
    # All that is sent is built before, since the emulator never rests. QEMU takes 0.1 ms for each byte, so one of two modules is short.
    asked "$name" 0 payload build docs/examples/crc32.c --bits $bits --arg 1000 -o "$dir/prog_$bits.mod" &&
        asked "$name" 0 payload build tests/payload/trap.c --bits $bits -o "$dir/short_$bits.mod" || return
    waits "$name" "$flavour" '' -icount shift=0,sleep=off || { fail "$name" 'no prompt'; return; }
    printf 'one: nop\nthree: nop; nop; nop\nnone:\nbad: ud2\n' >"$dir/$name.list"
    # The same answers as from a boot (tests/boot/cases/snippets.sh).
    asked "$name" 1 code -f "$dir/$name.list" --on "tty:$dir/$name.line" -o "$dir/$name.kept" || return
    printed "$name" one '  Time-stamp counter: 1.00' three '  Time-stamp counter: 3.00' none '  Time-stamp counter: 0.00' || return
    grep -q '#UD' "$dir/$name.err" || { fail "$name" "no #UD"; return; }
    asked "$name" 0 code 'nop; nop' --on "tty:$dir/$name.line" -o "$dir/$name.kept2" && printed "$name" 'Time-stamp counter: 2.00' || return
    asked "$name" 2 code nop --bits $other --on "tty:$dir/$name.line" || return
    # A program with regions takes the snippets' place, which bench=code then lacks.
    asked "$name" 0 run --module "$dir/prog_$bits.mod" -o "$dir/$name.kept3" "tty:$dir/$name.line" "bench=prog_$bits" &&
        printed "$name" '  | 1000 bytes: 74e3fb41' || return
    asked "$name" 2 run -o "$dir/$name.kept4" "tty:$dir/$name.line" bench=code || return
    # One that is refused: the machine's error, and its prompt. Two of its bytes are others.
    { head -c 4200 "$dir/short_$bits.mod"; printf '\377\377'; tail -c +4203 "$dir/short_$bits.mod"; } >"$dir/bad_$bits.mod"
    asked "$name" 1 run --module "$dir/bad_$bits.mod" -o "$dir/$name.kept5" "tty:$dir/$name.line" "bench=bad_$bits" || return
    # Numbers go on from question to question, and each stretch says which machine it is.
    kept "$name" '[.[].n] | . == sort and (unique | length) == length' 'records("boot") | length >= 5 and .[0].n > 0' \
        'records("done") | length == 3' '[errors[].what] == ["benchmark", "command line", "module"]' \
        '[regions[].label] | unique == ["fill", "sum"]' 'notes("monitor") | length == 3'
}
custom prompt-code-x86_64 load_code
custom prompt-code-i586 load_code

# Another list over a line that damages a byte in 3,000 each way.
load_faults() {
    local name=$1 i status qemu wire_pid
    waits "$name" x86_64 '--drop 3000 --flip 3000 --double 3000 --up 3000 --seed 3' -icount shift=0,sleep=off || { fail "$name" 'no prompt'; return; }
    for ((i = 0; i < 60; i++)); do echo "s$i: .rept $i; nop; .endr"; done >"$dir/$name.list"
    asked "$name" 0 code -f "$dir/$name.list" --on "tty:$dir/$name.line" || return
    for ((i = 0; i < 60; i++)); do printf 's%d\n  Time-stamp counter: %d.00\n' $i $i; done | paste - - | sort >"$dir/$name.want"
    grep -A1 '^s[0-9]' "$dir/$name.out" | grep -v '^--' | paste - - | sort | diff "$dir/$name.want" - >"$dir/$name.diff" ||
        { fail "$name" "$(head -n 3 "$dir/$name.diff" | tr '\n' ' ')"; return; }
    kill $qemu $wire_pid 2>/dev/null
    say "ok $name"
}
custom prompt-faults load_faults
