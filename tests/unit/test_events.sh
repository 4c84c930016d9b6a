#!/bin/bash
# `anechoic events`: any CPU's events, and registers that are as libpfm4 and the manuals have them.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
build=${BUILD:-$root/build}
anechoic=${1:-$build/host/anechoic}

ok() { echo "ok events $1"; }
bad() {
    echo "not ok events $1: $2"
    failed=1
}

# events NAME STATUS OUTPUT ARGUMENT...: each line of OUTPUT is in what it prints. decode likewise.
events() { prints events "$@"; }
decode() { prints decode "$@"; }
prints() {
    local command=$1 name=$2 wanted=$3 output=$4 status=0 line lacks=''
    shift 4
    "$anechoic" "$command" "$@" >"$dir/output" 2>&1 || status=$?
    while IFS= read -r line; do
        grep -qF -- "$line" "$dir/output" || lacks=$line
    done <<<"$output"
    if [ "$status" != "$wanted" ]; then
        bad "$name" "exit status $status instead of $wanted: $(head -c 500 "$dir/output")"
    elif [ -n "$lacks" ]; then
        bad "$name" "the output lacks '$lacks': $(head -c 500 "$dir/output")"
    else
        ok "$name"
    fi
}

# ---- CPUs ----

wrong=''
"$anechoic" events --list | sed 's/   .*//' | tr -d , >"$dir/names"
for model in $(sed -n 's/^MODEL(\([a-z0-9]*\),.*/\1/p' "$root/sim/models.def"); do
    grep -qw "$model" "$dir/names" || wrong="$wrong $model"
done
[ -z "$wrong" ] && ok "every model of run-bochs.sh" || bad "every model of run-bochs.sh" "not listed:$wrong"

# Each name of the list means the CPU of its line.
wrong='' names=0
while read -r line; do
    cpu=$(sed 's/.*   *\([A-Z].*[^ ]\)   *[0-9].*/\1/' <<<"$line")
    for name in $(sed 's/   .*//' <<<"$line" | tr -d ,); do
        names=$((names + 1))
        got=$("$anechoic" events -c "$name" -e cycles 2>&1 | sed -n '1s/[,:] .*//p')
        [ "$got" = "${cpu% (Core)}" ] || [ "$got" = "${cpu% (Atom)}" ] || wrong="$wrong $name:$got"
    done
done < <("$anechoic" events --list | sed 1d)
[ $names -gt 80 ] && [ -z "$wrong" ] && ok "each of $names names" || bad "each of $names names" "$wrong"

events "libpfm4's name" 0 "Cascade Lake: clx, GenuineIntel-6-55-5" -c clx -e r00c0
events "the driver's name" 0 "Alder Lake: adl_grt, GenuineIntel-6-97-0" -c "Alder Lake (Atom)" -e r00c0
events "a CPUID" 0 "Kaby Lake: kaby-lake, GenuineIntel-6-9E-A" -c GenuineIntel-6-9E-A -e r00c0
events "a CPUID without stepping" 0 "AuthenticAMD-25-61-0" -c AuthenticAMD-25-61 -e r00c0
events "an unknown CPU" 2 'no CPU "z80"; `anechoic events --list` shows all' -c z80
events "an unknown CPUID" 2 'no CPU "GenuineIntel-6-FE-0"' -c GenuineIntel-6-FE-0
events "a CPUID with a tail" 2 'no CPU "GenuineIntel-6-9E-A-"' -c GenuineIntel-6-9E-A-

# ---- events ----

events "finds" 0 "mem_load_retired:l2_miss 0xd1/0x10" -c skl l2+MISS+load
events "finds nothing" 1 "no name and no description has" -c skl zzzz
events "finds in a driver's own table" 0 "data_read_miss" -c p5 read+miss
events "refuses two patterns" 2 "joined by +" -c skl l2 miss
events "refuses an empty pattern" 2 "1 to 63 characters" -c skl +
events "refuses a long pattern" 2 "1 to 63 characters" -c skl "$(printf '%64s' '' | tr ' ' x)"
events "an empty database" 2 "--database /dev/null: is empty" -c skl -d /dev/null cycles
printf 'nothing' >"$dir/events.db"
events "a file that is no database" 2 "--database $dir/events.db: the module is not an event database" -c skl -d "$dir/events.db" cycles
events "a directory for a database" 2 "--database $dir: Is a directory" -c skl -d "$dir" cycles
events "no pattern beside --list" 2 "--list stands alone" --list l2
events "no CPU beside --list" 2 "--list stands alone" --list --cpu skl
events "no records of registers" 2 "no --json" -c skl -j -e cycles
events "no such database" 2 "No such file" -c skl -d "$dir/none" cycles
"$anechoic" events -c zen4 -j l2+miss >"$dir/records" &&
    printf '%s' "$(grep -c '^{"n":[0-9]*,"t":"event"' "$dir/records")" | grep -q '[1-9]' && ok records ||
    bad records "$(head -c 300 "$dir/records")"

