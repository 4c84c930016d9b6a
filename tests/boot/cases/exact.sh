# Measuring without a PMU: exact with -icount, the same each time, and none the worse for what faults or interrupts.
# Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2261

# ---- exactness: with -icount shift=0 the TSC counts instructions ----
for f in "i586 pentium" "x86_64 max"; do
    read -r flavour cpu <<<"$f"
    for s in cpuid lfence; do
        case $s-$flavour in # Intel ones: on AMD's the LFENCE must be switched on first, which emulators refuse
        lfence-i586) cpu=pentium3,+sse2 ;;
        lfence-x86_64) cpu=core2duo ;;
        esac
        boot "exact-$flavour-$s" 0 \
            "--flavour $flavour --cpu $cpu --icount --append 'bench=empty,test_1000 reps=1000 all=1 serialize=$s'" \
            'results | length == 2 and all(.min == .max and .reps == 1000)' \
            'results | .[0].max == 0 and .[1].min == 1000' \
            'results[0].overhead <= 9' \
            '[records("reps"; .bench == "empty")[] | .overhead as $o | .raw[] - $o] | length == 1000 and all(. == 0)' \
            '[records("reps"; .bench == "test_1000")[] | .overhead as $o | .raw[] - $o] | length == 1000 and all(. == 1000)'
    done
    # A series is one repetition where it is sampled.
    boot "fwq-sampled-$flavour" 0 "--flavour $flavour --cpu ${cpu%%,*} --icount --append 'bench=fwq:quanta=500 sample=timer'" \
        'samplings | .[0].reps == 1 and .[0].samples > 0'
    boot "fwq-$flavour" 0 "--flavour $flavour --cpu ${cpu%%,*} --icount --append bench=fwq" \
        'results | .[0].reps == 10000 and .[0].fwq.late_min == 0 and .[0].fwq.detour_max_tsc == 0'
done

