# Processors in Bochs, stock or modelled: their identity, and options of run-bochs.sh that are wrong for
# them. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2261

# ---- Bochs, as Debian has it: another opinion about the same machine ----

# bochs NAME MODEL FLAVOUR WORDS: the image of these words on that CPU; records are gathered by the case. Bochs always
# exits with 1, so the end record's status counts.
bochs() {
    local name=$1 here=$dir/$1.bochs
    mkdir "$here"
    tools/mkiso.sh --bios --flavour "$3" --append "exit=bochs $4" "$here/image.iso" || return
    bochsrc "$here" "$2" 'rfb, options="timeout=0"' 10000000 "$here/image.iso"
    echo c | timeout 300 bochs-bin -q -f "$here/bochsrc" >"$dir/$name.out" 2>&1 # the debugger wants "continue"
    records_of "$here/serial" "$dir/$name.jsonl"
}

on_bochs() { # NAME is bochs-FLAVOUR-MODEL
    local flavour=${1#bochs-} model
    model=${flavour#*-} flavour=${flavour%%-*}
    bochs "$1" "$model" "$flavour" 'bench=all reps=3 serialize=cpuid'
    judge "$1" 0 "$(jq '.status // empty' "$dir/$1.jsonl" | tail -n 1)" \
        '.[0].platform == "bochs"' '.[0].flavour == $flavour' emulated 'results | map(.bench) | unique | length == 14' \
        'results | map(select(.bench == "empty")) | .[0].max == 0' '.[1].caches | length >= 2'
}
if [ -e /usr/share/bochs/BIOS-bochs-latest ]; then
    for model in pentium pentium_mmx p3_katmai p4_willamette; do usual_for pentium $model custom "bochs-i586-$model" on_bochs; done
    for model in core2_penryn_t9600 corei7_haswell_4770 ryzen; do usual_for corei7_haswell_4770 $model custom "bochs-x86_64-$model" on_bochs; done
else
    skip bochs "no Bochs BIOS image"
fi

stock() { # Debian's own Bochs, through the same script: no PMU, and no Pentium Pro
    local status cpu
    ./run-bochs.sh --no-install --stock --cpu p3 -o "$dir/$1.jsonl" --append bench=empty >"$dir/$1.out" 2>&1
    status=$?
    for cpu in ppro northwood; do
        ./run-bochs.sh --no-install --stock --cpu $cpu >/dev/null 2>&1
        if [ $? != 4 ]; then fail "$1" "$cpu: not 4"; return; fi
    done
    judge "$1" 0 "$status" 'results | length == 1 and .[0].event == "tsc"' '.[1].pmu.counters == ["absent", "absent"]'
}
custom stock-bochs stock

# ---- how the kernel starts: the ROM (sim/rom) and GRUB give it the same, so that all records are the same ----

# loader_records NAME 'run-bochs.sh options' 'words' CONDITION...
loader_records() {
    local name=$1 how
    for how in '' --grub; do # the second one is judged
        # shellcheck disable=SC2086 # options are words
        ./run-bochs.sh --no-install $2 $how -o "$dir/$name.jsonl" --append "$3" >"$dir/$name.out" 2>&1 ||
            { fail "$name" "${how:-the ROM}: exit status $?"; return; }
        jq -c 'if .t == "boot" then del(.loader, .date, .crc) else . end' "$dir/$name.jsonl" >"$dir/$name${how:--rom}.records"
        jq -r 'select(.t == "boot").loader' "$dir/$name.jsonl" >>"$dir/$name.loaders"
    done
    if [ "$(cut -c 1-6 "$dir/$name.loaders" | tr '\n' ,)" != "GRUB's,GRUB 2," ]; then fail "$name" "loaders: $(cat "$dir/$name.loaders")"; return; fi
    if ! diff "$dir/$name-rom.records" "$dir/$name--grub.records" >>"$dir/$name.out"; then fail "$name" "records differ"; return; fi
    judge "$name" 0 0 "${@:4}"
}
# With what a loader gives: words with more than one space between them, modules with names, a map, ACPI's tables.
module loader 32 nop=90
custom loader-p5 loader_records "--cpu p5 --module $dir/loader.mod" 'bench=code,l1_miss   events=instructions,cycles all=1 reps=3' '.[0].modules == 2'
custom loader-skylake loader_records '--cpu skylake' 'bench=empty,stride_thrash events=instructions,cache-misses all=1 reps=3' \
    '.[0].acpi_oem != "" and .[0].map == "mmap"'
custom loader-smp loader_records '--cpu p3 --smp 2' 'cpu=1 bench=l1_miss events=instructions,cycles all=1 reps=3' '.[0].modules == 1'
loader_large() { # a file that Bochs cannot put into memory: through GRUB
    head -c 9000000 /dev/zero >"$dir/$1.mod"
    ./run-bochs.sh --no-install --cpu p5 --module "$dir/$1.mod" -o "$dir/$1.jsonl" --append bench=empty >"$dir/$1.out" 2>&1
    judge "$1" 1 $? '.[0].loader | startswith("GRUB 2")' '.[0].modules == 2'
}
custom loader-large loader_large

# ---- with a modelled PMU ----

# What the processors say of themselves: caches in KiB, ways.
while read -r cpu family l1 ways l2; do
    for flavour in i586 x86_64; do
        usual_for 'k8-x86_64 bulldozer-i586 zen4-x86_64' $cpu-$flavour sim_boot "amd-$cpu-$flavour" 0 "--cpu $cpu --flavour $flavour" \
            bench=empty 'results | map(select(.event == "tsc")) | length > 0' \
            '.[0].flavour == $flavour and .[1].vendor == "AuthenticAMD" and .[1].family == $family' \
            '[.[1].caches[] | select(.level == 1 and .kind == "data") | .bytes / 1024, .ways, .line] == [$l1, $ways, 64]' \
            '[.[1].caches[] | select(.level == 2) | .bytes / 1024] == [$l2]'
    done
done <<'CPUS'
k8        15 64 2 512
fam10h    16 64 2 512
bulldozer 21 16 4 2048
zen       23 32 8 512
zen4      25 32 8 1024
CPUS
while read -r cpu ghz l1 ways l2; do
    of_each_family $cpu sim_boot "netburst-$cpu" 0 "--cpu $cpu --skid 65:1,69:2 --seed 7" bench=empty 'results | map(select(.event == "tsc")) | length > 0' \
        '.[1].brand | test("Pentium.*\($ghz)")' \
        '[.[1].caches[] | select(.level == 1 and .kind == "data") | .bytes / 1024, .ways] == [$l1, $ways]' \
        '[.[1].caches[] | select(.level == 2) | .bytes / 1024, .ways] == [$l2, 8]'
done <<'CPUS'
willamette 1.80 8  4 256
northwood  2.00 8  4 512
prescott   2.80 16 8 1024
CPUS

# Events that may count too many on Zen to Zen 3 have a flag, and a line in the text; no others have, nor has Zen 4.
overcount() { # NAME is overcount-CPU
    local status named
    case $1 in
    *-zen) named='["branches","instructions"]' ;;
    *) named='[]' ;;
    esac
    ./run-bochs.sh --no-install --cpu "${1#overcount-}" -o "$dir/$1.jsonl" \
        --append 'bench=empty reps=3 events=tsc,instructions,branches:u,cycles,r0040' >"$dir/$1.out" 2>&1
    status=$?
    if grep -q 'may be too high' "$dir/$1.out"; then
        fail "$1" "a model's count is in doubt"; return
    fi
    judge "$1" 0 "$status" 'results | length == 5' \
        'results | map(select(.errata == ["990"]) | .event | sub(":u"; "")) | sort == $named' \
        'results | all(.flags | index("overcount") == null)'
}
for cpu in zen zen4 bulldozer; do custom overcount-$cpu overcount; done