# ---- registers ----

# SDM vol. 3B: Pentium, CESR, 18.6.9: event 3 and 16h, counting (CC) at both levels.
events "Pentium" 0 "WRMSR 0x11       0xd600c3" -c p5 -e data_read_miss,instructions
# P6: the enable bit of both counters is in EvntSel0.
events "P6" 0 "WRMSR 0x187      0x300c0
WRMSR 0x186      0x430079" -c p3 -e cycles,instructions
# Architectural, 18.2: fixed counters 0 and 1 at both levels, enabled in 38Fh.
events "fixed counters" 0 "WRMSR 0x38d      0x33
WRMSR 0x38f      0x300000000" -c snb -e cycles,instructions
# AMD PPR, family 19h: PERF_CTL0, user only, enabled; PerfMonV2's PerfCntrGlobalCtl.
events "AMD" 0 "WRMSR 0xc0010200 0x410076
WRMSR 0xc0000301 0x1" -c zen4 -e cycles:u
# B. Sprunt's brink and abyss for cache misses of a Pentium 4: IA32_PEBS_ENABLE 1000001h, MATRIX_VERT 1.
events "Pentium 4" 0 "WRMSR 0x3f1      0x1000001
WRMSR 0x3f2      0x1" -c willamette -e 1stl_cache_load_miss_retired:u
events "several runs" 0 "run 2 of 2" -c skl -e r01d1,r02d1,r04d1,r08d1,r10d1
events "an unknown event" 2 "nope: a Skylake has no event of this name" -c skl -e cycles,nope
events "a fault in an event" 2 "only u, k or uk may follow" -c skl -e cycles:x
events "an empty event" 2 "the name is missing" -c skl -e cycles,
events "no counter" 2 "no core counter of this family can count event 0x3" -c zen -e r1f03
events "too many" 2 "more than 64 events" -c skl -e "$(printf 'cycles,%.0s' {1..64})cycles"

# libpfm4's own encodings, from the dump that the database is made of: every 29th with one unit mask at most, on
# CPUs of whose events nothing is mended (docs/events.md). Its 53xxxxh asks for an interrupt (bit 20), ours does not.
compare() {
    local compared=0 wrong='' refused=0 name code cpu value
    while IFS=$'\t' read -r cpu name code; do
        if ! value=$("$anechoic" events -c "$cpu" -e "$name" 2>/dev/null); then
            refused=$((refused + 1))
            continue
        fi
        value=$(sed -n 's/.*WRMSR 0x\(186\|187\|188\|189\|c001000[0-3]\|c001020[02468a]\) *0x//p' <<<"$value")
        [ -n "$value" ] || continue # a fixed counter has it
        compared=$((compared + 1))
        [ $((0x$value & ~0x500000)) = $((0x$code & ~0x500000)) ] || wrong="$wrong $cpu::$name:$value!=$code"
    done
    [ -z "$wrong" ] && [ $compared -ge 60 ] && [ $refused -lt $((compared / 10)) ] &&
        ok "$compared encodings as libpfm4's" || bad "$compared encodings as libpfm4's, $refused refused" "$wrong"
}
awk -F '\t' '
    $1 == "P" { pmu = $2 }
    $1 == "E" { event = $2 }
    $1 == "X" && NF == 3 && $2 !~ /:/ && pmu ~ /^(core|nhm|hsw|skl|amd64_k8_revf|amd64_fam17h_zen2|amd64_fam19h_zen4)$/ &&
        event !~ /OFFCORE|FRONTEND|LATENCY|MEM_TRANS|SSE_AVX|REFERENCE_CYCLES/ && ++n % 29 == 0 {
            print pmu "\t" event ($2 == "" ? "" : ":" $2) "\t" $3
        }' "$build/events/amd64.txt" >"$dir/encodings"
compare <"$dir/encodings"

# ---- registers in words ----

decode 'a value with the database' 0 'mem_load_retired:l2_miss
events=      mem_load_retired:l2_miss:u' --cpu skl 0x4110d1
decode 'a value as a register' 0 'CCCR12 (MSR 0x36c) = 0x3b000
MSR 0x3cc selects its event' --cpu prescott 3b000h as cccr12
decode 'an event' 0 'data_read on counter 0
wrmsr 0x11 0xc0' --cpu p5 data_read
decode 'no such register' 2 'has no register "escr" that selects events. Valid: cesr' --cpu p5 1 as escr
decode 'no number' 2 '"data_read" is not a number' --cpu p5 data_read as cesr
decode 'no such event' 2 'a Pentium has no event of this name' --cpu p5 data_reads
decode 'no such CPU' 2 'no CPU "z80"' --cpu z80 1
decode 'words too many' 2 'it takes VALUE, VALUE as REGISTER, or EVENT' --cpu p5 1 2

exit $failed
