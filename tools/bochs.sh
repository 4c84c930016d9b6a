#!/bin/bash
# Build Bochs 3.0 once, from Debian 13's source package, without patches.
#
#   tools/bochs.sh [--plain]
#
# Without an option: with callbacks for our instrumentation library (sim/bochs/instrument.h), ready to be linked with
# it: headers, objects and libraries (`make build/bochs/bochs` does that, in seconds). --plain: the same Bochs without
# callbacks, as the program `bochs`, to measure against.
#
# The result goes to the user's cache (tools/cache.sh), under a name with a hash of everything that shapes it (source,
# options, compiler, the callbacks' header), so that a stale build is never used. The source's tarball is fetched
# from the machine's own Debian mirror into the same cache; one that has been put there by hand, under its Debian name,
# is used as well.
#
# The directory is the only line on stdout; progress goes to stderr.
# Exit status: 0 the directory is there, 2 wrong usage, 5 the build failed (its log is shown).
set -eu

tarball=bochs_3.0+dfsg.orig.tar.xz
sha256=78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b
release=trixie # whose source index has it
files=315      # objects in a build, for the progress

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/cache.sh"
callbacks=$root/sim/bochs/instrument.h
. "$root/tools/mirrors.sh"
. "$root/tools/debian-source.sh"

say() { echo "bochs: $*" >&2; }

case "${1-}" in
-h | --help)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
    exit 0
    ;;
'') kind=instrumented instrumentation=--enable-instrumentation=instrument/anechoic ;;
--plain) kind=plain instrumentation= ;;
*)
    say "usage: tools/bochs.sh [--plain]"
    exit 2
    ;;
esac

# SMP needs a Bochs that is slower by a few per cent; both kinds have it.
options="--quiet --with-nogui --enable-cpu-level=6 --enable-x86-64 --enable-smp --enable-handlers-chaining
 --enable-trace-linking --enable-fast-function-calls --disable-repeat-speedups --enable-avx --enable-evex
 --enable-pci --disable-docbook --disable-readline $instrumentation"
options=${options//$'\n'/}

# The options; their text is part of the result's name.
build() {
    set -e
    # A make that calls this script must not pass its own variables and job server on.
    unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CONFIG_SITE
    export LC_ALL=C
    mkdir "$work/source" "$work/done"
    tar xf "$cache/$tarball" -C "$work/source" --strip-components=1
    cd "$work/source"
    if [ "$kind" = instrumented ]; then
        # An empty library, as instrumentation.txt asks for one; ours comes later.
        mkdir instrument/anechoic
        cp "$callbacks" instrument/anechoic/instrument.h
        printf 'libinstrument.a:\n\tar cr $@\n' >instrument/anechoic/Makefile.in
    fi
    # The addresses of tables are constants without PIE, which tells in the handlers of instructions.
    # shellcheck disable=SC2086 # the options are words
    ./configure $options CFLAGS='-O2 -fno-pie' CXXFLAGS='-O2 -fno-pie' LDFLAGS=-no-pie
    make -s -j"$(nproc)" bochs EXTRA_LINK_OPTS=-Wl,--unresolved-symbols=ignore-all
    if [ "$kind" = instrumented ]; then
        rm instrument/anechoic/libinstrument.a
        find . \( -name '*.h' -o -name '*.def' -o -name '*.a' \) -exec cp --parents -t "$work/done" {} +
        cp ./*.o "$work/done"
    else
        strip -o "$work/done/bochs" bochs
    fi
}

hash=$({
    echo "$kind $options $sha256"
    declare -f build
    gcc -v 2>&1
    [ "$kind" = plain ] || cat "$callbacks"
} | sha256sum | cut -c1-12)
cache_open "bochs-3.0-$kind-$hash"

debian_source "$release" bochs "$tarball" "$sha256" "4 MB"

# ---- the build ----

say "building Bochs 3.0 ($kind), one to four minutes..."
progress() {
    while sleep 15; do
        say "$(find "$work/source" -name '*.o' 2>/dev/null | wc -l) of about $files files compiled"
    done
}
progress >&2 9>&- &
watcher=$!

if [ "$kind" = plain ]; then cache_build bochs; else cache_build config.h; fi
