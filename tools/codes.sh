#!/bin/bash
# The sources that the kernels' QR codes are made with, from Debian 13's source packages, without patches: zlib's
# deflate, and the QR Code generator (libqrcodegen).
#
#   tools/codes.sh
#
# The files that are compiled into the kernels go to the user's cache (tools/cache.sh), under a name with a hash of
# everything that shapes them: zlib.h and what belongs to it, and qrcodegen/. The tarballs are fetched from the machine's
# own Debian mirror into the same cache; those that have been put there by hand, under their Debian names, are used as
# well.
#
# The directory is the only line on stdout; progress goes to stderr.
# Exit status: 0 the directory is there, 2 wrong usage, 5 there is no source (the log is shown).
set -eu

release=trixie # whose source index has both
zlib=zlib_1.3.dfsg+really1.3.1.orig.tar.gz
zlib_sha256=60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb
qrcodegen=qr-code-generator_1.8.0.orig.tar.gz
qrcodegen_sha256=2ec0a4d33d6f521c942eeaf473d42d5fe139abcfa57d2beffe10c5cf7d34ae60

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/cache.sh"
. "$root/tools/mirrors.sh"
. "$root/tools/debian-source.sh"

say() { echo "codes: $*" >&2; }

case "${1-}" in
-h | --help)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
    exit 0
    ;;
'') ;;
*)
    say "usage: tools/codes.sh"
    exit 2
    ;;
esac

# What cache_build runs.
# shellcheck disable=SC2317
build() {
    set -e
    mkdir "$work/zlib" "$work/qrcodegen" "$work/done" "$work/done/qrcodegen"
    tar xf "$cache/$zlib" -C "$work/zlib" --strip-components=1
    tar xf "$cache/$qrcodegen" -C "$work/qrcodegen" --strip-components=1
    cd "$work/zlib"
    cp adler32.c deflate.[ch] trees.[ch] zutil.[ch] zconf.h zlib.h LICENSE "$work/done"
    cp "$work/qrcodegen/c/qrcodegen."[ch] "$work/done/qrcodegen"
}

hash=$({
    echo "$zlib_sha256 $qrcodegen_sha256"
    declare -f build
} | sha256sum | cut -c1-12)
cache_open "codes-$hash"
debian_source "$release" zlib "$zlib" "$zlib_sha256" "1.3 MB"
debian_source "$release" qr-code-generator "$qrcodegen" "$qrcodegen_sha256" "0.2 MB"
cache_build deflate.c zlib.h qrcodegen/qrcodegen.c qrcodegen/qrcodegen.h
