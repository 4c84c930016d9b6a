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
# The environment variables BENCHES and MKISO_FOR: tools/image-common.sh.
# With SOURCE_DATE_EPOCH, seconds since 1970, the image has no other date, and two from the same files are the same bytes
# (package faketime).
# Exit status: 0 the image is there, 2 wrong usage, 5 it could not be made.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
me=mkiso
. "$root/tools/image-common.sh"

out='' bios=no through=''
while [ $# -gt 0 ]; do
    [[ $1 != --module=* ]] || set -- --module "${1#*=}" "${@:2}"
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --append | --flavour | --build | --through | --entry | --module | --default | --timeout)
        [ $# -ge 2 ] || wrong "$1 needs a value"
        image_option "$1" "$2" || through=$2 command=through
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
check_image
[ $command = anechoic ] || [ $direct = yes ] || wrong "--multiboot1 and --through go with --append"
[ $command != through ] || [ "$flavours" != 'i586 x86_64' ] || wrong "--through goes with --flavour"
[ ! -d "$out" ] || wrong "$out is a directory; the image needs the name of a file"

need_tools iso objcopy grub-mkrescue xorriso mformat
make_image_work

# GRUB inflates what it loads, which takes an emulator a third of a short boot's time.
if [ $bios = yes ]; then packed='' pack=(cat) how=(-d /usr/lib/grub/i386-pc --compress=no); else pack=(gzip -9 -n) how=(--compress=xz); fi
put_files "$work/image" "${pack[@]}"
if [ -n "$through" ] && ! cp "$through" "$work/image/boot/through.elf"; then
    failed "no program in $through"
fi
grub_config >"$work/image/boot/grub/grub.cfg"

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
move_to "$out" "$work/anechoic.iso"