# Intel's errata, by event: the record has their names; a model's count is not in doubt. (On hardware, with a flag and a line in
# the text: tests/unit/test_emit_result.c.)
errata() { # NAME is errata-CPU
    local status names
    case $1 in
    *-haswell) names='["HSD11","HSD140","HSD143"]' ;;
    *-skylake) names='["SKL044","SKL091"]' ;;
    *) names='[]' ;;
    esac
    ./run-bochs.sh --no-install --cpu "${1#errata-}" -o "$dir/$1.jsonl" \
        --append "bench=empty reps=3 events=tsc,instructions,cycles" >"$dir/$1.out" 2>&1
    status=$?
    if grep -q 'may be wrong' "$dir/$1.out"; then fail "$1" "a model's count is in doubt"; return; fi
    judge "$1" 0 "$status" 'results | map(.errata // []) == [[], $names, []]' \
        'results | all(.flags | index("erratum") == null)'
}
for cpu in haswell skylake icelake; do custom errata-$cpu errata; done

# The models of architectural performance monitoring: their identity, and that the oracle's instructions are
# those that the kernel counts. NAME is arch-CPU-FLAVOUR.
arch() {
    local status cpu=${1#arch-} brand sizes wanted
    local flavour=${cpu#*-}
    cpu=${cpu%-*}
    case $cpu in
    coreduo) brand=T2400 sizes='[[32,8],[2048,8]]' ;;
    core2) brand=T9600 sizes='[[32,8],[6144,24]]' ;;
    sandybridge) brand=2600K sizes='[[32,8],[256,8],[8192,16]]' ;;
    haswell) brand=4770 sizes='[[32,8],[256,8],[8192,16]]' ;;
    skylake) brand=7800X sizes='[[32,8],[1024,16],[8448,11]]' ;;
    icelake) brand=1065G7 sizes='[[48,12],[512,8],[8192,16]]' ;;
    tigerlake) brand=1135G7 sizes='[[48,12],[1280,20],[8192,8]]' ;;
    esac
    ./run-bochs.sh --no-install --cpu "$cpu" --flavour "$flavour" --oracle "$dir/$1.oracle" -o "$dir/$1.jsonl" \
        --append 'bench=fp_add_latency reps=3 all=1 events=instructions' >"$dir/$1.out" 2>&1
    status=$?
    wanted=$(tail -n 1 "$dir/$1.oracle" 2>/dev/null | jq --arg cpu "$cpu" '.events as $e | select(.model == $cpu and
        $e.INSTRUCTION_RETIRED.k == .insns and $e.UNHALTED_CORE_CYCLES.k == .insns and $e.LLC_MISSES.k == 0 and
        $e.BRANCH_INSTRUCTIONS_RETIRED.k == 10) | .insns')
    : "${wanted:=0}"
    judge "$1" 0 "$status" '.[1].brand | test("\($brand)")' \
        '[.[1].caches[] | select(.kind != "code") | [.bytes / 1024, .ways]] == $sizes' \
        '[records("reps"; .event == "instructions") | .[] | .raw[] as $r | $r - .overhead] | length >= 3 and all(. == $wanted)'
}
for cpu in core2 sandybridge haswell skylake icelake tigerlake; do usual_for 'core2 skylake icelake' $cpu custom "arch-$cpu-x86_64" arch; done
for cpu in coreduo skylake; do usual_for coreduo $cpu custom "arch-$cpu-i586" arch; done

