#!/bin/bash
# Run every test: host unit tests, boots in QEMU and Bochs, fuzzing. Missing packages are installed first.
#
#   ./run-tests.sh [OPTION...]
#
#   --long              also run longer tests: more boots, and mutants (tests/mutants/run.sh)
#   --fuzz-seconds S    time to fuzz all parsers together (default 60; with --long 600)
#   --no-install        do not install missing packages: name them and exit with 5
#   -h, --help          this text
#
# The last line is "N passed, N failed, N skipped". Exit status: 0 all passed, 1 a test failed, 2 wrong usage,
# 5 packages or the build failed.
set -eu

root=$(cd "$(dirname "$0")" && pwd)
cd "$root"
. tools/packages.sh

fuzz_seconds='' long=''
NO_INSTALL=${NO_INSTALL:-0}
while [ $# -gt 0 ]; do
    case $1 in
    --fuzz-seconds)
        [ $# -ge 2 ] && [[ $2 =~ ^[1-9][0-9]{0,4}$ ]] || {
            echo "run-tests: --fuzz-seconds needs a number from 1 to 99999" >&2
            exit 2
        }
        fuzz_seconds=$2
        shift
        ;;
    --long) long=--long ;;
    --no-install) NO_INSTALL=1 ;;
    -h | --help)
        sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
        exit 0
        ;;
    *)
        echo "run-tests: unknown option $1; try ./run-tests.sh --help" >&2
        exit 2
        ;;
    esac
    shift
done

need build qemu iso uefi host test net dhcp sign shim enrol bochs sim
(need browser) || echo "run-tests: without a browser, pages are not looked at in one" >&2
(need video) || echo "run-tests: without ffmpeg, no QR codes are read from a video" >&2

log=$(mktemp)
trap 'rm -f "$log"' EXIT
fuzz_seconds=${fuzz_seconds:-$([ -n "$long" ] && echo 600 || echo 60)}

# begin STAGE: with the time since the start, so that a log shows what takes long.
begin() { printf '== %s (after %d:%02d)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }

begin build
make -s -j"$(nproc)" kernels iso unit-programs fuzz-programs boot-programs || {
    echo "run-tests: the build failed" >&2
    exit 5
}

# The other stages run even if one fails; a stage's last line adds to the sum.
stages=(unit "boot LONG=$long" "fuzz FUZZ_SECONDS=$fuzz_seconds")
[ -z "$long" ] || stages+=(mutants)
for stage in "${stages[@]}"; do
    begin "${stage%% *}"
    # shellcheck disable=SC2086 # a target and its variable
    make -s --no-print-directory $stage 2>&1 | tee -a "$log" || true
done

sum() { sed -nE "s/^(unit|boot|fuzz|mutants): .*\b([0-9]+) $1.*/\2/p" "$log" | awk '{ s += $1 } END { print s + 0 }'; }
ended=$(grep -cE '^(unit|boot|fuzz|mutants): [0-9]+ passed, ' "$log" || true)
passed=$(sum passed) failed=$(sum failed) skipped=$(sum skipped)
if [ "$ended" != ${#stages[@]} ]; then
    echo "run-tests: only $ended of ${#stages[@]} stages finished" >&2
    failed=$((failed + ${#stages[@]} - ended))
fi
begin all
sed -n '/^[a-z]*: these failed:$/,/^[a-z]*: [0-9]* passed/{/: [0-9]* passed/d;p}' "$log" # they may be far above
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
