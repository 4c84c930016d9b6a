#!/bin/bash
# Build newlib, the C library of both kernels, once, from Debian's newlib-source package.
#
#   tools/newlib.sh i586|x86_64
#
# The result goes to a directory of the user's cache (ANECHOIC_CACHE, else
# XDG_CACHE_HOME/anechoic, else ~/.cache/anechoic) and holds include/ and lib/libc.a.  Its name
# carries newlib's version and a hash of everything that shapes it (flags, compiler, this script),
# so that a stale library is never picked up.  It appears there whole or not at all, and of two
# builds at once the second waits for the first.
#
# The directory is the only line on stdout; progress goes to stderr.
# Exit status: 0 the directory is there, 2 wrong usage, 5 the build failed (its log is shown).
set -eu

say() { echo "newlib: $*" >&2; }

case "${1-}" in
-h | --help)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
    exit 0
    ;;
i586) arch_flags='-m32 -march=i586 -mno-sse -mno-mmx -mfpmath=387' ;;
x86_64) arch_flags='-m64 -mno-red-zone -mcmodel=small' ;;
*)
    say "usage: tools/newlib.sh i586|x86_64"
    exit 2
    ;;
esac
flavour=$1

# The host compiler's notion of Linux must not leak in: newlib is built for a bare i586-elf.  Without
# path isolation gcc plants no UD2 (newer than a Pentium) where it sees a null pointer followed.
flags="$arch_flags -ffreestanding -fno-pic -fno-pie -fno-stack-protector -fcf-protection=none
 -O2 -Ulinux -U__linux__ -Uunix -U__unix__ -fno-asynchronous-unwind-tables
 -ffunction-sections -fdata-sections -fno-isolate-erroneous-paths-dereference"
flags=${flags//$'\n'/}
# No nano formatted I/O: there %llu prints "lu".
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

hash=$({
    echo "$flags $options"
    gcc -v 2>&1
    cat "$0"
} | sha256sum | cut -c1-12)
cache=${ANECHOIC_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/anechoic}
name=newlib-$version-$flavour-$hash
result=$cache/$name

if [ -d "$result" ]; then
    echo "$result"
    exit 0
fi

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
result=$cache/$name
exec 9>"$cache/.$name.lock"
flock 9
if [ -d "$result" ]; then # another build finished while this one waited
    echo "$result"
    exit 0
fi

work=$(mktemp -d "$cache/.build-$flavour-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
log=$work/log
say "building newlib $version for $flavour, about a minute..."

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

# Not "build || status=$?": there the shell would ignore set -e inside of it.
set +e
(build) </dev/null >"$log" 2>&1 9>&-
status=$?
set -e
if [ "$status" != 0 ] || [ ! -s "$work/done/lib/libc.a" ] || [ ! -f "$work/done/include/stdio.h" ]; then
    mv "$log" "$cache/$name.log"
    tail -n 20 "$cache/$name.log" >&2
    say "the build failed; the whole log is $cache/$name.log"
    exit 5
fi
mv -T "$work/done" "$result"
rm -f "$cache/$name.log"
echo "$result"
