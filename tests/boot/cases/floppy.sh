# Floppies: PCs that boot from neither CD nor stick, down to one with nothing but an ISA bus. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2261

ISA='--floppy --qemu-arg -M --qemu-arg isapc --qemu-arg -vga --qemu-arg none --qemu-arg -device --qemu-arg isa-vga'
boot floppy 0 "--floppy --append bench=empty" '.[0].flavour == "i586" and .[0].modules == 1 and .[0].protocol == 2' \
    '.[0].loader | startswith("GRUB")' 'results | length == 1'
# A stray interrupt was noted in one of some twenty boots, in QEMU on a busy computer; that note is not looked at.
boot floppy-isa 0 "$ISA --cpu pentium" '.[0].acpi_oem == ""' '.[0].consoles | index("ega") != null' '.[0].modules == 1' \
    'records("note"; .what != "interrupts") == []' main_benchmarks positive '.[-1].t == "end"'
# GRUB lacks the memory to inflate the event database; what does not need it is measured.
boot floppy-isa-4m 0 "$ISA --cpu pentium --qemu-arg -m --qemu-arg 4" '.[0].memory_kib < 4096 and .[0].modules == 0' main_benchmarks positive
boot floppy-isa-486 3 "$ISA --cpu 486" 'error_says("no time-stamp counter; Anechoic needs a Pentium")' 'results == []' '.[-1].status == 3'
sim_boot floppy-p5 0 '--cpu p5 --floppy' 'bench=stride_thrash:lines=2..3 events=data_read_miss,cycles' '.[0].loader | startswith("GRUB 2")' \
    '.[0].modules == 1' 'results | map(select(.event == "data_read_miss") | .median) | length == 2 and .[0] < 0.1 and .[1] > 0.9'

floppy_menu() { # a floppy with the user's own entries, booted by its menu; then what does not fit
    local status=0
    module own-floppy 32 nop=90
    build/host/anechoic image --floppy -o "$dir/$1.img" --entry "Quick=bench=fp_add_latency reps=3" --entry 'Code=bench=code reps=4' \
        --module "$dir/own-floppy.mod" --default 2 --timeout 1 --verify >"$dir/$1.out" 2>&1 || status=$?
    [ $status = 0 ] && grep -q '^2 Code: boots' "$dir/$1.out" || { fail "$1" "exit status $status"; return; }
    [ "$(stat -c %s "$dir/$1.img")" = 1474560 ] || { fail "$1" "not 1.44 MB"; return; }
    ./run-qemu.sh --no-install --image "$dir/$1.img" --cpu pentium -o "$dir/$1.jsonl" >>"$dir/$1.out" 2>&1
    judge "$1" 0 $? '.[0].cmdline == "bench=code reps=4"' '.[0].modules == 2' '[results[].bench] == ["code"]'
}
custom floppy-menu floppy_menu
