#!/bin/bash
# Build Bochs 3.0 once, from Debian 13's source package, as it is: nothing of it is patched.
#
#   tools/bochs.sh [--plain]
#
# Without an option: with callbacks for our instrumentation library (sim/bochs/instrument.h), ready to be linked with
# it: headers, objects and libraries (`make build/bochs/bochs` does that, in seconds). --plain: the same Bochs without
# callbacks, as the program `bochs`, to measure against.
#
# The result goes to a directory of the user's cache (ANECHOIC_CACHE, else XDG_CACHE_HOME/anechoic, else
# ~/.cache/anechoic). Its name carries a hash of everything that shapes it (source, options, compiler, the callbacks'
# header), so that a stale build is never picked up. It appears there whole or not at all, and of two builds at once
# the second waits for the first. The source's tarball is fetched from the machine's own Debian mirror into the same
# cache; one that has been put there by hand, under its Debian name, is taken as well.
#
# The directory is the only line on stdout; progress goes to stderr.
# Exit status: 0 the directory is there, 2 wrong usage, 5 the build failed (its log is shown).
set -eu

tarball=bochs_3.0+dfsg.orig.tar.xz
sha256=78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b
release=trixie # whose source index has it
files=315      # objects in a build, for the progress

root=$(cd "$(dirname "$0")/.." && pwd)
callbacks=$root/sim/bochs/instrument.h

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

# What is worth waiting for is in here; its text is part of the result's name.
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
cache=${ANECHOIC_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/anechoic}
name=bochs-3.0-$kind-$hash
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

work=$(mktemp -d "$cache/.build-bochs-XXXXXX")
watcher=''
# shellcheck disable=SC2317 # called by the trap
cleanup() {
    [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP
log=$work/log

# ---- the source ----

is_right() { [ -f "$1" ] && echo "$sha256  $1" | sha256sum --status -c -; }

# The archives that this machine's apt takes its own release from: "URI" a line.
mirrors() {
    local codename
    # shellcheck disable=SC1091
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n -E 's/^deb(-src)?[[:space:]]+(\[[^]]*\][[:space:]]*)?//p' |
        awk -v suite="$codename" '$2 == suite && / main( |$)/ { print $1 }'
    # deb822: stanzas of fields, ended by an empty line; a field may go on in lines that begin with a blank.
    for sources in /etc/apt/sources.list.d/*.sources; do
        [ -f "$sources" ] || continue
        grep -v '^#' "$sources" | awk -v suite="$codename" '
            function stanza(   n, i, uri) {
                if (index(" " field["suites"] " ", " " suite " ") && index(" " field["components"] " ", " main ") &&
                    tolower(field["enabled"]) != " no") {
                    n = split(field["uris"], uri, " ")
                    for (i = 1; i <= n; i++) print uri[i]
                }
                delete field
            }
            /^[[:space:]]*$/ { stanza(); next }
            /^[^[:space:]]/ { name = tolower($1); sub(/:.*/, "", name); sub(/^[^:]*:/, "") }
            { for (i = 1; i <= NF; i++) field[name] = field[name] " " $i }
            END { stanza() }'
    done
}

# fetch URI: the tarball into $work/fetch. Debian 12 has an older Bochs, so the source index is always Debian 13's,
# in an apt configuration of its own. A mirror may lack the .dsc while it has the tarball, and apt then fails: only
# the tarball is asked for, and its checksum decides, not apt's status.
fetch() {
    local apt="$work/apt"
    rm -rf "$apt" "$work/fetch"
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$work/fetch"
    {
        printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\n' "$1" "$release"
        printf 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n'
    } >"$apt/debian.sources"
    local command=(apt-get -q -o "Dir::Etc::SourceList=$apt/debian.sources" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=)
    (
        cd "$work/fetch"
        "${command[@]}" update
        "${command[@]}" source --download-only --tar-only bochs
    ) </dev/null >>"$log" 2>&1 || true
    is_right "$work/fetch/$tarball"
}

if ! is_right "$cache/$tarball"; then
    exec 8>"$cache/.bochs.lock"
    flock 8
    if ! is_right "$cache/$tarball"; then
        say "fetching $tarball, 4 MB, through apt..."
        : >"$log"
        found=no
        for uri in $(mirrors | sort -u); do
            if fetch "$uri"; then
                mv "$work/fetch/$tarball" "$cache/$tarball"
                found=yes
                break
            fi
        done
        if [ $found = no ]; then
            tail -n 20 "$log" >&2
            say "no Debian mirror of this machine's gave $tarball; put it into $cache to go on"
            exit 5
        fi
    fi
    exec 8>&-
fi

# ---- the build ----

say "building Bochs 3.0 ($kind), one to four minutes..."
progress() {
    while sleep 15; do
        say "$(find "$work/source" -name '*.o' 2>/dev/null | wc -l) of about $files files compiled"
    done
}
progress >&2 9>&- &
watcher=$!

# Not "build || status=$?": there the shell would ignore set -e inside of it.
set +e
(build) </dev/null >"$log" 2>&1 9>&-
status=$?
set -e
if [ "$status" != 0 ] || [ -z "$(ls "$work/done" 2>/dev/null)" ]; then
    mv "$log" "$cache/$name.log"
    tail -n 20 "$cache/$name.log" >&2
    say "the build failed; the whole log is $cache/$name.log"
    exit 5
fi
mv -T "$work/done" "$result"
rm -f "$cache/$name.log"
echo "$result"
