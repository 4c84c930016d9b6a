# Presets (init=) and cascades (A+>B) in a measurement, exact on the modelled PMU. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2016,SC2154

for m in 4 500 999; do
    for cpu in willamette northwood prescott 'prescott --flavour x86_64'; do
        case $cpu-$m in willamette-500 | prescott-999) how= ;; *) how=long ;; esac
        $how sim_boot "cascade-user-${cpu/ --flavour /-}-$m" 0 "--cpu $cpu" \
            "bench=stride_thrash:n=1000 reps=7 ring=3 events=memory_loads:u,instr_retired:u,memory_loads:u:init=-$m+>instr_retired:u" \
            'records("result"; has("starter")) | length == 1 and (.[0] | .after == $m and .started == 7 and .min == .max and
                (.flags | index("overhead-lowered") | not))' \
            'results | length == 4 and (.[2] | .init == -$m and .overflowed == 7 and .init_off == 0)' \
            'after_load($m) as $n | records("result"; has("starter"))[0] | .median * .ops == $n'
    done
done

# A preset of N below zero overflows with the payload's Nth event: with any up to as many as it has, and with none above that. The
# count is that without a preset.
for cpu in p5 p3 willamette core2 skylake k8 zen4; do
    case $cpu in p3 | skylake) how= ;; *) how=long ;; esac
    case $cpu in willamette) event=instr_retired ;; *) event=instructions ;; esac
    words=$event:u
    for n in 1 1040 1041 1042 1043 1044 1045 1046; do words+=,$event:u:init=-$n; done
    $how sim_boot "preset-$cpu" 0 "--cpu $cpu" "bench=stride_thrash:n=1000 reps=7 ring=3 events=$words" \
        'results | map(select(.event != "tsc")) | (.[0].median * .[0].ops) as $n | $n > 1040 and $n < 1046 and length == 9 and
            all(.median == $n / .ops and .min == .max) and all(.[1:][]; .init_off == 0 and .overflowed == (if -.init > $n then 0 else 7 end))'
done
sim_boot cascade-user-p3 2 '--cpu p3' 'bench=stride_thrash events=data_mem_refs:init=-5+>inst_retired' \
    'error_says("which only NetBurst\u0027s can")' 'results == []'
