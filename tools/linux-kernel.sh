#!/bin/bash
# Fetch one of Debian 12's Linux kernels, as Debian ships it.
#
#   tools/linux-kernel.sh [--bits N]
#
#   --bits N    32: for P6 processors and later (linux-image-686-pae, the default); 64: linux-image-cloud-amd64, the smallest
#   -h, --help  this text
#
# The kernel goes to a directory of the user's cache (ANECHOIC_CACHE, else XDG_CACHE_HOME/anechoic, else
# ~/.cache/anechoic), and once one is there it is taken, without asking the network whether there is a newer one. It
# comes from the machine's own Debian mirror, through an apt configuration of its own: no architecture is added to the
# machine, nothing is installed, and apt checks signatures and checksums as ever.
#
# The kernel's file is the only line on stdout; progress goes to stderr.
# Exit status: 0 the file is there, 2 wrong usage, 5 it is not available.
set -eu

release=bookworm # the last one with 32-bit kernels
bits=32

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/mirrors.sh"

say() { echo "linux-kernel: $*" >&2; }

while [ $# -gt 0 ]; do
    case $1 in
    --bits=*) set -- --bits "${1#*=}" "${@:2}" ;;
    esac
    case $1 in
    --bits)
        bits=${2-}
        shift
        ;;
    -h | --help)
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
        exit 0
        ;;
    *)
        say "unknown option $1; usage: tools/linux-kernel.sh [--bits N]"
        exit 2
        ;;
    esac
    [ $# = 0 ] || shift
done
# The package depends on the newest kernel of its release.
case $bits in
32) flavour=686-pae architecture=i386 ;;
64) flavour=cloud-amd64 architecture=amd64 ;;
*)
    say "--bits is 32 or 64, not $bits"
    exit 2
    ;;
esac
package=linux-image-$flavour

cache=${ANECHOIC_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/anechoic}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

newest() { find "$cache" -maxdepth 1 -name "vmlinuz-*-$flavour" | sort -V | tail -n 1; }

exec 9>"$cache/.linux.lock"
flock 9
kernel=$(newest)
if [ -n "$kernel" ]; then
    echo "$kernel"
    exit 0
fi

work=$(mktemp -d "$cache/.linux-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
log=$work/log
: >"$log"

# fetch URI: the kernel into $work/boot.
fetch() {
    local apt_options image
    rm -rf "${work:?}/apt" "${work:?}/boot"
    private_apt "$work/apt" deb "$1" "$release" "$architecture"
    apt-get "${apt_options[@]}" update || return
    image=$(apt-cache "${apt_options[@]}" show "$package" | grep -o -m 1 -E "linux-image-[0-9][^ ]*-$flavour") || return
    (cd "$work/apt" && apt-get "${apt_options[@]}" download "$image") || return
    dpkg-deb --fsys-tarfile "$work"/apt/linux-image-*.deb | tar x -C "$work" --wildcards './boot/vmlinuz-*' || return
}

say "fetching a kernel, 60 MB, through apt..."
for uri in $(mirrors | sort -u); do
    if fetch "$uri" </dev/null >>"$log" 2>&1; then
        mv "$work"/boot/vmlinuz-*-"$flavour" "$cache"
        newest
        exit 0
    fi
done
tail -n 20 "$log" >&2
say "no Debian mirror of this machine's gave $package of $release for $architecture"
say "a kernel that is put into $cache as vmlinuz-VERSION-$flavour is taken as well"
exit 5
