# shellcheck shell=bash disable=SC2154 # variables are shared with tests/boot/run.sh
# The records through QR codes: from the screen, as a picture, to the file, which is what the serial line brought.

# qemu_shows NAME QEMU-ARGUMENTS...: a machine whose serial port is a file (port=none: it has none), and whose monitor is $monitor.
qemu_shows() {
    local name=$1
    shift
    rm -f "$dir/$name.com1"
    coproc QEMU { exec timeout 240 qemu-system-x86_64 -nodefaults -display none -vga std -serial "${port:-file:$dir/$name.com1}" \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -monitor stdio "$@" >"$dir/$name.out" 2>&1; }
    qemu_pid=$QEMU_PID monitor=${QEMU[1]}
}
tell() { { echo "$1" >&"$monitor"; } 2>/dev/null; }

# picture NAME FILE: the screen, when it has been written whole.
picture() {
    rm -f "$2"
    tell "screendump \"$2\""
    for _ in {1..50}; do
        sleep 0.1
        [ ! -s "$2" ] || break
    done
    sleep 0.1
}
number_in() { zbarimg -q --raw --nodbus "$1" 2>/dev/null | sed -n 's/^AQ1........\(....\)\(....\).*/\1 \2/p'; }

# seen NAME: a code is on the screen: its number and how many there are, in $number and $count.
seen() {
    for _ in {1..200}; do
        picture "$1" "$dir/$1.now.ppm"
        read -r number count < <(number_in "$dir/$1.now.ppm") && return
        sleep 0.3
    done
    return 1
}

# step NAME KEY: all codes, by this key, one picture each in NAME.codes/.
step() {
    local name=$1 key=$2 first before
    mkdir -p "$dir/$name.codes"
    seen "$name" || return
    tell "sendkey spc" # it no longer turns
    sleep 1
    seen "$name" || return
    first=$number
    while :; do
        cp "$dir/$name.now.ppm" "$dir/$name.codes/$number.ppm"
        before=$number
        tell "sendkey $key"
        for _ in {1..40}; do
            seen "$name" || return
            [ "$number" = "$before" ] || break
        done
        [ "$number" != "$first" ] || break
        [ "$number" != "$before" ] || return
    done
}

# leave NAME: by Esc; its exit status goes to $status.
leave() {
    tell "sendkey esc"
    wait "$qemu_pid"
    status=$?
}
stop_qemu() { kill "$qemu_pid" 2>/dev/null; wait "$qemu_pid" 2>/dev/null; }

