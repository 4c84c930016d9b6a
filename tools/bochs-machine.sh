# shellcheck shell=bash
# The modelled processors, and the machines that Bochs is asked to be. Sourced, not run.

models_def=$(cd "${BASH_SOURCE[0]%/*}/../sim" && pwd)/models.def

# model_column N PATTERN: that column of the rows of sim/models.def whose NAME,FAMILY matches PATTERN. Columns: 1 name,
# 2 family, 3 CPUID signature, 4 kernels, 5 threads of a core, 6 what it is, 7 Bochs' model. (By the shell alone: several
# times before each boot.)
model_column() {
    local line row form='^MODEL\(([^,]*), ([^,]*), ([^,]*), ([^,]*), ([^,]*), "([^"]*)", (.*)\)$'
    while IFS= read -r line; do
        [[ $line =~ $form ]] || continue
        row=("${BASH_REMATCH[@]}")
        [[ ! ${row[1]},${row[2]} =~ ^($2)$ ]] || printf '%s\n' "${row[$1]}"
    done <"$models_def"
}

# model_names [FAMILY...]: the processors of these families (column 2 of sim/models.def), or all, in one line.
model_names() {
    local family names=''
    for family in "${@:-[^,]*}"; do names="$names $(model_column 1 "[^,]*,$family" | tr '\n' ' ')"; done
    echo $names
}

# model_choice [FAMILY...]: the same for an error, "p5, p55c or ppro".
model_choice() { model_names "$@" | sed -E 's/ /, /g; s/, ([^ ]*)$/ or \1/'; }

# model_help [FAMILY...]: the same with what they are, for --help.
model_help() {
    local name
    for name in $(model_names "$@"); do printf '    %-11s  %s\n' "$name" "$(model_column 6 "$name,.*")"; done
}

# bochs_model CPU: Bochs's model for that CPU of ours. False: there is no such CPU.
bochs_model() {
    local model
    model=$(model_column 7 "$1,.*") && [ -n "$model" ] && echo "$model"
}

# model_threads CPU: how many threads its core has at most. model_threaded: those that have two, for an error.
model_threads() { model_column 5 "$1,.*"; }
model_threaded() {
    local name two=()
    for name in $(model_names); do [ "$(model_threads "$name")" = 1 ] || two+=("$name"); done
    printf '%s\n' "${two[*]}" | sed -E 's/ /, /g; s/, ([^ ]*)$/ or \1/'
}

# bochs_flavours CPU: the kernels that it boots; bochs_flavour CPU: the default one.
bochs_flavours() { model_column 4 "$1,.*"; }
bochs_flavour() {
    local flavours
    flavours=$(bochs_flavours "$1")
    echo "${flavours%% *}"
}

# machine_count CPU SMP THREADS: that many packages of so many threads, as bochsrc's COUNT; nothing for one of one thread.
# Exits where that is wrong, or the processor has no threads.
machine_count() {
    [[ $2 = [1-8] ]] || wrong "--smp needs a number of processors from 1 to 8, not $2"
    [[ $3 = [12] ]] || wrong "--threads needs 1 or 2, not $3"
    if [ "$3" = 2 ]; then
        [ "$(model_threads "$1")" = 2 ] || fail 4 "--threads 2 is for $(model_threaded): $1 has one thread"
        [ "$2" -le 4 ] || wrong "--smp needs 1 to 4 with --threads 2, not $2: the model has 8 processors at most"
    fi
    [ "$2:$3" = 1:1 ] || echo "$2:1:$3"
}

# bochsrc DIR MODEL DISPLAY IPS FILE [MEDIUM [COUNT]]: DIR/bochsrc for a machine whose log is DIR/log and whose serial line
# is DIR/serial. FILE is the image that it boots from, MEDIUM cdrom or floppy. Or MEDIUM is rom: FILE is the kernel, which the
# option ROM (sim/rom) starts with DIR/parcel. IPS: ticks of its clock in a second. COUNT: processors, N or
# packages:cores:threads. Each of several executes one instruction in turn (quantum). $megs: MiB of memory (default 128).
bochsrc() {
    local medium
    case ${6-cdrom} in
    cdrom) medium="ata0-master: type=cdrom, path=$5, status=inserted"$'\n'"boot: cdrom" ;;
    floppy) medium="floppya: 1_44=$5, status=inserted, write_protected=1"$'\n'"boot: floppy" ;;
    # Bochs loads a file into one of its blocks of memory; the addresses are those of sim/rom.
    rom) medium="optromimage1: file=build/bochs/start.rom, address=0xd0000
optramimage1: file=$5, address=0x4000000
optramimage2: file=$1/parcel, address=0x4800000
memory: guest=128, host=128, block_size=8192
boot: floppy" ;;
    esac
    cat >"$1/bochsrc" <<RC
plugin_ctrl: unmapped=1, biosdev=1, speaker=0
config_interface: textconfig
display_library: $3
cpu: model=$2, count=${7-1}${7+, quantum=1}, ips=$4, reset_on_triple_fault=0
clock: sync=none, time0=946684800
megs: ${megs-128}
romimage: file=/usr/share/bochs/BIOS-bochs-latest, options=fastboot
vgaromimage: file=/usr/share/vgabios/vgabios.bin
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
$medium
com1: enabled=1, mode=file, dev=$1/serial
log: $1/log
panic: action=fatal
error: action=report
info: action=ignore
RC
}

# parcel KERNEL WORDS MODULE...: on standard output what the ROM gives the kernel (sim/rom/load.c). False: a file is larger
# than one of Bochs's blocks of memory, or cannot be read.
parcel() {
    local kernel=$1 words sizes i all=0
    IFS=' ' read -r -d '' -a words < <(printf '%s \0' "$2") # as GRUB has it: one space between two words
    shift 2
    mapfile -t sizes < <(stat -L -c %s "$kernel" "$@")
    [ ${#sizes[@]} = $(($# + 1)) ] && [ "${sizes[0]}" -le 8388608 ] || return 1
    for ((i = 1; i <= $#; i++)); do all=$((all + sizes[i] + 80)); done
    [ $all -le 8300000 ] || return 1
    printf '%s\0' "${words[*]}"
    for ((i = 1; i <= $#; i++)); do printf '%s\0%s\0' "${sizes[i]}" "${!i##*/}"; done
    printf '\0'
    [ $# = 0 ] || cat "$@"
}
