# A session at the monitor's prompt (exit=monitor): what is typed, what comes back, and that measuring there counts what it
# counts at the boot. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

# Bash forgets a coprocess's descriptors when it ends, which may be before all was read: $from and $to of the caller are copies.
keep_pipes() { exec {from}<&"${MONITOR[0]}" {to}>&"${MONITOR[1]}"; }

# answered NAME: the prompt has come again. What came goes to NAME.session.
answered() {
    local part
    while IFS= read -r -t "${TIMEOUT:-120}" -d '>' part <&"$from"; do
        printf '%s>' "$part" >>"$dir/$1.session"
        [[ $part != *anechoic ]] || return 0
    done
    printf '%s' "$part" >>"$dir/$1.session"
    return 1
}

# at_prompt NAME FLAVOUR WORDS QEMU-OPTION...: each line of standard input is typed when the prompt has come; one that begins
# with ^C is the key, half a second after the line before. The status goes to $status.
at_prompt() {
    local name=$1 flavour=$2 words=$3 line
    shift 3
    : >"$dir/$name.session"
    coproc MONITOR { exec timeout "${TIMEOUT:-120}" qemu-system-x86_64 -nodefaults -display none -no-reboot -m 64 -cpu max -vga std \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel "build/$flavour/anechoic.elf" -append "$words" \
        -chardev stdio,id=c,signal=off -serial chardev:c "$@" 2>"$dir/$name.qemu"; }
    local qemu=$MONITOR_PID from to
    keep_pipes
    while IFS= read -r line; do
        if [ "$line" = ^C ]; then
            sleep 0.5
            printf '\003' >&"$to"
            continue
        fi
        answered "$name" || break
        printf '%s\r' "$line" >&"$to"
    done
    answered "$name"
    wait "$qemu"
    status=$(($? / 2 - 16))
    grep -a '^{' "$dir/$name.session" | tr -d '\r' >"$dir/$name.jsonl"
}

# says NAME TEXT...: each is in the session.
says() {
    local name=$1 text
    shift
    for text; do
        grep -aqF -- "$text" "$dir/$name.session" || { fail "$name" "not said: $text"; return 1; }
    done
}

monitor_session() {
    local name=$1 status code
    code=$(address_of kernel_text "${name##*-}") # which begins with the header of multiboot
    at_prompt "$name" "${name##*-}" exit=monitor,qemu <<EOF
help
?
cpuid 0x80000000
rdcr 0
peek 0
peek 0x$code
poke 0x$code 1
unsafe on
poke 0x$code 1
no such command
cpuid zero
run bench=nonsense
run bench=empty exit=qemu
bench=empty
set reps=3
show
run bench=empty
run bench=fp_add_latency:n=1000000 reps=1000000
^C
mark before
run bench=empty reps=4
mark after
mark 0 0..1
mark after that
resend 0..3
q
EOF
    says "$name" 'There is no command "no"' 'LEAF: "zero" is not a number' 'peek: #PF page fault' \
        'poke can wreck the machine' 'poke: #PF page fault: write to a protected page' "00$code: 1badb002" 'unknown benchmark: "nonsense"' \
        'only at the boot: "exit=qemu"' 'set: reps=3' 'done: 1 measurement, 0 failed' 'put `run` in front' || return
    judge "$name" 0 "$status" 'results | map(select(.bench == "empty") | .reps) == [3, 4]' \
        'records("done") | length == 3' 'notes("monitor") | length == 1' \
        '[.[] | select(.n <= 3)] | length == 8' \
        '[records("mark")[] | [.name, .first, .last]] as $m | ($m | map(.[0])) == ["before", "after", "0"] and $m[1][1] > $m[0][2] and $m[2][1:] == [0, 1]'
    [ "$(build/host/anechoic show --mark after --format json "$dir/$name.jsonl" 2>/dev/null | jq -c '[.rows[].reps]')" = '[4]' ] ||
        fail "$name" 'show --mark after shows something else'
}
custom monitor-session-x86_64 monitor_session
custom monitor-session-i586 monitor_session