flavours() { # long mode only where there is one
    ./run-bochs.sh --no-install --cpu willamette --flavour x86_64 >"$dir/$1.out" 2>&1
    [ $? = 4 ] || { fail "$1" "willamette: not 4"; return; }
    ./run-bochs.sh --no-install --cpu prescott --flavour i386 >"$dir/$1.out" 2>&1
    if [ $? = 2 ]; then say "ok $1"; else fail "$1" "i386: not 2"; fi
}
custom bochs-flavours flavours

# An event that the model lacks has no number: by name and by code, with modifiers, on whichever counter. Every
# event here is the duration of a stall, which a stream of instructions does not determine.
unmodelled() { # unmodelled NAME CPU EVENT-IT-HAS EVENT-IT-LACKS...
    local name=$1 cpu=$2 has=$3 lacks words status
    shift 3
    lacks=$(jq -c -n '$ARGS.positional' --args -- "$@") words=$(IFS=, && echo "$*")
    ./run-bochs.sh --no-install --cpu "$cpu" -o "$dir/$name.jsonl" \
        --append "bench=empty reps=3 all=1 events=$has,$words" >"$dir/$name.out" 2>&1
    status=$?
    if [ "$(grep -c '^   .* unmodelled$' "$dir/$name.out")" != $# ]; then
        fail "$name" 'the text has a value'
        return
    fi
    judge "$name" 0 $status 'results | map(select(.flags | index("unmodelled"))) | map(.event) == $lacks and all(no_value)' \
        'results | map(select(.flags | index("unmodelled") | not)) | map(.event) == ["\($has)"] and all(has("median"))' \
        '[records("reps")[].event] | unique == ["\($has)"]' \
        '[notes("model")[].message] | length == 1 and (.[0] | endswith(": " + ($lacks | join(", "))))'
}
unmodelled_boot() { selected "$1" && background unmodelled "$@"; }
unmodelled_boot unmodelled-p5 p5 instructions pipeline_agi_stalls write_buffer_full_stall_duration:k
unmodelled_boot unmodelled-p55c p55c instructions floating_point_stalls_duration r1b
unmodelled_boot unmodelled-p3 p3 instructions resource_stalls /event=0xa2,cmask=1/ resource_stalls:u ra2
unmodelled_boot unmodelled-willamette willamette instructions resource_stall machine_clear instr_retired:bogusntag
unmodelled_boot unmodelled-tags prescott instructions mob_load_replay_retired x87_simd_memory_moves_retired memory_loads:bogus
unmodelled_boot unmodelled-core2 core2 instructions r0fdc r01a2
unmodelled_boot unmodelled-skylake skylake instructions r01a2 /event=0xa2,umask=0x1,cmask=2,edge/ cycle_activity:stalls_total
unmodelled_boot unmodelled-tigerlake tigerlake instructions r08a2
unmodelled_boot unmodelled-k8 k8 instructions r00d1 r00d1:k
unmodelled_boot unmodelled-zen4 zen4 instructions r01a2
# Cycles of the model are no results: of the core, of the reference clock, of the bus, by a modifier, by a threshold.
unmodelled_boot unmodelled-clocks-p5 p5 instructions cycles
unmodelled_boot unmodelled-clocks-p3 p3 instructions cycles dcu_miss_outstanding bus_drdy_clocks:any l2_dbus_busy /event=0xc0,cmask=9,inv/
unmodelled_boot unmodelled-clocks-willamette willamette instr_retired cycles
unmodelled_boot unmodelled-clocks-skylake skylake instructions cycles ref-cycles cycles:u /event=0xc0,cmask=200,inv/
unmodelled_boot unmodelled-clocks-zen4 zen4 instructions cycles
sim_boot unmodelled-time 0 '--cpu skylake' 'bench=fp_add_latency,empty all=1' \
    'results | length == 3 and all(.event == "tsc" and .flags == ["unmodelled"] and (no_value) and (has("ns_per_op") or has("core_per_tsc") | not))' \
    'all(.[]; .t != "reps")' '.[0].modelled == "skylake"' '.[1] | has("core_per_tsc") | not' \
    '[notes("model")[].message] | length == 1 and (.[0] | endswith(": tsc"))'
# Neither is anything made of it: a ratio, a region's total, samples.
sim_boot unmodelled-ratio 0 '--cpu p5' 'bench=fp_add_latency:n=100 events=instructions,branches,cycles,instructions_executed_v_pipe' \
    '[records("derived")[].name] == ["branches per instruction"]'
sim_boot unmodelled-region 0 '--cpu p5' 'bench=regions reps=3 events=pipeline_agi_stalls' \
    'records("region"; .event != "tsc") | length > 0 and all(.flags == ["unmodelled"] and
        [.total, .min, .max, .ci95, .per_entry, .first] == [null, null, null, null, null, null] and
        (has("overhead_first") or has("overhead_later") | not))'
