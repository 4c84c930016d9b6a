# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with the sourcing script
# What run-qemu.sh and run-bochs.sh have in common. Sourced by them, not run; they set root, the checkout, first.
# An emulator runs in between:
#
#   open_records; build TARGET...; make_work; show_serial
#   emulator ... >"$work/serial" & finish_emulator; collect_records

program=$(basename "$0" .sh)
. "$root/tools/packages.sh"

say() { echo "$program: $*" >&2; }
wrong() {
    say "$1"
    say "try $0 --help"
    exit 2
}
fail() {
    say "$2"
    exit "$1"
}

# stray_argument ARGUMENT: none of the options. A word of the kernel's is the likeliest mistake.
stray_argument() {
    case $1 in
    [a-z]*=*) wrong "$1 is a word for the kernel, not an option: $0 --append \"$1\"" ;;
    *) wrong "unknown option $1" ;;
    esac
}

# The comment at the top of the script is its help.
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; }

# Without --timeout: 120 seconds, and with -i as long as the user wishes.
check_limit() {
    [ -n "$limit" ] || limit=$([ "${interactive-no}" = yes ] && echo 999999 || echo 120)
    [[ $limit =~ ^[1-9][0-9]{0,5}$ ]] ||
        wrong "--timeout needs a number of seconds from 1 to 999999, not $limit"
}

# -i: $terminal is what was standard input. The emulator makes a terminal raw; however it ends, cleanup restores it.
check_interactive() {
    [ "$interactive" = yes ] || return 0
    [ "$raw" = no ] || wrong "--raw is for programs, and -i for a person"
    [[ " ${words//[$'\t\n']/ }" != *' records='* ]] || wrong "-i sends the records over the second serial line, so records= cannot go with it"
    exec {terminal}<&0
    terminal_was=$(stty -g <&"$terminal" 2>/dev/null) || terminal_was=''
}
interactive_words() { # interactive_words EMULATOR
    words="records=com2${words:+ $words}"
    exit_word "exit=monitor,$1"
}

# module_option FILE: one more of $modules, with its whole path.
module_option() {
    [ -f "$1" ] && [ -r "$1" ] || wrong "--module: there is no file $1 that can be read"
    modules+=("$(realpath "$1")")
}

# QEMU separates the files of -initrd by commas, and a blank ends the name of one: $initrds has copies with plain names,
# a comma before each. The kernel gets them by these.
kernel_modules() {
    local i name
    initrds=''
    for i in "${!modules[@]}"; do
        name=$(basename "${modules[i]}")
        mkdir "$work/$i"
        cp "${modules[i]}" "$work/$i/${name//[, ]/_}" || fail 5 "${modules[i]} cannot be copied"
        initrds+=",$work/$i/${name//[, ]/_}"
    done
}

# exit_word WORD: without an exit= among $words, this one is put in front.
exit_word() { [[ " ${words//[$'\t\n']/ }" = *' exit='* ]] || words="$1${words:+ $words}"; }

# $records_file is emptied, so that from here on an old file cannot be taken for this run's; $shown is its name as a
# person wants to read it.
open_records() {
    { mkdir -p "$(dirname "$records_file")" && : >"$records_file"; } || wrong "cannot write $records_file"
    shown=$records_file
    [ "$(pwd)" != "$root" ] || shown=${records_file#"$root/"}
    records_file=$(realpath "$records_file")
}

# An installed tree is built already.
[ -e "$root/Makefile" ] || NO_BUILD=1
builds() { [ "${NO_BUILD:-0}" = 0 ]; }

# Make's variables of a make that runs this script are not for this one. Two runs at once build one after the other.
build() {
    builds || return 0
    mkdir -p "$root/build"
    exec 9>"$root/build/.lock"
    flock 9
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -j"$(nproc)" -C "$root" "$@" >&2 || fail 5 "the build failed"
    exec 9>&-
}

# $work is a directory that goes with the script, and so does the process $emulator_pid.
make_work() {
    work=$(mktemp -d)
    emulator_pid=''
    trap cleanup EXIT
    # Once: a second Ctrl-C, or one that comes to the group as well, would end what gathers the records.
    trap 'trap "" INT TERM HUP; exit 130' INT
    trap 'trap "" INT TERM HUP; exit 143' TERM HUP
}
# shellcheck disable=SC2317 # called by the trap
cleanup() {
    set -- $?
    trap '' INT TERM HUP
    [ -z "${terminal-}" ] || exec <&"$terminal" # stty's
    exec sh "$root/tools/put-away.sh" "$1" "$work" "${records_file-}" "$record_lines" "$emulator_pid" "${terminal_was-}"
}

# The serial line goes to the file $work/serial as it is, and its text to stdout as it comes: looked for some times a second, since an
# emulator writes byte by byte, and a reader that is woken for each takes more time than many a session. Firmware and GRUB put
# terminal control sequences there, also in front of the kernel's first line: those are taken out.
control=$'(\r|\033\\[[0-9;?=]*[A-Za-z])'
record_lines="/^$control*\\{/{s/^$control*//;s/\r\$//;p}" # sed's
gather() { LC_ALL=C sed -n -E -e "$record_lines" "$work/serial" >"$records_file"; }

# With --raw ($raw) the records come to stdout as well, for a program that reads them there.
show_serial() {
    : >"$work/serial"
    local filter=(grep --line-buffered -a -v -E "^$control*\\{")
    [ "${raw-no}" = no ] || filter=(cat)
    come <"$work/serial" | LC_ALL=C "${filter[@]}" | LC_ALL=C sed -u -E "s/$control//g" &
    show_pid=$!
}
come() { # each cat goes on where the one before ended
    until [ -e "$work/ended" ] || ! kill -0 $$ 2>/dev/null; do
        cat
        sleep 0.2
    done
    cat
}

# Wait for the emulator, which has just been started in the background, and for the text; its status is $status.
# A session ends with its end record: a machine that only halts then (exit=halt) is switched off.
finish_emulator() {
    emulator_pid=$!
    switch_off &
    local watch_pid=$!
    status=0
    wait "$emulator_pid" || status=$?
    emulator_pid=''
    touch "$work/ended"
    [ -z "${show_pid-}" ] || wait "$show_pid" || true
    kill "$watch_pid" 2>/dev/null || true
    [ ! -e "$work/switched-off" ] || status=0
}
switch_off() {
    while sleep 0.5 && kill -0 "$emulator_pid" 2>/dev/null; do
        LC_ALL=C grep -aq '"t":"end"' "$work/serial" 2>/dev/null || continue # cleanup takes it away
        sleep 1
        if kill "$emulator_pid" 2>/dev/null; then touch "$work/switched-off"; fi
        break
    done
}

# The records go to their file; $ended is the status in the last one, empty where there is none. A time-out
# ends the script here.
collect_records() {
    gather
    [ "${raw-no}" = yes ] || echo "records: $(wc -l <"$records_file") in $shown"
    ended=$(tail -n 1 "$records_file" | sed -n '/"t":"end"/s/.*"status":\([0-9]*\)[,}].*/\1/p')
    if [ "$status" = 124 ] || [ "$status" = 137 ]; then
        say "the kernel did not finish within $limit seconds (--timeout); its last lines:"
        cat "$work/stderr" >&2 2>/dev/null || true
        ! grep -qi 'kvm internal error' "$work/stderr" 2>/dev/null || fail 4 "KVM on this machine cannot run the kernel"
        tail -n 15 "$work/serial" | LC_ALL=C sed -E -e "s/$control//g" -e 's/^/    /' >&2
        exit 124
    fi
}
