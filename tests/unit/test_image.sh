#!/bin/bash
# `anechoic image`: the menu that GRUB gets, and what is refused. That entries boot: tests/boot/cases/start.sh.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

command="image"
# shellcheck source=tests/unit/command.sh
. "$(dirname "$0")/command.sh"
cd "$root" # where the program is built elsewhere, tools/mkiso.sh is found here

printf 'data' >"$dir/a module"
case_of "makes an image" 0 "2 entries" -o "$dir/own.img" --entry "Bob's=bench=l1_miss:bytes=64K  reps=3" --entry 'Main=' \
    --default 2 --timeout 9 --module "$dir/a module"
xorriso -osirrox on -indev "$dir/own.img" -extract /boot "$dir/boot" >"$dir/output" 2>&1 ||
    bad "can be read" "$(tail -n 3 "$dir/output")"
menu() { sed -n '/^set default/,$p' "$dir/boot/grub/grub.cfg"; }
wanted="set default=1
set timeout=9

menuentry 'Bob'\\''s' {
    anechoic 'bench=l1_miss:bytes=64K' 'reps=3'
}
menuentry 'Main' {
    anechoic
}"
[ "$(menu)" = "$wanted" ] && ok "the menu" || bad "the menu" "$(menu)"
grep -q "^    module2 /boot/module1 'a module'\$" "$dir/boot/grub/grub.cfg" && [ "$(cat "$dir/boot/module1")" = data ] &&
    ok "the module" || bad "the module" "$(grep module "$dir/boot/grub/grub.cfg")"
grub-script-check "$dir/boot/grub/grub.cfg" && ok "GRUB reads it" || bad "GRUB reads it" "it does not"
for file in anechoic-i586.elf.gz anechoic-x86_64.elf.gz events.db.gz; do
    [ -s "$dir/boot/$file" ] && ok "$file" || bad "$file" "is not in the image"
done

# ---- floppies ----
case_of "makes a floppy" 0 "of=/dev/fd0" --floppy -o "$dir/own.fd" --entry "Bob's=bench=l1_miss" --module "$dir/a module" -t -1
on_floppy() { mtype -i "$dir/own.fd" "::/boot/$1"; }
[ "$(stat -c %s "$dir/own.fd")" = 1474560 ] && ok "1.44 MB" || bad "1.44 MB" "$(stat -c %s "$dir/own.fd")"
on_floppy anechoic-i586.elf.gz | gzip -dc | cmp -n 4 - build/i586/anechoic.elf && ok "the i586 kernel" || bad "the i586 kernel" "is not there"
on_floppy events.db.gz | gzip -dc | cmp - build/events.db && ok "events on the floppy" || bad "events on the floppy" "differ"
[ "$(on_floppy module1)" = data ] && ok "a module on the floppy" || bad "a module on the floppy" "is not there"
on_floppy grub/grub.cfg >"$dir/floppy.cfg"
grep -q "^set flavour=i586" "$dir/floppy.cfg" && grep -q "^menuentry 'Bob'" "$dir/floppy.cfg" && grub-script-check "$dir/floppy.cfg" &&
    ok "the floppy's menu" || bad "the floppy's menu" "$(cat "$dir/floppy.cfg")"
"$anechoic" image --floppy -o "$dir/again.fd" --entry "Bob's=bench=l1_miss" --module "$dir/a module" -t -1 >/dev/null
cmp "$dir/own.fd" "$dir/again.fd" && ok "the same bytes again" || bad "the same bytes again" "they differ"
head -c 1100000 /dev/zero >"$dir/large"
case_of "what does not fit on a floppy" 4 "the files do not fit: GRUB, kernel, event database and modules have" --floppy -o "$dir/large.fd" -e a=b -m "$dir/large"
[ ! -e "$dir/large.fd" ] && ok "no floppy of that" || bad "no floppy of that" "there is one"

# ---- signed ----
openssl req -new -x509 -newkey rsa:2048 -nodes -subj /CN=one/ -keyout "$dir/one.key" -out "$dir/one.crt" 2>/dev/null
openssl req -new -x509 -newkey rsa:2048 -nodes -subj /CN=two/ -keyout "$dir/two.key" -out "$dir/two.crt" 2>/dev/null
case_of "makes a signed image" 0 "2 entries" -o "$dir/signed.img" -e "Bob's=bench=l1_miss" -e Main= --key "$dir/one.key" --cert "$dir/one.crt"
osirrox=(xorriso -osirrox on -indev "$dir/signed.img")
"${osirrox[@]}" -extract_boot_images "$dir/signed" >"$dir/output" 2>&1 || bad "has a boot image" "$(tail -n 3 "$dir/output")"
mcopy -i "$(ls "$dir"/signed/eltorito_img*_uefi.img)" ::/EFI/BOOT/BOOTX64.EFI "$dir/boot.efi" &&
    sbverify --cert "$dir/one.crt" "$dir/boot.efi" >"$dir/output" 2>&1 && ok "the signature" || bad "the signature" "$(tail -n 1 "$dir/output")"