sim_boot unmodelled-sampling 1 '--cpu p3' 'bench=stride_thrash sample=pmi events=resource_stalls' 'samplings == []' \
    'error_says("the model lacks resource_stalls")'
sim_boot unmodelled-pebs 1 '--cpu willamette' 'bench=stride_thrash sample=pebs events=mob_load_replay_retired' \
    'samplings == []' 'error_says("the model lacks mob_load_replay_retired")'

wrong_errata() { # lists the existing ones; reports no CPU as missing
    local cpu wanted
    for cpu in skylake northwood; do
        case $cpu in
        skylake) wanted='errata "foo": the model skylake has no errata' ;;
        northwood) wanted='errata "foo": the model northwood has unflagged-overflow, n15, n17, counter1, bsq-double, cascade-pmi' ;;
        esac
        ./run-bochs.sh --no-install --cpu $cpu --errata foo -o "$dir/$1.jsonl" >"$dir/$1.out" 2>&1
        if [ $? != 2 ] || ! grep -qx "anechoic: $wanted" "$dir/$1.out"; then fail "$1" "$cpu: not 2, or not listed"; return; fi
    done
    say "ok $1"
}
custom wrong-errata wrong_errata

wrong_skid() { # an interrupt skid that is none: the error names what is wrong, and nothing else
    local words wanted
    for words in '--skid foo' '--skid 3,4' '--skid 5:0' '--skid 5 --seed x' '--seed 5'; do
        case $words in
        --seed*) wanted='run-bochs: --seed needs --skid SPEC' ;;
        *--seed*) wanted='anechoic: seed "x": needs a number' ;;
        *) wanted="anechoic: skid \"${words#* }\": needs N or N:WEIGHT,N:WEIGHT,..., numbers up to 1000000" ;;
        esac
        ./run-bochs.sh --no-install --cpu northwood $words >"$dir/$1.out" 2>&1
        if [ $? != 2 ] || ! grep -qxF "$wanted" "$dir/$1.out"; then fail "$1" "$words: not 2, or not said"; return; fi
    done
    say "ok $1"
}
custom wrong-skid wrong_skid
