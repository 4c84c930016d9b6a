# Several modelled processors: lines that move between their caches, and the kernel beside processors that rest. Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154

# ping_pong NAME: NAME is ping-pong-CPU-N. Two processors hand a line back and forth 100 times (tests/boot/ping_pong.c), each
# pair of N its own. Each round is two transfers, one into each of the two; each processor loses its copy once a round, to the
# other's store. What the PMU counted, by the processor itself, and the oracle's own events say the same.
ping_pong() {
    local cpu n brackets wrong events k expected=''
    IFS=- read -r _ _ cpu n <<<"$1"
    brackets=$(nm build/boot/ping_pong.elf | awk '$3 ~ /^p[io]ng_call$/ { printf "%s%s=call@%s:ret", comma, substr($3, 1, 4), $1; comma = "," }')
    ./run-bochs.sh --no-install --cpu "$cpu" --smp "$n" --through build/boot/ping_pong.elf --oracle "$dir/$1.oracle" \
        --bracket "$brackets" -o "$dir/$1.jsonl" --append ping_pong >"$dir/$1.out" 2>&1 ||
        { fail "$1" "exit status $?"; return; }
    case $cpu in
    ppro | p2 | p3) events='BUS_TRAN_BRD BUS_HITM_DRV BUS_TRAN_INVAL' ;;
    willamette | northwood | prescott) events='BSQ_cache_reference:RD_2ndL_MISS BSQ_cache_reference:RD_2ndL_HITS' ;;
    coreduo | core2) events='BUS_TRANS_BRD:SELF BUS_TRANS_INVAL:SELF' ;;
    skylake) events='MEM_LOAD_RETIRED:L3_MISS MEM_LOAD_L3_MISS_RETIRED:REMOTE_HITM' ;;
    zen | zen4) events='REQUESTS_TO_L2_GROUP1:CHANGE_TO_X' ;;
    esac
    for ((k = 0; k < n; k++)); do
        case $cpu in zen | zen4) expected="${expected}player $k 0 0"$'\n' ;; *) expected="${expected}player $k 100 100"$'\n' ;; esac
    done
    if ! diff <(printf 'processors %u\n%s' "$n" "$expected") <(tr -d '\r' <"$dir/$1.out" | grep -E '^(processors|player) ') >"$dir/$1.diff"; then
        fail "$1" "$(tr '\n' ';' <"$dir/$1.diff")"
        return
    fi
    # Of each processor the first line is the round that brings the line, and not judged.
    wrong=$(jq -s -c --argjson n "$n" --arg events "$events" '
        [group_by(.cpu)[] | select(length == 2) | .[1]] as $last
        | if ($last | map(.cpu)) != [range($n)] then ["processors", ($last | map(.cpu))] else [] end
        + [$last[] | . as $line | select((.label | startswith(if $line.cpu % 2 == 0 then "ping@" else "pong@" end) | not)
              or .lines != {in: 100, out: 100, lost: 100}
              or any($events | split(" ")[]; $line.events[.] != {k: 100, u: 0})
              or .unmodelled != (if $events | startswith("REQ") then $line.unmodelled else [] end))
           | [.label, .cpu, .lines, (. as $l | $events | split(" ") | map($l.events[.].k))]]' "$dir/$1.oracle" 2>&1)
    [ "$wrong" = '[]' ] || { fail "$1" "$wrong"; return; }
    say "ok $1"
}
for n in p3-2 p3-4 willamette-2 prescott-4 core2-2 skylake-4; do usual_for 'p3-2 prescott-4 skylake-4' $n custom "ping-pong-$n" ping_pong; done
for n in ppro-2 p2-2 northwood-2 coreduo-2 core2-8 zen-2 zen4-4; do long custom "ping-pong-$n" ping_pong; done

