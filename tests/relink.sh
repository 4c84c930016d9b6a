#!/bin/bash
# Link the objects of a kernel once more, elsewhere: what is counted must not depend on it.
#
#   tests/relink.sh order|pad|both LD-WORD...
#
# LD-WORD...: ld and its arguments. order: its objects come in another order; pad: 3 to 7 KiB are put before the code, the
# constants, the data and the rest that the kernel does not use for each repetition; both. The same each time.
# Exit status: ld's; 2 wrong usage.
set -eu

case ${1-} in
order | pad | both) kind=$1 ;;
*)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
    ;;
esac
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

words=() objects=() libraries=()
for word; do
    case $word in
    *.o) objects+=("$word") ;;
    *.a) libraries+=("$word") ;;
    *) words+=("$word") ;;
    esac
done
if [ "$kind" != pad ]; then
    # By a hash of their names, which no new object changes.
    mapfile -t objects < <(for o in "${objects[@]}"; do echo "$(cksum <<<"$o") $o"; done | sort -n | cut -d' ' -f3)
fi
if [ "$kind" != order ]; then
    bytes=3001
    for section in '.text.a,"ax"' '.rodata.a,"a"' '.data.a,"aw"' '.bss.a,"aw",@nobits'; do
        echo ".section $section; .globl pad_$bytes; pad_$bytes: .skip $bytes"
        words+=(-u "pad_$bytes")
        bytes=$((bytes + 1357))
    done >"$work/pad.s"
    case " ${words[*]} " in *" elf_i386 "*) as --32 -o "$work/a.o" "$work/pad.s" ;; *) as -o "$work/a.o" "$work/pad.s" ;; esac
    objects=("$work/a.o" "${objects[@]}")
fi
"${words[@]}" "${objects[@]}" "${libraries[@]}"
