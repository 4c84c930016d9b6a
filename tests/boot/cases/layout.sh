# Counts do not depend on where the linker puts the rest of the kernel (kernel/repeated.h): all that is reported is the same
# when it moves, also where payloads fill half of each set of the data cache, or one set. Data that is used between two
# repetitions and has left its place shows as another number of lines in one of these kernels.
# shellcheck shell=bash disable=SC2154,SC1091

unmoved() { # unmoved NAME CPU WORDS
    local name=$1 cpu=$2 words=$3 rest status=0 all=("$dir/$1.jsonl")
    sim_run() { ./run-bochs.sh --no-install --cpu "$cpu" "$@" --append "$words" >>"$dir/$name.out" 2>&1 || status=$?; }
    sim_run -o "$dir/$name.jsonl"
    for rest in 1048 4160; do
        sim_run --kernels "build/shifted/rest-$rest" -o "$dir/$name-$rest.jsonl"
        all+=("$dir/$name-$rest.jsonl")
    done
    for rest in "${all[@]}"; do
        jq -c 'select(.t | IN("result", "region")) | del(.n, .crc)' "$rest" >"$rest.counts"
    done
    for rest in "${all[@]:1}"; do
        diff "$dir/$name.jsonl.counts" "$rest.counts" >>"$dir/$name.out" && continue
        fail "$name" "counts of $(basename "$rest" .jsonl) differ"
        return
    done
    judge "$name" 0 "$status" 'results | length >= 6'
}
lines_of() { case $1 in p5) echo lines=1..4 ;; *) echo lines=1..5 ;; esac; }
# Lines, 32 bytes apart, that fill half of each set. More would meet what the harness writes, which is in the cache or not as it was
# left there: these CPUs do not fetch it.
half_of() { case $1 in p5) echo 128 ;; *) echo 256 ;; esac; }
for cpu in p5 p55c p3; do
    case $cpu in p3) event=dcu_lines_in ;; *) event=data_read_miss ;; esac
    custom "unmoved-data-$cpu" unmoved $cpu "bench=stride_thrash:lines=$(half_of $cpu):stride=32,stride_thrash:$(lines_of $cpu),regions events=$event reps=20"
done
# Without regions: a Pentium's buffer replaces in turn, so that some hit or other of its many markers depends on what ran before.
for cpu in p5 p55c; do
    custom "unmoved-code-$cpu" unmoved $cpu "bench=stride_thrash,l1_miss,empty events=branches,btb_hits,code_cache_miss reps=20"
done

# All code that runs from the end of one repetition to the beginning of the next is kept in its place: the brackets' or the
# repeated (linker.ld). The oracle has each instruction's address.
between() { # between NAME CPU FLAVOUR EVENT: how the oracle calls retired instructions
    local name=$1 cpu=$2 flavour=$3 event=$4 status at s
    local -A place
    for s in user_text_start brackets_end repeated repeated_behind_end; do place[$s]=$((0x$(address_of $s "$flavour"))); done
    ./run-bochs.sh --no-install --cpu "$cpu" --flavour "$flavour" --oracle "$dir/$name.oracle" --histogram "$event" \
        --bracket between=bracket_cpuid_rdpmc1_back:bracket_cpuid_rdpmc1_call \
        --append "bench=regions events=instructions reps=10" -o "$dir/$name.jsonl" >"$dir/$name.out" 2>&1
    status=$?
    # The last line is also of what comes after the last repetition.
    tail -n 4 "$dir/$name.oracle" | head -n 3 | jq -r ".histogram.$event | keys[] | select(. != \"delivery\")" | sort -u |
        while read -r at; do
            at=$((0x$at))
            ((at >= place[user_text_start] && at < place[brackets_end])) || ((at >= place[repeated] && at < place[repeated_behind_end])) ||
                printf '%x\n' $at
        done >"$dir/$name.elsewhere"
    [ ! -s "$dir/$name.elsewhere" ] || { fail "$name" "code elsewhere: $(head -n 3 "$dir/$name.elsewhere" | tr '\n' ' ')"; return; }
    jq -se '.[-4:-1] | length == 3 and all(.insns > 1000)' "$dir/$name.oracle" >/dev/null || { fail "$name" "nothing between"; return; }
    judge "$name" 0 "$status" 'results | length == 1'
}
custom between-p55c between p55c i586 INSTRUCTIONS_EXECUTED
custom between-skylake between skylake x86_64 INSTRUCTION_RETIRED
