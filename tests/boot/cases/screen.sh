# shellcheck shell=bash disable=SC2154 # variables are shared with tests/boot/run.sh
# The screen's text once more after the session, by key and by time; and screen=off. qr.sh has the machine and its monitor.

words_of_screen='bench=stride_thrash:lines=1..60:n=50 reps=5'

# What a text screen shows, a row in a line, as the page that has a line of keys below it; the rows that it says it shows in
# $first, $last, $of.
text_page() { # text_page NAME KEYS: until such a line of keys is there
    for _ in {1..600}; do
        sleep 0.1
        rm -f "$dir/$1.memory"
        tell "pmemsave 0xb8000 0x8000 \"$dir/$1.memory\""
        sleep 0.1
        [ -s "$dir/$1.memory" ] || continue
        LC_ALL=C tr -d '\a\0' <"$dir/$1.memory" | fold -w 80 | grep -a -B 24 -- "$2" | sed 's/ *$//' >"$dir/$1.page"
        read -r first last of < <(sed -n '$s/.* \([0-9]*\)-\([0-9]*\)\/\([0-9]*\)$/\1 \2 \3/p' "$dir/$1.page") && return
    done
    return 1
}

# text_says NAME WHAT: until a text screen says it.
text_says() {
    for _ in {1..150}; do
        sleep 0.2
        tell "pmemsave 0xb8000 0x8000 \"$dir/$1.memory\""
        sleep 0.1
        [ -s "$dir/$1.memory" ] || continue
        LC_ALL=C tr -d '\a\0' <"$dir/$1.memory" | grep -aq -- "$2" && return
    done
    return 1
}

# What the serial line brought, as rows of 80 columns.
text_rows() { tr -d '\r' <"$dir/$1.com1" | sed '1d;/^{/d' | fold -w 80 | sed 's/ *$//'; }

# as_printed NAME FIRST: the page begins with this row, and has what was printed.
as_printed() {
    [ "$first" = "$2" ] && [ $((last - first)) = 23 ] && [ "$of" = "$(text_rows "$1" | wc -l)" ] &&
        text_rows "$1" | sed -n "$first,${last}p" | diff - <(head -n 24 "$dir/$1.page") >>"$dir/$1.out"
}

