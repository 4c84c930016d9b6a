#!/bin/bash
# The decoder knows the length of each instruction that may be sampled: all code that ring 3 may execute, in both
# kernels, as objdump splits it. Profiles count distances with these lengths.
# Prints "ok NAME" or "not ok NAME: why"; exit status 1 when one failed.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
failed=0

for kernel in i586:32 x86_64:64; do
    elf=$build/${kernel%:*}/kernel.elf
    from=0x$(nm "$elf" | sed -n 's/ . user_text_start$//p')
    to=0x$(nm "$elf" | sed -n 's/ . user_text_end$//p')
    # The bytes alone; FWAIT (9b) that objdump draws into the x87 instruction behind it is one by itself.
    if out=$(objdump -d --insn-width=16 --start-address="$from" --stop-address="$to" "$elf" |
        sed -nE 's/^ +[0-9a-f]+:\t(([0-9a-f]{2} )+).*/\1/p' | sed -E 's/^9b (.+)/9b\n\1/' |
        "$build/unit/decode" "${kernel#*:}"); then
        echo "ok decode payload ${kernel%:*}: $out"
    else
        echo "not ok decode payload ${kernel%:*}: $out"
        failed=1
    fi
done
exit $failed
