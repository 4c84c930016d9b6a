#!/bin/bash
# Make a tree for a TFTP server: GRUB for BIOS, UEFI 64 and UEFI 32, a script for iPXE, both kernels, the event database.
#
#   tools/mkpxe.sh [OPTION...] DIR
#
#   --entry "NAME=WORDS"   an entry of the menu, and the kernel's words: may be repeated. Without any: a few of our own
#   --mac "MAC=WORDS"      the machine whose network card has this address gets these words at once, without the menu:
#                          may be repeated
#   --default N        the entry that is booted without a choice, from 1 (default 1)
#   --timeout S        after S seconds (default 5); 0: at once; -1: never
#   --module FILE      hand this file to the kernel as well, in every entry: may be repeated
#   --build DIR        where DIR/FLAVOUR/anechoic.elf are, and DIR/events.db (default: build of this checkout)
#
# DIR is the root that the server shows. It is made, or is empty, or is a tree that was made before, which is replaced.
# The environment variable MKISO_FOR: tools/image-common.sh.
# Exit status: 0 the tree is there, 2 wrong usage, 5 it could not be made.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
me=mkpxe
. "$root/tools/image-common.sh"

out='' machines=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --entry | --mac | --default | --timeout | --module | --build)
        [ $# -ge 2 ] || wrong "$1 needs a value"
        image_option "$1" "$2" || machines+=("$2")
        shift
        ;;
    -*) wrong "unknown option $1" ;;
    *)
        [ -z "$out" ] || wrong "one tree at a time, not both $out and $1"
        out=$1
        ;;
    esac
    shift
