# It starts: every CPU model and both kernels, every loader and firmware, machines that lack something, a loader that
# withholds something, the network, and this machine's own processor. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2261

# ---- the three benchmarks on every CPU model, both kernels ----
for cpu in pentium pentium3 core2duo qemu64 max EPYC; do
    usual_for 'pentium pentium3 EPYC' $cpu boot "i586-$cpu" 0 "--flavour i586 --cpu $cpu" main_benchmarks emulated positive '.[-1].t == "end"' \
        '.[0].t == "boot" and .[0].flavour == "i586" and .[0].platform == "qemu-tcg"' \
        '.[1].t == "cpu" and .[1].tsc_hz > 1e8 and (.[1].caches | length) >= 2' \
        '.[0].pool_bytes >= 67108864 and .[0].pool_base % 4096 == 0'
done
for cpu in core2duo qemu64 max EPYC; do
    usual_for 'core2duo max' $cpu boot "x86_64-$cpu" 0 "--flavour x86_64 --cpu $cpu" main_benchmarks emulated positive '.[-1].t == "end"' \
        '.[0].flavour == "x86_64"' 'results | map(.variant) | index("sse2") != null' \
        '.[0].pool_bytes >= 67108864 and .[0].pool_type == "WB"'
done
boot all-i586 0 "--flavour i586 --cpu pentium --append bench=all" \
    'results | map(.bench) | unique == ["empty","fadd","fdiv_double","fdiv_extended","fdiv_single","fmul","fp_add_latency","fwq","imul","l1_load",
        "l1_miss","regions","stride_thrash","traced"]'
boot all-x86_64 0 "--append bench=all" 'results | length == 22' emulated
boot smp 0 "--smp 4" main_benchmarks
boot list 0 "--append bench=list" 'records("bench") | length == 31' 'results == []' \
    '[records("bench")[].bench] | all(startswith("test_") | not)'
boot list-both 0 "--cpu EPYC --append 'bench=list events=find:retired_instructions'" \
    'records("bench") | length == 31' 'records("event") | length >= 1' 'results == []'

# ---- every loader, every firmware ----
BY_EFI='.[0] | .smbios == "efi" and (.bios_vendor | test("EDK|EFI")) and .system_maker == "QEMU"'
for medium in iso usb; do
    boot "$medium-bios" 0 "--$medium" main_benchmarks '.[0].loader | startswith("GRUB")' '.[0].protocol == 2' \
        '.[0].flavour == "x86_64"'
    boot "$medium-bios-i586" 0 "--$medium --cpu pentium --flavour i586" main_benchmarks '.[0].flavour == "i586"'
    # UEFI: the area below 1 MiB is not searched; the system table says where the SMBIOS tables are.
    boot "$medium-uefi64" 0 "--$medium --uefi=64" main_benchmarks '.[0].protocol == 2' \
        '.[0].consoles | any(startswith("framebuffer"))' '.[0].acpi_oem != ""' "$BY_EFI" 'notes("smbios") == []'
    boot "$medium-uefi32" 0 "--$medium --uefi=32" main_benchmarks '.[0].protocol == 2' \
        '.[0].consoles | any(startswith("framebuffer"))' "$BY_EFI" 'notes("smbios") == []'
done
boot iso-uefi64-i586 0 "--iso --uefi=64 --flavour i586" main_benchmarks '.[0].flavour == "i586"'
boot iso-uefi64-no-screen 0 "--iso --uefi=64 --qemu-arg -vga --qemu-arg none --append 'bench=empty'" \
    '.[0].consoles | length == 1' '[notes("console")[].message] == ["no screen: UEFI gave the loader no framebuffer"]'
boot iso-multiboot1 0 "--iso --multiboot1 --append 'reps=7 bench=empty'" '.[0].protocol == 1' \
    'results | length == 1 and .[0].reps == 7'
boot iso-words 0 "--iso --append 'bench=stride_thrash:lines=1..3:n=100 reps=5 conf=99'" \
    'results | map(.params.lines) == [1,2,3]' 'results | all(has("ci99") and .reps == 5)'

