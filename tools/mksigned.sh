#!/bin/bash
# Make an image that UEFI boots while Secure Boot is on: one program of GRUB, kernels, event database, modules and menu,
# signed with a key of one's own. CD and USB stick, UEFI 64 only.
#
#   tools/mksigned.sh --key FILE --cert FILE [OPTION...] OUT.img
#
#   --key FILE         the private key, and
#   --cert FILE        its certificate, which is in the firmware's "db"; both PEM
#   --shim             for a PC with the keys that it was shipped with: Debian's shim comes first, and whoever sits at the
#                      machine tells it once to trust the certificate, which is on the image as anechoic.cer
#   --append "WORDS"   no menu: boot at once with these words
#   --entry "NAME=WORDS"   an entry of the menu: may be repeated; there is one at least, or --append
#   --default N, --timeout S, --module FILE, --build DIR    as with tools/mkiso.sh
#
# GRUB under Secure Boot loads a kernel of a multiboot loader only if somebody vouches for it. It trusts what is inside of
# the signed program (its memory disk), and so everything is there. The menu cannot be edited and there is no command
# line: who has them could load a module, and so code, that nobody has signed. The environment variable MKISO_FOR:
# tools/image-common.sh.
# Exit status: 0 the image is there, 2 wrong usage, 5 it could not be made.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
me=mksigned
. "$root/tools/image-common.sh"

out='' key='' cert='' shim=no
while [ $# -gt 0 ]; do
    [[ $1 != --module=* ]] || set -- --module "${1#*=}" "${@:2}"
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --key | --cert | --append | --entry | --default | --timeout | --module | --build)
        [ $# -ge 2 ] || wrong "$1 needs a value"
        case $1 in
        --key) key=$2 ;;
        --cert) cert=$2 ;;
        *) image_option "$1" "$2" ;;
        esac
        shift
        ;;
    --shim) shim=yes ;;
    -*) wrong "unknown option $1" ;;
    *)
        [ -z "$out" ] || wrong "one image at a time, not both $out and $1"
        out=$1
        ;;
    esac
    shift
done
[ -n "$out" ] || wrong "the name of the image is missing"
[ -n "$key" ] && [ -n "$cert" ] || wrong "a signature needs both --key FILE and --cert FILE"
for file in "$key" "$cert"; do
    [ -f "$file" ] && [ -r "$file" ] || wrong "there is no file $file that can be read"
done
[ ${#entries[@]} != 0 ] || [ $direct = yes ] || wrong "a signed image has a menu of your own: --entry NAME=WORDS"
check_image
[ ! -d "$out" ] || wrong "$out is a directory; the image needs the name of a file"
PATH=$PATH:/usr/sbin # where mkfs.fat is
need_tools iso objcopy grub-mkstandalone xorriso mkfs.fat mcopy
need_tools sign sbsign
make_image_work

# What shim starts must say which holes it has no more (section .sbat). This GRUB is built from the same source as Debian's
# signed one, and says the same.
sbat=()
if [ $shim = yes ]; then
    debian=/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed
    need_tools shim openssl
    for file in /usr/lib/shim/shimx64.efi.signed /usr/lib/shim/mmx64.efi.signed $debian; do
        packages=$(packages_of shim)
        [ -r $file ] || failed "$file is missing; this installs it, as root: apt-get install --no-install-recommends ${packages//$'\n'/ }"
    done
    objcopy -O binary --only-section=.sbat $debian "$work/sbat.csv"
    [ -s "$work/sbat.csv" ] || failed "$debian has no section .sbat"
    sbat=(--sbat="$work/sbat.csv")
fi

put_files "$work/disk" gzip -9 -n
locked=' --unrestricted'
grub_config | sed '1i set superusers=""' >"$work/disk/boot/grub/grub.cfg"

modules='normal configfile multiboot multiboot2 gzio cpuid serial terminal all_video test echo sleep boot halt reboot memdisk tar'
files=()
while IFS= read -r file; do files+=("$file=$work/disk/$file"); done < <(cd "$work/disk" && find boot -type f | sort)
LC_ALL=C grub-mkstandalone -O x86_64-efi -o "$work/grub.efi" "${sbat[@]}" --disable-shim-lock --locales= --themes= --fonts= --compress=xz \
    --install-modules="$modules" --modules="$modules" "${files[@]}" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    failed "grub-mkstandalone failed"
}
sbsign --key "$key" --cert "$cert" --output "$work/signed.efi" "$work/grub.efi" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    failed "it could not be signed with $key and $cert; both are PEM files of one pair"
}

loader=BOOTX64.EFI
[ $shim = no ] || loader=grubx64.efi
put_shim() {
    mcopy -i "$work/efi.img" /usr/lib/shim/shimx64.efi.signed ::/EFI/BOOT/BOOTX64.EFI &&
        mcopy -i "$work/efi.img" /usr/lib/shim/mmx64.efi.signed ::/EFI/BOOT/mmx64.efi &&
        openssl x509 -in "$cert" -outform DER -out "$work/anechoic.cer" && mcopy -i "$work/efi.img" "$work/anechoic.cer" ::/
}

# The file system that the firmware looks for, as the image's second partition and as the CD's boot image.
size=$(($(stat -c %s "$work/signed.efi") / 1024 + 4096)) # KiB: shim and its like have 2 MiB
mkdir -p "$work/cd"
if ! { mkfs.fat -C -n ANECHOIC --invariant "$work/efi.img" $size && mmd -i "$work/efi.img" ::/EFI ::/EFI/BOOT &&
    mcopy -i "$work/efi.img" "$work/signed.efi" ::/EFI/BOOT/$loader &&
    { [ $shim = no ] || put_shim; } &&
    xorriso -as mkisofs -V ANECHOIC -append_partition 2 0xef "$work/efi.img" -e --interval:appended_partition_2:all:: \
        -no-emul-boot -o "$work/image.iso" "$work/cd"; } >"$work/log" 2>&1; then
    cat "$work/log" >&2
    failed "the image could not be made"
fi
move_to "$out" "$work/image.iso"