# Rotated by some degrees, and out of focus.
as_photographs() {
    local f angle=-9
    mkdir -p "$2"
    for f in "$1"/*.ppm; do
        pnmscale 2 "$f" 2>/dev/null | pnmrotate -background=black $angle 2>/dev/null |
            pnmsmooth -width=5 -height=5 2>/dev/null >"$2/$(basename "$f")"
        angle=$((angle + 3))
    done
}

# through NAME KEY QEMU-ARGUMENTS...: at least 200 records (60 on a framebuffer), whole; rotated; with one missing; and Esc
# ends it.
words_200='exit=qr,qemu bench=stride_thrash:lines=1..200:n=50 reps=5'
words_60='exit=qr,qemu bench=stride_thrash:lines=1..60:n=50 reps=5'
through() {
    local name=$1 key=$2 lacking least=200
    shift 2
    [[ "$name" != qr-framebuffer-* ]] || least=60
    qemu_shows "$name" "$@"
    if ! step "$name" "$key"; then
        stop_qemu
        fail "$name" "no codes, or not all of them"
        return
    fi
    leave
    records_of "$dir/$name.com1" "$dir/$name.jsonl"
    [ "$(wc -l <"$dir/$name.jsonl")" -ge "$least" ] || { fail "$name" "fewer than $least records"; return; }
    [ "$status" = 33 ] || { fail "$name" "exit status $status of QEMU's, not 33"; return; }
    ls "$dir/$name.codes" | sort -R >"$dir/$name.order"
    (cd "$dir/$name.codes" && xargs "$OLDPWD/build/host/anechoic" qr -o "$dir/$name.qr" <"$dir/$name.order") \
        >"$dir/$name.out" 2>&1 || { fail "$name" "anechoic qr: exit status $?"; return; }
    cmp "$dir/$name.qr" "$dir/$name.jsonl" >>"$dir/$name.out" 2>&1 || { fail "$name" "other records than the serial line's"; return; }
    if [[ $name = qr-mode12-* || $long = yes ]]; then # they are the reader's business, not the screen's
        as_photographs "$dir/$name.codes" "$dir/$name.photographs"
        build/host/anechoic qr -o "$dir/$name.qr" "$dir/$name.photographs"/*.ppm >"$dir/$name.out" 2>&1 &&
            cmp "$dir/$name.qr" "$dir/$name.jsonl" >>"$dir/$name.out" 2>&1 || { fail "$name" "not from photographs"; return; }
    fi
    lacking=$dir/$name.codes/0002.ppm
    mv "$lacking" "$dir/$name.lacking"
    build/host/anechoic qr -o "$dir/$name.qr" "$dir/$name.codes"/*.ppm >"$dir/$name.out" 2>&1
    [ $? = 1 ] && grep -q "code 2 of $((16#$count)) is missing" "$dir/$name.out" || { fail "$name" "one missing is not said"; return; }
    mv "$dir/$name.lacking" "$lacking"
    judge "$name" 0 0 '.[-1].status == 0'
}
in_text_mode() { # VGA mode 12h
    local flavour=${1#qr-mode12-} cpu=max
    [ "$flavour" = x86_64 ] || cpu=pentium
    through "$1" n -cpu $cpu -m 32 -kernel "build/$flavour/anechoic.elf" -append "$words_200"
}
custom qr-mode12-i586 in_text_mode
long custom qr-mode12-x86_64 in_text_mode

on_framebuffer() {
    local flavour=${1#qr-framebuffer-}
    tools/mkiso.sh --flavour "$flavour" --append "$words_60" "$dir/$1.iso" >"$dir/$1.out" 2>&1 || { fail "$1" "no image"; return; }
    cp /usr/share/OVMF/OVMF_VARS_4M.fd "$dir/$1.vars"
    through "$1" left -cpu max -m 256 -cdrom "$dir/$1.iso" \
        -drive if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd \
        -drive "if=pflash,unit=1,format=raw,file=$dir/$1.vars"
}
long custom qr-framebuffer-i586 on_framebuffer
custom qr-framebuffer-x86_64 on_framebuffer

# A halt offers them: on Enter they come, and turn by themselves; without a key they come after 60 seconds. No serial port is
# there. Pictures of two such runs are told apart.
halts() { # halts NAME WORDS: returns when the offer is on the screen, in text mode
    qemu_shows "$1" -serial none -cpu max -m 16 -kernel build/i586/anechoic.elf -append "exit=halt $2"
    for _ in {1..120}; do
        sleep 0.5
        tell "pmemsave 0xb8000 0x8000 \"$dir/$1.memory\""
        sleep 0.2
        LC_ALL=C tr -d '\a\007\0' <"$dir/$1.memory" 2>/dev/null | grep -aq 'Enter: QR codes, in 60 s' && return
    done
    return 1
}
turn() { # turn NAME: what comes without a key
    mkdir -p "$dir/$1.codes"
    for _ in {1..100}; do
        seen "$1" || return
        cp "$dir/$1.now.ppm" "$dir/$1.codes/$number.ppm"
        [ "$(find "$dir/$1.codes" -type f | wc -l)" != $((16#$count)) ] || return 0
        sleep 0.3
    done
    return 1
}
halt() {
    local name=$1 run
    halts "$name" reps=10 && tell 'sendkey ret' && turn "$name" || { stop_qemu; fail "$name" "on Enter not all codes"; return; }
    stop_qemu
    mv "$dir/$name.codes" "$dir/$name.first"
    # A TSC that seems to be slow makes the seconds short.
    qemu_shows "$name" -serial none -cpu max -m 16 -kernel build/i586/anechoic.elf -append "exit=halt tsc=100000000"
    step "$name" n || { stop_qemu; fail "$name" "no codes by themselves"; return; }
    stop_qemu
    build/host/anechoic qr -o "$dir/$name.jsonl" "$dir/$name.first"/*.ppm "$dir/$name.codes"/*.ppm >"$dir/$name.out" 2>&1
    [ $? = 1 ] && grep -q 'these are codes of several runs' "$dir/$name.out" || { fail "$name" "two runs are not told apart"; return; }
    for run in $(sed -n 's/.*: run \([0-9A-F]*\): .*/\1/p' "$dir/$name.out"); do
        build/host/anechoic qr --run "$run" -o "$dir/$name.jsonl" "$dir/$name.first"/*.ppm "$dir/$name.codes"/*.ppm \
            >"$dir/$name.out" 2>&1 || { fail "$name" "run $run: exit status $?"; return; }
    done
    judge "$name" 0 0 '.[0].t == "boot" and .[-1].status == 0'
}
custom qr-halt halt

# Without an adapter that could show them: a note says so, and the run ends as the words want it.
without_a_screen() {
    timeout 120 qemu-system-x86_64 -nodefaults -display none -vga none -serial "file:$dir/$1.com1" -m 32 \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel build/i586/anechoic.elf -append 'exit=qr,qemu reps=5' >"$dir/$1.out" 2>&1
    local status=$?
    records_of "$dir/$1.com1" "$dir/$1.jsonl"
    judge "$1" 33 $status 'any(.[]; .t == "note" and .what == "qr" and (.message | startswith("no QR codes are shown: no screen")))'
}
custom qr-no-screen without_a_screen

# More than there is memory for: raw values go, and all sides say so.
too_long() {
    local name=$1
    qemu_shows "$name" -cpu max -m 6 -kernel build/i586/anechoic.elf -append 'exit=qr,qemu all=1 reps=400 bench=stride_thrash:lines=1..100:n=50'
    step "$name" n || { stop_qemu; fail "$name" "no codes"; return; }
    leave
    records_of "$dir/$name.com1" "$dir/$name.serial"
    build/host/anechoic check "$dir/$name.serial" >"$dir/$name.out" 2>&1 || { fail "$name" "over the serial line not all came"; return; }
    build/host/anechoic qr -o "$dir/$name.jsonl" "$dir/$name.codes"/*.ppm >"$dir/$name.out" 2>&1 &&
        grep -q 'reduced: [0-9]* more were left out' "$dir/$name.out" || { fail "$name" "anechoic qr"; return; }
    judge "$name" 0 0 'all(.[]; .t != "reps")' '.[0].t == "boot"' 'any(.[]; .t == "reduced" and .left_out >= 100)' \
        'results | length == 100'
}
custom qr-reduced too_long