done
[ -n "$out" ] || wrong "the name of the directory is missing"
[ ${#entries[@]} != 0 ] || entries=('Main benchmarks: fp_add_latency, l1_miss, stride_thrash='
    'Quick: the main benchmarks, 5 repetitions=reps=5' 'All benchmarks=bench=all'
    'Which counters tell the truth=bench=truth' 'List the benchmarks and their parameters=bench=list')
check_image

# What iPXE's scripts cannot hold: they replace ${...}, and have these words of their own.
check_for_ipxe() {
    [[ "$1 " != *'$'* && ! " $1 " =~ \ (&&|\|\||;|#[^ ]*)\  ]] ||
        wrong "$2 \"$1\": a script for iPXE cannot hold \$, &&, ||, ; or a word that begins with #"
}
for entry in "${entries[@]}"; do check_for_ipxe "$entry" --entry; done
for machine in "${machines[@]}"; do
    mac=${machine%%=*}
    [[ $machine =~ ^[\ -~]+$ && $machine = *=* && ${mac//-/:} =~ ^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$ ]] ||
        wrong "--mac needs MAC=WORDS, such as \"52:54:00:12:34:56=bench=all\", not \"${machine//[^ -~]/?}\""
    check_for_ipxe "$machine" --mac
done

mark=anechoic.ipxe # whose presence shows that a tree is ours
if [ -e "$out" ] && [ ! -d "$out" ]; then wrong "$out is no directory"; fi
[ ! -d "$out" ] || [ -e "$out/$mark" ] || [ -z "$(ls -A "$out")" ] ||
    wrong "$out has files that are not of such a tree; it needs an empty or a new directory"
need_tools iso objcopy grub-mknetdir
make_image_work

packed='' # the network reads them faster than GRUB inflates them, and iPXE and PXELINUX get them too
put_files "$work/tree" cat
# All that the menu needs is in the one file that firmware loads, so that GRUB asks the server for few others.
modules='normal configfile multiboot multiboot2 gzio cpuid serial terminal all_video test echo sleep boot halt
 reboot ls cat minicmd tftp'
platforms='i386-pc x86_64-efi i386-efi'
for platform in $platforms; do
    [ "$platform" = i386-pc ] && own=pxe || own=efinet
    LC_ALL=C grub-mknetdir --net-directory="$work/tree" --subdir=boot/grub -d "/usr/lib/grub/$platform" --locales= --themes= --fonts= \
        --install-modules=normal --modules="${modules//$'\n'/} $own" >"$work/log" 2>&1 && continue
    cat "$work/log" >&2
    failed "grub-mknetdir failed for $platform"
done
rm -rf "$work/tree/boot/grub/"{fonts,locale,themes} # empty

# Machines with words of their own, in files that may be edited. When the kernel cannot be loaded, the menu waits.
machines_grub() {
    local machine mac
    echo '# The words of single machines, by the address of the network card, in small letters. Each word is in single quotes.'
    for machine in "${machines[@]}"; do
        mac=${machine%%=*} mac=${mac//-/:}
        # shellcheck disable=SC2016 # GRUB's variable
        printf 'if [ "$net_default_mac" = %s ]; then\n    set timeout=-1\n    anechoic%s\n    boot\nfi\n' "${mac,,}" \
            "$(quoted_words "${machine#*=}")"
    done
}
machines_ipxe() {
    local machine mac
    printf '#!ipxe\n# As machines.grub; words are as they come.\n'
    for machine in "${machines[@]}"; do
        mac=${machine%%=*} mac=${mac//-/:}
        # shellcheck disable=SC2016 # iPXE's variable
        printf 'iseq ${netX/mac} %s && set own yes && set words %s ||\n' "${mac,,}" "${machine#*=}"
    done
}
{
    grub_config
    printf '\nsource /machines.grub\n'
} >"$work/tree/boot/grub/grub.cfg"
machines_grub >"$work/tree/machines.grub"
machines_ipxe >"$work/tree/machines.ipxe"

# ipxe_module I: a copy of the module with its own name, since iPXE tells the kernel no other.
ipxe_module() {
    local name
    name=$(basename "${extras[$1]}")
    mkdir -p "$work/tree/boot/ipxe/$(($1 + 1))"
    cp "$work/tree/boot/module$(($1 + 1))" "$work/tree/boot/ipxe/$(($1 + 1))/${name//[^a-zA-Z0-9._-]/_}"
    echo "boot/ipxe/$(($1 + 1))/${name//[^a-zA-Z0-9._-]/_}"
}

# iPXE for BIOS loads kernels itself; for UEFI it cannot, and loads GRUB.
ipxe_script() {
    local i
    cat <<'IPXE'
#!ipxe
# The menu for iPXE, unless machines.ipxe has words for this machine.
iseq ${platform} efi && goto efi ||
set flavour i586
cpuid --ext 29 && set flavour x86_64 ||
clear own
clear words
chain --autofree machines.ipxe ||
isset ${own} && goto start ||

menu Anechoic
IPXE
    for i in "${!entries[@]}"; do printf 'item entry%s %s\n' $((i + 1)) "${entries[i]%%=*}"; done
    case $timeout in
    0) echo "set chosen entry$default" ;;
    -1) echo "choose --default entry$default chosen || shell" ;;
    *) echo "choose --default entry$default --timeout $((timeout * 1000)) chosen || shell" ;;
    esac
    # shellcheck disable=SC2016 # iPXE's variables
    echo 'goto ${chosen}'
    for i in "${!entries[@]}"; do
        printf ':entry%s\nset words %s\ngoto start\n' $((i + 1)) "${entries[i]#*=}"
    done
    # shellcheck disable=SC2016
    printf '\n:start\nkernel boot/anechoic-${flavour}.elf ${words} || shell\n'
    [ ! -e "$work/tree/boot/events.db" ] || echo 'module boot/events.db || shell'
    for i in "${!extras[@]}"; do
        printf 'module %s || shell\n' "$(ipxe_module "$i")"
    done
    cat <<'IPXE'
boot || shell

:efi
iseq ${buildarch} x86_64 && chain boot/grub/x86_64-efi/core.efi ||
iseq ${buildarch} i386 && chain boot/grub/i386-efi/core.efi ||
shell
IPXE
}
ipxe_script >"$work/tree/$mark"

# The server runs as somebody else.
chmod -R u=rwX,go=rX "$work/tree"
mkdir -p "$out"
chmod a+rx "$out"
rm -rf "${out:?}/boot" # of a tree that was made before
cp -rp --no-preserve=ownership "$work/tree/." "$out"