own_menu() { # an image with the user's own entries: each is chosen, and the default comes by itself
    local status=0
    module own 64 nop=90
    build/host/anechoic image -o "$dir/$1.img" --entry "It's mine=bench=fp_add_latency reps=3" --entry "Typo=bnch=x" \
        --entry 'Events=bench=l1_miss events=mem_load_retired:l1_miss' --entry 'Last=bench=empty  reps=4' \
        --module "$dir/own.mod" --default 4 --timeout 1 --verify >"$dir/$1.out" 2>&1 || status=$?
    [ $status = 1 ] || { fail "$1" "exit status $status, not 1"; return; }
    for line in "1 It's mine: boots" "2 Typo: FAILS: the kernel refuses its words: unknown word" \
        "3 Events: boots; QEMU's CPU does not have its events" "4 Last: boots"; do
        grep -q "^$line" "$dir/$1.out" || { fail "$1" "no line $line"; return; }
    done
    ./run-qemu.sh --no-install --image "$dir/$1.img" -o "$dir/$1.jsonl" >>"$dir/$1.out" 2>&1
    judge "$1" 0 $? '.[0].cmdline == "bench=empty reps=4"' '.[0].modules == 2' 'results | length == 1 and .[0].reps == 4'
}
custom own-menu own_menu

sizes() { # what must fit: an image, the event database, and of either kernel text and data
    local file size most
    make -s iso || { fail "$1" "no image"; return; }
    for file in anechoic.iso events.db i586/anechoic.elf x86_64/anechoic.elf; do
        size=$(stat -c %s build/$file)
        case $file in
        *.iso) most=6500000 ;; # Debian 13's GRUB takes half a megabyte more than 12's
        *.db) most=655360 ;;
        *) size=$(size build/$file | awk 'NR == 2 { print $1 + $2 }') most=720896 ;;
        esac
        if [ "$size" -gt $most ]; then fail "$1" "$file has $size bytes, and may have $most"; return; fi
    done
    say "ok $1"
}
custom sizes sizes

# ---- machines that lack something ----
boot no-tsc 3 "--flavour i586 --cpu 486" 'error_says("time-stamp counter")' 'results == []' '.[-1].status == 3' 'length == 2'
boot no-long-mode 3 "--flavour x86_64 --cpu pentium" 'error_says("long mode")' '.[-1].status == 3'
boot no-sse2 3 "--cpu max,-sse2" 'error_says("no SSE2")' '.[-1].status == 3'
boot halts 0 "--append 'exit=halt bench=empty'" 'results | length == 1'
boot exit-unknown 2 "--append exit=foo" 'error_says("unknown value.*foo")' 'results == []'
boot no-apic 0 "--cpu max,-apic" '.[1].apic == "absent"' 'notes("apic") | length == 1' main_benchmarks
boot no-acpi 0 "--qemu-arg=-M --qemu-arg=pc,acpi=off" main_benchmarks '.[0].acpi_oem == ""'
boot small-memory 0 "--qemu-arg -m --qemu-arg 4" main_benchmarks
boot large-memory 0 "--qemu-arg -m --qemu-arg 6G" main_benchmarks '.[0].pool_bytes > 2000000000' '.[0].memory_kib > 6000000'

# ---- a bad loader (tests/boot/loader.c): missing information is reported, everything possible is measured ----
# With garbage, all modules are refused and no words arrive: the benchmarks of a module must not be replaced by the kernel's own.
loader() { # loader NAME: the mode is the last word of the name
    local status mode=${1##*-}
    status=$(qemu "$1" "bench=l1_miss,stride_thrash" -serial "file:$dir/$1.com1" \
        -kernel build/boot/loader.elf -initrd "build/${1%-*}/anechoic.elf" -append "$mode exit=qemu" </dev/null)
    records_of "$dir/$1.com1" "$dir/$1.jsonl"
    judge "$1" "$([[ $mode == garbage ]] && echo 1 || echo 0)" "$status" \
        'results | length | if $mode == "garbage" then . == 0 else . >= 2 end' 'notes("memory") | length >= 1' \
        '(records("error"; .what == "module") | length >= 1) == ($mode == "garbage")' \
        '.[0].map_truncated == ($mode | IN("truncated", "garbage"))' \
        '.[0].map == ({nomap: "none", truncated: "mmap"}[$mode] // "meminfo")'
}
for f in i586 x86_64; do
    for mode in nomap meminfo truncated garbage; do custom "$f-$mode" loader; done
done
no_module() { # where the event database should be is no memory: this kernel's own names go on
    local status
    status=$(qemu "$1" "" -cpu EPYC -serial "file:$dir/$1.com1" \
        -kernel build/boot/loader.elf -initrd build/i586/anechoic.elf -append "module exit=qemu events=list" </dev/null)
    records_of "$dir/$1.com1" "$dir/$1.jsonl"
    judge "$1" 0 "$status" 'notes("events") |
        any(.message | test("only raw codes.*not used: its memory cannot be read"))' \
        'records("event") | any(.event == "cycles")'
}
custom i586-module no_module

# ---- USB: the firmware's controllers are taken and reported; others are left alone without a note ----
# QEMU's firmware has none: the loader leaves controllers as one that has. EHCI and OHCI are not handed over; xHCI has no
# list of such a capability. usb NAME: the words before the last one of the name are the kernel, the last is what usb= says.
usb() {
    local status how=${1##*-} kernel=${1#usb-} mode=usb states='' devices
    kernel=${kernel%-*}
    devices=$(printf -- '-device %s ' usb-ehci ich9-usb-uhci1 pci-ohci qemu-xhci)
    case $how in
    take) states='["EHCI does","OHCI does","UHCI was"]' ;;
    keep) states='["EHCI stays","OHCI stays","UHCI stays"]' ;;
    unused) states='[]' mode=meminfo ;;
    esac
    # shellcheck disable=SC2086 # words
    status=$(qemu "$1" "" $devices -serial "file:$dir/$1.com1" -kernel build/boot/loader.elf \
        -initrd "build/$kernel/anechoic.elf" -append "$mode exit=qemu bench=empty usb=${how/unused/take}" </dev/null)
    records_of "$dir/$1.com1" "$dir/$1.jsonl"
    judge "$1" 0 "$status" 'results | length == 1' '[notes("usb")[] | .message |
        capture("the (?<kind>[A-Z]+) controller at PCI 00:0[0-9].0 (?<verb>[a-z]+)") | "\(.kind) \(.verb)"] == $states'
}
for f in i586 x86_64; do
    for how in take keep unused; do usual_for 'i586-take x86_64-keep x86_64-unused' $f-$how custom "usb-$f-$how" usb; done
