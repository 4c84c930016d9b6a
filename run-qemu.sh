#!/bin/bash
# Build the kernel and boot it in QEMU. Missing packages are installed first.
#
#   ./run-qemu.sh [OPTION...]
#
#   --flavour F         kernel i586 or x86_64 (default x86_64; in an image GRUB chooses by the CPU)
#   --accel kvm         run on this machine's own processor, with its performance counters, where KVM offers them.
#                       The default, tcg, emulates a processor without counters; run-bochs.sh has modelled ones.
#   --cpu MODEL         QEMU's CPU model (default max; with KVM: host,pmu=on)
#   --smp N[,WHAT=M...] number of CPUs (default 1), and how they are arranged, in QEMU's words: sockets, dies, cores,
#                       threads, maxcpus. The kernel starts those that its word cpus= asks for
#   --append "WORDS"    the kernel's command line, such as "bench=all reps=100"; exit=qemu is put in front unless WORDS
#                       hold an exit= word
#   --module FILE       hand this file to the kernel, such as one with snippets (docs/code.md): may be repeated
#   --iso, --usb        boot an image through GRUB, as CD or USB stick, instead of QEMU's -kernel
#   --floppy            boot a floppy through GRUB, which has the i586 kernel
#   --image FILE        boot this image as it is, menu and all, as a USB stick (with --iso: as a CD; one of 1.44 MB: as
#                       a floppy); nothing is built. The words are the image's own
#   --pxe DIR           boot this tree (anechoic pxe) over a network of QEMU's own, by its TFTP: GRUB, menu and all. With
#                       --ipxe by the script for iPXE, which is what QEMU's network card has in its ROM
#   --mac ADDRESS       with --pxe: the network card's address, such as 52:54:00:12:34:56
#   --choose N          with --image and --pxe: choose this entry of the menu, from 1. Otherwise the menu's default is
#                       booted when its time is over
#   --uefi[=64|32]      boot on UEFI firmware, by default 64-bit (with --iso unless --usb is given)
#   --secure-boot VARS  with --image: UEFI 64 that has Secure Boot, with a copy of these variables, which have the keys
#   --multiboot1        GRUB starts the kernel through multiboot 1 instead of 2
#   --icount            let the clock count instructions: slower, and all runs are identical
#   -i, --interactive   type at the kernel's prompt (docs/monitor.md): this terminal is the serial line, and records go over
#                       the second one. exit=monitor,qemu is put in front unless WORDS hold an exit= word; no time limit
#                       but a given one
#   -o FILE             where the records go (default build/run/records.jsonl)
#   --timeout S         give up after S seconds (default 120)
#   --raw               print the records as well, as they come, for programs such as anechoic run
#   --no-install        do not install missing packages: name them and exit with 5
#   --no-build          boot what was built before, as it is
#   --qemu-arg ARG      one more argument for QEMU, may be repeated (for tests and experts)
#   -h, --help          this text
#
# Prints the kernel's text as it comes. Its records, the lines that begin with {, go to the file.
# Exit status: 0 done, 1 a benchmark failed or found nothing, 2 wrong command line (the kernel's or
# this one), 3 the kernel could not run or panicked, 4 this machine lacks a requested feature (such as KVM),
# 5 packages, build or emulator failed, 124 time-out.
set -euE
trap 'echo "run-qemu: failed in line $LINENO" >&2; exit 5' ERR

root=$(cd "$(dirname "$0")" && pwd)
. "$root/tools/run-common.sh"

flavour='' accel=tcg cpu='' smp=1 words='' medium=kernel uefi='' multiboot1='' icount=no
records_file=$root/build/run/records.jsonl limit='' raw=no interactive=no extra=() image='' secure='' pxe='' ipxe=no mac='' choice='' given=() modules=()
NO_INSTALL=${NO_INSTALL:-0} NO_BUILD=${NO_BUILD:-0}

# Checks that need no QEMU.
need_kvm() {
    local pmu=/sys/module/kvm/parameters/enable_pmu
    [ -e /dev/kvm ] || fail 4 "there is no /dev/kvm: this machine has no KVM, or its kernel module is not loaded"
    if ! { [ -r /dev/kvm ] && [ -w /dev/kvm ]; }; then
        fail 4 "$(id -un) may not open /dev/kvm; members of the group kvm may"
    fi
    if [ -r $pmu ] && [ "$(cat $pmu)" = N ]; then
        fail 4 "KVM on this machine gives its guests no counters: parameter enable_pmu of module kvm is N"
    fi
}

