# Regions whose markers find caches and buffers changed: what is said of each part of a payload holds what its
# instructions did, for every modelled event. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2261

# The parts between two markers of bench/history_payload.S; a label is the regions that a part lies in.
part() { echo "$1=history_$2:history_${3:-$2_end}"; }
PARTS=$(part 0 enter),$(part 0 again enter_end),$(part 0.1 data),$(part 0.2 code),$(part 0.4 near),$(part 0 back again)
PARTS=$PARTS,$(part 0 back done_end),$(part 5 e),$(part 5.6 f),$(part 6 g)

with_history() { # NAME is history-CPU-RING[-PART]
    local status names words verdict cpu ring part flavour all
    IFS=- read -r _ cpu ring part <<<"$1"
    names=$(sim_names "$1" "$cpu") || return
    words=$(event_words "$cpu" "$names" "$part")
    flavour=$(bochs_flavour "$cpu")
    case $cpu in p5 | p3) all=1 ;; *) all=0 ;; esac # single repetitions too
    ./run-bochs.sh --no-install --cpu "$cpu" --flavour "$flavour" --oracle "$dir/$1.oracle" --bracket "$PARTS" -o "$dir/$1.jsonl" \
        --append "bench=test_history events=$words ring=$ring warmup=1 reps=2 all=$all" >"$dir/$1.out" 2>&1
    status=$?
    verdict=$(jq -s -c --argjson warmup 1 --slurpfile words tests/boot/words.json --slurpfile oracle "$dir/$1.oracle" \
        --slurpfile relations tests/boot/relations.json -f tests/boot/regions.jq "$dir/$1.jsonl" 2>&1)
    rm -f "$dir/$1.oracle"
    echo "$verdict" >>"$dir/$1.out"
    if [ "$(jq --argjson all $all '.compared > 100 and .related > 0 and .exact > 10 and .parts == 18 and (.kept > 100) == ($all == 1)
        and .wrong == []' <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$1" "$(cut -c1-600 <<<"$verdict")"
        return
    fi
    judge "$1" 0 "$status"
}
for cpu in $(model_names); do
    # Each family at one of the levels: each event at both is in truth-CPU-RING, of a NetBurst in sim-prescott-ring-RING.
    case $cpu in p5 | p3 | prescott | skylake) at=3 ;; *) at=0 ;; esac
    usual_for 'p5 p3 prescott skylake zen4' $cpu custom "history-$cpu-$at" with_history
    long custom "history-$cpu-$((3 - at))" with_history
    for ((part = 2; part <= $(parts_of $cpu); part++)); do long custom "history-$cpu-0-$part" with_history; done
done

# No more hits than branches, and none in an empty region, where both are counted at once; by themselves, no number that
# would have to be guessed. Some hit or other of a repetition depends on what ran before, since the buffer replaces in turn.
for cpu in $(model_names p5); do
    for ring in 0 3; do
        usual_for 'p5-3 p55c-0' $cpu-$ring sim_boot "hits-$cpu-$ring" 0 "--cpu $cpu" "bench=regions events=branches,btb_hits ring=$ring" \
            '[records("region"; .event == "branches")[].total] == [100,0,0,0,0]' \
            'btb_hits | .[0] | .least <= 99 and .most == 100 and .least > 98' 'btb_hits | .[1:] | map(.total) == [0,0,0,0]'
        usual_for 'p5-0 p55c-3' $cpu-$ring sim_boot "hits-alone-$cpu-$ring" 0 "--cpu $cpu" "bench=regions events=btb_hits ring=$ring" \
            'btb_hits | length == 5 and all(.total == null and .per_entry == null and .first == null and .least < .most)' \
            'btb_hits | .[0].least <= 99 and .[0].most >= 100 and (.[1:] | all(.least == 0))'
    done
done

# A marker's line evicts another one, clean or modified.
for ring in 0 3; do
    sim_boot "lines-out-k8-$ring" 0 "--cpu k8" \
        "bench=regions events=data_cache_lines_evicted:exclusive,data_cache_lines_evicted:modified ring=$ring" \
        '[records("region"; .event != "tsc")[].overhead_most] | length == 10 and all(. > 0)'
done

# With all=1 each repetition of each region, those without labels too: their least, most and mean are the region's, and what
# has no values has no repetitions. 50 of them are two records.
each_rep() {
    local status verdict
    ./run-bochs.sh --no-install --cpu p5 -o "$dir/$1.jsonl" \
        --append "bench=regions:n=5,test_regions events=btb_hits,code_cache_miss,branches reps=50 all=1" >"$dir/$1.out" 2>&1
    status=$?
    verdict=$(jq -s -c -f tests/boot/region_reps.jq "$dir/$1.jsonl" 2>&1)
    echo "$verdict" >>"$dir/$1.out"
    if [ "$(jq '.regions == 27 and .exact > 0 and .ranges > 0 and .wrong == []' <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$1" "$(cut -c1-600 <<<"$verdict")"
        return
    fi
    judge "$1" 0 "$status" 'records("region_reps"; .event == "branches" and .label == "inner")
        | length == 2 and all(.least == .most and all(.least[]; . == 0))'
}
custom regions-reps each_rep
