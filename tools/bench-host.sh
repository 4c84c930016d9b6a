#!/bin/bash
# The figures of `anechoic`, each beside its limit, part of `make bench`.
#
#   tools/bench-host.sh [ANECHOIC]
#
# ANECHOIC is the program (default build/host/anechoic). Environment: BUILD (default build), RUNS (default 11).
# Rates are by processor time, medians of runs in turn with a program that only calls jansson, since machines differ and are
# shared: the ratio is the figure. The time to the first line is by the clock, and the least. What is read: the captures
# of tests/unit/captures, their records again and again with numbers and checksums of their own.
# Exit status: 0 measured (whatever came), 1 a command failed.
set -euo pipefail

cd "$(dirname "$0")/.."
build=${BUILD:-build}
anechoic=$(realpath "${1:-$build/host/anechoic}")
runs=${RUNS:-11}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

row() { printf '%-62s %14s   %s\n' "$1" "$2" "$3"; } # what, figure, limit
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
fail() {
    echo "bench-host: $1" >&2
    cat "$work/said" >&2
    exit 1
}

# session RECORDS FILE: one session of so many records.
session() {
    perl -MCompress::Zlib=crc32 -e '
        my ($records, @files) = @ARGV;
        my ($n, $boot, @body) = 0;
        for my $file (@files) {
            open my $in, "<", $file or die "$file: $!\n";
            while (<$in>) {
                next unless /^\{"n":\d+,(.*),"crc":"\w+"\}\r?$/;
                my $fields = $1;
                if ($fields =~ /^"t":"boot"/) { $boot //= $fields } else { push @body, $fields unless $fields =~ /^"t":"end"/ }
            }
        }
        sub put { my $line = "{\"n\":" . $n++ . ",$_[0]"; printf "%s,\"crc\":\"%08x\"}\n", $line, crc32($line) }
        put($boot);
        put($body[($n - 1) % @body]) while $n < $records - 1;
        put("\"t\":\"end\",\"records\":$records,\"status\":0");' "$1" tests/unit/captures/{qemu,skylake-events,p4-article}.rec >"$2"
}

# seconds COMMAND...: processor time of the command alone; what it says goes to $work/said.
seconds() {
    local TIMEFORMAT='%U %S' used
    used=$({ time "$@" >"$work/said" 2>&1; } 2>&1) || fail "$*"
    awk '{ print $1 + $2 }' <<<"$used"
}

session 100000 "$work/long"
mega=$(stat -c %s "$work/long" | awk '{ print $1 / 1e6 }')
# through WHAT COMMAND...: its time, and how many times jansson's it is, for the rows of WHAT.
piped() { cat "$work/long" | "$@"; } # cat's time is a hundredth
through() {
    local jansson own
    jansson=$(seconds piped "$build/tools/bench-json")
    own=$(seconds piped "${@:2}")
    echo "$jansson" >>"$work/jansson"
    echo "$own" >>"$work/$1"
    echo "$own $jansson" | awk '{ printf "%.2f\n", $1 / $2 }' >>"$work/$1.ratio"
}
printf '\nthe host tool, from a pipe; processor time, medians of %s\n' "$runs"
for _ in $(seq "$runs"); do
    through capture "$anechoic" capture - -o "$work/kept"
    through check "$anechoic" check -
done
cmp "$work/long" "$work/kept"
rate() { median <"$work/$1" | awk -v mega="$mega" '{ printf "%.1f", mega / $1 }'; }
for what in capture check; do
    row "$what, MB/s" "$(rate $what)" 30
    row "$what, times jansson alone ($(rate jansson) MB/s)" "$(median <"$work/$what.ratio")" 1.5
done

printf '\nthe host tool, from a file\n'
session 10000 "$work/page"
# Where gnuplot and objdump are not found, their time is not in it.
mkdir "$work/no-tools"
row "report of 10,000 records without pictures, seconds" "$(for _ in $(seq "$runs"); do seconds env PATH="$work/no-tools" "$anechoic" report "$work/page" -o "$work/page.html"; done | median)" 2

first_line() {
    perl -MTime::HiRes=time -e '
        my $start = time;
        open my $shown, "-|", @ARGV or die "$ARGV[0]: $!\n";
        defined(<$shown>) or die "no line came\n";
        printf "%.1f\n", 1000 * (time - $start);
        close $shown;' "$@" 2>"$work/said" || fail "show"
}
row "show of 100,000 records: the first line, ms by the clock" "$(for _ in $(seq "$runs"); do first_line "$anechoic" show "$work/long"; done | sort -n | head -n 1)" 50

# The most memory that it has had is asked for when it has read all; then its input ends.
mkfifo "$work/gibibyte"
"$anechoic" check "$work/gibibyte" >"$work/said" 2>&1 &
check=$!
exec 3>"$work/gibibyte"
for _ in $(seq $(((1 << 30) / $(stat -c %s "$work/long") + 1))); do cat "$work/long" >&3; done
row "check of 1 GiB, MiB of memory" "$(awk '/^VmHWM/ { printf "%.1f", $2 / 1024 }' "/proc/$check/status")" 16
exec 3>&-
wait $check || fail "check"
