#!/usr/bin/env bash
# Runs what docs/seed-tools.md says, and looks for what it says comes out.
#
#   tests/boot/seed_tools.sh --check            the page's rows are well formed; says how many there are
#   tests/boot/seed_tools.sh --machines         the machines that its rows need, one in a line; one with modules has those of all rows
#   tests/boot/seed_tools.sh --run MACHINE      all rows of that machine, as --machines prints it, in one session at its prompt
#   tests/boot/seed_tools.sh --try MACHINE COMMAND...    what these commands print there
#   -h, --help                                  this text
#
# Environment: PAGE, the page (default docs/seed-tools.md); TIMEOUT, seconds for one command (default 120); BUILD, where anechoic is
# (default build).
#
# A row's words are "MACHINE: COMMAND; COMMAND...". MACHINE is a modelled processor, or qemu, each with options of
# run-bochs.sh or run-qemu.sh, and the COMMANDs are typed at the monitor's prompt; one that begins with "$ " is run on the host afterwards, when the session's
# records are in the file `session`. MACHINE "host" has such commands only. The same commands are run once, for all rows that have them.
# What has to be shown is texts, which have to come in this order, or "jq: CONDITION", which has to hold for the array of the records that came.
# Any stretch of blanks and ends of lines is one blank.
# Exit status: 0 all is shown; 1 a row is not, or the page is not well formed; 2 wrong usage; 5 the machine did not start.
set -u
shopt -s extglob
cd "$(dirname "$0")/../.." || exit
export LC_ALL=C
. tools/bochs-machine.sh
page=${PAGE:-docs/seed-tools.md}
anechoic=$(realpath "${BUILD:-build}/host/anechoic")
ips=4000000 # run-bochs.sh --ips: with fewer, the model executes less while the serial line sends a byte, which most of a session is

wrong() {
    echo "seed_tools.sh: $1; try tests/boot/seed_tools.sh --help" >&2
    exit 2
}

# rows: the page's rows, as seed_tools.awk writes them. Rows that have modules on the same machine share one with all of these modules.
rows() {
    awk -v commands="$(sed -n 's/^    {"\([a-z]*\)", .*/\1/p' monitor/table.c | tr '\n' ' ')" \
        -v tools="$(sed -n 's/^    \.name = "\([a-z]*\)".*/\1/p' host/*.c | tr '\n' ' ')" \
        -v models="$(model_names)" -v OFS=$'\001' -f tests/boot/seed_tools.awk "$page" | share_modules
    return "${PIPESTATUS[0]}"
}
share_modules() {
    awk -F '\001' -v OFS='\001' '{
        base[NR] = $3
        n = split($3, part, " --module ")
        if (n > 1) base[NR] = part[1]
        for (i = 2; i <= n; i++) if (!has[part[1], part[i]]++) with[part[1]] = with[part[1]] " --module " part[i]
        shares[NR] = n > 1
        line[NR] = $0
    }
    END { for (k = 1; k <= NR; k++) { $0 = line[k]; if (shares[k]) $3 = base[k] with[base[k]]; print } }'
}

# ---- a machine ----

# thesis_module NAME: a program of tests/payload/p5mon, as a module; NAME_O0: not optimised.
thesis_module() {
    local options=()
    [[ $1 != *_O0 ]] || options=(-x -O0)
    "$anechoic" payload build "tests/payload/p5mon/${1%_O0}".? --bits 32 --entry "$1=main" "${options[@]}" -o "$work/$1.mod" >"$work/built" 2>&1 ||
        { cat "$work/built" >&2; return 5; }
}

# start_bochs MODEL OPTION...: Bochs with its serial line on a socket of this machine; $serial is its file descriptor.
start_bochs() {
    local cpu=$1 flavour smp=1 threads=1 modules=() several port
    shift
    flavour=$(bochs_flavour "$cpu")
    export ANECHOIC_SIM=$cpu
    while [ $# -gt 0 ]; do
        case $1 in
        --ebs-socket) export ANECHOIC_SIM_SOCKET=1 ;;
        --smp) smp=$2 && shift ;;
        --threads) threads=$2 && shift ;;
        --skid) export ANECHOIC_SIM_SKID=$2 && shift ;;
        --errata) export ANECHOIC_SIM_ERRATA=$2 && shift ;;
        --module) thesis_module "$2" && modules+=("$work/$2.mod") && shift || return ;;
        *) wrong "unknown option of a modelled machine: $1" ;;
        esac
        shift
    done
    several=$(machine_count "$cpu" "$smp" "$threads") || return
    parcel "build/$flavour/anechoic.elf" "exit=monitor,bochs${several:+ cpus=all}" build/events.db "${modules[@]}" >"$work/parcel" || return
    bochsrc "$work" "$(bochs_model "$cpu")" nogui "$ips" "build/$flavour/anechoic.elf" rom ${several:+"$several"}
    for _ in 1 2 3 4 5; do # another program may have the port
        port=$((20000 + RANDOM % 12000))
        sed -i "s|^com1:.*|com1: enabled=1, mode=socket-server, dev=127.0.0.1:$port|" "$work/bochsrc"
        timeout 900 build/bochs/bochs -q -f "$work/bochsrc" </dev/null >"$work/emulator" 2>&1 &
        emulator=$!
        while kill -0 $emulator 2>/dev/null; do
            { exec {serial}<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null && return
            sleep 0.1
        done
    done
    cat "$work/emulator" >&2
    return 5
}