sbverify --cert "$dir/two.crt" "$dir/boot.efi" >"$dir/output" 2>&1 && bad "nobody else's" "it is" || ok "nobody else's"
case_of "one behind shim" 0 "1 entry" -o "$dir/shim.img" -e Main= --shim --key "$dir/one.key" --cert "$dir/one.crt"
osirrox=(xorriso -osirrox on -indev "$dir/shim.img")
"${osirrox[@]}" -extract_boot_images "$dir/shim" >"$dir/output" 2>&1 || bad "shim's boot image" "$(tail -n 3 "$dir/output")"
efi=$(ls "$dir"/shim/eltorito_img*_uefi.img)
mcopy -i "$efi" ::/EFI/BOOT/grubx64.efi ::/EFI/BOOT/BOOTX64.EFI ::/EFI/BOOT/mmx64.efi ::/anechoic.cer "$dir/shim"
sbverify --cert "$dir/one.crt" "$dir/shim/grubx64.efi" >"$dir/output" 2>&1 && ok "its signature" || bad "its signature" "$(tail -n 1 "$dir/output")"
objdump -h "$dir/shim/grubx64.efi" | grep -q ' \.sbat' && ok "its holes" || bad "its holes" "no section .sbat"
cmp "$dir/shim/BOOTX64.EFI" /usr/lib/shim/shimx64.efi.signed && ok "Debian's shim" || bad "Debian's shim" "differs"
case_of "a key that is not the certificate's" 4 "could not be signed" -o "$dir/bad.img" -e a=b --key "$dir/one.key" --cert "$dir/two.crt"
[ ! -e "$dir/bad.img" ] && ok "no image of that" || bad "no image of that" "there is one"
case_of "no certificate" 2 "a signature needs both --key FILE and --cert FILE" -o "$dir/bad.img" -e a=b --key "$dir/one.key"
case_of "no such key" 2 "there is no file $dir/none" -o "$dir/bad.img" -e a=b --key "$dir/none" --cert "$dir/one.crt"
case_of "shim without a key" 2 "a signature needs both" -o "$dir/bad.img" -e a=b --shim
case_of "a signed floppy" 2 "--floppy is for a BIOS, and --key for UEFI" -o "$dir/bad.img" -e a=b --floppy --key "$dir/one.key" --cert "$dir/one.crt"

x=$dir/x.img
case_of "no output" 2 "-o with the image's name is missing" --entry a=b
case_of "no entry" 2 'no --entry: "make iso" makes the image with the menu of all benchmarks' -o "$x"
case_of "no name" 2 "--entry needs NAME=WORDS" -o "$x" --entry =bench=l1_miss
case_of "no =" 2 "--entry needs NAME=WORDS" -o "$x" --entry l1_miss
case_of "a line end in an entry" 2 "--entry needs NAME=WORDS" -o "$x" --entry $'a=b\nc'
case_of "a default that is not there" 2 "--default needs the number of an entry, from 1 to 2, not 3" -o "$x" -e a=b -e c=d -d 3
case_of "a default that is no number" 2 "not x" -o "$x" -e a=b -d x
case_of "a timeout that is no number" 2 "--timeout needs seconds" -o "$x" -e a=b -t 1m
case_of "no time to choose" 2 "with --timeout 0 nobody can choose" -o "$x" -e a=b -e c=d -t 0
case_of "no such module" 2 "no file $dir/none" -o "$x" -e a=b -m "$dir/none"
case_of "a directory for an image" 2 "$dir is a directory" -o "$dir" -e a=b
case_of "no name of a file" 2 'an image needs the name of a file' -o "" -e a=b
case_of "standard output" 2 'an image needs the name of a file' -o - -e a=b
case_of "an argument" 2 'it takes no argument, as "bench=l1_miss"' -o "$x" -e a=b bench=l1_miss
[ ! -e "$x" ] && ok "no image of those" || bad "no image of those" "there is one"
status=0
PATH=$dir/bin
/bin/mkdir "$PATH"
for tool in bash sed dirname mktemp rm awk cat; do /bin/ln -s "$(PATH=/usr/bin:/bin command -v $tool)" "$PATH/$tool"; done
"$anechoic" image -o "$x" -e a=b >"$dir/output" 2>&1 || status=$?
PATH=/usr/sbin:/usr/bin:/sbin:/bin
[ $status = 4 ] && grep -q "is missing; this installs it, as root: apt-get install .*grub-common" "$dir/output" &&
    ok "without GRUB" || bad "without GRUB" "status $status: $(cat "$dir/output")"
for arguments in "--image $dir/none" "--choose 2" "--secure-boot $dir/own.img" "--image $dir/own.img --secure-boot $dir/none" "--image $dir/own.img --append x" "--image $dir/own.img --choose 0"; do
    status=0
    # shellcheck disable=SC2086 # words
    "$root/run-qemu.sh" $arguments >"$dir/output" 2>&1 || status=$?
    [ $status = 2 ] && ok "run-qemu.sh ${arguments//$dir\//}" || bad "run-qemu.sh ${arguments//$dir\//}" "status $status"
done
exit $failed
