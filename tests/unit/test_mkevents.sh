#!/bin/bash
# tools/mkevents.c takes the dump of a library newer than Debian's: PMUs that it has never seen are in the database, those of
# Intel with the newest rules for counters.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
cd "$root"
make -s "${BUILD:-build}/tools/mkevents"
cp "${BUILD:-build}/tools/mkevents" "$dir"

# dump PMU...: as tools/pfmdump.c writes it, with an event of one word and one whose unit masks want a second.
dump() {
    local pmu
    printf 'L\t9.9\n'
    for pmu in "$@"; do
        printf 'P\t%s\tTomorrow\t2\n' "$pmu"
        printf 'E\tUOPS_RETIRED\tMicro-operations retired\tk,u,e,i,c\nU\tSLOTS\tof all slots\t2\tdefault\t\n'
        printf 'X\t\t5302c2\nX\tSLOTS\t5302c2\n'
        case $pmu in amd*) continue ;; esac
        printf 'E\tOCR0\tOff-core response\tk,u,e,i,c\nU\tANY\tany\t10001\t\t\nX\tANY\t53012a\t10001\n'
    done
}

# size PMU...: bytes of the database of these.
size() {
    dump "$@" >"$dir/dump" && "$dir/mkevents" "$dir/db" "$dir/dump" amd64 >"$dir/output" 2>&1 && stat -c %s "$dir/db"
}

verdict() { # NAME WHY CONDITION...
    local name=$1 why=$2
    shift 2
    if "$@"; then
        echo "ok mkevents $name"
    else
        echo "not ok mkevents $name: $why $(tr '\n' ' ' <"$dir/output")"
        failed=1
    fi
}

verdict newer-PMUs "refused" size emr gnr adl_glc adl_grt amd64_fam1ah_zen5 amd64_fam1ah_zen6 >"$dir/bytes"
grep -v '^[0-9]*$' "$dir/bytes" || true
for pmu in emr gnr adl_glc adl_grt amd64_fam1ah_zen5 amd64_fam1ah_zen6; do
    verdict "newer-$pmu" "is not in there" grep -qaFx "$pmu" <(tr '\0' '\n' <"$dir/db")
done

# The same events under names of the same length: what differs are the rules.
newest=$(size spr) || newest=
unknown=$(size nvl) || unknown=
none=$(size knc) || none=
verdict newest-rules "spr has ${newest:-no} bytes, an unknown PMU ${unknown:-no}, one without rules ${none:-no}" \
    test "${newest:-0}" -gt "${none:-0}" -a "${newest:-0}" = "${unknown:-1}"

# Event 0 is none, but for the codes of fixed counters and of PERF_METRICS; what the list of mends knows gets its code.
zero() { # PMU EVENT UMASK CODE
    dump skl | sed '/OCR0/,$d' >"$dir/dump"
    printf 'P\t%s\tTomorrow\t2\nE\t%s\tSomething\tk,u,e,i,c\nU\t%s\tanything\t2\t\t\nX\t%s\t%s\n' "$1" "$2" "$3" "$3" "$4" \
        >>"$dir/dump"
    "$dir/mkevents" "$dir/db" "$dir/dump" amd64 >"$dir/output" 2>&1
}
refuses_zero() {
    ! zero "$@" && grep -q 'event 0, of which no rule says what it means: slots_of_tomorrow' "$dir/output"
}
verdict event-0 "taken" refuses_zero nvl TOPDOWN SLOTS_OF_TOMORROW 530200
verdict event-0-known "refused" zero nvl TOPDOWN SLOTS_OF_TOMORROW 530400
verdict event-0-metric "refused" zero nvl TOPDOWN SLOTS_OF_TOMORROW 538300
verdict event-0-mended "refused" zero nvl TOPDOWN BACKEND_BOUND_SLOTS 530200
verdict event-0-amd "refused" zero amd64_fam1bh DISPATCHED SLOTS_OF_TOMORROW 530200

# A cache that has the i386 library may be another user's, and read-only: nothing is written there.
version=$(dpkg-query -W -f '${Version}' libpfm4-dev)
library=$(echo "${ANECHOIC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/anechoic}/libpfm4-$version-i386-gcc"*)
only_reads() {
    mkdir "$dir/cache"
    ln -s "$library" "$dir/cache"
    touch -d @1 "$dir/cache"
    ANECHOIC_CACHE=$dir/cache tools/pfmdump-i386.sh "$version" "$dir/i386" >"$dir/output" 2>&1 && grep -q '^P' "$dir/i386" &&
        [ "$(stat -c %Y "$dir/cache")" = 1 ]
}
if [ -d "$library" ]; then
    verdict cache-of-another "the cache was written to" only_reads
else
    echo "skipped mkevents cache-of-another: libpfm4's i386 library is not available"
fi
exit $failed
