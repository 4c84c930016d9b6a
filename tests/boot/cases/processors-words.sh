# cpu=, with= and pair=: measuring on any processor, beside neighbours, in pairs. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2261

# smp N or topology: QEMU's words for it; -smp comes a second time, since the script's own takes only a number.
smp() { echo "--smp ${1%%,*} --qemu-arg -smp --qemu-arg $1"; }
EXACT='--icount --smp 4'

# In the usual run both kernels have what is theirs (starting, traps, the other's stack), and one has the words.
for f in i586 x86_64; do
    # ---- any processor: where the clock counts instructions, each one takes as many as the one that booted ----
    boot "cpu-each-$f" 0 "--flavour $f $EXACT --append 'cpu=each bench=fp_add_latency,regions reps=5'" \
        'records("measuring") | map(.cpu) == [0,1,2,3]' \
        'results | group_by([.bench, .variant]) | all(map(.cpu) == [0,1,2,3] and (map([.raw_min, .overhead, .median]) | unique | length) == 1)' \
        'results | length >= 8' 'records("plan")[0].items == (results | length)'
    usual_for x86_64 $f boot "cpu-list-$f" 0 "--flavour $f --smp 4 --append 'cpu=2-3,0 bench=empty ring=3'" \
        'results | map([.cpu, .ring]) == [[0,3],[2,3],[3,3]]'
    usual_for x86_64 $f boot "cpu-core-$f" 0 "--flavour $f $(smp 4,sockets=2,cores=1,threads=2) --append 'cpu=core:1 bench=empty'" \
        'results | map(.cpu) == [2,3]' 'records("measuring") | map([.package, .core, .thread]) == [[1,1,0],[1,1,1]]'
    # The records of a boot without the words have nothing of it.
    usual_for x86_64 $f boot "cpu-none-$f" 0 "--flavour $f --smp 4 --append 'bench=empty'" 'results | all(.cpu == 0 and (has("with") | not))' \
        'all(.t != "measuring" and .t != "pair" and .t != "processors")'
    # A trap, an endless call and an experiment on others.
    boot "cpu-traps-$f" 1 "--flavour $f --smp 3 --append 'cpu=1-2 bench=test_ud,test_endless,empty limit=1 reps=3'" \
        'errors | map([.bench, .cpu, .vector]) == [["test_ud",1,6],["test_endless",1,null],["test_ud",2,6],["test_endless",2,null]]' \
        'errors | map(select(.bench == "test_endless")) | all(has("address") and (.message | test("ended at 0x")))' \
        'results | map([.bench, .cpu]) == [["empty",1],["empty",2]]'
    usual_for x86_64 $f boot "cpu-experiment-$f" 1 "--flavour $f --smp 2 --append 'cpu=1 bench=test_lab:what=8,test_lab:what=13 limit=1 reps=3'" \
        'errors | map([.bench, .cpu]) == [["test_lab",1]]' 'records("series") | length > 0 and all(.cpu == 1)'

    # ---- sampled at the same time: one that traps, and one of the user's own, end alone ----
    boot "together-$f" 1 \
        "--flavour $f --smp 3 --append 'cpu=1-2 together=1 bench=test_ud,test_endless,stride_thrash:n=1000000 sample=timer samples=100 ring=3'" \
        'errors | map([.bench, .cpu]) == [["test_ud",1],["test_ud",2],["test_endless",1],["test_endless",2]]' \
        'errors | .[2:] | all(.message | test("one processor at a time"))' \
        'samplings | map([.cpu, .together, .samples > 10]) == [[1,2,true],[2,2,true]]'

    # ---- neighbours ----
    usual_for x86_64 $f boot "with-$f" 0 \
        "--flavour $f --smp 3 --append 'with=l1_miss:bytes=64K@1 with=stride_thrash:lines=3@2 bench=fp_add_latency:n=1000 reps=50'" \
        'results | all(.cpu == 0 and (.with | map([.bench, .cpu, (has("ended"))]) == [["l1_miss",1,false],["stride_thrash",2,false]]))' \
        'results | all(.with[1].params.lines == 3)'
    usual_for x86_64 $f boot "with-boot-$f" 0 "--flavour $f --smp 2 --append 'cpu=1 with=fp_add_latency:n=100@0 bench=fwq:quanta=2000 ring=3'" \
        'results | map(.cpu) == [1] and all(.with[0].cpu == 0 and .with[0].rounds > 100)'
    boot "with-trap-$f" 1 "--flavour $f --smp 2 --append 'with=test_ud@1 bench=empty reps=3'" 'errors | map([.bench, .cpu, .vector]) == [["test_ud",1,6]]' \
        'results | length == 1 and .[0].with[0].ended and .[0].with[0].rounds == 0'
    boot "with-endless-$f" 1 "--flavour $f --smp 2 --append 'with=test_endless@1 bench=empty reps=3 limit=1'" \
        'errors | length == 1 and (.[0].message | test("test_endless on processor 1, beside it, did not complete a round"))' 'results == []'

    # ---- pairs: of two threads, of two cores, of two packages ----
    usual_for x86_64 $f boot "pair-$f" 0 \
        "--flavour $f --cpu Skylake-Server $(smp 8,sockets=2,cores=2,threads=2) --append 'pair=fp_add_latency:n=100+l1_miss:bytes=64K reps=5'" \
        'records("pair") | map([.how, .bench, .beside]) == [["threads","fp_add_latency","l1_miss"],["threads","l1_miss","fp_add_latency"],
            ["cache","fp_add_latency","l1_miss"],["cache","l1_miss","fp_add_latency"],["packages","fp_add_latency","l1_miss"],["packages",
            "l1_miss","fp_add_latency"]]' \
        slowdowns \
        'results | length == 12 and (map(select(has("with"))) | length) == 6'
    usual_for x86_64 $f boot "pair-no-threads-$f" 0 "--flavour $f --smp 2 --append 'pair=empty+empty reps=3'" 'notes("pair") | length == 3' \
        'records("pair") | map([.how, .cpu]) == [["cores",0],["cores",1]]'
    usual_for x86_64 $f boot "pair-alone-$f" 2 "--flavour $f --append 'pair=empty+empty'" 'errors | length == 1 and (.[0].valid | test("Hyper-Threading"))'

    # ---- what is not there: nothing is measured ----
    usual_for x86_64 $f boot "cpu-no-core-$f" 2 "--flavour $f --smp 2 --append 'cpu=core:7'" \
        'errors | length == 1 and (.[0].message | test("core:7"))' 'results == []'
    usual_for x86_64 $f boot "cpu-no-kind-$f" 2 "--flavour $f --smp 2 --append 'cpu=E'" 'errors | length == 1 and (.[0].message | test("E"))' 'results == []'
    usual_for x86_64 $f boot "with-measured-$f" 2 "--flavour $f --smp 2 --append 'cpu=each with=empty@1'" \
        'errors | length == 1 and (.[0].message | test("with=empty@1"))' 'results == []'
done
# A processor that answers nobody: named, not used again, and the others go on.
for f in i586 x86_64; do
    boot "cpu-gone-$f" 1 "--flavour $f --smp 3 --append 'cpu=1-2 bench=empty,test_gone,empty limit=3 reps=3'" \
        'errors | map([.bench, .cpu]) == [["test_gone",1],["empty",1],["test_gone",2],["empty",2]] and all(.message | test("does not answer any more"))' \
        'results | map(.cpu) == [1,2]'
done
