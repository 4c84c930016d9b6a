# shellcheck shell=bash disable=SC2154 # work is the sourcing script's
# A Linux kernel in Bochs with nothing but an init of ours. Sourced by tools/linux-perf.sh and linux-here.sh, behind run-common.sh.

# member NAME MODE FILE: a member of a cpio archive in the format that Linux unpacks (newc: Documentation/
# driver-api/early-userspace/buffer-format.rst), whose names and data are padded to 4 bytes.
member() {
    local size
    size=$(stat -L -c %s "$3")
    printf '070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\0' \
        1 "$2" 0 0 1 0 "$size" 0 0 0 0 $((${#1} + 1)) 0 "$1"
    zeros $((-(110 + ${#1} + 1) & 3))
    cat "$3"
    zeros $((-size & 3))
}
zeros() { head -c "$1" /dev/zero; }

# linux_image KERNEL WORDS NAME=FILE...: $work/linux.iso, which boots KERNEL with more words on its line, and these files in its
# initramfs, of which one is init. None of the words that are always there touches the PMU, but that the NMI watchdog, which would
# have facts wanted from its start on, waits until the guest asks for it. tsc_early_khz= is the clock of the machine (bochsrc): the
# CPUID of processors that tell their TSC's rate (leaf 15H) has gigahertz. The others keep minutes of emulated start away:
# self-tests of cryptography, the check of module signing keys, the search for ISA cards.
linux_image() {
    local kernel=$1 words=$2 file
    shift 2
    mkdir -p "$work/image/boot/grub"
    cp "$kernel" "$work/image/boot/vmlinuz"
    {
        for file; do member "${file%%=*}" $((8#100755)) "${file#*=}"; done
        member 'TRAILER!!!' 0 /dev/null
    } >"$work/image/boot/initrd"
    cat >"$work/image/boot/grub/grub.cfg" <<CFG
linux /boot/vmlinuz console=ttyS0,115200 loglevel=4 nokaslr mitigations=off nmi_watchdog=0 tsc_early_khz=20000 cryptomgr.notests initcall_blacklist=load_system_certificate_list isapnp.disable=1 $words
initrd /boot/initrd
set gfxpayload=text
boot
sleep 5
halt
CFG
    LC_ALL=C grub-mkrescue --output="$work/linux.iso" --locales= --themes= --fonts= \
        --install-modules='normal configfile linux boot sleep halt' "$work/image" >"$work/mkrescue" 2>&1 || {
        cat "$work/mkrescue" >&2
        fail 5 "the image could not be made"
    }
}

# In the place of run-common.sh's: a kernel that has panicked says no more.
# shellcheck disable=SC2317 # called by finish_emulator
switch_off() {
    while sleep 0.5 && kill -0 "$emulator_pid" 2>/dev/null; do
        LC_ALL=C grep -aq 'end Kernel panic' "$work/serial" || continue
        if kill "$emulator_pid" 2>/dev/null; then touch "$work/switched-off"; fi
        break
    done
}