# ping-pong-threads-CPU: two threads of a core: what they hand over stays in the caches that they share. Each one's own counter has its
# instructions to the last one: those that the oracle has, CALL, RET, and 10 between the readings. CPU-N: N packages of two threads; of
# each two the second thread of the one and the first of the other play, and each round is two transfers.
ping_pong_threads() {
    local brackets wrong cpu packages
    IFS=- read -r _ _ _ cpu packages <<<"$1"
    brackets=$(nm build/boot/ping_pong.elf | awk '$3 ~ /^p[io]ng_call$/ { printf "%s%s=call@%s:ret", comma, substr($3, 1, 4), $1; comma = "," }')
    ./run-bochs.sh --no-install --cpu "$cpu" --smp "${packages:=1}" --threads 2 --through build/boot/ping_pong.elf --oracle "$dir/$1.oracle" \
        --bracket "$brackets" -o "$dir/$1.jsonl" --append ping_pong >"$dir/$1.out" 2>&1 ||
        { fail "$1" "exit status $?"; return; }
    wrong=$(jq -s -c --rawfile out "$dir/$1.out" --argjson n "$packages" '
        (if $n == 1 then [0, 1] else [range($n * 2) | select(. % 4 == 1 or . % 4 == 2)] end) as $who
        | (if $n == 1 then 0 else 100 end) as $moves
        | [group_by(.cpu)[] | select(length == 2) | .[1]] as $last
        | [$out | scan("player ([0-9]+) ([0-9]+) ([0-9]+)") | map(tonumber)] as $players
        | if ($last | map(.cpu)) != $who or ($players | map(.[0])) != $who then ["threads", $players] else [] end
        + [range($who | length) as $t | select($last[$t].lines != {in: $moves, out: $moves, lost: $moves} or $players[$t][1] != $moves
             or $players[$t][2] != $last[$t].insns + 12) | [$last[$t].lines, $last[$t].insns, $players[$t]]]' "$dir/$1.oracle" 2>&1)
    [ "$wrong" = '[]' ] || { fail "$1" "$wrong"; return; }
    say "ok $1"
}
# Bochs ignores the write that makes INT 18 a machine check, as a CPU may refuse it: the test says so.
sim_boot processors-panic-skipped 1 '--cpu p3 --smp 2' 'cpus=2 bench=test_processors:what=4' 'error_says("skipped: this CPU does not let software set MCIP")'
# LFENCE serialises on each processor, not only on the one that booted: the model's DE_CFG is each core's own.
for cpu in fam10h zen; do
    sim_boot "processors-lfence-$cpu" 0 "--cpu $cpu --smp 3" 'cpus=3 bench=test_processors:what=0' \
        'records("value") | map({key: .name, value: .value}) | from_entries | .themselves == 3 and .alike == 3' \
        'records("cpu") | length == 1 and all(.serialize | index("lfence"))'
done
for cpu in prescott skylake prescott-2; do custom "ping-pong-threads-$cpu" ping_pong_threads; done
for cpu in sandybridge haswell icelake tigerlake skylake-2 skylake-4 prescott-4; do long custom "ping-pong-threads-$cpu" ping_pong_threads; done

# pair-packages-CPU: a pair on two packages of two threads: beside a thread of its own core and beside another package each has the
# instructions that it has alone, which are those of the oracle.
pair_packages() {
    local insns
    ./run-bochs.sh --no-install --cpu "${1##*-}" --smp 2 --threads 2 --oracle "$dir/$1.oracle" -o "$dir/$1.jsonl" \
        --append 'pair=fp_add_latency+fp_add_latency:n=1000 events=instructions reps=3' >"$dir/$1.out" 2>&1 ||
        { fail "$1" "exit status $?"; return; }
    # What a Pentium 4 needs besides is shorter than the 1,000 additions.
    insns=$(jq -s -c '[.[] | select(.insns >= 1000)] | map(.cpu) as $cpus | map(.insns) as $n
        | if ($cpus | unique) == [0, 1, 2] and ($n | unique | length) == 1 then $n[0] else [$cpus, $n] end' "$dir/$1.oracle" 2>&1)
    judge "$1" 0 0 'records("topology") | map([.processors, .packages, .cores, .threads]) == [[4, 2, 2, 2]]' \
        'records("topology")[0] | (.leaves | index("cpuid.4")) as $told | .caches | length > 0 and
            all(if $told then .number == 2 and .shared == 2 else has("shared") | not end)' \
        '[records("pair")[] | [.how, .cpu, .beside_cpu]] == [["threads",0,1],["threads",1,0],["packages",0,2],["packages",2,0]]' \
        '[records("pair")[] | .alone, .together | . * 1000 | round] | length == 8 and all(. == $insns)'
}
custom pair-packages-skylake pair_packages
long custom pair-packages-prescott pair_packages

# The kernel on the first of several: what happens in its brackets is what happens alone, to the last event; those about
# others it has besides.
sim_beside() { # NAME is sim-beside-CPU-N, N processors, or -threads
    local cpu n k option=--smp
    IFS=- read -r _ _ cpu n <<<"$1"
    [ "$n" != threads ] || option=--threads n=2
    for k in 1 "$n"; do
        ./run-bochs.sh --no-install --cpu "$cpu" $option "$k" --oracle "$dir/$1-$k.oracle" -o "$dir/$1.jsonl" --append \
            'bench=fp_add_latency:n=200,stride_thrash:n=100:lines=8,l1_miss:sweeps=1 events=instructions,cache-misses,branches reps=3' \
            >"$dir/$1.out" 2>&1 || { fail "$1" "exit status $? with $k"; return; }
    done
    if ! jq -n -e --slurpfile alone "$dir/$1-1.oracle" --slurpfile beside "$dir/$1-$n.oracle" '
        ($alone | length) > 20 and ($alone | length) == ($beside | length)
        and ($beside | all(.cpu == 0 and .lines == {in: 0, out: 0, lost: 0}))
        and [$beside[] | del(.cpu, .lines, .events.BUS_HIT_DRV, .events.BUS_HITM_DRV)] == $alone' >/dev/null; then
        fail "$1" "the oracle's lines differ"
        return
    fi
    judge "$1" 0 0 # the capture is complete
}
for n in p3-2 prescott-threads skylake-4 haswell-threads; do usual_for 'prescott-threads skylake-4' $n custom "sim-beside-$n" sim_beside; done

# Sampled at the same time each has its own overflows or records, to the last one.
for n in 'skylake --smp' 'haswell --threads'; do
    sim_boot "together-${n%% *}" 0 "--cpu $n 2" 'cpu=all together=1 bench=l1_miss:sweeps=64 ring=3 reps=1 sample=pmi events=instructions:u period=500' \
        'samplings | map([.cpu, .together]) == [[0,2],[1,2]] and all(.lost == 0 and .samples >= 500 and .samples == (.occurred / .period | floor))'
done
# A record takes the event after its overflow.
sim_boot together-northwood 0 '--cpu northwood --smp 2' 'cpu=all together=1 bench=l1_miss:sweeps=2 ring=3 sample=pebs events=memory_loads:u period=100' \
    'samplings | map([.cpu, .together]) == [[0,2],[1,2]] and all(.lost == 0 and .samples > 500 and .samples <= .occurred / .period)'
sim_boot together-shared 1 '--cpu prescott --threads 2' 'cpu=all together=1 bench=l1_miss ring=3 sample=pebs events=memory_loads:u period=100' \
    'error_says("two threads of one core share their counters")'

# Words that are wrong.
smp_words() {
    local wrong='' why
    why=$(./run-bochs.sh --no-install --cpu p3 --smp 9 --append 'bench=all' 2>&1) && wrong="9: done"
    [[ $why = *'--smp needs a number of processors from 1 to 8, not 9'* ]] || wrong="$wrong 9: $why"
    why=$(./run-bochs.sh --no-install --cpu p3 --smp x --append 'bench=all' 2>&1) && wrong="$wrong x: done"
    [[ $why = *'not x'* ]] || wrong="$wrong x: $why"
    why=$(./run-bochs.sh --no-install --cpu prescott --threads 3 --append 'bench=all' 2>&1) && wrong="$wrong threads 3: done"
    [[ $why = *'--threads needs 1 or 2, not 3'* ]] || wrong="$wrong threads 3: $why"
    why=$(./run-bochs.sh --no-install --cpu northwood --threads 2 --append 'bench=all' 2>&1)
    [[ $? = 4 && $why = *'--threads 2 is for prescott, sandybridge, '*' or tigerlake: northwood has one thread'* ]] || wrong="$wrong northwood: $why"
    why=$(./run-bochs.sh --no-install --cpu prescott --threads 2 --smp 5 --append 'bench=all' 2>&1)
    [[ $? = 2 && $why = *'--smp needs 1 to 4 with --threads 2, not 5'* ]] || wrong="$wrong both: $why"
    [ -z "$wrong" ] || { fail "$1" "$wrong"; return; }
    say "ok $1"
}
custom smp-words smp_words
