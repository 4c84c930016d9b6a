#!/bin/bash
# Make a floppy of 1.44 MB, for machines that boot from neither CD nor stick: GRUB for BIOS, the i586 kernel, the event
# database.
#
#   tools/mkfloppy.sh [OPTION...] OUT.img
#
#   --append "WORDS"   no menu: boot at once with these words
#   --entry "NAME=WORDS"   an entry of the menu: may be repeated. Without any, and without --append: the benchmarks' menu
#   --default N        the entry that is booted without a choice, from 1 (default 1)
#   --timeout S        after S seconds (default 5); 0: at once, without a menu; -1: never
#   --module FILE      hand this file to the kernel as well, in every entry: may be repeated
#   --build DIR        where DIR/i586/anechoic.elf is, and DIR/events.db (default: build of this checkout)
#
# It is a DOS floppy (FAT12): any computer can edit \boot\grub\grub.cfg on it. GRUB is in its reserved sectors.
# The environment variables BENCHES and MKISO_FOR: tools/image-common.sh. The same files give the same bytes.
# Exit status: 0 the floppy is there, 2 wrong usage, 5 it could not be made, such as when the files do not fit.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
me=mkfloppy
. "$root/tools/image-common.sh"

out=''
while [ $# -gt 0 ]; do
    [[ $1 != --module=* ]] || set -- --module "${1#*=}" "${@:2}"
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --append | --entry | --default | --timeout | --module | --build)
        [ $# -ge 2 ] || wrong "$1 needs a value"
        image_option "$1" "$2"
        shift
        ;;
    -*) wrong "unknown option $1" ;;
    *)
        [ -z "$out" ] || wrong "one floppy at a time, not both $out and $1"
        out=$1
        ;;
    esac
    shift
done
[ -n "$out" ] || wrong "the name of the floppy's image is missing"
flavours=i586 # what has only a floppy has no long mode
check_image
[ ! -d "$out" ] || wrong "$out is a directory; the image needs the name of a file"
PATH=$PATH:/usr/sbin # where mkfs.fat is
need_tools iso objcopy grub-mkimage mkfs.fat mcopy
make_image_work

# Reading a floppy takes longer than inflating.
put_files "$work/image" gzip -9 -n
grub_config >"$work/image/boot/grub/grub.cfg"

# All of GRUB is in its core image; modules on the floppy would only cost room.
modules='biosdisk fat normal configfile multiboot multiboot2 gzio cpuid serial terminal test echo sleep boot halt reboot ls
 cat minicmd'
grub=/usr/lib/grub/i386-pc
# shellcheck disable=SC2086 # words
LC_ALL=C grub-mkimage -O i386-pc -p /boot/grub -o "$work/core.img" $modules 2>"$work/log" || {
    cat "$work/log" >&2
    failed "grub-mkimage failed"
}

# The BIOS loads sector 0, which is GRUB's boot.img around the file system's table (BPB); that loads the core image from
# sector 1 on, which is where grub-mkimage expects it. Offsets: GRUB's include/grub/i386/pc/boot.h, BOOT_MACHINE_BPB_*.
floppy=$work/floppy.img bpb=3 bpb_end=90
reserved=$((1 + ($(stat -c %s "$work/core.img") + 511) / 512))
mkfs.fat -C -F 12 -R $reserved -n ANECHOIC --invariant "$floppy" 1440 >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    failed "mkfs.fat failed"
}
write() { dd if="$1" of="$floppy" bs=1 conv=notrunc status=none "${@:2}"; }
write "$grub/boot.img" count=$bpb
write "$grub/boot.img" skip=$bpb_end seek=$bpb_end
write "$work/core.img" seek=512 bs=512 oflag=seek_bytes

find "$work/image" -exec touch -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$build/i586/anechoic.elf")}" {} +
if ! mcopy -s -m -i "$floppy" "$work/image/boot" ::/ 2>"$work/log"; then
    size=$(du -cbS "$work/image" | tail -n 1 | cut -f 1)
    failed "the files do not fit: GRUB, kernel, event database and modules have $((size + reserved * 512)) bytes, and a floppy has 1474560"
fi
move_to "$out" "$floppy"
