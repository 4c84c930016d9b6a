# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with the sourcing script
# What images (tools/mkiso.sh), floppies (tools/mkfloppy.sh) and trees for the network (tools/mkpxe.sh) have in common:
# the options about what the kernel gets, the files, and GRUB's menu. Sourced by them, not run; they set root, the
# checkout, and me, the name in messages, first.
#
#   image_option OPTION VALUE for each option; check_image; need_tools SET TOOL...; make_image_work
#   put_files TO PACK-COMMAND...; grub_config >TO/boot/grub/grub.cfg
#
# The environment variable BENCHES lists the benchmarks that get an entry of the menu each; MKISO_FOR is the name of
# who calls, such as "anechoic image".

me=${MKISO_FOR:-$me} # the commands of `anechoic` have the same options
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; }
wrong() {
    echo "$me: $1; try: ${MKISO_FOR:-tools/$(basename "$0")} --help" >&2
    exit 2
}
failed() {
    echo "$me: $1" >&2
    exit 5
}

. "$root/tools/packages.sh"

append='' direct=no flavours='i586 x86_64' command=anechoic build=$root/build packed=.gz locked=''
entries=() extras=() default=1 timeout=5

# image_option OPTION VALUE: false when it is none of those that all have.
image_option() {
    case $1 in
    --append) direct=yes append=$2 ;;
    --flavour) flavours=$2 ;;
    --build) build=$2 ;;
    --entry) entries+=("$2") ;;
    --module) extras+=("$2") ;;
    --default) default=$2 ;;
    --timeout) timeout=$2 ;;
    *) return 1 ;;
    esac
}

# What can be wrong with their values.
check_image() {
    local entry
    case $flavours in
    i586 | x86_64 | 'i586 x86_64') ;;
    *) wrong "unknown flavour $flavours (i586 or x86_64)" ;;
    esac
    [ $direct = no ] || [ ${#entries[@]} = 0 ] || wrong "--append boots without a menu, so there is no --entry"
    for entry in "${entries[@]}"; do
        [[ $entry =~ ^[\ -~]+$ && ${entry%%=*} =~ [^\ ] && $entry = *=* ]] ||
            wrong "--entry needs NAME=WORDS in printable ASCII, such as \"Cache misses=bench=l1_miss\", not \"${entry//[^ -~]/?}\""
    done
    [[ $default =~ ^[1-9][0-9]{0,2}$ && ($default = 1 || $default -le ${#entries[@]}) ]] ||
        wrong "--default needs the number of an entry, from 1 to ${#entries[@]}, not $default"
    [ "$timeout" != 0 ] || [ ${#entries[@]} -le 1 ] || wrong "with --timeout 0 nobody can choose, so there is one --entry only"
    [[ $timeout =~ ^(-1|0|[1-9][0-9]{0,3})$ ]] || wrong "--timeout needs seconds, from 0 to 9999, or -1, not $timeout"
}

# need_tools SET TOOL...: each is there, or else the packages of the set are named.
need_tools() {
    local set=$1 tool packages
    shift
    for tool; do
        command -v "$tool" >/dev/null && continue
        packages=$(packages_of "$set")
        failed "$tool is missing; this installs it, as root: apt-get install --no-install-recommends ${packages//$'\n'/ }"
    done
}

# $work is a directory that goes with the script.
make_image_work() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM HUP
}

# put_files TO COMMAND...: kernels, event database and modules, below TO/boot. What is not loaded of a kernel stays
# behind. COMMAND packs standard input, as GRUB can unpack it: $packed ends the names of these files.
put_files() {
    local to=$1 flavour numbered=0 module
    shift
    mkdir -p "$to/boot/grub"
    for flavour in $flavours; do
        objcopy --strip-all "$build/$flavour/anechoic.elf" "$work/kernel" ||
            failed "no usable kernel in $build/$flavour/anechoic.elf (make builds it)"
        "$@" <"$work/kernel" >"$to/boot/anechoic-$flavour.elf$packed"
    done
    if [ -e "$build/events.db" ]; then "$@" <"$build/events.db" >"$to/boot/events.db$packed"; fi
    for module in "${extras[@]}"; do
        numbered=$((numbered + 1))
        if [ ! -f "$module" ] || ! cat "$module" >"$to/boot/module$numbered"; then
            echo "$me: no file $module, or it cannot be read" >&2
            exit 2
        fi
    done
}

# quote WORD: as GRUB's shell reads it back, which is as sh does within single quotes.
quote() { printf "'%s'" "${1//\'/\'\\\'\'}"; }

# quoted_words WORDS: each with a blank before it.
quoted_words() {
    local words word
    IFS=' ' read -r -d '' -a words < <(printf '%s \0' "$1") || true
    for word in "${words[@]}"; do
        printf ' %s' "$(quote "$word")"
    done
}

# direct_boot WORDS: the lines that start the kernel without a menu. What follows `boot` runs only when that
# failed: the reason stays on the screen for a while, then the machine goes off, so that nobody waits for it.
direct_boot() { printf '%s%s\nboot\nsleep 5\nhalt\n' $command "$(quoted_words "$1")"; }

own_menu() {
    local entry
    printf 'set default=%s\nset timeout=%s\n\n' $((default - 1)) "$timeout"
    for entry in "${entries[@]}"; do
        printf 'menuentry %s%s {\n    %s%s\n}\n' "$(quote "${entry%%=*}")" "$locked" $command "$(quoted_words "${entry#*=}")"
    done
}

# own_modules COMMAND: the lines that load the event database and the user's modules. The kernel gets each by its file's
# name. GRUB cannot ask a TFTP server whether a file is there, so what is in the tree is known here.
own_modules() {
    local i
    # shellcheck disable=SC2016 # GRUB's variable
    [ ! -e "$build/events.db" ] || printf '    %s "/boot/events.db$packed" events.db\n' "$1"
    for ((i = 0; i < ${#extras[@]}; i++)); do
        printf '    %s /boot/module%s %s\n' "$1" $((i + 1)) "$(quote "$(basename "${extras[i]}")")"
    done
}

# grub_config: GRUB's menu, from boot/grub.cfg.in.
grub_config() {
    local line bench
    while IFS= read -r line; do
        case $line in
        @FLAVOUR@) case $flavours in *' '*) ;; *) echo "set flavour=$flavours" ;; esac ;;
        @PACKED@) echo "set packed=$packed" ;;
        @DIRECT@)
            if [ $direct = yes ]; then
                direct_boot "$append"
                return
            fi
            if [ ${#entries[@]} != 0 ]; then
                own_menu
                return
            fi
            ;;
        @MODULE2@) own_modules module2 ;;
        @MODULE@) own_modules module ;;
        @BENCHES@)
            for bench in ${BENCHES-}; do
                printf "menuentry 'Benchmark: %s' --id %s {\n    anechoic 'bench=%s'\n}\n" \
                    "$bench" "$bench" "$bench"
            done
            ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$root/boot/grub.cfg.in"
}

# move_to OUT FILE: where the user wants it. A device is written, and does not make way for a file.
move_to() {
    mkdir -p "$(dirname "$1")"
    if [ -e "$1" ] && [ ! -f "$1" ]; then cat "$2" >"$1"; else mv "$2" "$1"; fi
}
