# Runs of the emulators that several files of cases share. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2261

. tools/bochs-machine.sh # model_names

# What NetBurst's experiments sample.
MISS=1stL_cache_load_miss_retired

# bad NAME 'words' 'pattern in the error record' [number of errors]: a wrong command line, of which nothing is measured.
bad() {
    local text=$3 errors=${4:-1}
    boot "bad-$1" 2 "--append '$2'" 'error_says($text; $errors)' 'results == []' '.[-1].status == 2'
}

# module NAME BITS SNIPPET...: the file $dir/NAME.mod (tests/boot/mkmodule.c).
module() { build/tests/mkmodule "$dir/$1.mod" "${@:2}"; }

# ---- QEMU by hand, since run-qemu.sh needs the first serial port itself ----

# qemu NAME WORDS QEMU-ARGUMENTS...: the kernel's status (or QEMU's own, negative); what is on standard input goes to
# QEMU's. Records are gathered by the case.
qemu() {
    local name=$1 words=$2 status
    shift 2
    timeout "${TIMEOUT:-120}" qemu-system-x86_64 -nodefaults -display none -no-reboot -m 64 -cpu max -vga std \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel build/x86_64/anechoic.elf -append "exit=qemu $words" \
        "$@" >"$dir/$name.out" 2>&1
    status=$?
    echo $((status % 2 == 1 ? (status >> 1) - 16 : -status))
}
records_of() { tr -d '\r' <"$1" | grep -a '^{' >"$2"; }

# ---- Bochs with a modelled PMU ----

# sim NAME STATUS 'run-bochs.sh options' 'words' CONDITION...
sim() {
    local name=$1 want=$2 options=$3 words=$4 status
    shift 4
    # shellcheck disable=SC2086 # options are words
    ./run-bochs.sh --no-install $options -o "$dir/$name.jsonl" --append "$words" >"$dir/$name.out" 2>&1
    status=$?
    judge "$name" "$want" "$status" 'notes("interrupts") == []' "$@"
}
sim_boot() { selected "$1" && background sim "$@"; }

# usual_for 'WHICH...' THIS KIND NAME...: the case, and for --long only if THIS is not one of WHICH. A row of cases that differ in
# CPU, ring or delivery says so which of them the usual run has.
usual_for() {
    local which=" $1 " this=$2
    shift 2
    if [[ $which = *" $this "* ]]; then "$@"; else long "$@"; fi
}
# One CPU of each family; of the Pentiums both, since the MMX one has events, pins and pairing of its own. The others of a family
# differ in tables (events, caches, masks), which unit tests hold, and in numbers of counters; what each of them counts, the usual
# run compares with the oracle in truth-CPU-0 or anechoic-code-on-CPU.
of_each_family() { usual_for 'p5 p55c p3 prescott skylake zen4' "$@"; } # of_each_family CPU KIND NAME...

# address_of SYMBOL [FLAVOUR]: where the kernel (by default i586) has it, as the oracle writes addresses.
address_of() { nm "build/${2:-i586}/kernel.elf" | sed -n "s/^0*\([0-9a-f]*\) . $1\$/\1/p"; }

# Where a bracket reads its first and its second counter, for the oracle (measure/bracket.S).
readings() { # readings READER
    local b=bracket_cpuid_$1
    echo "raw0=${b}1_start0:${b}1_end0,raw0=${b}2_start0:${b}2_end0,raw1=${b}2_start1:${b}2_end1"
}

# The same of groups of N counters, which bracket_many reads (measure/slot_code.S).
readings_of_many() { # readings_of_many N
    local i list=''
    for ((i = 0; i < $1; i++)); do list="$list,raw$i=slots_start_$((18 - $1 + i)):slots_end_$i"; done
    echo "${list#,}"
}
