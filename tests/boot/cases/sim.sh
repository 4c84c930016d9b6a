# The modelled PMU: what the kernel counted against the oracle, value by value. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2261

# sim_names NAME CPU: an oracle's line, which has every event of the model, for the case NAME; one boot for all cases of
# that CPU. False: there is none, as the case has said.
sim_names() {
    local file=$dir/$2.names
    {
        flock 7
        if [ ! -s "$file" ]; then
            ./run-bochs.sh --no-install --cpu "$2" --oracle "$dir/$2.oracle" -o "$dir/$2.records" \
                --append 'bench=stride_thrash events=instructions reps=1 warmup=0' && head -n 1 "$dir/$2.oracle" >"$file"
        fi
    } >"$dir/$1.out" 2>&1 7>"$dir/$2.lock"
    if [ -s "$file" ]; then cat "$file"; else fail "$1" "no oracle" >&2; return 1; fi
}

# A line takes 64 events: parts_of CPU, how many lines the modelled events of this CPU are.
parts_of() { case $1 in core2) echo 2 ;; *) echo 1 ;; esac; }

# event_words CPU NAMES [PART]: every modelled event that has a name or a code, for events=, or those of one of its parts; NAMES as
# sim_names prints it.
event_words() {
    local words parts
    parts=$(parts_of "$1")
    case $1 in
    p5 | p55c | ppro | p2 | p3) words='select(test(":") or . == "CLOCKS" | not)' ;;
    *) words='select(test("UNCONDITIONAL") | not) | gsub("\\+"; ":")' ;;
    esac
    jq -r --arg cpu "$1" --argjson part "${3:-1}" --argjson parts "$parts" --slurpfile words tests/boot/words.json '
        ($words[0] | to_entries | map({key: .value, value: .key}) | from_entries) as $word
        | [.events | keys[] | '"$words"' | $word[.] // ascii_downcase]
            - (if $cpu == "coreduo" then ["ref-cycles"] else [] end)
        | (length / $parts | ceil) as $each | .[($part - 1) * $each : $part * $each] | join(",")' <<<"$2"
}

# repetitions MODE REPS EMPTY ORACLE: the lines of the repetitions, one in twenty. raw: each label's lines are runs, 4 brackets of
# warming, 100 for the overhead, 2 of warming the payload and the repetitions; payload: those of the empty one are dropped.
repetitions() {
    if [ "$1" = raw ]; then
        awk -F '"' -v reps="$2" '{ if (n[$4]++ % (106 + reps) >= 106) print }' "$4"
    else
        grep -v "^{\"label\":\"payload@$3\"" "$4"
    fi
}

# on_sim NAME CPU RING MODE [EVENTS [PLAN [LEAST [FLAVOUR [COUNTERS]]]]]: three benchmarks (or those of PLAN) with a long
# list of events (every modelled one that has a name), 5 repetitions each, LEAST counts or more. MODE raw: raw counts
# must be the bracket's; payload: corrected counts must be the payload's. COUNTERS: of each group, if more than two.
on_sim() {
    local name=$1 cpu=$2 ring=$3 mode=$4 events=${5:-} plan=${6:-} least=${7:-100} flavour=${8:-i586} counters=${9:-2}
    local brackets=() status verdict derived reader=rdpmc names
    if [ -z "$events" ]; then
        names=$(sim_names "$name" "$cpu") || return
        events=$(jq -r '[.events | keys[] | select(test(":") | not) | select(. != "CLOCKS") | ascii_downcase] | join(",")' <<<"$names")
    fi
    [ "$cpu" = p5 ] && reader=rdmsr
    [ "$mode" = raw ] && brackets=(--bracket "$(readings $reader)")
    [ "$counters" -gt 2 ] && brackets=(--bracket "$(readings_of_many "$counters")")
    ./run-bochs.sh --no-install --cpu "$cpu" --flavour "$flavour" --oracle "$dir/$name.oracle" "${brackets[@]}" -o "$dir/$name.jsonl" --append \
        "bench=${plan:-fp_add_latency:n=200,stride_thrash:n=100:lines=8,l1_miss:sweeps=1} events=$events all=1 reps=5 ring=$ring" \
        >"$dir/$name.out" 2>&1
    status=$?
    verdict=$(jq -s -c --arg mode "$mode" --slurpfile words tests/boot/words.json \
        --slurpfile oracle <(repetitions "$mode" 5 "$(address_of empty_payload "$flavour")" "$dir/$name.oracle") \
        -f tests/boot/oracle.jq "$dir/$name.jsonl" 2>&1)
    rm -f "$dir/$name.oracle"
    if [ "$(jq --argjson least "$least" '.compared >= $least and .wrong == []' <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$name" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    case $name in
    *-willamette-* | *-northwood-* | *-prescott-* | *-core2-* | *-2-ring-*) derived=() ;; # these events give no ratio without cycles
    *) derived=('records("derived") | length > 0') ;;
    esac
    # The CPU's own list may have events that the model lacks.
    judge "$name" 0 "$status" 'results | all(if $events == "all" then .event == "tsc" or (.flags | index("modelled") or index("unmodelled"))
        elif clock then .flags == ["unmodelled"] else .flags | index("modelled") end)' "${derived[@]}"
}
sim_raw() { on_sim "$1" "$(cut -d- -f2 <<<"$1")" "${1: -1}" raw; } # NAME is sim-CPU-ring-RING
for cpu in $(model_names p5 p6); do
    of_each_family $cpu custom "sim-$cpu-ring-0" sim_raw
    [ $cpu = p5 ] || long custom "sim-$cpu-ring-3" sim_raw # as truth-CPU-3
