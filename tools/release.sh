#!/bin/bash
# Make dist/: the image, the sources of kernel and host tool, and their checksums.
#
#   BUILD=build tools/release.sh        after `make kernels events`, as `make release` does
#
# The same commit gives the same bytes, in whatever directory, on one release of Debian: files are sorted and belong to
# root, and have one date, SOURCE_DATE_EPOCH (default: that of the last commit; of unpacked sources their own).
# Exit status: 0 made, 5 something is missing.
set -eu

cd "$(dirname "$0")/.."
. tools/packages.sh
build=${BUILD:-build}
export LC_ALL=C
umask 022

need iso release
if [ ! -s "$build/events/i386.txt" ]; then
    echo "release: the event database lacks the CPUs of libpfm4's i386 library, which could not be fetched: rm $build/events/i386.txt, and make release again" >&2
    exit 5
fi
if [ -e .git ]; then
    sources() { git ls-files -z; }
    dated() { git log -1 --format=%ct; }
else
    sources() { find . -type f ! -path "./build/*" ! -path './dist/*' -printf '%P\0'; }
    dated() { stat -c %Y CHANGELOG.md; }
fi
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(dated)}
export SOURCE_DATE_EPOCH
version=$(sed -n 's/^#define ANECHOIC_VERSION "\(.*\)"$/\1/p' report/emit.h)

mkdir -p dist
rm -f dist/anechoic-*.iso dist/anechoic-*.tar.gz dist/SHA256SUMS
tools/mkiso.sh --build "$build" "dist/anechoic-$version.iso"
sources | sort -z | tar --create --null --files-from=- --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
    --numeric-owner --mode=u+rw,go-w,go+rX --transform="s,^,anechoic-$version/," | gzip -9 -n >"dist/anechoic-$version.tar.gz"
(cd dist && sha256sum anechoic-* >SHA256SUMS && cat SHA256SUMS)
