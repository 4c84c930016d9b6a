#!/bin/bash
# Make the bootable image: CD and USB stick, BIOS, UEFI 64 and UEFI 32 in one file.
#
#   tools/mkiso.sh [OPTION...] OUT.iso
#
#   --append "WORDS"   no menu: boot at once with these words
#   --flavour F        only the kernel i586 or x86_64 (default: both, GRUB asks the CPU)
#   --multiboot1       with --append: start the kernel through multiboot 1
#   --through FILE     with --append and one flavour: start this multiboot 1 program, with the words; the kernel is its
#                      first module (tests/boot/loader.c)
#   --entry "NAME=WORDS"   a menu of one's own instead of the benchmarks': may be repeated. NAME is what the menu shows
#   --default N        the entry that is booted without a choice, from 1 (default 1)
#   --timeout S        after S seconds (default 5); 0: at once, without a menu; -1: never
#   --module FILE      hand this file to the kernel as well, in every entry: may be repeated
#   --bios             BIOS only, and nothing compressed: quickly made and quickly started, for emulators
#   --build DIR        where DIR/FLAVOUR/anechoic.elf are, and DIR/events.db if the image shall have the event
#                      database (default: build of this checkout)
#
# The environment variable BENCHES lists the benchmarks that get a menu entry each; MKISO_FOR is the name of who calls.
# With SOURCE_DATE_EPOCH, seconds since 1970, the image has no other date, and two from the same files are the same bytes
# (package faketime).
# Exit status: 0 the image is there, 2 wrong usage, 5 it could not be made.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; }
me=${MKISO_FOR:-mkiso} # `anechoic image` has the same options
wrong() {
    echo "$me: $1; try: ${MKISO_FOR:-tools/mkiso.sh} --help" >&2
    exit 2
}

out='' append='' direct=no flavours='i586 x86_64' command=anechoic build=$root/build bios=no through=''
entries=() extras=() default=1 timeout=5
while [ $# -gt 0 ]; do
    [[ $1 != --module=* ]] || set -- --module "${1#*=}" "${@:2}"
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --append | --flavour | --build | --through | --entry | --module | --default | --timeout)
        [ $# -ge 2 ] || wrong "$1 needs a value"
        case $1 in
        --append) direct=yes append=$2 ;;
        --flavour) flavours=$2 ;;
        --build) build=$2 ;;
        --through) through=$2 command=through ;;
        --entry) entries+=("$2") ;;
        --module) extras+=("$2") ;;
        --default) default=$2 ;;
        --timeout) timeout=$2 ;;
        esac
        shift
        ;;
    --multiboot1) command=anechoic1 ;;
    --bios) bios=yes ;;
    -*) wrong "unknown option $1" ;;
    *)
        [ -z "$out" ] || wrong "one image at a time, not both $out and $1"
        out=$1
        ;;
    esac
    shift