# Commands that look and change, against what QEMU says of its own machine: the PIC's mask registers, the APIC's base.
monitor_look() {
    local name=$1 status
    at_prompt "$name" i586 exit=monitor,qemu <<'EOF'
list
events nonsense
quiet
topology
mem
regs
rdmsr 1bh
rdpmc 99
in 0x21
wrcr 0 0x11
unsafe on
out 0x21 0xfb
in 0x21
out 0x21 0xff
wrcr 2 0x1234
wrcr 3 0x1000
wrcr 0 0x11
wrmsr 0xc1f 1
poke 0x7fffffff 1
rdcr 2
machine
crc 00000000 show
crc 320ed901 show
load nothing
^C
exit
EOF
    says "$name" 'taken' 'set: (nothing)' 'msr 1b: 00000000fee00900' 'pmc 63: ' 'port 21: ff' 'wrcr can wreck the machine' 'port 21: fb' 'cr2: 00001234' \
        'The page tables must stay' 'PG must stay as it is' 'gdt base' 'KiB, for what is measured' 'one processor' 'fp_add_latency' || return
    judge "$name" 0 "$status" 'records("bench") | length > 10' 'records("quiet") | length == 1'
}
custom monitor-look monitor_look

# `poweroff` switches the machine off and `reboot` resets it (-no-reboot: QEMU ends then); the session has its end before.
monitor_end() { # monitor_end NAME COMMAND
    local name=$1 status
    at_prompt "$name" x86_64 exit=monitor -M q35 <<<"$2"
    judge "$name" -16 "$status" '.[-1].t == "end"' '.[-1].status == 0' # QEMU's own 0
}
custom monitor-poweroff monitor_end poweroff
custom monitor-reboot monitor_end reboot