done

# NetBurst: every event that the model has and the driver can name. Groups are as large as they come, and their readings
# cannot be told apart by addresses: payloads are compared, which must not miss lines that the bracket has evicted from L1.
sim_netburst() { # NAME is sim-CPU-ring-RING
    local cpu names
    cpu=$(cut -d- -f2 <<<"$1")
    names=$(sim_names "$1" "$cpu") || return
    names=$(jq -r '[.events | keys[] | select(test("UNCONDITIONAL") | not) | ascii_downcase | gsub("\\+"; ":")] | join(",")' <<<"$names")
    on_sim "$1" "$cpu" "${1: -1}" payload "$names" fp_add_latency:n=200,stride_thrash:n=100:lines=8 450
}
sim_netburst_memory() { # two counters, whose readings have addresses: with the bracket's own misses
    on_sim "$1" "$(cut -d- -f2 <<<"$1")" "${1: -1}" raw 1stl_cache_load_miss_retired,bsq_cache_reference:rd_2ndl_hitm '' 30
}
for cpu in $(model_names netburst); do
    of_each_family $cpu custom "sim-$cpu-ring-0" sim_netburst
    of_each_family $cpu custom "sim-$cpu-memory-0" sim_netburst_memory
    of_each_family $cpu custom "sim-$cpu-ring-3" sim_netburst
    of_each_family $cpu custom "sim-$cpu-memory-3" sim_netburst_memory
done

