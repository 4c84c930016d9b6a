#!/bin/bash
# `make gdb` stops both kernels in kernel_main, with symbols, and continues them.
# Prints "ok NAME", "not ok NAME: why" or "skipped NAME: why" for each case; exit status 1 when one failed.
set -u

cd "$(dirname "$0")/../.." || exit
unset MAKEFLAGS MFLAGS MAKELEVEL
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# judge NAME LINE...: each LINE, an extended regular expression, is one of $dir/out, in this order
judge() {
    local name=$1 rest=$dir/rest
    cp "$dir/out" "$rest"
    shift
    for line in "$@"; do
        grep -qxE -- "$line" "$rest" || {
            echo "not ok gdb $name: no line is '$line', in its place: $(tail -n 20 "$dir/out" | tr '\n' '|')"
            failed=1
            return
        }
        sed -i -E "0,/^$line\$/d" "$rest"
    done
    echo "ok gdb $name"
}

status=0
BUILD=${BUILD:-build} tools/gdb.sh i686 >"$dir/out" 2>&1 || status=$?
echo "status $status" >>"$dir/out"
judge "a flavour that does not exist" 'gdb: FLAVOUR is i586 or x86_64, not i686' 'status 2'

for program in gdb qemu-system-i386; do
    command -v $program >/dev/null || {
        echo "skipped gdb kernel_main: no $program here"
        exit $failed
    }
done

for flavour in i586 x86_64; do
    timeout 120 make -s gdb BUILD="${BUILD:-build}" FLAVOUR=$flavour WORDS='bench=empty reps=3' \
        GDB='gdb -nx -batch -ex bt -ex next -ex next -ex continue' >"$dir/out" 2>&1 </dev/null
    judge "$flavour" "Breakpoint 1, kernel_main \(magic=732803074, info=[0-9]+\) at boot.main\.c:[0-9]+" \
        '#0  kernel_main \(magic=732803074, .*' '[0-9]+	 +percpu_boot\(\);' \
        " +Command .*$flavour.anechoic\.elf exit=qemu records=none bench=empty reps=3.*" 'done: 1 measurement, 0 failed; .* status 0.*'
done
exit $failed