# Every command of the table is typed by some case.
monitor_commands() {
    local name=$1 command lacks=''
    for command in $(sed -n 's/^    {"\([a-z0-9]*\)", ".*/\1/p' monitor/table.c); do
        grep -qE "^$command( |\$)|monitor_end $command\$" tests/boot/cases/*.sh || lacks+=" $command"
    done
    if [ -z "$lacks" ]; then say "ok $name"; else fail "$name" "no boot types:$lacks"; fi
}
custom monitor-commands monitor_commands

# A machine of which the records' port answers only: what is typed comes from the PS/2 keyboard and is seen on the screen, or
# nobody can type, which a note says. Keys go in through QEMU's own monitor, each when the one before has been taken.
deaf() { # deaf NAME QEMU-ARGUMENT...: QEMU, in the background; its monitor is $keys
    local name=$1
    shift
    rm -f "$dir/$name.raw"
    coproc DEAF { exec timeout "${TIMEOUT:-120}" qemu-system-x86_64 -nodefaults -display none -no-reboot -m 64 -cpu max -vga std \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel build/x86_64/anechoic.elf \
        -append 'exit=monitor,qemu console=com1 records=com2' -serial none -device isa-serial,index=1,chardev=r \
        -chardev "file,id=r,path=$dir/$name.raw" -monitor stdio "$@" >"$dir/$name.out" 2>&1; }
    pid=$DEAF_PID keys=${DEAF[1]}
}
# has NAME TEXT: the records have it, within some seconds.
has() {
    for _ in {1..200}; do
        ! grep -qaF -- "$2" "$dir/$1.raw" 2>/dev/null || return 0
        sleep 0.1
    done
    return 1
}
monitor_keyboard() {
    local name=$1 status key keys pid
    deaf "$name"
    has "$name" '"t":"consoles"' && sleep 0.5
    for key in r u n spc b e n c h equal e m p t y spc r e p s equal 3 ret; do
        echo "sendkey $key 5" >&"$keys"
        sleep 0.02
    done
    has "$name" '"t":"done"' && sleep 0.5
    for key in e x i t ret; do
        echo "sendkey $key 5" >&"$keys"
        sleep 0.02
    done
    wait "$pid"
    status=$(($? / 2 - 16))
    records_of "$dir/$name.raw" "$dir/$name.jsonl"
    judge "$name" 0 "$status" 'results | map([.bench, .reps]) == [["empty", 3]]'
}
custom monitor-keyboard monitor_keyboard
monitor_nobody() {
    local name=$1 status keys pid
    deaf "$name" -M pc,i8042=off
    wait "$pid"
    status=$(($? / 2 - 16))
    records_of "$dir/$name.raw" "$dir/$name.jsonl"
    judge "$name" 0 "$status" 'any(.t == "note" and .what == "monitor" and (.message | test("neither a serial line nor a PS/2 keyboard")))'
}
custom monitor-nobody monitor_nobody

# Two sessions are the same bytes where the clock counts instructions (as with run-qemu.sh --icount), whenever the keys come.
monitor_twice() {
    local name=$1 status both=0 round
    for round in 1 2; do
        at_prompt "$name-$round" i586 exit=monitor,qemu -icount shift=0,sleep=off -rtc base=2020-01-01,clock=vm -seed 1 < <(
            printf '%s\n' help 'set reps=5 all=1' 'run bench=fp_add_latency,empty'
            sleep "0.$((3 * round))" # the keys behind it come when the prompt has waited for another time
            printf '%s\n' 'cpuid 1' quiet mem regs 'run bench=l1_miss' 'resend 1..4' 'poke 0 1' nonsense exit
        )
        both=$((both + status))
    done
    if cmp -s "$dir/$name-1.session" "$dir/$name-2.session"; then
        cp "$dir/$name-1.jsonl" "$dir/$name.jsonl"
        judge "$name" 0 "$both" 'results | length == 3'
    else
        fail "$name" "the sessions differ: $(cmp "$dir/$name-1.session" "$dir/$name-2.session" 2>&1)"
    fi
}
custom monitor-twice monitor_twice

# GRUB's menu counts down to the main benchmarks: m is the monitor there, and any other key stops the countdown.
monitor_menu() { # monitor_menu NAME [KEYS]: KEYS are pressed first, and the countdown's time goes by
    local name=$1 part status
    : >"$dir/$name.session"
    coproc MONITOR { exec timeout "${TIMEOUT:-120}" qemu-system-x86_64 -nodefaults -display none -no-reboot -m 64 -cpu max -vga std \
        -chardev stdio,id=c,signal=off -serial chardev:c -cdrom build/anechoic.iso 2>"$dir/$name.qemu"; }
    local qemu=$MONITOR_PID from to
    keep_pipes
    until [[ $(<"$dir/$name.session") == *'automatically in'* ]]; do
        IFS= read -r -t "${TIMEOUT:-120}" -n 256 -d '' part <&"$from" || break
        printf '%s' "$part" >>"$dir/$name.session"
    done 2>/dev/null
    if [ -n "${2-}" ]; then
        printf '%b' "$2" >&"$to"
        sleep 8
    fi
    printf m >&"$to"
    answered "$name" && printf 'poweroff\r' >&"$to"
    answered "$name"
    wait "$qemu"
    status=$?
    grep -a '^{' "$dir/$name.session" | tr -d '\r' >"$dir/$name.jsonl"
    judge "$name" 0 "$status" '.[0].cmdline | test("exit=monitor$")' 'results == []'
}
custom monitor-menu monitor_menu
long custom monitor-menu-waits monitor_menu '\033[B'

# typed NAME COMMAND: the same with a script that has -i, on a pseudo-terminal, as a person types. The records go where it says.
# Of a line that is longer than its row the prompt is drawn again, which would look like the next one.
typed() {
    local name=$1 line
    : >"$dir/$name.session"
    coproc MONITOR { exec timeout "${TIMEOUT:-120}" script -qfec "$2" /dev/null 2>&1; }
    local script=$MONITOR_PID from to
    keep_pipes
    while IFS= read -r line; do
        answered "$name" || break
        printf '%s\r' "$line" >&"$to"
    done
    answered "$name"
    wait "$script"
    status=$?
    cp "$dir/$name.session" "$dir/$name.out"
}

# In QEMU likewise; and what does not go with -i.
monitor_terminal() {
    local name=$1 status wrong
    for wrong in --raw '--append records=none' '--image build/anechoic.iso'; do
        # shellcheck disable=SC2086 # options are words
        ./run-qemu.sh --no-install -i $wrong >"$dir/$name.out" 2>&1 </dev/null
        status=$?
        if [ $status != 2 ] || ! grep -q 'try ./run-qemu.sh --help' "$dir/$name.out"; then
            fail "$name" "-i $wrong: status $status"
            return
        fi
    done
    typed "$name" "./run-qemu.sh --no-install -i -o $dir/$name.jsonl" <<'EOF'
pok	0x100000 1
run bench=empty reps=3
quit
EOF
    says "$name" 'poke can wreck the machine' 'done: 1 measurement' 'records: ' || return
    ! grep -aq '^{' "$dir/$name.session" || { fail "$name" "records are on the terminal"; return; }
    judge "$name" 0 "$status" 'results | map(.reps) == [3]' '.[0].cmdline | test("exit=monitor,qemu records=com2$")'
}
custom monitor-terminal monitor_terminal

# What was measured, each repetition included. The rest is of the session, but for nanoseconds: the time stamp's rate is measured at
# each boot.
COUNTED='map(select(.t == "result" or .t == "reps" or .t == "ratio") | del(.n, .crc, .ns_per_op))'

# What a modelled processor counts for `run` at the prompt is what it counts for the same words at the boot, each repetition
# included: an instruction that the prompt added to a measurement would be among them.
monitor_sim() { # monitor_sim NAME CPU EVENTS
    local name=$1 cpu=$2 bench=fp_add_latency,l1_miss,empty words="events=$3,tsc reps=5 all=1" status run
    ./run-bochs.sh --no-install --cpu "$cpu" -o "$dir/$name-boot.jsonl" --append "bench=$bench $words" >"$dir/$name.out" 2>&1 ||
        { fail "$name" "at the boot: status $?"; return; }
    typed "$name" "./run-bochs.sh --no-install -i --cpu $cpu -o $dir/$name.jsonl" <<EOF
help
set $words
run bench=$bench
run bench=$bench
exit
EOF
    jq -s "$COUNTED" "$dir/$name-boot.jsonl" >"$dir/$name.boot"
    for run in 0 1; do # the records of a run end with its "done"
        jq -s "(map(.t == \"done\") | indices(true)) as \$d |
            if $run == 0 then .[:\$d[0]] else .[\$d[0]:] end | $COUNTED" "$dir/$name.jsonl" >"$dir/$name.run$run"
        cmp -s "$dir/$name.boot" "$dir/$name.run$run" ||
            { fail "$name" "run $run at the prompt counts other than the boot: $(diff "$dir/$name.boot" "$dir/$name.run$run" | head -n 5)"; return; }
    done
    judge "$name" 0 "$status" '.[-1].t == "end"' 'records("done") | length == 2' 'records("reps") | length >= 6'
}
custom monitor-sim-p55c monitor_sim p55c instructions,cache-misses
long custom monitor-sim-p3 monitor_sim p3 instructions,dcu_lines_in
custom monitor-sim-skylake monitor_sim skylake instructions,branches

# A key is answered within 20 ms: the oracle counts the instructions from the byte to its echo on the line, waits for the line
# included, and those of the screen. An instruction is 100 ns of the machine's time there. The longest one draws a whole row.
monitor_key() {
    local name=$1 key status
    : >"$dir/$name.session"
    coproc MONITOR { exec timeout "${TIMEOUT:-120}" script -qfec "./run-bochs.sh --no-install -i --cpu p55c -o $dir/$name.jsonl \
        --oracle $dir/$name.oracle --bracket key=terminal_key:screen_row,screen=screen_row:console_typed" /dev/null 2>&1; }
    local script=$MONITOR_PID from to
    keep_pipes
    answered "$name"
    for key in 'a line that is pasted, of more characters than a row of the terminal has' a b c d e $'\001' f g $'\005' $'\025' \
        $'\033[A' $'\025' e x i t $'\r'; do
        printf '%s' "$key" >&"$to"
        sleep 0.05
    done
    answered "$name"
    wait "$script"
    status=$?
    if [ "$(jq -s "$ANSWERED" "$dir/$name.oracle" 2>&1)" != true ]; then
        fail "$name" "instructions: $(jq -s -c 'group_by(.label) | map([.[0].label, (map(.insns) | min, max)])' "$dir/$name.oracle" 2>&1)"
    else
        judge "$name" 0 "$status" '.[-1].t == "end"'
    fi
}
ANSWERED='[.[] | select(.label == "key") | .insns] as $key | [.[] | select(.label == "screen") | .insns] as $screen |
    ($key | length) > 8 and ($key | min) < 1000 and ($key | max) > 30000 and ($key | max) + ($screen | max) < 200000'
custom monitor-key monitor_key

# A PC switches itself off by ACPI, without an emulator's port for it: QEMU ends, with its own status 0.
power_off() { # power_off NAME FLAVOUR MACHINE
    local name=$1 status
    timeout "${TIMEOUT:-120}" qemu-system-x86_64 -M "$3" -nodefaults -display none -no-reboot -m 64 -cpu max \
        -kernel "build/$2/anechoic.elf" -append "exit=poweroff bench=empty reps=2" -serial stdio >"$dir/$name.out" 2>&1 </dev/null
    status=$?
    records_of "$dir/$name.out" "$dir/$name.jsonl"
    judge "$name" 0 "$status" '.[-1].t == "end"' 'notes("poweroff") == []'
}
custom power-off-pc power_off i586 pc
boot power-off-none 0 '--qemu-arg=-machine --qemu-arg=acpi=off --append "exit=poweroff bench=empty reps=2"' \
    'any(.t == "note" and .what == "poweroff" and (.message | test("no ACPI")))'
# `trace` is `run` with a ring for hooks.
monitor_trace() {
    local name=$1 status
    at_prompt "$name" "${name##*-}" exit=monitor,qemu <<EOT
trace bench=traced:n=40
trace bench=traced:n=40 trace=16
trace bench=empty
exit
EOT
    says "$name" 'nothing that is measured has hooks of a trace: "trace=1024"' || return
    judge "$name" 0 "$status" '[records("trace")[] | [.size, .written, .lost]] == [[1024, 42, 0], [16, 42, 26]]'
}
custom monitor-trace-i586 monitor_trace
