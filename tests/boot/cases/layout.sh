# Counts do not depend on where the linker puts the rest of the kernel (linker.ld): kernels of the same objects in another order,
# after padding, or both (tests/relink.sh) report the same, even for payloads that fill every line of the data cache.
# shellcheck shell=bash disable=SC2154,SC1091

unmoved() { # unmoved NAME CPU FLAVOUR WORDS ROWS: of ROWS at least
    local name=$1 cpu=$2 flavour=$3 words=$4 rows=$5 kind at=$dir/$1 status=0
    for kind in '' order pad both; do
        ./run-bochs.sh --no-install --cpu "$cpu" --flavour "$flavour" --kernels "build${kind:+/relinked/$kind}" -o "$at${kind:+-$kind}.jsonl" \
            --append "$words" >>"$at.out" 2>&1 || status=$?
        jq -c 'select(.t | IN("result", "reps", "region", "region_rep", "truth", "relation")) | del(.n, .crc)' \
            "$at${kind:+-$kind}.jsonl" >"$at$kind.rows"
    done
    for kind in order pad both; do
        diff "$at.rows" "$at$kind.rows" >>"$at.out" || { fail "$name" "counts of the kernel that was linked by $kind differ"; return; }
    done
    judge "$name" 0 "$status" "[.[] | select(.t | IN(\"result\", \"region\", \"truth\"))] | length >= $rows"
}

# CPU, its flavour, the lines of its data cache, and events of caches, of branches, or of both.
while read -r cpu flavour lines events; do
    usual_for 'p5 p3 skylake' $cpu custom "unmoved-truth-$cpu" unmoved $cpu $flavour bench=truth 80
    bench="stride_thrash:lines=$lines:stride=32,stride_thrash:lines=1..10,l1_miss,empty,regions"
    for ring in 0 3; do
        usual_for 'p5-0 p5-3 p55c-0 p3-0 prescott-3 k8-0' $cpu-$ring custom "unmoved-$cpu-$ring" unmoved $cpu $flavour \
            "bench=$bench events=$events all=1 ring=$ring reps=20" 40
    done
done <<'CPUS'
p5 i586 256 branches,btb_hits,data_read_miss,code_cache_miss
p55c i586 512 branches,btb_hits,data_read_miss,code_cache_miss
p3 i586 512 branches,dcu_lines_in,ifu_ifetch_miss
k8 x86_64 1024 instructions,data_cache_misses,instruction_cache_misses
prescott x86_64 256 instructions,branches,2ndl_cache_load_miss_retired
skylake x86_64 512 instructions,branches,llc_misses
CPUS
# Presets, which are written between repetitions.
while read -r cpu flavour ring events; do
    usual_for 'p5-0 p3-3 prescott-3' $cpu-$ring custom "unmoved-preset-$cpu-$ring" unmoved $cpu $flavour \
        "bench=stride_thrash:lines=512:stride=32,stride_thrash:lines=1..10,l1_miss,empty events=$events all=1 ring=$ring reps=20" 13
done <<'CPUS'
p5 i586 0 data_read_miss:init=-100,code_cache_miss:init=-100
p5 i586 3 branches:init=-100,btb_hits:init=-100
p3 i586 3 dcu_lines_in:init=-100
prescott i586 3 instr_retired:u:init=-50+>instr_retired:u
skylake x86_64 0 llc_misses:init=-100,branches:init=-7
CPUS
long custom unmoved-many-p5 unmoved p5 i586 'bench=l1_miss,empty events=data_read_miss,code_cache_miss all=1 reps=1000' 4

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
