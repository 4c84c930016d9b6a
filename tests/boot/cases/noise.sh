# What disturbs: SMIs, gaps, strays; measured again or not; and a watch of its own. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2261

for f in i586 x86_64; do
    # Nothing comes in between, and nothing is said to.
    boot "noise-none-$f" 0 "--flavour $f --icount --append 'reps=20'" undisturbed calm \
        'certificate | .elapsed_tsc > 6e7 and .elapsed_s > 0.06' '.[0] | .smbios == "bios" and .bios_vendor == "SeaBIOS" and .system_maker == "QEMU"' \
        '.[0].date | test("^2020-01-01T00:00:")' '.[1].microcode == "unmodelled"' \
        'records("quiet") | all((.histogram | map(.times) | add) > 100000)'
    # The chipset's own SMIs, a thousand in one call: each goes to SeaBIOS' handler, which takes some 40 instructions.
    usual_for x86_64 $f boot "noise-smi-$f" 0 "--flavour $f --icount --append 'bench=test_smi:call=5,test_smi:n=0 warmup=0 reps=10'" \
        'results | (.[0] | .slow == 1 and .over_median_tsc > 30000 and (.flags | index("slow"))) and (.[1] | has("slow") | not)' \
        'certificate | .off == ["1 of 2 runs disturbed"] and .disturbed == 1 and .over_median_tsc > 30000'
    # Disturbed once, and always. The outlier is gone, and told.
    usual_for x86_64 $f boot "noise-again-$f" 0 "--flavour $f --icount --append 'bench=test_stray_once,test_smi:call=5 again=3 warmup=0 reps=10 ring=0'" \
        'results[0] | .again == 1 and (has("stray") | not) and (.discarded | length == 1 and .[0].stray == 1 and .[0].max_tsc > .[0].median_tsc)' \
        'results | .[1] | .again == 3 and .slow == 1 and (.discarded | length == 3 and all(.slow == 1))' \
        'certificate | .runs == 6 and .disturbed == 5 and .again == 4 and .off == ["1 of 2 runs disturbed"]'
    usual_for x86_64 $f boot "noise-not-again-$f" 0 "--flavour $f --icount --append 'bench=test_stray_once warmup=0 reps=10 ring=0'" \
        'results[0] | .stray == 1 and (has("again") or has("discarded") | not)'
    usual_for x86_64 $f boot "noise-hwlat-$f" 0 "--flavour $f --icount --append 'bench=hwlat:seconds=1 tsc=20000000'" \
        'answers | .watched >= 1 and .watched < 1.001 and .gaps == 0 and .SMIs == "unmodelled" and .["usual distance"] > 0' \
        'records("series") | length == 1 and (.[0].values | add) > 500000' 'rows == []'
done
# Where the host takes the time, each gap is listed with its own, and they add up.
boot noise-hwlat-host 0 "--append 'bench=hwlat:seconds=11'" 'answers | .watched >= 11 and .longest > 0' \
    'records("row"; .table == "progress") | length == 1 and (.[0].cells | map(.name)) == ["watched","of","gaps","longest"]' \
    '(answers | .gaps) as $gaps | [records("row"; .table == "gaps")[] | .cells | map(.value)] as $rows
        | ($rows | length) == ([$gaps, 1000] | min) and ($rows | map(.[0]) | . == sort) and all($rows[]; .[1] > 1)'
bad again again=17 'number out of range.*again=17'
bad hwlat bench=hwlat:seconds=0 'out of range'
# In Bochs without the model, whose time is no result: the SMIs of its own chipset, and a watch. (Bochs' SMM is slow: a hundred are enough.)
sim_boot noise-smi-bochs 0 '--stock --cpu p55c' 'bench=test_smi:call=5:n=100,test_smi:n=0 warmup=0 reps=10' \
    'results | (.[0] | .slow == 1) and (.[1] | has("slow") | not)' 'certificate | .disturbed == 1'
sim_boot noise-hwlat-bochs 0 '--stock --cpu p5' 'bench=hwlat:seconds=2 tsc=1000000' 'answers | .watched >= 2 and .watched < 2.001 and .gaps == 0' \
    'answers | .SMIs == "unmodelled"' 'records("quiet") | all(.verdict == "quiet")' \
    '.[1].microcode == "unmodelled"' '.[0] | .date | test("^20[0-9][0-9]-")'