turn_pages() {
    local name=$1 flavour=${1#screen-pages-} bottom step key want cpu=max
    [ "$flavour" = x86_64 ] || cpu=pentium
    qemu_shows "$name" -cpu $cpu -m 16 -kernel "build/$flavour/anechoic.elf" -append "exit=halt $words_of_screen"
    text_page "$name" 'Enter: QR codes, in 60 s  Esc: end' || { stop_qemu; fail "$name" "no line of keys"; return; }
    bottom=$((of - 23))
    as_printed "$name" $bottom || { stop_qemu; fail "$name" "not the last page: $first-$last/$of"; return; }
    for step in pgup:$((bottom - 24)) pgup:$((bottom - 48)) up:$((bottom - 49)) home:1 pgup:1 down:2 pgdn:26 spc:50 end:$bottom; do
        key=${step%:*} want=${step#*:}
        tell "sendkey $key"
        for _ in {1..20}; do
            text_page "$name" 'Enter: QR codes, in 600 s' || break
            [ "$first" != "$want" ] || break
        done
        as_printed "$name" "$want" || { stop_qemu; fail "$name" "$key: $first-$last/$of, not from $want"; return; }
    done
    tell 'sendkey esc'
    text_says "$name" 'The machine has halted.' || { stop_qemu; fail "$name" "Esc does not end it"; return; }
    stop_qemu
    say "ok $name"
}
long custom screen-pages-i586 turn_pages
custom screen-pages-x86_64 turn_pages

# More text than is kept on a machine of 4 MiB: the first row says so, and the last lines are whole.
dropped() {
    local name=$1 bottom
    qemu_shows "$name" -cpu pentium -m 4 -kernel build/i586/anechoic.elf -append "exit=halt bench=stride_thrash:lines=1..300:stride=64:n=50 reps=3"
    text_page "$name" 'Enter: QR codes' || { stop_qemu; fail "$name" "no line of keys"; return; }
    bottom=$first
    tell 'sendkey home'
    for _ in {1..20}; do
        text_page "$name" 'Enter: QR codes' || break
        [ "$first" = "$bottom" ] || break
    done
    stop_qemu
    diff <(echo '(earlier text was dropped)'; text_rows "$name" | tail -n $((of - 1)) | head -n 23) <(head -n 24 "$dir/$name.page") \
        >>"$dir/$name.out" && [ "$first" = 1 ] || { fail "$name" "not what was printed last: $first-$last/$of"; return; }
    say "ok $name"
}
custom screen-dropped dropped

# No keyboard at all: the screen says so, and each page comes by itself; then the codes.
no_keyboard() {
    local name=$1 row
    declare -A shown=()
    # A TSC that seems to be slower makes the seconds shorter.
    qemu_shows "$name" -machine pc,i8042=off -cpu max -m 16 -kernel build/i586/anechoic.elf \
        -append "exit=halt tsc=1000000000 $words_of_screen"
    text_page "$name" 'No keyboard answers: pages turn by themselves, then QR codes' || { stop_qemu; fail "$name" "it is not said"; return; }
    for _ in {1..400}; do
        as_printed "$name" "$first" || { stop_qemu; fail "$name" "$first-$last/$of is not what was printed"; return; }
        shown[$first]=1
        for ((row = 1; row < of - 23; row += 24)); do [ -n "${shown[$row]-}" ] || break; done
        [ $row -lt $((of - 23)) ] || [ -z "${shown[$((of - 23))]-}" ] || break
        text_page "$name" 'No keyboard answers' || break
    done
    [ $row -ge $((of - 23)) ] || { stop_qemu; fail "$name" "only the pages ${!shown[*]} of $of rows"; return; }
    if seen "$name"; then say "ok $name"; else fail "$name" "no QR codes afterwards"; fi
    stop_qemu
}
if qemu-system-i386 -machine pc,help 2>/dev/null | grep -q i8042=; then
    custom screen-no-keyboard no_keyboard
else
    skip screen-no-keyboard "this QEMU has no machine without an 8042"
fi

# ---- a framebuffer: pixels ----

on_uefi() { # on_uefi NAME IMAGE
    cp /usr/share/OVMF/OVMF_VARS_4M.fd "$dir/$1.vars"
    qemu_shows "$1" -cpu max -m 256 -cdrom "$2" \
        -drive if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd \
        -drive "if=pflash,unit=1,format=raw,file=$dir/$1.vars"
}

# ended NAME: the session's last record has come.
ended() {
    for _ in {1..1000}; do
        ! grep -q '"t":"end"' "$dir/$1.com1" 2>/dev/null || { sleep 1; return; }
        sleep 0.2
    done
    return 1
}

# steady NAME FILE: the picture, when it has been the same for two seconds.
steady() {
    for _ in {1..30}; do
        picture "$1" "$2"
        sleep 2
        picture "$1" "$dir/$1.now.ppm"
        ! cmp -s "$2" "$dir/$1.now.ppm" || return 0
    done
    return 1
}

# picture_other_than NAME OLD NEW: the next picture, when it has been drawn whole.
picture_other_than() {
    for _ in {1..50}; do
        picture "$1" "$3"
        if ! cmp -s "$2" "$3"; then
            steady "$1" "$3"
            return
        fi
    done
    return 1
}

turn_pictures() {
    local name=$1 flavour=${1#screen-framebuffer-} p=$dir/$1
    tools/mkiso.sh --flavour "$flavour" --append "exit=halt $words_of_screen" "$p.iso" >"$p.out" 2>&1 || { fail "$name" "no image"; return; }
    on_uefi "$name" "$p.iso"
    ended "$name" || { stop_qemu; fail "$name" "the session does not end"; return; }
    steady "$name" "$p.first.ppm" || { stop_qemu; fail "$name" "the picture goes on changing"; return; }
    tell 'sendkey pgup' && picture_other_than "$name" "$p.first.ppm" "$p.up.ppm" || { stop_qemu; fail "$name" "page up changes nothing"; return; }
    tell 'sendkey end' && picture_other_than "$name" "$p.up.ppm" "$p.end.ppm" || { stop_qemu; fail "$name" "no way back"; return; }
    tell 'sendkey pgup' && picture_other_than "$name" "$p.end.ppm" "$p.again.ppm" || { stop_qemu; fail "$name" "page up only once"; return; }
    tell 'sendkey pgdn' && picture_other_than "$name" "$p.again.ppm" "$p.down.ppm" || { stop_qemu; fail "$name" "no page down"; return; }
    stop_qemu
    cmp "$p.up.ppm" "$p.again.ppm" >>"$p.out" && cmp "$p.end.ppm" "$p.down.ppm" >>"$p.out" || { fail "$name" "the same page looks otherwise"; return; }
    # The page that came first, but for the seconds in its line of keys, which lie in the last 31 lines of dots: its own 16, and up
    # to 15 below it that are no row.
    diff -q <(text_of "$p.first.ppm") <(text_of "$p.end.ppm") >>"$p.out" || { fail "$name" "the last page is not as it was"; return; }
    say "ok $name"
}
text_of() { pnmcut -bottom -32 "$1"; }
custom screen-framebuffer-i586 turn_pictures
long custom screen-framebuffer-x86_64 turn_pictures

# ---- screen=off: the display is as the loader left it, which a kernel that does nothing shows ----

# idle FLAVOUR TO: the kernel, of which the first instructions are CLI, HLT, and a jump to the latter.
idle() {
    local entry offset address
    mkdir -p "$2/$1"
    entry=$(readelf -h "build/$1/anechoic.elf" | sed -n 's/.*Entry point address: *//p')
    read -r offset address < <(readelf -lW "build/$1/anechoic.elf" | awk '$1 == "LOAD" && $7 == "R" && $8 == "E" { print $2, $3 }')
    cp "build/$1/anechoic.elf" "$2/$1/anechoic.elf"
    printf '\xfa\xf4\xeb\xfd' | dd of="$2/$1/anechoic.elf" bs=1 seek=$((entry - address + offset)) conv=notrunc status=none
    idle_at=$(printf 'IP=0*%x' $((entry + 2)))
}
halted() { # halted NAME: it is there
    for _ in {1..300}; do
        tell 'info registers'
        sleep 0.2
        tail -n 60 "$dir/$1.out" | tr -d '\r' | grep -q "$idle_at" && { sleep 1; return; }
    done
    return 1
}

# display NAME HOW WAIT: what it shows when WAIT says so, in NAME.HOW.memory and NAME.HOW.ppm.
display() {
    local there=yes
    "$3" "$1" || there=no
    tell "pmemsave 0xb8000 0x8000 \"$dir/$1.$2.memory\""
    picture "$1" "$dir/$1.$2.ppm"
    stop_qemu
    [ $there = yes ]
}
# as_left NAME: the same with screen=off as with a kernel that does nothing, another one with screen=on.
as_left() {
    local name=$1 what
    for what in memory ppm; do
        cmp "$dir/$name.idle.$what" "$dir/$name.off.$what" >>"$dir/$name.out" 2>&1 || { fail "$name" "screen=off has changed the display: $what"; return; }
    done
    cmp -s "$dir/$name.idle.ppm" "$dir/$name.on.ppm" && { fail "$name" "screen=on shows nothing"; return; }
    say "ok $name"
}

off_in_text_mode() {
    local name=$1 how
    idle i586 "$dir/$name.build"
    qemu_shows "$name" -m 16 -kernel "$dir/$name.build/i586/anechoic.elf"
    display "$name" idle halted || { fail "$name" "no idle kernel"; return; }
    for how in on off; do
        qemu_shows "$name" -m 16 -kernel build/i586/anechoic.elf -append "exit=halt reps=5 screen=$how"
        display "$name" $how ended || { fail "$name" "screen=$how: the session does not end"; return; }
    done
    records_of "$dir/$name.com1" "$dir/$name.jsonl"
    as_left "$name"
}
custom screen-off-text off_in_text_mode

off_on_framebuffer() {
    local name=$1 how build=$dir/$1.build wait=halted
    idle x86_64 "$build"
    for how in idle on off; do
        tools/mkiso.sh --flavour x86_64 --build "$build" --append "exit=halt reps=5 screen=${how/idle/off}" "$dir/$name.iso" \
            >"$dir/$name.out" 2>&1 || { fail "$name" "no image"; return; }
        on_uefi "$name" "$dir/$name.iso"
        display "$name" $how $wait || { fail "$name" "$how: it does not get that far"; return; }
        build=build wait=ended
    done
    as_left "$name"
}
custom screen-off-framebuffer off_on_framebuffer

# Results go somewhere: without a serial port the screen stays, and says so.
off_and_no_port() {
    local name=$1
    port=none qemu_shows "$name" -m 16 -kernel build/i586/anechoic.elf -append "exit=halt screen=off"
    text_says "$name" 'screen=off, and no serial port answers' || { stop_qemu; fail "$name" "it is not said"; return; }
    stop_qemu
    say "ok $name"
}
custom screen-off-no-port off_and_no_port
boot screen-off-records 0 "--append 'screen=off reps=5'" '.[0].consoles == ["0x3f8,115200"]' 'results | length > 0' \
    'any(.[]; .t == "note" and .message == "no screen: screen=off")'
boot screen-off-qr 2 "--append 'screen=off exit=qr,qemu'" 'error_says("exit=qr and screen=off")' 'results == []'
