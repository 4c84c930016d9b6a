# Sources as in bench/ and experiments/, built as modules: they count what the kernel's own count, and end alone. Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

# The kernel's own, each as my_NAME.
OWN_SOURCES='bench/fp_add_latency.c bench/l1_miss.c bench/stride_thrash.c bench/regions.c
    experiments/stride_sets.c experiments/tlb_reach.c experiments/branch_history.c'
OWN_BENCHES=fp_add_latency,l1_miss,stride_thrash:lines=3..6,regions,stride_sets,stride_sets:stride=512,tlb_reach:most=256,branch_history
own_files() {
    local file bits
    mkdir -p "$dir/own"
    for file in $OWN_SOURCES; do
        sed -E 's/^(BENCHMARK|EXPERIMENT)\(/&my_/; s/\.name = "/&my_/' "$file" >"$dir/own/${file##*/}"
    done
    for bits in 32 64; do
        build/host/anechoic payload build "$dir"/own/*.c -o "$dir/own$bits.mod" --bits $bits >/dev/null
        build/host/anechoic payload build tests/payload/descriptors/ends.c -o "$dir/ends$bits.mod" --bits $bits >/dev/null
    done
    build/host/anechoic payload build tests/payload/descriptors/wrong.c -o "$dir/wrong.mod" >/dev/null
    build/host/anechoic payload build bench/empty.c -o "$dir/taken.mod" >/dev/null
}

own_cases() {
    local f cpu bits ring flavour events variant
    # All that is reported is the same, except the names.
    for f in "p5 32 0 instructions,data_read_miss" "p3 32 3 instructions,dcu_lines_in" "skylake 64 0 instructions,branches" \
        "skylake 64 3 instructions,branches"; do
        read -r cpu bits ring events <<<"$f"
        [ "$bits" = 64 ] && flavour=x86_64 || flavour=i586
        usual_for 'p5-0 p3-3 skylake-0' "$cpu-$ring" sim_boot "own-same-$cpu-$bits-$ring" 0 \
            "--cpu $cpu --flavour $flavour --module $dir/own$bits.mod --timeout 300" \
            "bench=my_${OWN_BENCHES//,/,my_},$OWN_BENCHES events=$events ring=$ring reps=3" \
            'def said(mine): map(select(.t | IN("result", "region", "value", "row", "series")) | select((.bench | startswith("my_")) == mine)
                | .bench |= ltrimstr("my_") | del(.n, .crc));
             (said(true) == said(false)) and (said(true) | length > 30)'
    done
    # Samples are in the module's functions. An overflow by the payload's RET is seen behind the bracket's CALL, which has no name.
    for f in "p3 32" "skylake 64"; do
        read -r cpu bits <<<"$f"
        [ "$bits" = 64 ] && flavour=x86_64 variant=:variant=x87 || flavour=i586 variant=''
        sim_boot "own-sampled-$cpu" 0 "--cpu $cpu --flavour $flavour --module $dir/own$bits.mod" \
            "bench=my_l1_miss,my_fp_add_latency$variant sample=pmi events=instructions samples=50 ring=3" \
            'profiles | length > 1 and all(.module == "own\($bits)" and (.build_id | length) == 40 and
                all(.lines[]; if .symbol then .symbol | test("^[a-z0-9_.]+[+]0x") else .count == 1 end))' \
            'profiles | map(select(.bench == "my_fp_add_latency").lines[].symbol // empty) | length > 10 and all(startswith("x87_adds+"))'
        # Each ends itself alone, and the next one is measured.
        for ring in 0 3; do
            sim_boot "own-ends-$cpu-ring$ring" 1 "--cpu $cpu --flavour $flavour --module $dir/ends$bits.mod" \
                "bench=end_invalid,end_good,end_forever,end_good,end_prepare:how=0..3,end_before,end_good,end_experiment:how=0..3,end_good \
                ring=$ring limit=1 reps=3 events=instructions" \
                'errors | map([(.symbol // "" | sub("[+].*"; "")), .vector]) ==
                    [["invalid",6],["forever",null],["invalid",6],["forever",null],["",null],["",null],["invalid",6],
                        ["invalid",6],["forever",null],["invalid",6],["forever",null]]' \
                '[errors[].message] | .[4] == "end_prepare: prepare() has set run->ops to what is no number above 0" and
                    (.[5] | test("^end_prepare: x{159}$"))' \
                'results | map(.bench) == ["end_good","end_good","end_good","end_good"] and all(.median == 0)' 'records("done")[0].failed == 11'
        done
    done
    # What the kernel refuses is named, and the rest is measured; other modules are there beside.
    boot own-refused 1 \
        "--module '$dir/wrong.mod' --module '$dir/taken.mod' --module '$dir/own32.mod' --module '$dir/own64.mod' \
            --append 'bench=my_fp_add_latency:variant=x87,empty'" \
        'error_says("wrong.mod: not used, since its benchmark wrong has a default of its parameter n"; 3)' \
        'error_says("taken.mod: not used, since the name of its benchmark empty means"; 3)' \
        'error_says("own32.mod: not used, since its code is for 32 bits"; 3)' 'results | map(.bench) == ["my_fp_add_latency","empty"]'
    boot own-list 0 "--module '$dir/own64.mod' --append 'bench=list'" \
        '[records("bench"; (.bench | startswith("my_")))[].bench] ==
            ["my_branch_history","my_fp_add_latency","my_l1_miss","my_regions","my_stride_sets","my_stride_thrash","my_tlb_reach"]'
    boot own-no-watchdog 0 "--flavour i586 --cpu pentium,-apic --module '$dir/own32.mod' --append 'bench=my_fp_add_latency'" \
        'records("note"; (.message | test("no watchdog here"))) | length == 1'
    bad own-unknown bench=my_fp_add_latency 'unknown benchmark'
    # Nothing that is there already moves, or counts otherwise, when such a module is there.
    sim_boot own-beside 0 "--cpu p5 --module $dir/own32.mod" "bench=l1_miss,stride_thrash:lines=3..6 events=instructions,data_read_miss" \
        'records("boot")[0].pool_base == 4194304'
}

[ $list = yes ] || [ -z "$(list=yes && own_cases)" ] || own_files
own_cases
