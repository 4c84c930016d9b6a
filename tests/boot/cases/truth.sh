# The truth suite (bench=truth, tags, cascade) on every model, and what it shows of errata. Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2261

# ---- Pentium and P6 ----

against_oracle() { # against_oracle NAME MODE FLAVOUR: truth.jq's verdict
    local empty='none' # in the mode raw, which takes all
    [ "$2" = raw ] || empty=payload@$(address_of empty_payload "$3")
    grep -v "^{\"label\":\"$empty\"" "$dir/$1.oracle" |
        jq -n -c --arg mode "$2" --slurpfile record "$dir/$1.jsonl" -f tests/boot/truth.jq 2>&1
}

# Every modelled row agrees, the same in each repetition, and with the oracle; NAME is truth-CPU-RING. Through the P5's call
# gate both readings are one instruction, so there the payloads are compared.
truth() {
    local status verdict name=$1 cpu=${1#truth-} mode=raw reader=rdpmc brackets=() t=0
    case $cpu in
    p5-0) reader=rdmsr ;;
    p5-3) mode=payload ;;
    ppro-0) t=49 ;; # n x t with the model's memory: docs/pmu-model.md, 48h
    p2-0) t=66 ;;
    p3-0) t=83 ;;
    esac
    [ $mode = payload ] || brackets=(--bracket "$(readings $reader)")
    ./run-bochs.sh --no-install --cpu "${cpu%-*}" --oracle "$dir/$name.oracle" "${brackets[@]}" -o "$dir/$name.jsonl" \
        --append "bench=truth ring=${cpu##*-}" >"$dir/$name.out" 2>&1
    status=$?
    verdict=$(against_oracle "$name" $mode i586)
    rm -f "$dir/$name.oracle"
    if [ "$(jq '.compared > 50 and .wrong == []' <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$name" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    judge "$name" 0 "$status" '[.[] | select((.t == "truth" or .t == "relation") and .verdict == "differs")] == []' \
        'records("truth"; .verdict == "agrees") | length > 50 and all(.flags == ["modelled"])' \
        'records("truth"; has("min")) | all(.min == .max and .reps == 20)' \
        'records("truth"; .program == "interrupts") | length == 1 and .[0].measured == 5' \
        '[.[] | select(.verdict == "within") | .each] == (if $t > 0 then [$t] else [] end)' \
        'notes("interrupts") == []' 'records("truths") | length == 1'
}
for cpu in $(model_names p5 p6); do
    for ring in 0 3; do usual_for 'p5-0 p5-3 p55c-3 p3-0 p3-3' $cpu-$ring custom "truth-$cpu-$ring" truth; done
done
boot truth-without-pmu 0 "--append bench=truth" 'records("truth"; .verdict == "agrees") == []' \
    'records("note") | length > 0'

# Heller's questions: what a record says is what was counted, and no answer is a disagreement.
long sim_boot questions-p3 0 '--cpu p3' 'bench=truth' 'records("truths")[0] | .answered == 8 and .differ == 0' \
    '[.[] | select(.verdict == "answered")] | length == 8 and all(.relation == (if .left < .right then "<" elif .left > .right then ">" else "=" end)) and
        (map(.relation) | unique | length) > 1' \
    'records("relation"; .right_terms == ["br_inst_retired","br_bogus"]) | map(.verdict) == ["unmodelled"]'

# ---- Intel's architectural counters and AMD's ----

# More than two counters are read at once, so the values compared with the oracle are those of
# the payloads: at least 26, the number of a Core Duo at CPL 3. NAME is truth-CPU-RING, or truth-CPU-RING-i586. Of
# AMD's Zen no event is the interrupts'.
truth_now() {
    local status verdict name=$1 cpu ring flavour interrupts=1
    IFS=- read -r _ cpu ring flavour <<<"$1"
    case $cpu in coreduo | sandybridge | haswell | icelake | tigerlake | zen) interrupts=0 ;; esac
    ./run-bochs.sh --no-install --cpu "$cpu" --flavour "${flavour:=$(bochs_flavour "$cpu")}" --oracle "$dir/$name.oracle" -o "$dir/$name.jsonl" \
        --append "bench=truth ring=$ring" >"$dir/$name.out" 2>&1
    status=$?
    verdict=$(against_oracle "$name" payload "$flavour")
    rm -f "$dir/$name.oracle"
    if [ "$(jq '.compared >= 26 and .wrong == []' <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$name" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    judge "$name" 0 "$status" steady \
        'truths | map(select(.verdict != "agrees" and .event != "branch-misses") | [.event, .verdict]) == [["cycles", "within"]]' \
        'truths | map(select(.event == "branch-misses") | .verdict) | inside(["unmodelled"])' \
        'records("relation") | all(.verdict == "agrees")' '.[0].flavour == $flavour' \
        'truths | map(select(.program == "interrupts") | .measured) == (if $interrupts == 1 then [5] else [] end)'
}
# One of each version of the counters: Intel's 1 to 5 (3 is 4 without its own global status register), AMD's four, six, and those
# with global status.
VERSIONS='coreduo core2 skylake icelake k8 bulldozer zen4'
for cpu in $(model_names arch amd); do
    usual_for "$VERSIONS" $cpu custom "truth-$cpu-0" truth_now
    of_each_family $cpu custom "truth-$cpu-3" truth_now
