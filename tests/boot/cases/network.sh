# Boots over the network, from trees that `anechoic pxe` made: by QEMU's own TFTP, and by dnsmasq with the configuration of
# docs/network-boot.md. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2054

tree() { # tree NAME BITS: the tree $dir/NAME.tftp, with a menu, a module for that kernel, and a machine of its own
    module "$1" "$2" nop=90
    build/host/anechoic pxe "$dir/$1.tftp" --entry 'One=exit=qemu bench=code reps=4' --entry "It's two=exit=qemu bench=code reps=5" \
        --timeout 1 --module "$dir/$1.mod" --mac '52-54-00-AA-bb-01=exit=qemu bench=code reps=6' >"$dir/$1.out" 2>&1
}

# by_pxe NAME OPTIONS CONDITION...
by_pxe() {
    local name=$1 options=$2 bits=64
    shift 2
    [[ $options != *pentium* ]] || bits=32
    tree "$name" $bits || { fail "$name" "no tree"; return; }
    run_case "$name" 0 "--pxe '$dir/$name.tftp' $options" '.[0].modules == 2' '[results[].bench] == ["code"]' "$@"
}
# pxe NAME OPTIONS CONDITION...
pxe() { selected "$1" && background by_pxe "$@"; }

pxe pxe-bios '' '.[0].protocol == 2 and .[0].flavour == "x86_64" and (.[0].loader | startswith("GRUB"))' 'results | map(.reps) == [4]'
pxe pxe-bios-choose '--cpu pentium3 --choose 2' '.[0].flavour == "i586"' 'results | map(.reps) == [5]'
pxe pxe-bios-mac '--mac 52:54:00:aa:bb:01' 'results | map(.reps) == [6]'
pxe pxe-uefi64 '--uefi --mac 52:54:00:aa:bb:01' '.[0].acpi_oem != ""' '.[0].consoles | any(startswith("framebuffer"))' 'results | map(.reps) == [6]'
pxe pxe-uefi32 --uefi=32 'results | map(.reps) == [4]'
pxe pxe-ipxe --ipxe '.[0].protocol == 1 and (.[0].loader | startswith("iPXE"))' '.[0].flavour == "x86_64"' 'results | map(.reps) == [4]'
pxe pxe-ipxe-mac '--ipxe --cpu pentium3 --mac 52:54:00:AA:BB:01' '.[0].flavour == "i586"' 'results | map(.reps) == [6]'

# Debian 13's OVMF does not leave the card to iPXE: it loads the script by itself, and cannot start it.
ipxe_uefi() {
    local status=0
    tree "$1" 64 || { fail "$1" "no tree"; return; }
    ./run-qemu.sh --no-install --timeout 90 --pxe "$dir/$1.tftp" --ipxe --uefi -o "$dir/$1.jsonl" >"$dir/$1.out" 2>&1 || status=$?
    if [ $status = 124 ] && grep -q '>>Start PXE over' "$dir/$1.out"; then
        skip "$1" "this OVMF boots by its own PXE, to which iPXE's script is no program"
    else
        judge "$1" 0 $status '.[0].loader | startswith("GRUB")' 'results | map(.reps) == [4]'
    fi
}
custom pxe-ipxe-uefi64 ipxe_uefi

pxe_verify() { # each entry, by the menu
    local status=0
    build/host/anechoic pxe "$dir/$1.tftp" --entry 'Good=bench=empty reps=3' --entry 'Typo=bnch=x' --verify >"$dir/$1.out" 2>&1 || status=$?
    if [ $status = 1 ] && grep -q '^1 Good: boots' "$dir/$1.out" &&
        grep -q '^2 Typo: FAILS: the kernel refuses its words: unknown word' "$dir/$1.out"; then
        say "ok $1"
    else
        fail "$1" "status $status"
    fi
}
custom pxe-verify pxe_verify

# pxe_dnsmasq NAME: in a network of its own, which goes with the case; the last word of the name is the firmware.
pxe_dnsmasq() {
    local name=$1 here=$dir/$1.net firmware=() status
    tree "$name" 64 || { fail "$name" "no tree"; return; }
    mkdir "$here"
    sed -n 's/^    //; /^interface=eth1$/,/^dhcp-boot=tag:uefi64/p' docs/network-boot.md |
        sed "s|=eth1\$|=tap0|; s|^tftp-root=.*|tftp-root=$dir/$name.tftp|" >"$here/dnsmasq.conf"
    if [ "${name##*-}" = uefi64 ]; then
        cp /usr/share/OVMF/OVMF_VARS_4M.fd "$here/vars.fd"
        firmware=(-device virtio-rng-pci -drive if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd
            -drive "if=pflash,unit=1,format=raw,file=$here/vars.fd")
    fi
    # shellcheck disable=SC2016 # the inner shell's variables
    unshare -n bash -c 'here=$1
        shift
        ip tuntap add tap0 mode tap && ip addr add 192.168.77.1/24 dev tap0 && ip link set tap0 up || exit 77
        dnsmasq --conf-file="$here/dnsmasq.conf" --keep-in-foreground --user=root --group=root --pid-file= --dhcp-leasefile="$here/leases" \
            --log-facility="$here/log" &
        server=$!
        timeout 120 qemu-system-x86_64 -nodefaults -vga std -display none -no-reboot -m 256 -cpu max \
            -device isa-debug-exit,iobase=0xf4,iosize=4 -serial "file:$here/serial" \
            -netdev tap,id=n,ifname=tap0,script=no,downscript=no "$@"
        status=$?
        kill $server || status=78
        exit $status' - "$here" -device "e1000,netdev=n,bootindex=0,mac=52:54:00:aa:bb:01" "${firmware[@]}" >>"$dir/$name.out" 2>&1 </dev/null
    status=$?
    cat "$here/log" >>"$dir/$name.out" 2>/dev/null
    if [ ! -s "$here/serial" ]; then fail "$name" "nothing was booted, status $status"; return; fi
    records_of "$here/serial" "$dir/$name.jsonl"
    judge "$name" 33 "$status" '.[0].loader | startswith("GRUB")' '.[0].modules == 2' 'results | map(.reps) == [6]'
}
if unshare -n ip tuntap add tap0 mode tap 2>/dev/null; then
    custom pxe-dnsmasq-bios pxe_dnsmasq
    custom pxe-dnsmasq-uefi64 pxe_dnsmasq
else
    for name in bios uefi64; do skip "pxe-dnsmasq-$name" "this machine allows no network of one's own (unshare -n and ip tuntap, as root)"; done
fi