done
[ -n "$out" ] || wrong "the name of the image is missing"
case $flavours in
i586 | x86_64 | 'i586 x86_64') ;;
*) wrong "unknown flavour $flavours (i586 or x86_64)" ;;
esac
[ $command = anechoic ] || [ $direct = yes ] || wrong "--multiboot1 and --through go with --append"
[ $command != through ] || [ "$flavours" != 'i586 x86_64' ] || wrong "--through goes with --flavour"
[ $direct = no ] || [ ${#entries[@]} = 0 ] || wrong "--append boots without a menu, so there is no --entry"
for entry in "${entries[@]}"; do
    [[ $entry =~ ^[\ -~]+$ && ${entry%%=*} =~ [^\ ] && $entry = *=* ]] ||
        wrong "--entry needs NAME=WORDS in printable ASCII, such as \"Cache misses=bench=l1_miss\", not \"${entry//[^ -~]/?}\""
done
[[ $default =~ ^[1-9][0-9]{0,2}$ && ($default = 1 || $default -le ${#entries[@]}) ]] ||
    wrong "--default needs the number of an entry, from 1 to ${#entries[@]}, not $default"
[ "$timeout" != 0 ] || [ ${#entries[@]} -le 1 ] || wrong "with --timeout 0 nobody can choose, so there is one --entry only"
[[ $timeout =~ ^(-1|0|[1-9][0-9]{0,3})$ ]] || wrong "--timeout needs seconds, from 0 to 9999, or -1, not $timeout"

[ ! -d "$out" ] || wrong "$out is a directory; the image needs the name of a file"

. "$root/tools/packages.sh"
for tool in objcopy grub-mkrescue xorriso mformat; do
    command -v $tool >/dev/null && continue
    packages=$(packages_of iso)
    echo "$me: $tool is missing; this installs it, as root: apt-get install --no-install-recommends" $packages >&2
    exit 5
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir -p "$work/image/boot/grub"

# GRUB inflates what it loads. What is not loaded of a kernel stays behind.
if [ $bios = yes ]; then pack=(gzip -1 -n) how=(-d /usr/lib/grub/i386-pc --compress=no); else pack=(gzip -9 -n) how=(--compress=xz); fi
for flavour in $flavours; do
    kernel=$build/$flavour/anechoic.elf
    if ! objcopy --strip-all "$kernel" "$work/image/boot/anechoic-$flavour.elf"; then
        echo "$me: no usable kernel in $kernel (make builds it)" >&2
        exit 5
    fi
    "${pack[@]}" "$work/image/boot/anechoic-$flavour.elf"
done

if [ -e "$build/events.db" ]; then
    "${pack[@]}" -c "$build/events.db" >"$work/image/boot/events.db.gz"
fi

if [ -n "$through" ] && ! cp "$through" "$work/image/boot/through.elf"; then
    echo "$me: no program in $through" >&2
    exit 5
fi

numbered=0
for module in "${extras[@]}"; do
    numbered=$((numbered + 1))
    if [ ! -f "$module" ] || ! cp "$module" "$work/image/boot/module$numbered"; then
        echo "$me: no file $module, or it cannot be read" >&2
        exit 2
    fi
done

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
        printf 'menuentry %s {\n    %s%s\n}\n' "$(quote "${entry%%=*}")" $command "$(quoted_words "${entry#*=}")"
    done
}

# own_modules COMMAND: the lines that load the user's modules. The kernel gets each by its file's name.
own_modules() {
    local i
    for ((i = 0; i < ${#extras[@]}; i++)); do
        printf '    %s /boot/module%s %s\n' "$1" $((i + 1)) "$(quote "$(basename "${extras[i]}")")"
    done
}

config() {
    local line bench
    while IFS= read -r line; do
        case $line in
        @FLAVOUR@) case $flavours in *' '*) ;; *) echo "set flavour=$flavours" ;; esac ;;
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
config >"$work/image/boot/grub/grub.cfg"

# Only what the menu needs, which halves the image. The partition modules are named by grub-mkrescue's own
# start-up script for UEFI, which complains on the screen when one is absent.
modules='normal configfile multiboot multiboot2 gzio cpuid serial terminal all_video test echo sleep boot halt reboot
 ls cat minicmd part_acorn part_amiga part_apple part_bsd part_dfly part_dvh part_gpt part_msdos part_plan part_sun
 part_sunpc'
# GRUB finds its image by the time at which it was made, and asks no variable for it.
frozen=()
if [ -n "${SOURCE_DATE_EPOCH-}" ]; then
    if ! command -v faketime >/dev/null; then
        echo "$me: SOURCE_DATE_EPOCH is set, and faketime is missing; this installs it, as root: apt-get install --no-install-recommends faketime" >&2
        exit 5
    fi
    find "$work/image" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
    frozen=(env TZ=UTC faketime -f "$(date -u -d "@$SOURCE_DATE_EPOCH" '+%F %T')")
fi
if ! LC_ALL=C "${frozen[@]}" grub-mkrescue "${how[@]}" --output="$work/anechoic.iso" --locales= --themes= --fonts= \
    --install-modules="$modules" "$work/image" -- -volid ANECHOIC >"$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "$me: grub-mkrescue failed" >&2
    exit 5
fi
mkdir -p "$(dirname "$out")"
if [ -e "$out" ] && [ ! -f "$out" ]; then # a device is written, and does not make way for a file
    cat "$work/anechoic.iso" >"$out"
else
    mv "$work/anechoic.iso" "$out"
fi