# start_qemu OPTION...: the same; its serial line is a pair of pipes.
start_qemu() {
    local options=() flavour=x86_64
    while [ $# -gt 0 ]; do
        case $1 in
        --icount) options+=(-icount "shift=0,sleep=off" -rtc "base=2020-01-01,clock=vm" -seed 1) ;;
        --smp) options+=(-smp "$2") && shift ;;
        --flavour) flavour=$2 && shift ;;
        *) wrong "unknown option of qemu: $1" ;;
        esac
        shift
    done
    mkfifo "$work/com.in" "$work/com.out"
    timeout 900 qemu-system-x86_64 -nodefaults -display none -no-reboot -m 64 -cpu max -vga std "${options[@]}" \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel "build/$flavour/anechoic.elf" -initrd build/events.db \
        -append "exit=monitor,qemu" -chardev "pipe,id=c,path=$work/com" -serial chardev:c >"$work/emulator" 2>&1 &
    emulator=$!
    exec {typing}>"$work/com.in" {serial}<"$work/com.out"
}

# come: puts what the serial line has sent into $part, after 5 ms or more: emulators send byte by byte, and waking a reader for each byte
# costs a quarter of the session. False: the line is closed.
come() {
    IFS= read -r -t 0.005 -u "$never" part
    IFS= read -r -t 0.001 -N 1000000 -u "$serial" part
    [ $? != 1 ]
}

# comes PATTERN FILE: writes what the line sends to FILE, until PATTERN has come. False: the line is closed, or TIMEOUT has passed.
comes() {
    local part end='' closed=no until=$((SECONDS + ${TIMEOUT:-120}))
    while [ $closed = no ] && [ $SECONDS -le $until ]; do
        come || closed=yes
        printf '%s' "$part" >>"$2"
        end=$end$part
        # shellcheck disable=SC2053 # a pattern
        [[ $end != *$1* ]] || return 0
        [ ${#end} -le 40 ] || end=${end: -40}
    done
    return 1
}

# answered FILE: the prompt has come, in a row of its own (a long line that is typed is drawn with it, too); what came before
# it goes to FILE.
answered() { comes $'\n*(\r)anechoic>' "$1"; }

type_line() { printf '%s\r' "$1" >&"${typing:-$serial}"; }

# leave_live: `live` goes on until the key q; here after its first interval, of which the history has an @.
leave_live() {
    comes @ "$work/printed"
    printf q >&"${typing:-$serial}"
}

# commands_of LIST: one in a line.
commands_of() { printf '%s\n' "${1//; /$'\n'}"; }

# units_of LIST: what is run, and kept, as one: its commands each, so that others share them; or, where one changes what the
# others find, the whole list.
units_of() {
    local changes='(^|; )(set|unsafe|wrmsr|wrcr|poke|out|mark|load) '
    if [[ $1 =~ $changes ]]; then echo "$1"; else commands_of "$1"; fi
}

# session MACHINE UNIT...: what unit N printed goes to $work/N.out, all records to $work/session.
session() {
    local machine=$1 name options command n=0 unit
    shift
    read -r name options <<<"$machine"
    : >"$work/begin"
    # shellcheck disable=SC2086 # options are words
    case $name in
    host) ;;
    qemu) start_qemu $options || return ;;
    *) start_bochs "$name" $options || return ;;
    esac
    [ "$name" = host ] || answered "$work/begin" || { tail -n 5 "$work/begin" "$work/emulator" >&2; return 5; }
    echo >>"$work/begin"
    for unit; do
        n=$((n + 1))
        : >"$work/$n.out"
        [ "$name" != host ] || continue
        while IFS= read -r command; do
            [[ $command != '$ '* ]] || continue
            type_line "$command"
            : >"$work/printed"
            [[ $command != 'live '* ]] || leave_live
            answered "$work/printed" || { echo "$machine: no prompt after \"$command\"" >&2; return 5; }
            sed '1d; $d' "$work/printed" >>"$work/$n.out" # without what was typed, and the prompt
        done < <(commands_of "$unit")
    done
    if [ "$name" != host ]; then
        type_line exit
        answered "$work/last"
        wait "$emulator"
        # shellcheck disable=SC2046 # numbers
        cat "$work/begin" $(seq -f "$work/%g.out" $n) "$work/last" | tr -d '\r' | grep -a '^{' | awk -F '[:,]' '!seen[$2]++' >"$work/session"
    fi
    n=0
    for unit; do
        n=$((n + 1))
        while IFS= read -r command; do
            [ "$name" = host ] || [[ $command = '$ '* ]] || continue
            (cd "$work" && anechoic() { "$anechoic" "$@"; } && eval "${command#'$ '}") >>"$work/$n.out" 2>&1 </dev/null
        done < <(commands_of "$unit")
    done
}