while [ $# -gt 0 ]; do
    case $1 in
    --flavour=* | --accel=* | --cpu=* | --smp=* | --append=* | --timeout=* | --qemu-arg=* | --image=* | --secure-boot=* | --pxe=* | --mac=* | --choose=* | --module=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}" # --option=value is --option value
        ;;
    esac
    case $1 in
    --flavour | --accel | --cpu | --smp | --append | -o | --timeout | --qemu-arg | --image | --secure-boot | --pxe | --mac | --choose | --module)
        [ $# -ge 2 ] || wrong "$1 needs a value"
        case $1 in
        --flavour) flavour=$2 given+=(--flavour) ;;
        --accel) accel=$2 ;;
        --cpu) cpu=$2 ;;
        --smp) smp=$2 ;;
        --append) words=$2 given+=(--append) ;;
        --image) image=$2 ;;
        --secure-boot) secure=$2 ;;
        --pxe) pxe=$2 ;;
        --mac) mac=$2 ;;
        --module) given+=(--module) && module_option "$2" ;;
        --choose) choice=$2 ;;
        -o) records_file=$2 ;;
        --timeout) limit=$2 ;;
        --qemu-arg) extra+=("$2") ;;
        esac
        shift
        ;;
    --iso) medium='cd' ;;
    --usb) medium=usb ;;
    --floppy) medium=floppy ;;
    --ipxe) ipxe=yes ;;
    --uefi | --uefi=64) uefi=64 ;;
    --uefi=32) uefi=32 ;;
    --multiboot1) multiboot1=--multiboot1 given+=(--multiboot1) ;;
    --icount) icount=yes ;;
    -i | --interactive) interactive=yes ;;
    --raw) raw=yes ;;
    --no-install) NO_INSTALL=1 ;;
    --no-build) NO_BUILD=1 ;;
    -h | --help)
        usage
        exit 0
        ;;
    *) stray_argument "$1" ;;
    esac
    shift
done

[[ $flavour =~ ^(i586|x86_64|)$ ]] || wrong "--flavour needs i586 or x86_64, not $flavour"
number='[1-9][0-9]{0,2}'
[[ $smp =~ ^$number(,(sockets|dies|cores|threads|maxcpus)=$number)*$ && ${smp%%,*} -le 255 ]] ||
    wrong "--smp needs a number of CPUs from 1 to 255, and then sockets=, dies=, cores=, threads= or maxcpus= with a number, not $smp"
