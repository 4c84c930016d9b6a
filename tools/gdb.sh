#!/bin/bash
# Boots a kernel in QEMU, stopped, and debugs it: gdb has the kernel's symbols and stops in kernel_main. `make gdb` runs this.
#
#   tools/gdb.sh FLAVOUR [WORDS]
#
# FLAVOUR is i586 or x86_64; WORDS are the kernel's, such as "bench=empty". The kernel's text appears as it comes; records are
# off unless WORDS have records=. QEMU ends together with gdb.
# Environment: GDB (default gdb) may have options, such as 'gdb -batch -ex bt'; they follow the stop in kernel_main.
# BUILD (default build). Exit status: gdb's; 2 wrong usage, 5 packages or QEMU failed.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
. tools/packages.sh
case ${1-} in
i586) qemu='qemu-system-i386' ;; # the other one's stub shows 64-bit registers, which gdb does not take for a 32-bit program
x86_64) qemu='qemu-system-x86_64' ;;
*)
    echo "gdb: FLAVOUR is i586 or x86_64, not ${1:-empty}" >&2
    exit 2
    ;;
esac
build=${BUILD:-build}/$1 words=${2-}
read -ra gdb <<<"${GDB:-gdb}"
sets=(qemu)
command -v "${gdb[0]}" >/dev/null || sets+=(debug)
need "${sets[@]}"

for word in records=none exit=qemu; do
    [[ " $words " = *" ${word%%=*}="* ]] || words="$word${words:+ $words}"
done
work=$(mktemp -d)
qemu_pid=''
# shellcheck disable=SC2317 # called by the trap
cleanup() {
    [ -z "$qemu_pid" ] || kill "$qemu_pid" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 143' TERM HUP
trap : INT # Ctrl-C is gdb's: it stops the kernel

# A session of its own: Ctrl-C does not reach it.
setsid "$qemu" -nodefaults -no-user-config -vga std -display none -no-reboot -m 256 -cpu max -device isa-debug-exit,iobase=0xf4,iosize=4 \
    -kernel "$build/anechoic.elf" -initrd "${BUILD:-build}/events.db" -append "$words" -serial stdio \
    -S -gdb "unix:$work/gdb,server=on,wait=off" </dev/null 2>"$work/stderr" &
qemu_pid=$!
until [ -S "$work/gdb" ]; do
    kill -0 $qemu_pid 2>/dev/null || {
        cat "$work/stderr" >&2
        echo "gdb: QEMU did not start" >&2
        exit 5
    }
    sleep 0.1
done

# A hardware breakpoint, since the loader writes the kernel over any other. The kernel is in 64-bit mode there, if it has one.
cat >"$work/start" <<END
set confirm off
file $build/kernel.elf
target remote $work/gdb
hbreak kernel_main
continue
END
status=0
"${gdb[0]}" -q -x "$work/start" "${gdb[@]:1}" || status=$?
exit "$status"