done
for cpu in skylake-0 zen4-3; do usual_for zen4-3 $cpu custom "truth-$cpu-i586" truth_now; done

# ---- NetBurst ----

for cpu in willamette northwood prescott 'prescott --flavour x86_64'; do
    name=${cpu/ --flavour /-}
    usual_for 'prescott prescott-x86_64' $name sim_boot "truth-$name-0" 0 "--cpu $cpu" 'bench=truth' none_differs steady bogus_unmodelled 'agree(142)' \
        'truths | map(select(.verdict != "agrees" and own_row)) | length == 7 and all(.verdict == "unmodelled" and (has("measured") | not))'
    usual_for prescott-x86_64 $name sim_boot "tags-$name-0" 0 "--cpu $cpu" 'bench=tags' none_differs steady bogus_unmodelled 'agree(37)'
    usual_for prescott $name sim_boot "tags-$name-3" 0 "--cpu $cpu" 'bench=tags ring=3' none_differs steady bogus_unmodelled 'agree(26)'
done
sim_boot tags-p3 0 '--cpu p3' 'bench=tags' 'truths == []' 'notes("truth") | length == 1 and (.[0].message | test("they need a Pentium 4: "))'

# M, then N: the interrupt after event M + N, or with a skid later; where an erratum forbids it, none.
PLAIN='[1007,2014,2,501,1002,2,502,1004,2]'
EXTENDED="${PLAIN%]},1007,2014,2,1007,2014,2,1007,2014,2,1007,2014,2]" # which a Prescott has besides
for cpu in willamette prescott 'prescott --flavour x86_64'; do
    case $cpu in willamette) count=9 all=$PLAIN ;; *) count=21 all=$EXTENDED ;; esac
    for ring in 0 3; do
        for pmi in fixed nmi; do
            usual_for 'willamette-3-fixed prescott-0-fixed prescott-3-nmi prescott-x86_64-0-nmi' ${cpu/ --flavour /-}-$ring-$pmi \
                sim_boot "cascade-${cpu/ --flavour /-}-$ring-$pmi" 0 "--cpu $cpu" "bench=cascade ring=$ring pmi=$pmi" none_differs \
                steady 'agree($count)' 'truths | map(.measured) == $all'
        done
    done
done
# A counter's low 32 bits where they are enough, everything where a sum is made of them.
sim_boot fast-rdpmc 0 '--cpu willamette' 'bench=empty,regions ring=3 events=instr_retired,cycles' \
    '[records("result"; .event != "tsc")[] | [.bench, .read]] | unique == [["empty","fast rdpmc"],["regions","rdpmc"]]'
sim_boot cascade-skid 0 '--cpu willamette --skid 40' 'bench=cascade ring=3' none_differs \
    'truths | map(.measured) == [1047,2094,2,541,1082,2,542,1084,2]'
sim_boot cascade-northwood 0 '--cpu northwood' 'bench=cascade' \
    'truths | length == 7 and all(.verdict == "refused" and (.reason | test("erratum")) and (has("measured") | not))' \
    '[records("truths")[].refused] == [7]'
sim_boot cascade-p3 0 '--cpu p3' 'bench=cascade' 'truths == []' 'notes("truth") | length == 1'

# Errata, one by one: the driver's remedy, or the visible effect.
PMI='bench=stride_thrash:n=100000 reps=1 ring=3 sample=pmi events=instr_retired:u period=1000'
for cpu in willamette prescott; do
    # found by bit 39 of the counter; written while it is disabled
    for erratum in unflagged-overflow n15; do
        usual_for willamette $cpu sim_boot "erratum-$erratum-$cpu" 0 "--cpu $cpu --errata $erratum" "$PMI" \
            'samplings | length == 1 and all(.lost == 0 and .samples == (.occurred / 1000 | floor))'
    done
    # read by halves that are not wrong; never used
    for erratum in n17 counter1; do
        usual_for willamette $cpu sim_boot "erratum-$erratum-$cpu" 0 "--cpu $cpu --errata $erratum" 'bench=truth' none_differs steady 'agree(142)' \
            '.[1].pmu.counters | .[1] == "unreliable" and (map(select(. == "ok")) | length == 17)'
    done
    # visible: nothing else shows that it counts twice
    usual_for willamette $cpu sim_boot "erratum-bsq-double-$cpu" 0 "--cpu $cpu --errata bsq-double" 'bench=truth' 'agree(139)' \
        'truths | map(select(.verdict == "differs")) | length == 3 and all(.event == "bsq_cache_reference:rd_2ndl_miss" and .measured == 64)'
    # on a stepping that should not have it: seen
    usual_for willamette $cpu sim_boot "erratum-cascade-pmi-$cpu" 0 "--cpu $cpu --errata cascade-pmi" 'bench=cascade' \
        'truths | length == (if $cpu == "prescott" then 21 else 9 end) and all(.verdict == "differs" and .measured == 0)'
done
