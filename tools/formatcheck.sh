#!/bin/bash
# Refuse a kernel whose format strings hold a conversion that kernel/format.c does not know.
#
#   tools/formatcheck.sh FILE        (OBJCOPY=... names another objcopy)
#
# GCC checks formats against all of C.  Here the finished kernel's strings (section .strings) are looked
# through for a conversion, or a length before one, that format.h does not list.
# A percent sign before a blank or punctuation is taken for text.
#
# Exit status: 0 clean, 1 something was refused (each string is shown) or there were no strings, 2 wrong
# usage or not an ELF file.
set -eu -o pipefail

case "${1-}" in
-h | --help)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
    exit 0
    ;;
esac
if [ $# != 1 ] || [ ! -r "$1" ]; then
    echo "formatcheck: usage: tools/formatcheck.sh FILE" >&2
    exit 2
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"${OBJCOPY:-objcopy}" -O binary -j .strings "$1" "$dir/section" || exit 2
tr '\0' '\n' <"$dir/section" >"$dir/strings"
if ! grep -q % "$dir/strings"; then
    echo "formatcheck: $1: no format strings" >&2
    exit 1
fi
unknown='%[-+#0-9.*]*((hh?|ll?|z)($|[^hldiuxX])|lll|hhh|[abjkm-rtvwyA-WYZ$])'
# A pair of percent signs is text.
if sed 's/%%/ /g' "$dir/strings" | grep -E "$unknown"; then
    echo "formatcheck: $1: kernel/format.c does not know these conversions" >&2
    exit 1
fi
