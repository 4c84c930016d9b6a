#!/bin/bash
# `anechoic pxe`: what is in the tree, and what is refused. That it boots: tests/boot/cases/network.sh.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

command="pxe"
# shellcheck source=tests/unit/command.sh
. "$(dirname "$0")/command.sh"
cd "$root" # where the program is built elsewhere, tools/mkpxe.sh is found here

tree=$dir/tftp
printf 'data' >"$dir/a module"
umask 077 # the server runs as somebody else
case_of "makes a tree" 0 "load boot/grub/i386-pc/core.0 (BIOS)" "$tree" --entry "Bob's=bench=l1_miss:bytes=64K  reps=3" --entry 'Main=' \
    --default 2 --timeout 9 --module "$dir/a module" --mac '52-54-00-AA-bb-01=bench=all reps=7' --mac 52:54:00:aa:bb:02=
for file in boot/anechoic-i586.elf boot/anechoic-x86_64.elf boot/events.db boot/grub/grub.cfg boot/grub/i386-pc/core.0 \
    boot/grub/x86_64-efi/core.efi boot/grub/i386-efi/core.efi anechoic.ipxe machines.grub machines.ipxe; do
    if [ -s "$tree/$file" ]; then ok "$file"; else bad "$file" "is not in the tree"; fi
done
same "anybody can read it" "" "$(find "$tree" ! -perm -go=r | head -n 3)"
menu=$(sed -n '/^set default/,$p' "$tree/boot/grub/grub.cfg")
same "the menu" "set default=1
set timeout=9

menuentry 'Bob'\\''s' {
    anechoic 'bench=l1_miss:bytes=64K' 'reps=3'
}
menuentry 'Main' {
    anechoic
}

source /machines.grub" "$menu"
same "the machines" "if [ \"\$net_default_mac\" = 52:54:00:aa:bb:01 ]; then
    set timeout=-1
    anechoic 'bench=all' 'reps=7'
    boot
fi
if [ \"\$net_default_mac\" = 52:54:00:aa:bb:02 ]; then
    set timeout=-1
    anechoic
    boot
fi" "$(grep -v '^#' "$tree/machines.grub")"
# shellcheck disable=SC2016 # iPXE's variables
same "the machines for iPXE" 'iseq ${netX/mac} 52:54:00:aa:bb:01 && set own yes && set words bench=all reps=7 ||
iseq ${netX/mac} 52:54:00:aa:bb:02 && set own yes && set words  ||' "$(grep -v '^#' "$tree/machines.ipxe")"
if grub-script-check "$tree/boot/grub/grub.cfg" && grub-script-check "$tree/machines.grub"; then ok "GRUB reads it"; else bad "GRUB reads it" "it does not"; fi
same "modules for GRUB" "    module2 \"/boot/events.db\$packed\" events.db
    module2 /boot/module1 'a module'" "$(grep 'module2 ' "$tree/boot/grub/grub.cfg")"
same "modules for iPXE" "module boot/events.db || shell
module boot/ipxe/1/a_module || shell" "$(grep '^module' "$tree/anechoic.ipxe")"
same "the module" data "$(cat "$tree/boot/module1")$(cmp "$tree/boot/module1" "$tree/boot/ipxe/1/a_module" 2>&1)"
same "the choice for iPXE" "choose --default entry2 --timeout 9000 chosen || shell" "$(grep choose "$tree/anechoic.ipxe")"

case_of "replaces a tree" 0 "$tree: load" "$tree"
same "without the machines of before" "" "$(grep '^if' "$tree/machines.grub")$(find "$tree/boot" -name 'module*')"
same "five entries of our own" 5 "$(grep -c '^menuentry' "$tree/boot/grub/grub.cfg")"

mkdir "$dir/other"
echo mine >"$dir/other/file"
x=$dir/x
case_of "a directory of somebody else's" 2 "$dir/other has files that are not of such a tree" "$dir/other"
same "which is left alone" file "$(ls "$dir/other")"
case_of "no directory" 2 "the directory is missing" -e a=b
case_of "two directories" 2 "one directory at a time, not both $x and y" "$x" y
case_of "a file for a directory" 2 "is no directory" "$dir/other/file"
case_of "no name" 2 '"" is no name of a directory' ""
case_of "an address that is none" 2 "--mac needs MAC=WORDS" "$x" --mac 52:54:00:12:34=bench=all
case_of "an address without words" 2 "--mac needs MAC=WORDS" "$x" --mac 52:54:00:12:34:56
case_of "a line end in words" 2 "--mac needs MAC=WORDS" "$x" --mac $'52:54:00:12:34:56=a\nb'
# shellcheck disable=SC2016 # as it is
case_of "what iPXE replaces" 2 'a script for iPXE cannot hold' "$x" --mac '52:54:00:12:34:56=a${b}'
case_of "what ends iPXE's command" 2 'a script for iPXE cannot hold' "$x" --entry 'a=b || c'
case_of "no =" 2 "--entry needs NAME=WORDS" "$x" --entry l1_miss
case_of "no such module" 2 "no file $dir/none" "$x" -m "$dir/none"
case_of "nothing to verify" 2 "--verify boots the menu's entries, and there is no --entry" "$x" --verify
if [ ! -e "$x" ]; then ok "no tree of those"; else bad "no tree of those" "there is one"; fi
for arguments in "--pxe $dir/other" "--pxe $tree --append x" "--pxe $tree --iso" "--mac 52:54:00:12:34:56" "--pxe $tree --mac x" \
    "--ipxe" "--pxe $tree --ipxe --choose 1"; do
    status=0
    # shellcheck disable=SC2086 # words
    "$root/run-qemu.sh" $arguments >"$dir/output" 2>&1 || status=$?
    same "run-qemu.sh ${arguments//$dir\//}" 2 "$status"
done
exit $failed
