#!/bin/bash
# Build newlib, the C library of both kernels and of payloads, once, from Debian's newlib-source package.
#
#   tools/newlib.sh i586|x86_64 [payload]
#
# payload: position-independent, for programs of the user's own (docs/payload.md); else for the kernel.
#
# The result goes to the user's cache (tools/cache.sh) and holds include/ and lib/libc.a.  Its
# name carries newlib's version and a hash of everything that shapes it (flags, compiler, what
# build() does), so that a stale library is never picked up.
#
# The directory is the only line on stdout; progress goes to stderr.
# Exit status: 0 the directory is there, 2 wrong usage, 5 the build failed (its log is shown).
set -eu

. "$(dirname "$0")/cache.sh"

say() { echo "newlib: $*" >&2; }

case "$*" in
-h | --help)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
    exit 0
    ;;
i586 | 'i586 payload') arch_flags='-m32 -march=i586 -mno-sse -mno-mmx -mfpmath=387' ;;
x86_64 | 'x86_64 payload') arch_flags='-m64 -mno-red-zone -mcmodel=small' ;;
*)
    say "usage: tools/newlib.sh i586|x86_64 [payload]"
    exit 2
    ;;
esac
flavour=$1 for=${2-kernel}
case $for in
kernel) position='-fno-pic -fno-pie' size=-Os ;; # nothing here is called where it is measured, or moves video memory
payload) position='-fPIE -fvisibility=hidden' size=-O2 ;;
esac

# The host compiler's notion of Linux must not leak in: newlib is built for a bare i586-elf.  Without
# path isolation gcc plants no UD2 (newer than a Pentium) where it sees a null pointer followed.
flags="$arch_flags -ffreestanding $position -fno-stack-protector -fcf-protection=none
 $size -Ulinux -U__linux__ -Uunix -U__unix__ -fno-asynchronous-unwind-tables
 -ffunction-sections -fdata-sections -fno-isolate-erroneous-paths-dereference"
flags=${flags//$'\n'/}
# The kernel's formatted output is kernel/format.c's.
options='--disable-newlib-supplied-syscalls --disable-newlib-multithread --disable-multilib
 --enable-newlib-io-long-long --enable-newlib-io-c99-formats --enable-newlib-nano-malloc
 --enable-newlib-reent-small --enable-lite-exit --enable-newlib-global-atexit
 --disable-dependency-tracking'
options=${options//$'\n'/}

tarball=
for file in /usr/src/newlib/newlib-*.tar.* /usr/src/newlib-*.tar.*; do
    if [ -f "$file" ]; then tarball=$file; fi
done
if [ -z "$tarball" ]; then
    say "no newlib source in /usr/src: install the package newlib-source"
    exit 5
fi
version=${tarball##*/newlib-}
version=${version%.tar.*}

# shellcheck disable=SC2154 # cache_open sets work
build() {
    set -e
    # A make that calls this script must not pass its own variables and job server on.
    unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS CPPFLAGS LDFLAGS CONFIG_SITE
    export LC_ALL=C
    mkdir "$work/source" "$work/build" "$work/root"
    tar xf "$tarball" -C "$work/source" --strip-components=1 --exclude='*/testsuite/*'
    cd "$work/build"
    # No header of the host's C library: only the compiler's own, and after newlib's, because
    # newlib's limits.h wants to be found first.  So plain gcc does, without gcc-multilib.
    include=$(gcc -print-file-name=include)
    # shellcheck disable=SC2086 # the options are words
    "$work/source/newlib/configure" --quiet --cache-file="$work/config.cache" --prefix=/ \
        --host="$flavour-elf" $options CC="gcc $flags -nostdinc -idirafter $include" \
        CFLAGS= CCASFLAGS= AR=ar AS=as RANLIB=ranlib READELF=readelf STRIP=strip MAKEINFO=:
    make -s -j"$(nproc)" MAKEINFO=:
    make -s install MAKEINFO=: DESTDIR="$work/root"
    mkdir "$work/done"
    mv "$work/root/$flavour-elf/include" "$work/done/include"
    mkdir "$work/done/lib"
    cp libc.a "$work/done/lib/libc.a"
}

# Programs of the user's own may compute.
# shellcheck disable=SC2317 # called as $builder
build_payload() {
    build && cp libm.a "$work/done/lib/libm.a"
}

# shellcheck disable=SC2034 # cache_build runs it
case $for in kernel) builder=build ;; payload) builder=build_payload ;; esac
hash=$({
    echo "$flags $options"
    declare -f build
    [ "$for" = kernel ] || declare -f build_payload
    gcc -v 2>&1
} | sha256sum | cut -c1-12)
cache_open "newlib-$version-$flavour-$hash"
say "building newlib $version for $flavour ($for), about a minute..."
cache_build lib/libc.a include/stdio.h