done
# Words that only list take no controller, and without PCI none is looked for.
boot usb-list 0 "--qemu-arg -device --qemu-arg usb-ehci --append bench=list" '[.[] | select(.what == "usb")] == []'
boot usb-isa 0 "--flavour i586 --cpu pentium --qemu-arg -M --qemu-arg isapc --qemu-arg -vga --qemu-arg none --append bench=empty" \
    'results | length == 1' '[.[] | select(.what == "usb")] == []'
bad usb-word 'usb=off' 'take, keep.*unknown value'

# ---- iPXE, over the network: puts the kernel's address in front of the words ----
ipxe() {
    local status here=$dir/$1.tftp
    mkdir "$here"
    cp build/i586/anechoic.elf "$here"
    printf '#!ipxe\nkernel anechoic.elf exit=qemu bench=empty reps=7\nboot\n' >"$here/boot.ipxe"
    timeout 120 qemu-system-x86_64 -nodefaults -display none -no-reboot -m 128 -vga std -boot n \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -serial "file:$here/serial" \
        -netdev "user,id=n,tftp=$here,bootfile=boot.ipxe" -device e1000,netdev=n >"$dir/$1.out" 2>&1 </dev/null
    status=$?
    records_of "$here/serial" "$dir/$1.jsonl"
    judge "$1" 33 "$status" '.[0].loader | startswith("iPXE")' 'results | length == 1 and .[0].reps == 7'
}
custom ipxe ipxe

# ---- this machine's own processor ----
# Whether it can be had is the machine's affair; where it cannot, the reason is said and the status is 4.
accel_kvm() {
    local status=0
    ./run-qemu.sh --no-install --accel kvm --timeout 60 --append "bench=truth" -o "$dir/$1.jsonl" >"$dir/$1.out" 2>&1 \
        </dev/null || status=$?
    if [ $status = 4 ] && grep -q '^run-qemu: .*KVM\|^run-qemu: .*/dev/kvm' "$dir/$1.out"; then
        say "skipped $1: $(grep '^run-qemu: ' "$dir/$1.out" | tail -n 1)"
        return
    fi
    judge "$1" 0 $status 'any(.[]; .t == "cpu" and (.pmu.counters | length) > 0)' 'any(.[]; .t == "truths")' \
        'all(.[]; .flags // [] | index("modelled") | not)'
}
custom accel-kvm accel_kvm

accel_wrong() { # what --accel takes
    local status=0
    ./run-qemu.sh --no-install --accel xen >"$dir/$1.out" 2>&1 </dev/null || status=$?
    if [ $status != 2 ] || ! grep -q 'tcg or kvm, not xen' "$dir/$1.out"; then fail "$1" "status $status"; return; fi
    status=0
    ./run-qemu.sh --no-install --accel kvm --icount >"$dir/$1.out" 2>&1 </dev/null || status=$?
    if [ $status != 2 ]; then fail "$1" "--icount: status $status"; else say "ok $1"; fi
}
custom accel-wrong accel_wrong