# Architectural Intel and AMD: every modelled event by its name in the database (or by the word that tests/boot/words.json
# has), groups as large as they come. All have to be of one size, so that a slot is always the same counter: GENERAL
# events and one for each fixed counter; events are counted once more to fill the last group. So that is as many
# lines of 64 events as many_parts says.
many_parts() {
    case $1 in
    core2) echo 4 ;;
    sandybridge | haswell | skylake | icelake | tigerlake) echo 2 ;;
    *) echo 1 ;;
    esac
}
sim_many() { # NAME is sim-CPU-FLAVOUR-PART-ring-RING
    local cpu flavour general fixed=0 part words names mode=raw counters plan=
    IFS=- read -r _ cpu flavour part _ <<<"$1"
    case $cpu in
    coreduo) general=2 ;;
    core2) general=2 fixed=3 ;;
    haswell | skylake) general=4 fixed=3 ;;
    sandybridge | icelake | tigerlake) general=8 fixed=3 ;;
    k8 | fam10h) general=4 ;;
    bulldozer | zen | zen4) general=6 ;;
    esac
    counters=$((general + fixed))
    # Of eight counters some count what others cannot, so that groups are not of one size. There the payloads are compared, which
    # must leave the bracket's own lines where they are: one set overflows, and not all of L1.
    [ $general != 8 ] || mode=payload counters=0 plan=fp_add_latency:n=200,stride_thrash:n=100:lines=8,stride_thrash:n=100:lines=24
    names=$(sim_names "$1" "$cpu") || return
    words=$(jq -r --argjson general $general --argjson fixed $fixed --argjson part "$part" --argjson parts "$(many_parts "$cpu")" \
        --slurpfile words tests/boot/words.json '
        def groups: (length / $general | ceil);
        def words_of: . as $name | $words[0] | to_entries | map(select(.value == $name) | .key)
            | if . == [] then [$name | ascii_downcase] else . end;
        ["instruction_retired", "unhalted_core_cycles", "ref-cycles"] as $all_fixed | $all_fixed[:$fixed] as $on_fixed
        | [.events | keys[] | words_of[]] - (if $fixed > 0 then $on_fixed else ["ref-cycles"] end)
        | (length / $parts | ceil) as $each | .[($part - 1) * $each : $part * $each] | [., groups] as [$e, $k]
        | $e + [range($k * $general - ($e | length)) | $e[. % ($e | length)]] + [range($k) | $on_fixed[]] | join(",")' <<<"$names")
    # A Core Duo has six events: with three benchmarks and 5 repetitions that makes 90 counts.
    on_sim "$1" "$cpu" "${1: -1}" $mode "$words" "$plan" 90 "$flavour" $counters
}
for cpu in $(model_names arch amd); do
    flavour=$(bochs_flavour "$cpu")
    case $cpu in coreduo) how=custom_i386 ;; *) how=custom ;; esac
    for ((part = 1; part <= $(many_parts "$cpu"); part++)); do of_each_family $cpu $how "sim-$cpu-$flavour-$part-ring-0" sim_many; done
    long custom "sim-$cpu-$flavour-1-ring-3" sim_many # the ring is the same for whatever event: truth-CPU-3
    case $cpu in skylake | zen4) usual_for zen4 $cpu custom "sim-$cpu-i586-1-ring-0" sim_many ;; esac
done

# Through the call gate both readings are one instruction: there the payload itself is compared, in what does not depend on
# the code before it.
gate() {
    local events=instructions_executed,data_read,data_write,data_read_or_write,branches,flops,any_segment_register_loaded
    on_sim "$1" p5 3 payload $events,io_read_or_write_cycle,misaligned_data_memory_or_io_references
}
custom sim-p5-gate gate

# 1,000 repetitions without variance, and nothing is counted where nothing is done.
for cpu in $(model_names p5 p6); do
    of_each_family $cpu sim_boot "steady-$cpu" 0 "--cpu $cpu" 'bench=empty,stride_thrash reps=1000 events=instructions,branches,cache-misses' \
        'results | length == 6 and all(.min == .max and .reps == 1000)' \
        'results | map(select(.bench == "empty")) | all(.max == 0)'
done

# The corrected count of an empty payload is 0 for every modelled event. NAME is
# empty-CPU[-PART].
nothing() {
    local status names words cpu part
    IFS=- read -r _ cpu part <<<"$1"
    names=$(sim_names "$1" "$cpu") || return
    words=$(event_words "$cpu" "$names" "$part")
    ./run-bochs.sh --no-install --cpu "$cpu" -o "$dir/$1.jsonl" --append "bench=empty events=$words" >"$dir/$1.out" 2>&1
    status=$?
    judge "$1" 0 "$status" 'results | length == ($words | split(",") | length) and
        all(.reps == 20 and if clock then .flags == ["unmodelled"] else .min == 0 and .max == 0 end)'
}
for cpu in $(model_names); do
    case $cpu in coreduo) how=custom_i386 ;; *) how=custom ;; esac
    of_each_family $cpu $how "empty-$cpu" nothing
    for ((part = 2; part <= $(parts_of $cpu); part++)); do of_each_family $cpu custom "empty-$cpu-$part" nothing; done
done

# A region's count does not depend on the other regions.
for cpu in p5 p55c ppro p3; do
    case $cpu in p5*) event=instructions_executed ;; *) event=inst_retired ;; esac
    for ring in 0 3; do
        usual_for 'p5-0 p5-3 p55c-0 p3-3' $cpu-$ring sim_boot "regions-$cpu-$ring" 0 "--cpu $cpu" "bench=regions events=$event ring=$ring" \
            'records("region"; .event == $event) | length > 3 and all(.flags | index("unbalanced") | not)' \
            'records("region"; .event == $event and .label == "inner") | length == 1 and .[0].per_entry == 10'
    done