check_limit
check_interactive
[[ $accel =~ ^(tcg|kvm)$ ]] || wrong "--accel needs tcg or kvm, not $accel"
[ "$accel$icount" != kvmyes ] || wrong "--icount needs QEMU's emulation, so it cannot go with --accel kvm"
[ "$accel" = tcg ] || need_kvm
if [ -n "$image" ]; then
    [ ${#given[@]} = 0 ] || wrong "--image boots an image as it is, so ${given[0]} cannot go with it"
    [ -f "$image" ] && [ -r "$image" ] || wrong "--image: there is no file $image that can be read"
    image=$(realpath "$image")
    [ $medium != kernel ] || medium=usb
    [ $medium != usb ] || [ "$(stat -c %s "$image")" != 1474560 ] || medium=floppy
fi
if [ -n "$secure" ]; then
    [ -n "$image" ] || wrong "--secure-boot goes with --image"
    [ -f "$secure" ] && [ -r "$secure" ] || wrong "--secure-boot: there is no file $secure that can be read"
    [ "$uefi" != 32 ] || wrong "--secure-boot is for --uefi=64 here"
    secure=$(realpath "$secure") uefi=64
fi
if [ -n "$pxe" ]; then
    [ -z "$image" ] || wrong "--image and --pxe are two ways to boot"
    [ ${#given[@]} = 0 ] || wrong "--pxe boots a tree as it is, so ${given[0]} cannot go with it"
    [ $medium = kernel ] || wrong "--pxe boots by the network, not from a CD or a stick"
    [ -f "$pxe/anechoic.ipxe" ] || wrong "--pxe: $pxe is no tree that anechoic pxe made"
    pxe=$(realpath "$pxe") medium=net
fi
[ -n "$pxe" ] || [ -z "$mac" ] || wrong "--mac goes with --pxe"
[ -n "$pxe" ] || [ $ipxe = no ] || wrong "--ipxe goes with --pxe"
[[ $mac =~ ^(([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}|)$ ]] || wrong "--mac needs an address such as 52:54:00:12:34:56, not $mac"
[ -z "$choice" ] || [ -n "$image$pxe" ] || wrong "--choose goes with --image or --pxe"
[ -z "$choice" ] || [ $ipxe = no ] || wrong "--choose needs GRUB's menu, so it cannot go with --ipxe"
[[ $choice =~ ^([1-9][0-9]{0,2}|)$ ]] || wrong "--choose needs the number of an entry, from 1, not $choice"
if [ $medium = floppy ]; then
    [ -z "$uefi" ] || wrong "a floppy boots with a BIOS, so --uefi cannot go with it"
    [ -z "$multiboot1" ] || wrong "--multiboot1 needs an image, so --floppy cannot go with it"
    [ "${flavour:=i586}" = i586 ] || wrong "a floppy has the i586 kernel only"
fi
if [ -n "$uefi$multiboot1" ] && [ $medium = kernel ]; then
    medium='cd' # QEMU's -kernel knows neither
fi
if [ $interactive = yes ]; then
    [ -z "$image$pxe" ] || wrong "-i gives the kernel words of its own, so it cannot go with --image or --pxe"
    interactive_words qemu
elif [ -z "$image$pxe" ]; then
    exit_word exit=qemu
fi
open_records
cd "$root" # QEMU gets the kernel's path as it stands here, since it becomes the command line's first word

sets=(qemu)
[ -n "$image$pxe" ] || ! builds || sets+=(build)
[ $medium = kernel ] || [ -n "$image$pxe" ] || sets+=(iso)
[ -z "$pxe" ] || sets+=(net)
[ -z "$uefi" ] || sets+=(uefi)
need "${sets[@]}"

if [ -z "$image$pxe" ]; then
    case $medium,$flavour in
    kernel,*) flavours=${flavour:=x86_64} ;;
    *,) flavours='i586 x86_64' ;;
    *) flavours=$flavour ;;
    esac
    targets=()
    for name in $flavours; do
        targets+=("build/$name/anechoic.elf")
    done
    build "${targets[@]}" build/events.db
fi
make_work
kernel_modules

# -nodefaults: no network card and so no attempt to boot from it; the VGA stays, for the kernel's screen.
qemu=(qemu-system-x86_64 -nodefaults -no-user-config -vga std -display none -no-reboot -m 256
    -accel "$accel" -cpu "${cpu:-$([ "$accel" = kvm ] && echo host,pmu=on || echo max)}" -smp "$smp" -device "isa-debug-exit,iobase=0xf4,iosize=4")
if [ $medium = kernel ]; then
    qemu+=(-kernel "build/$flavour/anechoic.elf" -initrd "build/events.db$initrds" -append "$words")
elif [ $medium = net ]; then
    case $ipxe,$uefi in
    yes,*) bootfile=anechoic.ipxe ;;
    *,64) bootfile=boot/grub/x86_64-efi/core.efi ;;
    *,32) bootfile=boot/grub/i386-efi/core.efi card=virtio-net-pci ;; # whose driver this firmware has
    *) bootfile=boot/grub/i386-pc/core.0 ;;
    esac
    # Newer UEFI firmware has no network without random numbers.
    qemu+=(-netdev "user,id=net,tftp=${pxe//,/,,},bootfile=$bootfile" -device virtio-rng-pci
        -device "${card:-e1000},netdev=net,bootindex=0${mac:+,mac=$mac}")
else
    if [ -z "$image" ]; then
        image=$work/anechoic.iso
        maker=(mkiso.sh ${flavour:+--flavour "$flavour"} ${multiboot1:+"$multiboot1"})
        [ $medium != floppy ] || maker=(mkfloppy.sh)
        "$root/tools/${maker[0]}" "${maker[@]:1}" "${modules[@]/#/--module=}" --append "$words" "$image" ||
            fail 5 "the image could not be made"
    fi
    [ $medium = floppy ] || qemu+=(-drive "if=none,id=medium,format=raw,readonly=on,file=$image")
