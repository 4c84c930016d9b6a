# `anechoic capture` from a live kernel: at full speed, over a slow line, and over one with faults (tests/wire/wire.c),
# where the kernel sends again what was damaged. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2261

# wired NAME 'WIRE OPTIONS' pty|tcp 'WORDS' CONDITION...: what is captured is judged; status and text are in $dir/NAME.out.
wired() {
    local name=$1 faults=$2 kind=$3 words=$4 from line=$dir/$1.line wire qemu status
    shift 4
    timeout "${TIMEOUT:-120}" qemu-system-x86_64 -nodefaults -display none -no-reboot -m 256 -cpu max -vga std \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel build/x86_64/anechoic.elf -append "$words" \
        -serial "unix:$dir/$name.sock,server=on,wait=on" >"$dir/$name.qemu" 2>&1 </dev/null &
    qemu=$!
    # shellcheck disable=SC2086 # options are words
    build/tests/wire $faults --log "$dir/$name.log" "$dir/$name.sock" "$kind:$line" 2>>"$dir/$name.qemu" &
    wire=$!
    for ((i = 0; i < 400; i++)); do [ ! -e "$line" ] || break; sleep 0.05; done
    if [ "$kind" = tcp ]; then from=127.0.0.1:$(cat "$line"); else from=$line; fi
    timeout "${TIMEOUT:-120}" build/host/anechoic capture "$from" --lock-dir "$dir" -o "$dir/$name.jsonl" >"$dir/$name.out" 2>&1
    status=$?
    kill "$qemu" "$wire" 2>/dev/null
    wait "$qemu" "$wire"
    sed -i '/^{/!d' "$dir/$name.jsonl" # a capture keeps the text too, which jq cannot read
    judge "$name" 0 "$status" "$@"
}
# Ten thousand records are half a minute of processor time, and on a busy machine more than two minutes.
full_speed() {
    TIMEOUT=${TIMEOUT:-300} wired "$1" '' pty 'exit=halt text=none bench=empty reps=500000 all=1' 'length > 10000' 'records("reps") | length == 10000'
}
long custom capture-10000-records full_speed
speed_tcp() {
    wired "$1" '' tcp 'exit=halt text=none bench=empty reps=50000 all=1' 'length > 1000' 'records("reps") | length == 1000'
}
custom capture-1000-records speed_tcp
slow() {
    wired "$1" '--baud 9600' pty 'exit=halt text=none bench=empty reps=4600 all=1' 'length >= 100'
}
custom capture-9600-baud slow

# What is damaged is asked for again: a capture that is judged complete, of a line on which some 50 records were not.
recovered() {
    wired "$1" '--seed 7 --drop 4000 --flip 4000 --double 4000 --up 200' tcp 'exit=wait,qemu text=none bench=empty reps=20000 all=1' \
        'records("reps") | length == 400' '.[-2].t == "kept" and .[-2].first == 0 and .[-2].last == .[-1].n'
    grep -q 'came again when asked for' "$dir/$1.out" || fail "$1" "nothing was asked for"
}
custom capture-recovers recovered

# Keeping records changes no count: the same boot without (exit=qemu), for QR codes on a screen (halt), and for a serial line (wait),
# where the TSC counts instructions.
undisturbed() {
    local how
    for how in qemu halt wait; do
        ./run-qemu.sh --no-install --icount --append "exit=$how bench=all" -o "$dir/$1.$how" >"$dir/$1.out" 2>&1 </dev/null ||
            { fail "$1" "exit=$how: exit status $?"; return; }
        jq -c 'select(.t == "result") | [.bench, .variant, .params, .event, .min, .median, .max, .overhead]' "$dir/$1.$how" >"$dir/$1.$how.results"
    done
    for how in halt wait; do
        cmp -s "$dir/$1.qemu.results" "$dir/$1.$how.results" || { fail "$1" "$(diff "$dir/$1".{qemu,$how}.results | head -n 2)"; return; }
    done
    jq -s '[.[] | select(.t == "boot") | .pool_bytes] | unique | length' "$dir/$1".{qemu,halt,wait} >"$dir/$1.out"
    [ "$(cat "$dir/$1.out")" = 3 ] && say "ok $1" || fail "$1" "the three do not keep differently much"
}
custom wait-undisturbed undisturbed
boot wait-bad 2 "--append 'exit=wait records=none'" 'error_says("exit=wait and records=none")'
