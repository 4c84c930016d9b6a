#!/bin/bash
# Build newlib, the C library of both kernels and of payloads, once, from Debian's newlib-source package.
#
#   tools/newlib.sh i586|x86_64 [payload]
#
# payload: whole and position-independent, for user programs (docs/payload.md), with libm.a, in a few minutes.
# Without it: only the functions that the kernels call, in a few seconds. The linker names a missing one.
#
# The result goes to the user's cache (tools/cache.sh) and holds include/ and lib/libc.a.  Its
# name carries newlib's version and a hash of everything that shapes it (flags, compiler, the
# functions below), so that a stale library is never picked up.
#
# The directory is the only line on stdout; progress goes to stderr.
# Exit status: 0 the directory exists, 2 wrong usage, 5 the build failed (its log is shown).
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

# configure [OPTION]... - unpack and configure newlib, in $work/build.
# shellcheck disable=SC2154 # cache_open sets work
configure() {
    # A make that calls this script must not pass its own variables and job server on.
    unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS CPPFLAGS LDFLAGS CONFIG_SITE
    export LC_ALL=C
    mkdir "$work/source" "$work/build" "$work/done" "$work/done/lib"
    tar xf "$tarball" -C "$work/source" --strip-components=1 --exclude='*/testsuite/*'
    cd "$work/build"
    # No header of the host's C library: only the compiler's own, and after newlib's, because
    # newlib's limits.h wants to be found first.  So plain gcc does, without gcc-multilib.
    compiler="gcc $flags -nostdinc -idirafter $(gcc -print-file-name=include)"
    # shellcheck disable=SC2086 # the options are words
    "$work/source/newlib/configure" --quiet --cache-file="$work/config.cache" --prefix=/ \
        --host="$flavour-elf" $options "$@" CC="$compiler" \
        CFLAGS= CCASFLAGS= AR=ar AS=as RANLIB=ranlib READELF=readelf STRIP=strip MAKEINFO=:
}

# of_make NAME - the value of a variable of newlib's Makefile
of_make() { sed -n "s/^$1 *= *//p" Makefile; }

# Newlib's own Makefiles build about a thousand files and configure each directory. That takes up to two minutes, and the kernels
# link about thirty of these files. An assembly version for the processor takes precedence over the general one.
# shellcheck disable=SC2317 # called as $builder
build_kernel() {
    set -e
    configure --no-recursion # newer ones have one configure script for all, and ignore this
    make -s stmp-targ-include >&2
    # What the kernels, the process and Linux' init of the tests call, below newlib/libc/.
    local called='ctype/ctype_ errno/errno machine/setjmp reent/impure stdlib/abs stdlib/labs stdlib/strtol stdlib/strtoul
        stdlib/strtoull string/memchr string/memcmp string/memcpy string/memmove string/memset string/strcasecmp string/strcat
        string/strchr string/strcmp string/strcpy string/strcspn string/strlen string/strncat string/strncmp string/strncpy
        string/strnlen string/strpbrk string/strrchr string/strspn string/strstr'
    local libc=$work/source/newlib/libc own file files=()
    own=$libc/machine/$(of_make machine_dir)
    cp -R "$libc/include" "$work/done/include"
    cp -R targ-include/. "$work/done/include"
    for file in $called; do
        if [ -e "$own/${file#*/}.S" ]; then files+=("$own/${file#*/}.S"); else files+=("$libc/$file.c"); fi
    done
    # shellcheck disable=SC2046,SC2086 # the options are words
    printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 \
        $compiler $(of_make NEWLIB_CFLAGS) -isystem "$work/done/include" -I"$libc/string" -I"$own" -c
    ar qcs "$work/done/lib/libc.a" ./*.o
}

# User programs may call anything, and compute.
# shellcheck disable=SC2317 # called as $builder
build_payload() {
    set -e
    configure
    make -s -j"$(nproc)" MAKEINFO=:
    make -s install MAKEINFO=: DESTDIR="$work/root"
    mv "$work/root/$flavour-elf/include" "$work/done/include"
    cp libc.a libm.a "$work/done/lib"
}

builder=build_$for # cache_build runs it
hash=$({
    echo "$flags $options"
    declare -f configure of_make "$builder"
    gcc -v 2>&1
} | sha256sum | cut -c1-12)
cache_open "newlib-$version-$flavour-$hash"
case $for in kernel) how_long='a few seconds' ;; payload) how_long='a few minutes' ;; esac
say "building newlib $version for $flavour ($for), $how_long..."
cache_build lib/libc.a include/stdio.h