fi
case $medium in
floppy) qemu+=(-drive "if=floppy,format=raw,readonly=on,file=$image" -boot a) ;;
cd) qemu+=(-device 'ide-cd,drive=medium,bootindex=0') ;;
usb) qemu+=(-device qemu-xhci -device 'usb-storage,drive=medium,bootindex=0') ;;
esac

# UEFI: firmware from Debian's ovmf and ovmf-ia32, with a fresh copy of its variables. The 32-bit one is
# only built with Secure Boot's SMM protection, which needs a q35 machine with it.
if [ -n "$uefi" ]; then
    case $uefi in
    64) code=OVMF_CODE_4M.fd vars=OVMF_VARS_4M.fd ;;
    32)
        code=OVMF32_CODE_4M.secboot.fd vars=OVMF32_VARS_4M.fd
        qemu+=(-M "q35,smm=on" -global "driver=cfi.pflash01,property=secure,value=on")
        ;;
    esac
    if [ -n "$secure" ]; then
        code=OVMF_CODE_4M.secboot.fd
        qemu+=(-M "q35,smm=on" -global "driver=cfi.pflash01,property=secure,value=on")
    fi
    for file in $code $vars; do
        [ -r "/usr/share/OVMF/$file" ] || fail 5 "/usr/share/OVMF/$file is missing (packages ovmf, ovmf-ia32)"
    done
    cp "${secure:-/usr/share/OVMF/$vars}" "$work/vars.fd"
    qemu+=(-drive "if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/$code"
        -drive "if=pflash,unit=1,format=raw,file=$work/vars.fd")
fi
if [ $interactive = yes ]; then
    qemu+=(-chardev 'stdio,id=terminal,signal=off' -serial chardev:terminal -serial "file:$work/serial")
else
    qemu+=(-serial stdio)
fi
# Without the fixed clock and seed two runs differ even under -icount.
[ $icount = no ] ||
    qemu+=(-icount "shift=0,sleep=off" -rtc "base=2020-01-01,clock=vm" -seed 1)
qemu+=("${extra[@]}")

# GRUB takes keys from the serial line as soon as its menu is there: Ctrl-A is its first entry, Ctrl-N the next one.
press_keys() {
    local i
    until LC_ALL=C grep -aq 'GNU GRUB' "$work/serial" 2>/dev/null; do
        sleep 0.2
        [ -d "$work" ] || return 0
    done
    printf '\001'
    for ((i = 1; i < choice; i++)); do printf '\016'; done
    printf '\r'
}

keys=/dev/null
if [ -n "$choice" ]; then
    keys=$work/keys
    mkfifo "$keys"
    press_keys >"$keys" &
fi
if [ $interactive = yes ]; then
    timeout --foreground -k 5 "$limit" "${qemu[@]}" 2>"$work/stderr" <&"$terminal" &
else
    show_serial
    timeout --foreground -k 5 "$limit" "${qemu[@]}" >"$work/serial" 2>"$work/stderr" <"$keys" &
fi
finish_emulator
collect_records

# isa-debug-exit turns the kernel's status + 16 into (status + 16) * 2 + 1. Any other status is QEMU's own:
# 0 when the guest reset or switched itself off (exit=reboot), 1 when QEMU refused its arguments.
kernel=$((status % 2 == 1 ? (status >> 1) - 16 : -1))
if [ "$status" = 0 ] && [ -n "$ended" ]; then
    kernel=$ended
fi
if [ "$kernel" -lt 0 ] || [ "$kernel" -gt 3 ]; then
    cat "$work/stderr" >&2
    if [ "$accel" = kvm ] || grep -qiw kvm "$work/stderr"; then
        fail 4 "KVM on this machine refuses to run: $(head -n 1 "$work/stderr")"
    fi
    fail 5 "QEMU ended by itself, with status $status, before the kernel was done"
fi
if [ "$kernel" = 0 ] && [ "$ended" != 0 ] && [[ " $words " != *" records=none "* ]]; then
    fail 5 "the kernel reported success, but the last record is not an end record with status 0"
fi
if [ "$accel" = kvm ] && ! grep -q '"t":"cpu".*"pmu":{' "$records_file"; then
    fail 4 "KVM on this machine gives its guests no counters that the kernel knows"
fi
exit "$kernel"