done

# events=all: more events than a line takes, in batches; each count is the oracle's, as the bracket reads it.
every_event() { on_sim "$1" "${1##*-}" 0 raw all 'fp_add_latency:n=200,stride_thrash:n=100:lines=8' "$2"; }
custom every-event-p55c every_event 80

# Of a CPU of the database: every event once, each with a value or "unmodelled", regions too.
every_event_once() {
    local cpu=${1##*-} status
    ./run-bochs.sh --no-install --cpu "$cpu" --timeout 300 -o "$dir/$1.jsonl" --append 'bench=regions events=all reps=2 warmup=0' >"$dir/$1.out" 2>&1
    status=$?
    judge "$1" 0 "$status" '[results[].event] | length > 200 and length == (unique | length)' \
        '(records("result"; .event != "tsc") | length) as $n | any(.[]; .t == "note" and (.message | startswith("events=all: \($n) events, ")))' \
        '[results[] | .group // 0] | unique | . == [range(length)]' \
        '[records("region"; .id == 1)[].event] | length > 200 and length == (unique | length)'
}
long custom every-event-skylake every_event_once
# ---- a Pentium's pins: a pulse for each event that was counted, or one at the overflow ----
pins_boot() { # NAME WORDS CONDITION of the oracle's lines ($n: events of counter 0 in a repetition)
    local name=$1 n status
    ./run-bochs.sh --no-install --cpu p5 --ebs-socket --oracle "$dir/$name.oracle" -o "$dir/$name.jsonl" --append \
        "bench=stride_thrash:lines=4:n=1000 ring=3 events=data_read:u,instructions:u reps=3 warmup=0 $2" >"$dir/$name.out" 2>&1
    status=$?
    n=$(jq -s 'map(select(.t == "result" and .event == "data_read:u"))[0].min * 1000 | round' "$dir/$name.jsonl")
    if ! jq -es --argjson n "${n:-0}" "length == 3 and (map(.pins) | $3)" "$dir/$name.oracle" >/dev/null; then
        fail "$name" "other pulses: $(jq -c .pins "$dir/$name.oracle" | tr '\n' ' ')"
    else
        judge "$name" 0 "$status" 'results | map(select(.event != "tsc")) | length == 2 and all(.min == .max)'
    fi
}
pins_increment() { pins_boot "$1" pins=increment "\$n > 1000 and all(.increment[0] == \$n and .increment[1] > \$n and .overflow == [0, 0])"; }
pins_overflow() { pins_boot "$1" pins=overflow:6000 'all(.increment == [0, 0]) and (map(.overflow[0]) | add) == 1'; }
custom pins-increment pins_increment
custom pins-overflow pins_overflow
boot pins-none 2 "--append 'bench=empty events=cycles pins=increment'" 'error_says("this CPU\u0027s counters show nothing on pins")'

# ---- a Pentium's matches of breakpoints (dr0= to dr3=) ----
DRS='breakpoint_match_on_dr0_register,breakpoint_match_on_dr1_register,breakpoint_match_on_dr3_register'
for cpu in p5 p55c; do
    # The payload's entry, its argument's second word, which it reads once, and the first, likewise.
    sim_boot "breakpoints-$cpu" 0 "--cpu $cpu" "bench=traced:n=8 reps=3 events=$DRS dr0=traced dr1=arg+4,4,rw dr3=arg,4,w" \
        'breakpoint_matches | map(.min * 8) == [1, 1, 0] and all(.flags == ["modelled"])' \
        'notes("breakpoints") | length == 1'
done
# Of code that does not follow a jump nobody knows in which pipe it is (here the DEC of a loop).
sim_boot breakpoints-pipes 0 '--cpu p5' "bench=test_1000 reps=3 events=$DRS dr0=test_1000+6 dr1=test_1000 dr3=0b8000h,4,w" \
    'breakpoint_matches | map(.flags | index("unmodelled") != null) == [true, false, false] and (.[1:] | map(.min) == [1, 0])'
sim_boot breakpoints-name 1 '--cpu p5' "bench=empty events=$DRS dr3=trace" \
    'error_says("dr3=: there is no .*trace.* here; valid: an address, empty, arg")'
boot breakpoints-none 2 "--append 'bench=empty events=cycles dr0=0x5000'" 'error_says("this CPU has no event that counts matches")'
