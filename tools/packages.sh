# shellcheck shell=bash
# What the project needs from Debian (12 and 13), and how to get it. Sourced, not run:
#
#   . tools/packages.sh
#   need build qemu        # returns when all packages of these sets are there, else exits with 5
#
# A missing package is named and installed: with apt-get as root, through sudo otherwise. Where
# neither is possible, or with NO_INSTALL=1, the line to type is printed and the script exits with 5.

# The table: set, then its packages.
package_table='
build  gcc binutils make libc6-dev newlib-source psf-unifont xz-utils libpfm4-dev
qemu   qemu-system-x86
debug  gdb
bits32 qemu-user
iso    binutils grub-common grub-pc-bin grub-efi-amd64-bin grub-efi-ia32-bin xorriso mtools dosfstools
uefi   ovmf ovmf-ia32
host   libjansson-dev libsqlite3-dev zlib1g-dev libyaml-dev gnuplot-nox zbar-tools
test   libcmocka-dev jq valgrind clang libclang-rt-dev perl sqlite3 libxml2-utils man-db mandoc faketime libqrcodegen-dev netpbm python3-yaml
browser chromium
video  ffmpeg
net    ipxe-qemu
dhcp   dnsmasq-base iproute2
sign   sbsigntool
shim   openssl shim-signed grub-efi-amd64-signed
enrol  openssl efitools systemd-boot-efi
bochs  bochs bochsbios vgabios
sim    g++ bochsbios vgabios
bios   bochsbios vgabios libstdc++6
release faketime
'

# packages_of SET...: the packages of the sets, one a line.
packages_of() {
    local set
    for set in "$@"; do
        awk -v set="$set" '$1 == set { for (i = 2; i <= NF; i++) print $i; found = 1 }
                           END { exit !found }' <<<"$package_table" || {
            echo "packages: no such set: $set" >&2
            return 1
        }
    done
}

# missing_packages PACKAGE...: those that are not installed, on one line. (One dpkg-query for all: it runs
# before every boot.)
missing_packages() {
    local package installed missing=
    installed=$(dpkg-query -W -f '${db:Status-Status}:${Package} ' "$@" 2>/dev/null) || true
    for package in "$@"; do
        case " $installed" in
        *" installed:$package "*) ;;
        *) missing="$missing${missing:+ }$package" ;;
        esac
    done
    echo "$missing"
}

# apt_install COMMAND-PREFIX... -- PACKAGE...: install quietly; where the package lists are absent or too old,
# fetch them and try again. The log is shown only when that fails too.
apt_install() {
    local prefix=() log status=0
    while [ "$1" != -- ]; do
        prefix+=("$1")
        shift
    done
    shift
    # Another apt may be at work (a machine's daily update): wait for its lock instead of failing.
    local apt=("${prefix[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C
        apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
    log=$(mktemp)
    if ! "${apt[@]}" install --no-install-recommends "$@" >"$log" 2>&1 </dev/null; then
        # An update may fail for a source that is not needed here, so its status does not decide.
        "${apt[@]}" update >>"$log" 2>&1 </dev/null || true
        "${apt[@]}" install --no-install-recommends "$@" >>"$log" 2>&1 </dev/null || status=$?
    fi
    [ "$status" = 0 ] || tail -n 20 "$log" >&2
    rm -f "$log"
    return "$status"
}

need() {
    local packages missing line prefix=()
    packages=$(packages_of "$@") || exit 5
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "packages: this needs Debian 12 or 13 (no dpkg and apt here); the packages would be:" \
            "${packages//$'\n'/ }" >&2
        exit 5
    fi
    # shellcheck disable=SC2086 # words
    missing=$(missing_packages $packages)
    [ -n "$missing" ] || return 0
    line="apt-get install --no-install-recommends $missing"
    if [ "${NO_INSTALL:-0}" = 1 ]; then
        echo "packages: missing, and not installed because of --no-install: $missing" >&2
        echo "packages: this installs them: $line" >&2
        exit 5
    fi
    if [ "$(id -u)" != 0 ]; then
        if sudo -n true 2>/dev/null; then
            prefix=(sudo -n)
        elif command -v sudo >/dev/null && [ -t 0 ] && [ -t 2 ] && sudo -v; then
            prefix=(sudo -n) # the password has just been given
        else
            echo "packages: missing: $missing" >&2
            echo "packages: this installs them, as root: $line" >&2
            exit 5
        fi
    fi
    echo "packages: installing $missing" >&2
    # shellcheck disable=SC2086 # words
    if ! apt_install "${prefix[@]}" -- $missing; then
        echo "packages: could not install them; as root, try: apt-get update && $line" >&2
        exit 5
    fi
}