# A series is not bracketed: no events, which is said, however many groups; and it runs at the CPL that it says.
fwq_ring() { # NAME is fwq-CPU-RING
    local status cpu ring=${1##*-} own
    cpu=$(cut -d- -f2 <<<"$1")
    ./run-bochs.sh --no-install --cpu "$cpu" --oracle "$dir/$1.oracle" --bracket series=fwq_quanta:ret -o "$dir/$1.jsonl" \
        --append "bench=fwq:quanta=16 ring=$ring events=cycles,instructions,branches,instructions:u,instructions:k" >"$dir/$1.out" 2>&1
    status=$?
    own=$([ "$ring" = 0 ] && echo k || echo u)
    if ! tail -n 1 "$dir/$1.oracle" | grep -q "\"INS[A-Z]*_RETIRED\":{[^}]*\"$own\":[1-9]"; then fail "$1" "not at CPL $ring"; return; fi
    judge "$1" 0 "$status" 'results | length == 1 and .[0].event == "tsc" and .[0].ring == $ring' \
        'records("note"; (.message | test("series of time stamps"))) | length == 1'
}
for cpu in p3 skylake; do
    for ring in 0 3; do custom "fwq-$cpu-$ring" fwq_ring; done
done

# ---- latency and throughput: as many operations as they say, of their kind, and none that takes an assist ----
UNITS='bench=imul,l1_load,fadd,fmul,fdiv_single,fdiv_double,fdiv_extended reps=3'
sim_boot units-p3 0 '--cpu p3' "$UNITS events=mul,div,flops,fp_assist,dcu_lines_in" 'units("imul"; ["mul"])' 'units("l1_load"; [])' \
    'units("fadd"; ["flops"])' 'units("fmul"; ["flops", "mul"])' 'units("fdiv"; ["flops", "div"])'
long sim_boot units-p5 0 '--cpu p5' "$UNITS events=flops,data_read_miss ring=3" 'units("imul"; ["flops"])' 'units("l1_load"; [])' \
    'units("fadd"; ["flops"])' 'units("fmul"; ["flops"])' 'units("fdiv"; ["flops"])'
long sim_boot units-willamette 0 '--cpu willamette' "$UNITS events=x87_fp_uop,1stl_cache_load_miss_retired" 'units("imul"; [])' \
    'units("l1_load"; [])' 'units("fadd"; ["x87_fp_uop"])' 'units("fmul"; ["x87_fp_uop"])' 'units("fdiv"; ["x87_fp_uop"])'
# 1,400 operations, two more instructions for each of twenty turns, and those around the loop: of the x87's 20 more or less.
for f in "i586 pentium" "x86_64 max"; do
    read -r flavour cpu <<<"$f"
    long boot "units-$flavour" 0 "--flavour $flavour --cpu $cpu --icount --append '$UNITS'" \
        'results | length == 14 and all(.min == .max and .min * 1400 >= 1440 and .min * 1400 <= 1466)'
done
# ---- traces: the instructions between two hooks follow from the listing (bench/traced.c) ----
for f in "i586 pentium 0" "i586 pentium 3" "x86_64 max 0" "x86_64 max 3"; do
    read -r flavour cpu ring <<<"$f"
    boot "trace-$flavour-ring$ring" 0 "--flavour $flavour --cpu $cpu --icount --append 'bench=traced:n=50 trace=64 ring=$ring'" \
        'records("trace")[0] | .written == 52 and .kept == 52 and .lost == 0 and .overhead == 9 and .channels == ["begin", "turn", "end"]' \
        'trace_of(.channel) == [0] + [range(50) | 1] + [2] and trace_of(.value) == [0] + [range(50; 0; -1)] + [0]' \
        'trace_of(.time) == [0] + [range(50) | . * 21 + 9] + [50 * 21 + 9]' \
        'results | all(.min == .max)'
done
boot trace-lost 0 "--icount --append 'bench=traced:n=1000,empty trace=16'" \
    'records("trace")[0] | .written == 1002 and .kept == 16 and .lost == 986 and (.flags | index("lost") != null)' \
    'trace_of(.value) == [range(15; 0; -1)] + [0] and trace_of(.channel)[15] == 2' \
    'records("trace") | length == 1'
# Without the word the hooks cost the same, and nothing is shown.
boot trace-off 0 "--icount --append 'bench=traced:n=1000'" 'results | .[0].min * 1000 | round | . >= 21018 and . < 21030' \
    'records("trace") == []'
boot trace-none 2 "--append 'bench=l1_miss trace=64'" 'error_says("nothing that is measured has hooks of a trace")'

# ---- regions: the count of each follows from its listing (bench/regions.c), whatever the markers cost ----
for f in "i586 pentium cpuid 0" "i586 pentium cpuid 3" "x86_64 max cpuid 3" "x86_64 core2duo lfence 0"; do
    read -r flavour cpu s ring <<<"$f"
    boot "regions-$flavour-$s-ring$ring" 0 \
        "--flavour $flavour --cpu $cpu --icount --append 'bench=regions:n=37 ring=$ring serialize=$s'" \
        'regions | map(.label) == ["loop","inner","left","right","empty"]' \
        'regions | map(.entered) == [1,37,1,1,1] and all(.exited == .entered and .reps == 20)' \
        'regions | map(.total) == [1+12*37,370,150,80,0] and all(.min == .total and .max == .total and .ci95 == 0)' \
        'regions | map(.per_entry) == [1+12*37,10,150,80,0] and map(.first) == map(.per_entry)' \
        'regions | map(.nested_markers) == [74,0,1,1,0]' \
        'regions | all(.flags == ["emulated"] and .overhead_least > 20 and .overhead_most == .overhead_least)'
    boot "regions-wrong-$flavour-$s-ring$ring" 0 \
        "--flavour $flavour --cpu $cpu --icount --append 'bench=test_regions ring=$ring serialize=$s reps=5'" \
        'regions | map(.id) == [0,1,7,8,9,98,99]' \
        'regions | map(.total) == [30,42,null,null,null,14,5]' \
        'regions | map([.entered,.exited]) == [[3,3],[1,1],[0,1],[1,0],[1,1],[2,2],[1,1]]' \
        'regions | map(.flags[1:]) == [[],[],["unbalanced","end-before-begin"],["unbalanced"],["end-before-begin"],[],[]]' \
        'notes("regions") | length == 1 and (.[0].message | test("15 markers"))'
done

boot quiet-icount 0 "--icount" \
    'records("quiet") | length == 2 and all(.verdict == "quiet" and .tsc_step == 1)' \
    '.[1].tsc_hz as $hz | ($hz - 1e9 | fabs) / 1e3 <= .[1].tsc_uncertainty_ppm - 100' # crystals are exact here

identical() { # two runs give identical records
    for i in 1 2; do
        ./run-qemu.sh --no-install --icount --append 'bench=all all=1' -o "$dir/$1.$i.jsonl" >"$dir/$1.out" 2>&1 \
            </dev/null || { fail "$1" "run $i failed"; return; }
    done
    if cmp "$dir/$1.1.jsonl" "$dir/$1.2.jsonl" >"$dir/$1.out" 2>&1; then say "ok $1"; else fail "$1" "they differ"; fi
}
custom identical-records identical

# ---- payloads that fault: that benchmark ends, the others run; the stack of each is at the end of a page, in sets that benchmarks leave free
# (kernel/repeated.h: from a00h on), and on the Pentium, whose sets have two ways, beside the data of repetitions ----
for f in "i586 pentium b" "x86_64 max a"; do
    read -r flavour cpu from <<<"$f"
    boot "faults-$flavour" 1 \
        "--flavour $flavour --cpu $cpu --append bench=test_ud,test_de,test_gp,test_pf,test_stack,empty" \
        '[errors[].vector] == [6,0,13,14,8]' \
        'results | map(.bench) == ["empty"]' '.[-1].status == 1' \
        'errors | all(.registers | length > 8)' '.[-2] | .t == "done" and .failed == 5' \
        '[.[] | select(.t=="error" and .vector != 8).registers | .esp // .rsp] | (unique | length == 1) and all(test("[\($from)-f]..$"))'
done

# ---- the timer interrupts on request, and a fault meanwhile ends that, too ----
for f in "i586 pentium 0" "i586 pentium 3" "x86_64 max 0" "x86_64 max 3"; do
    read -r flavour cpu ring <<<"$f"
    boot "timer-$flavour-ring-$ring" 1 \
        "--flavour $flavour --cpu $cpu --icount --append 'bench=test_timer,empty ring=$ring'" \
        '[errors[].vector] == [6]' 'results | map(.bench) == ["empty"] and .[0].stray == null' \
        'notes("interrupts") == []'
done

for f in "i586 pentium" "x86_64 max"; do
    read -r flavour cpu <<<"$f"
    boot "panic-$flavour" 3 "--flavour $flavour --cpu $cpu --append bench=test_panic,empty" \
        'errors | length == 1 and .[0].what == "kernel" and .[0].vector == 8' \
        'results == []' '.[-1].status == 3'
done
