#!/bin/bash
# What tools/pfmdump.c tells of libpfm4's i386 library, which knows CPUs that the amd64 one leaves out (Core Duo,
# Pentium M, P6).
#
#   tools/pfmdump-i386.sh VERSION OUT.txt
#
# VERSION is the package's, that of the amd64 library. The i386 library and what a 32-bit program needs to be linked
# with it go to a directory of the user's cache (ANECHOIC_CACHE, else XDG_CACHE_HOME/anechoic, else
# ~/.cache/anechoic), and once they are there the network is not asked again. They come from the machine's own Debian
# mirror, through an apt configuration of its own: no architecture is added to the machine, nothing is installed, and
# apt checks signatures and checksums as ever.
#
# Exit status: 0 done, 2 wrong usage, 5 the library cannot be had, or no 32-bit program can be run.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/mirrors.sh"

say() { echo "pfmdump-i386: $*" >&2; }

case "$#,${1-}" in
*,-h | *,--help)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
    exit 0
    ;;
2,*) ;;
*)
    say "usage: tools/pfmdump-i386.sh VERSION OUT.txt"
    exit 2
    ;;
esac
version=$1 out=$2

cache=$(realpath -m "${ANECHOIC_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/anechoic}")
# shellcheck disable=SC1091
release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
compiler=$(gcc -dumpversion)
compiler=${compiler%%.*} # Debian's libgcc is named after it
system=$cache/libpfm4-$version-i386-gcc$compiler

made=$(mktemp -d) work=
trap 'rm -rf "$made" ${work:+"$work"}' EXIT
trap 'exit 130' INT TERM HUP

# fetch URI: the packages' files into $work/root.
fetch() {
    local apt_options package
    rm -rf "${work:?}/apt" "${work:?}/root"
    mkdir "$work/root"
    private_apt "$work/apt" deb "$1" "$release" i386
    apt-get "${apt_options[@]}" update || return
    (cd "$work/apt" && apt-get "${apt_options[@]}" download "libpfm4-dev=$version" libc6-dev linux-libc-dev \
        "libgcc-$compiler-dev") || return
    for package in "$work"/apt/*.deb; do
        dpkg-deb --extract "$package" "$work/root" || return
    done
    rm -rf "$work/root/usr/share"
}

fetch_from_any() {
    local uri
    for uri in $(mirrors | sort -u); do
        fetch "$uri" </dev/null >>"$log" 2>&1 || continue
        mv "$work/root" "$system"
        return
    done
    return 1
}

# A cache that has the library may belong to somebody else: it is not written to.
if [ ! -d "$system" ]; then
    mkdir -p "$cache"
    exec 9>"$cache/.libpfm.lock"
    flock 9
fi
if [ ! -d "$system" ]; then
    work=$(mktemp -d "$cache/.libpfm-XXXXXX")
    log=$work/log
    : >"$log"
    say "fetching libpfm4's i386 library, 7 MB, through apt..."
    if ! fetch_from_any; then
        say "no mirror gave it; once more in a minute, since one may be in the middle of its own update"
        sleep 60
        fetch_from_any || true
    fi
    if [ ! -d "$system" ]; then
        tail -n 20 "$log" >&2
        say "no Debian mirror of this machine's gave libpfm4-dev $version of $release for i386"
        exit 5
    fi
fi

lib=$system/usr/lib/i386-linux-gnu
gcc_lib=$(echo "$system"/usr/lib/gcc/*/"$compiler")
# Static, and with every file named: the compiler need not know of 32-bit libraries.
gcc -std=gnu11 -m32 -O2 -Wall -Wextra -Werror -static -nostdlib -nostartfiles --sysroot="$system" \
    -isystem "$system/usr/include/i386-linux-gnu" -o "$made/pfmdump" "$lib/crt1.o" "$lib/crti.o" \
    "$root/tools/pfmdump.c" "$lib/libpfm.a" -Wl,--start-group "$lib/libc.a" "$gcc_lib/libgcc.a" \
    "$gcc_lib/libgcc_eh.a" -Wl,--end-group "$lib/crtn.o" || exit 5
# Linux may run no 32-bit programs (ia32_emulation=off, some virtual machines). QEMU's user mode does.
if ! "$made/pfmdump" "$version" >"$made/out" 2>/dev/null; then
    say "this machine's Linux runs no 32-bit programs: using QEMU's user mode"
    . "$root/tools/packages.sh"
    need bits32
    qemu-i386 "$made/pfmdump" "$version" >"$made/out" || exit 5
fi
mv "$made/out" "$out"