# ---- what is shown ----

# text FILE: its text in one line, without records and the terminal's own sequences.
text() { sed 's/\r//g; s/\x1b\[[0-9;?]*[A-Za-z]//g; /^{/d' "$1" | tr -s ' \t\n' ' '; }

# missing FILE TEXT...: the first that does not come, in this order, or the condition that does not hold.
missing() {
    local file=$1 all rest want before
    all=$(text "$file")
    rest=$all
    shift
    for want; do
        if [[ $want = 'jq: '* ]]; then
            [ "$(tr -d '\r' <"$file" | grep -a '^{' | jq -s "${want#jq: }" 2>&1)" = true ] || { echo "$want"; return; }
            continue
        fi
        [[ $rest = *"$want"* ]] || { echo "$want"; return; }
        before=${rest%%"$want"*}
        rest=${rest:${#before}+${#want}}
    done
    [[ $all != *'There is no command "'* ]] || echo "the prompt knows all commands"
}

run() { # run MACHINE
    local machine=$1 row line of list what shown failed=0 passed=0 why unit
    local -A number=()
    local -a units=() wants files
    while IFS=$'\001' read -r row line of list what shown; do
        [ "$of" = "$machine" ] || continue
        while IFS= read -r unit; do
            [ -z "${number[$unit]-}" ] || continue
            units+=("$unit")
            number[$unit]=${#units[@]}
        done < <(units_of "$list")
    done <"$work/rows"
    [ ${#units[@]} -gt 0 ] || wrong "no row needs the machine \"$machine\""
    session "$machine" "${units[@]}" || return
    while IFS=$'\001' read -r row line of list what shown; do
        [ "$of" = "$machine" ] || continue
        mapfile -t -d $'\002' wants < <(printf '%s' "$shown")
        files=()
        while IFS= read -r unit; do files+=("$work/${number[$unit]}.out"); done < <(units_of "$list")
        cat "${files[@]}" >"$work/row"
        why=$(missing "$work/row" "${wants[@]}")
        if [ -z "$why" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "row $row (line $line), $what: \`$machine: $list\` does not show \`$why\`"
            text "$work/row" | fold -w 160 | tail -n 8 | sed 's/^/    | /' && echo
        fi
    done <"$work/rows"
    echo "$machine: $passed of $((passed + failed)) rows show what they say"
    [ $failed = 0 ]
}

work=$(mktemp -d "${TMPDIR:-/tmp}/anechoic-seeds.XXXXXX")
emulator=''
mkfifo "$work/never" && exec {never}<>"$work/never" # nothing is ever written there: read -t waits without a process
trap '[ -z "$emulator" ] || kill "$emulator" 2>/dev/null; rm -rf "$work"' EXIT
case ${1-} in
-h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' tests/boot/seed_tools.sh ;;
--check)
    rows >"$work/rows" || exit 1
    echo "$(wc -l <"$work/rows") rows, $(cut -d $'\001' -f 3 "$work/rows" | grep -vc '^none$') with words"
    ;;
--machines)
    rows >"$work/rows" || exit 1
    cut -d $'\001' -f 3 "$work/rows" | grep -v '^none$' | sort -u
    ;;
--run)
    [ $# = 2 ] || wrong "--run needs a machine"
    rows >"$work/rows" || exit 1
    run "$2"
    ;;
--try)
    [ $# -ge 3 ] || wrong "--try needs a machine and commands"
    machine=$2
    shift 2
    session "$machine" "$@" || exit
    for n in $(seq $#); do tr -d '\r' <"$work/$n.out" | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g'; done
    ;;
*) wrong "one of --check, --machines, --run, --try is needed" ;;
esac
