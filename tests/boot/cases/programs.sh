# Programs of the user's own: from C to counts, samples, source lines, errors. Sourced by tests/boot/cases/payload.sh.
# shellcheck shell=bash disable=SC2154,SC2034

# Each count is the oracle's, and no repetition differs from another. NAME is payload-CPU-BITS-RING.
payload_counts() {
    local cpu bits ring flavour=x86_64 status verdict
    IFS=- read -r _ cpu bits ring <<<"$1"
    [ "$bits" = 64 ] || flavour=i586
    ./run-bochs.sh --no-install --cpu "$cpu" --flavour $flavour --module "$dir/functions$bits.mod" --oracle "$dir/$1.oracle" -o "$dir/$1.jsonl" \
        --append "bench=$functions events=instructions all=1 reps=5 ring=$ring" >"$dir/$1.out" 2>&1
    status=$?
    # Of each function two warm-ups, then its repetitions. The kernel's own payloads lie below 4 MiB (linker.ld).
    verdict=$(jq -s -c --slurpfile oracle <(grep -E '"payload@0*([1-9a-f][0-9a-f]+)?[4-9a-f][0-9a-f]{5}"' "$dir/$1.oracle") '
        [.[] | select(.t=="reps" and .event == "instructions")] as $reps
        | {lines: ($oracle | length), compared: ($reps | map(.raw | length) | add),
           wrong: [range($reps | length) as $r | range(5) as $i | $oracle[7 * $r + 2 + $i].insns as $want
                   | ($reps[$r].raw[$i] - $reps[$r].overhead) as $got | select($got != $want)
                   | "\($reps[$r].bench): \($got), oracle \($want)"]}' "$dir/$1.jsonl" 2>&1)
    if [ "$(jq '.lines == 35 and .compared == 25 and .wrong == []' <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$1" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    judge "$1" 0 "$status" 'records("result"; .event == "instructions") | map(.bench) == ($functions | split(","))' \
        'results | map(select(.event == "instructions")) | all(.min == .max and .ci95 == 0 and .median > 1)'
}
for f in p5-32-0 p5-32-3 p3-32-0 prescott-32-0 skylake-32-3 skylake-64-0 skylake-64-3 zen4-64-3; do
    usual_for 'p5-32-3 p3-32-0 prescott-32-0 skylake-64-0 zen4-64-3' $f custom "payload-$f" payload_counts
done

# ---- QEMU: the argument and its ranges ----
# Of n bytes memchr() costs the same each, and a call a constant more.
for f in "i586 pentium 32" "x86_64 max 64"; do
    read -r flavour cpu bits <<<"$f"
    for ring in 0 3; do
        usual_for 'i586-0 x86_64-3' $flavour-$ring boot "payload-range-$flavour-$ring" 0 \
            "--flavour $flavour --cpu $cpu --icount --module '$dir/functions$bits.mod' --append 'bench=find:arg=10..20,find reps=3 ring=$ring'" \
            'results | map(.params.arg) == [range(10; 21)] + [100] and all(.min == .max)' \
            'results[:11] | map(.median) | . as $m | [range(10) | $m[. + 1] - $m[.]] | unique | length == 1 and .[0] > 10'
    done
done

# ---- by GRUB, from BIOS and UEFI ----
for how in --iso '--iso --multiboot1' '--usb --uefi'; do
    boot "payload${how// /}" 0 "$how --flavour x86_64 --module '$dir/functions64.mod' --append 'bench=crc32 reps=3'" \
        'results | map([.bench, .params.arg]) == [["crc32", 100]]'
done

# ---- modules that cannot be used: each is an error that names it, and the rest is measured ----
payload_refused() { # payload_refused NAME FILE PATTERN
    local text=$3
    boot "payload-$1" 1 "--module '$dir/one.mod' --module '$dir/$2' --append 'bench=one,empty'" 'error_says($text)' \
        'errors | all(.what == "module" and (.module as $m | .message | startswith($m)))' \
        'results | map(.bench) == ["one","empty"]' 'records("done")[0].failed == 0'
}
payload_refused twice again/one.mod \
    'one.mod: not used, since the name of its benchmark one means something else already|there are two benchmarks of the name one'
payload_refused kernel empty.mod 'empty.mod: not used, since the name of its benchmark empty means something else already'
payload_refused code code.mod 'code.mod: not used, since the name of its benchmark code means something else already'
payload_refused bits wrong32.mod 'wrong32.mod: not used, since its code is for 32 bits, but this kernel executes 64'
payload_refused cut cut.mod 'cut.mod: not used, since it is truncated: 3000 of its [0-9]+ bytes are there'
payload_refused changed changed.mod 'changed.mod: not used, since it is damaged: its CRC is wrong'
boot payload-hundred 1 "$(printf -- "--module '$dir/m%s.mod' " {0..99}) --append 'bench=one,empty'" \
    'error_says("83 modules: not used, since at most 16 modules are possible, not counting the event database"; 17)' 'results | map(.bench) == ["one","empty"]'
# Sixteen beside the event database, and without bench= their benchmarks are run, of which a note says so; one more is refused
# by its name.
for how in '' --iso; do
    boot "payload-sixteen$how" 0 "$how --flavour x86_64 $(printf -- "--module '$dir/of%s.mod' " {0..15}) --append 'reps=3'" sixteen_run \
        'notes("modules") | map(.message) == ["no bench= was given: running all benchmarks of the modules: bench=\(sixteen | join(","))"]' \
        'errors == []'
done
boot payload-seventeen 1 "$(printf -- "--module '$dir/of%s.mod' " {0..16}) --append 'reps=3'" \
    'error_says("of16.mod: not used, since this kernel takes 16 modules at most")' sixteen_run
boot payload-none 1 "--module '$dir/changed.mod'" 'error_says("changed.mod: not used, since it is damaged: its CRC is wrong")' 'results == []'

# ---- regions in a program: two instructions each time, whatever the markers cost ----
for f in "p5 32 0" "p3 32 0" "p3 32 3" "skylake 64 0" "skylake 64 3"; do
    read -r cpu bits ring <<<"$f"
    usual_for 'p5-0 p3-3 skylake-3' $cpu-$ring sim_boot "payload-regions-$cpu-$ring" 0 "--cpu $cpu --module $dir/marked$bits.mod" \
        "bench=marked$bits events=instructions reps=3 ring=$ring" \
        'records("region"; .event == "instructions") | map(.label) == ["all of it", "two"]' \
        'records("region"; .event == "instructions") | .[1] | .entered == 7 and .total == 14 and .per_entry == 2' \
        'records("region"; .event == "instructions") | .[0] | .total - 28 | IN(0, 1)'
done

# ---- hooks of a trace in a program: five NOPs, DEC and JNZ from one to the next ----
for f in "i586 pentium 32 0" "x86_64 max 64 3"; do
    read -r flavour cpu bits ring <<<"$f"
    boot "payload-trace-$flavour-$ring" 0 \
        "--flavour $flavour --cpu $cpu --icount --module '$dir/hooked$bits.mod' --append 'bench=hooked$bits trace=16 ring=$ring'" \
        'records("trace")[0] | .channels == ["turn", "the end"] and .written == 8 and .overhead == 9' \
        'records("trace_entries")[0] | .channel == [0,0,0,0,0,0,0,1] and .value == [7,6,5,4,3,2,1,1234567890] and .time == [0,16,32,48,64,80,96,112]'
done

# ---- what a program prints, and how it ends ----
for f in "i586 pentium 32" "x86_64 max 64"; do
    read -r flavour cpu bits <<<"$f"
    for ring in 0 3; do
        usual_for 'i586-3 x86_64-0' $flavour-$ring boot "payload-print-$flavour-$ring" 1 \
            "--flavour $flavour --cpu $cpu --icount --module '$dir/print$bits.mod' \
                --append 'bench=print,much,leave,fails,aborts,asserts,nothing reps=3 ring=$ring'" \
            '[records("printed"; .bench == "print")[].text] == ["49: 7.000 text 7000000049\n"]' \
            'records("printed"; .bench == "much") as $m | ($m | map(.text | length) | add) == 4096 and ($m[-1].cut == 48794) and
                ($m[0].text | startswith("line 0 of what")) and ($m[1].first == ($m[0].text | length))' \
            'errors | map(.message) == ["fails: exit(3) was called", "aborts: abort() was called", "asserts: abort() was called"]' \
            '[records("printed"; .bench == "aborts")[].text] == ["before\n"]' \
            '[records("printed"; .bench == "asserts")[] | .text | test("print.c:[0-9]+: asserts\\(\\): assertion failed: n == 3\n$")] == [true]' \
            'results | map(.bench) == ["print","much","leave","nothing"] and all(.min == .max) and .[3].median == 18'
    done
done

# ---- functions and source lines ----
payload_lines() { # NAME is payload-lines-CPU-BITS
    local cpu bits status wanted got
    IFS=- read -r _ _ cpu bits <<<"$1"
    mkdir "$dir/$1" && cp tests/payload/functions.c tests/payload/trap.c "$dir/$1"
    functions_of() { (cd "$dir/$1" && "$OLDPWD/build/host/anechoic" payload build "$2.c" -o "$3.mod" --bits "$bits" "${@:4}" >/dev/null); }
    functions_of "$1" functions sort --entry sort --arg 2000 && functions_of "$1" trap trap --arg 1
    ./run-bochs.sh --no-install --cpu "$cpu" --module "$dir/$1/sort.mod" --module "$dir/$1/trap.mod" -o "$dir/$1/run.jsonl" \
        --append "bench=sort,trap sample=pmi events=instructions period=501" >"$dir/$1.out" 2>&1
    status=$?
    cp "$dir/$1/run.jsonl" "$dir/$1.jsonl"
    # Every sampled address, by binutils alone.
    wanted=$(jq -r 'select(.t=="profile") | .base as $b | .lines[] | "\(.address) \($b) \(.count)"' "$dir/$1.jsonl" | while read -r address base count; do
        echo "$(addr2line -e "$dir/$1/sort.mod.debug" "$(printf '0x%x' $((address - base)))" | sed 's/.*\///; s/ (.*//; s/?.*/?/') $count"
    done | awk '{ n[$1] += $2 } END { for (i in n) print n[i], i }' | sort)
    build/host/anechoic show "$dir/$1/run.jsonl" >"$dir/$1.shown"
    got=$(sed -n '/the same by source line/,/^[A-Z]/p' "$dir/$1.shown" | awk '$2 == "%" { print $3, $4 }' | sort)
    if [ -z "$got" ] || [ "$wanted" != "$got" ]; then fail "$1" "source lines: $(diff <(echo "$wanted") <(echo "$got") | head -n 4 | tr '\n' ' ')"; return; fi
    if ! grep -q 'trap.c:4: .*nowhere' "$dir/$1.shown"; then fail "$1" 'the trap has no source line'; return; fi
    if ! build/host/anechoic report -o - "$dir/$1/run.jsonl" | grep -q 'functions.c:31'; then fail "$1" 'the page has no source lines'; return; fi
    mv "$dir/$1/sort.mod.debug" "$dir/$1/other"
    build/host/anechoic show "$dir/$1/run.jsonl" | grep -q 'no source lines: sort.mod.debug is neither' ||
        { fail "$1" 'nothing says that there is no debug information'; return; }
    build/host/anechoic show --debug "$dir/$1/other" "$dir/$1/run.jsonl" | cmp -s - "$dir/$1.shown" || { fail "$1" '--debug shows something else'; return; }
    cp "$dir/$1/trap.mod.debug" "$dir/$1/sort.mod.debug"
    build/host/anechoic show "$dir/$1/run.jsonl" | grep -q 'sort.mod.debug is of another build' || { fail "$1" 'another build is taken'; return; }
    judge "$1" 1 "$status" 'profiles | length > 0 and all(.module == "sort" and (.build_id | length) == 40)' \
        '[profiles[].lines[] | select(.code) | .symbol // "" | sub("[.+].*"; "")] | unique - ["__x86"] == ["sift","sort"]' \
        'errors | map([.module, .vector, (.symbol | sub("[.+].*"; ""))]) == [["trap", 14, "deeper"]]'
}
for f in p3-32 skylake-64; do custom "payload-lines-$f" payload_lines; done

# ---- the same object files counted by valgrind: equal, but for two things ----
# The RET of the empty payload is subtracted here: valgrind has one more. And it counts each turn of a REP, and the look that ends
# it: of n bytes n + 1, where a processor's event has one instruction.
payload_callgrind() { # NAME is payload-callgrind-CPU-BITS-LEVEL
    local cpu bits level name f options status here there wrong=''
    IFS=- read -r _ _ cpu bits level <<<"$1"
    name=$dir/$1
    if [ "$bits" = 32 ] && ! runs_bits32; then
        say "skipped $1: this machine's Linux runs no 32-bit programs, so valgrind cannot count one"
        return
    fi
    options="-$level -fPIE -ffreestanding -fno-stack-protector -fcf-protection=none -m$bits"
    if [ "$bits" = 32 ]; then options="$options -march=i586 -mno-sse -mno-mmx -mfpmath=387"; else options="$options -mno-red-zone"; fi
    # shellcheck disable=SC2086 # options are words
    gcc $options -c tests/payload/functions.c -o "$name.o" && gcc $options -fno-PIE -no-pie -nostdlib -static tests/payload/start.c "$name.o" -o "$name.elf" &&
        payload "$name.o" -o "$name.mod" --bits "$bits" --entry crc32 --arg 100 --entry sort --arg 100 --entry find --arg 100 \
            --entry matrix --arg 8 --entry move --arg 100 ||
        { fail "$1" 'not built'; return; }
    ./run-bochs.sh --no-install --cpu "$cpu" --flavour "$([ "$bits" = 64 ] && echo x86_64 || echo i586)" --module "$name.mod" -o "$name.jsonl" \
        --append "bench=$functions events=instructions reps=3" >"$name.out" 2>&1
    status=$?
    for f in ${functions//,/ }; do
        # + 0: jq 1.7 prints 5.0 as it came, but what it computed as 5
        here=$(jq "select(.t==\"result\" and .event==\"instructions\" and .bench==\"$f\").median + 0" "$name.jsonl")
        there=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$f" "$name.elf" 2>&1 | sed -n 's/.*Collected : //p')
        [ $f != move ] || there=$((there - 100))
        [ "$there" -gt 10 ] && [ "$here" = $((there - 1)) ] || wrong="$wrong $f: $here, valgrind $there;"
    done
    if [ -n "$wrong" ]; then fail "$1" "$wrong"; return; fi
    judge "$1" 0 "$status" 'results | all(.ci95 == 0)'
}
for f in p5-32-O0 p5-32-O3 p3-32-O1 skylake-32-O2 skylake-64-O0 skylake-64-O1 skylake-64-O2 skylake-64-O3 zen4-64-O2; do
    if [ $list = yes ] || command -v valgrind >/dev/null; then
        usual_for 'p5-32-O0 p3-32-O1 skylake-64-O3' $f custom "payload-callgrind-$f" payload_callgrind
    else
        skip "payload-callgrind-$f" 'valgrind is not installed'
    fi
done

# ---- libp5mon: the thesis's programs, and what its table 5.3 and 5.4 say of them ----
FIGURES='figure_5_4 figure_5_6 figure_5_7 figure_5_8 figure_5_10 figure_5_11'
for ring in 0 3; do # regions with four events
    sim_boot "p5mon-figures-ring$ring" 0 "--cpu p5 $(printf -- "--module $dir/%s.mod " $FIGURES)" \
        "bench=${FIGURES// /,} events=instructions,branches,data_read,data_write reps=3 ring=$ring limit=30" \
        'spans("figure_5_10"; "instructions") | map(.total) == [306 + 8]' 'spans("figure_5_10"; "branches") | map(.total) == [100 + 2]' \
        'spans("figure_5_11"; "data_read") | map(.total) == [7 + 5]' 'spans("figure_5_11"; "data_write") | map(.total) == [7 + 4]' \
        'spans("figure_5_4"; "instructions") | entered_exited == [[1,1],[1,1]]' \
        'spans("figure_5_4"; "instructions") | map(.total) | .[0] > 3000000 and .[1] > 100 and .[1] < 3000' \
        'records("printed"; .bench == "figure_5_4")[0].text | test("^Hello World!\nj is: -?[0-9]+\n$")' \
        'spans("figure_5_6"; "instructions") | entered_exited == [[1,1]]' \
        'spans("figure_5_7"; "instructions") | entered_exited == [[1,1]] and .[0].total == 3 + 8' \
        'spans("figure_5_8"; "instructions") | map([.id, .entered, .exited]) == [[0,1,1],[1,1,1],[2,1,1]] and (.[1].total == 3 + 8)'
done
for cpu in p5 p55c; do
    usual_for p5 $cpu sim_boot "p5mon-running-$cpu" 0 "--cpu $cpu --module $dir/running.mod" "bench=running" \
        'records("printed") | map(.text) == ["109 reads of a loop of 100\n"]'
    usual_for p5 $cpu sim_boot "p5mon-figure_3_6-$cpu" 0 "--cpu $cpu --module $dir/figure_3_6.mod" "bench=figure_3_6" \
        'records("printed") | map(.text) == ["Counter 0 value: 0.000000\nCounter 1 value: 9.000000\nRatio: 0.000000\n"]'
done
for f in "p5 3" "p3 0"; do # not at ring 3, and on no other CPU
    read -r cpu ring <<<"$f"
    sim_boot "p5mon-nothing-$cpu-ring$ring" 1 "--cpu $cpu --module $dir/figure_3_6.mod" "bench=figure_3_6 ring=$ring" 'error_says("exit\\(-1\\) was called")' \
        'records("printed") | map(.text) == ["Unable to initialize p5mon device\n"]'
done

# ---- a program that never returns is ended, whether it is counted or sampled; the rest is measured ----
for f in "p3 32 0" "p3 32 3" "skylake 64 0" "skylake 64 3"; do
    read -r cpu bits ring <<<"$f"
    usual_for 'p3-0 skylake-3' $cpu-$ring sim_boot "payload-never-$cpu-ring$ring" 1 "--cpu $cpu --module $dir/never_$bits.mod" \
        "bench=never_$bits,never_$bits:arg=0 sample=pmi events=instructions period=1 samples=10 reps=3 limit=1 ring=$ring" \
        'error_says("ended at 0x[0-9a-f]+ [(]payload[+]0x[0-9a-f]+[)], since it had not returned")' 'samplings | length == 1 and .[0].params.arg == 0'
    usual_for 'p3-3 skylake-0' $cpu-$ring sim_boot "payload-never-counted-$cpu-ring$ring" 1 "--cpu $cpu --module $dir/never_$bits.mod" \
        "bench=never_$bits,never_$bits:arg=0 events=instructions reps=3 limit=1 ring=$ring" \
        'error_says("ended at 0x[0-9a-f]+ [(]payload[+]0x[0-9a-f]+[)], since it had not returned")' 'results | map(.params.arg) == [0]'
done

# ---- programs of every kind that trap or never return: each is ended, and nothing is left of it ----
# In Bochs, whose clock needs 10 million instructions for a second of limit=.
for f in "p5 32" "skylake 64"; do
    read -r cpu bits <<<"$f"
    for ring in 0 3; do
        [ $ring = 0 ] && vectors='[6,14,0,13,3,1,8,14,8,null,null,null]' || vectors='[6,14,0,13,13,1,14,14,14,null,13,13]'
        of_each_family "$cpu" sim_boot "payload-broken-$cpu-ring$ring" 1 "--cpu $cpu --module $dir/broken$bits.mod" \
            "bench=fine,${BROKEN// /,},fine events=instructions reps=3 limit=1 ring=$ring text=none" 'vectors == $vectors' \
            'results | map([.bench, .min, .max]) == [["fine",0,0],["fine",0,0]]'
    done
done
# ---- the stack: 256 KiB are there; what needs more is an error that says so, on each processor, and the next item is measured ----
for f in "i586 pentium3 32" "x86_64 max 64"; do
    read -r flavour cpu bits <<<"$f"
    machine="--flavour $flavour --cpu $cpu --module '$dir/deep$bits.mod'"
    for ring in 0 3; do
        boot "stack-$flavour-ring$ring" 1 "$machine --smp 2 --append 'bench=large,deep,sparse,large cpu=0,1 reps=3 ring=$ring'" overflows \
            'results | map([.bench, .cpu // 0]) == [["large",0],["large",0],["large",1],["large",1]]'
        usual_for 'i586-3 x86_64-0' $flavour-$ring boot "stack-more-$flavour-ring$ring" 0 \
            "$machine --append 'bench=sparse,large stack=2M reps=3 ring=$ring'" 'results | map(.bench) == ["sparse","large"]'
        usual_for 'i586-0 x86_64-3' $flavour-$ring boot "stack-less-$flavour-ring$ring" 1 "$machine --append 'bench=large,sparse stack=16K reps=3 ring=$ring'" \
            'errors | map(.bench) == ["large","sparse"] and all(.message | test("stack overflow .*: the stack of 16 KiB is full"))'
    done
    boot "stack-most-$flavour" 2 "$machine --qemu-arg -m --qemu-arg 24 --append 'bench=large stack=16M'" \
        'error_says("stack=16777216: there is memory for [0-9]+ bytes at most")' 'results == []'
done

# A thousand traps in a row; the kernel's own numbers are what they were.
kinds=
for kind in ${BROKEN% recurses*}; do kinds+=$kind:arg=1..124,; done
for f in "i586 pentium 32" "x86_64 max 64"; do
    read -r flavour cpu bits <<<"$f"
    boot "payload-thousand-$flavour" 1 \
        "--flavour $flavour --cpu $cpu --icount --module '$dir/broken$bits.mod' \
            --append 'bench=fp_add_latency,${kinds}recurses:arg=1..8,fp_add_latency reps=3 text=none'" \
        'errors | length == 1000' \
        'results | map([.bench, .variant, .min, .median, .max]) | length >= 2 and .[:length / 2] == .[length / 2:]'
done
# Of the 32-bit kernel's segment registers those that a program has changed are as they were.
for ring in 0 3; do
    boot "payload-segments-ring$ring" 0 \
        "--flavour i586 --cpu pentium --icount --module '$dir/broken32.mod' --append 'bench=looks,changes,looks,spoils,looks reps=3 ring=$ring'" \
        'results | map([.bench, .median]) == [["looks",10],["changes",3],["looks",10],["spoils",3],["looks",10]]'
done

# ---- precise samples are at the load that misses; a timer's are in the program ----
for ring in 0 3; do
    sim_boot "payload-pebs-prescott-ring$ring" 0 "--cpu prescott --module $dir/crc32_32.mod" \
        "bench=crc32_32 sample=pebs events=1stL_cache_load_miss_retired reps=3 period=7 ring=$ring" \
        'profiles | map(select(.by == "instruction")) | .[0].module == "crc32_32" and (.[0].lines[0] | .share > 0.9 and (.symbol | startswith("payload+0x")))' \
        'profiles | map(select(.by == "data address")) | .[0].distinct > 50'
done
sim_boot payload-timer-p5 0 "--cpu p5 --module $dir/crc32_32.mod" 'bench=crc32_32 sample=timer reps=3 ring=3 samples=50' \
    'profiles | .[0].lines | length > 2 and all(.symbol) and all(.[:3][]; .symbol | startswith("payload+0x"))'

# ---- what was printed is in show and on the page, as text ----
payload_printed() {
    local shown
    printf '#include <stdio.h>\nvoid payload(long n) { printf("<b>%%ld & more</b>\\n", n); }\n' >"$dir/marked_up.c"
    payload "$dir/marked_up.c" -o "$dir/marked_up.mod"
    ./run-qemu.sh --no-install --module "$dir/marked_up.mod" --append 'bench=marked_up:arg=3..4 reps=3' -o "$dir/$1.jsonl" >"$dir/$1.out" 2>&1
    shown=$(build/host/anechoic show "$dir/$1.jsonl" | grep -c '^  | <b>[34] & more</b>$')
    [ "$shown" = 2 ] || { fail "$1" "show has $shown of 2"; return; }
    build/host/anechoic report -o "$dir/$1.html" "$dir/$1.jsonl" >/dev/null && xmllint --noout "$dir/$1.html" || { fail "$1" 'no page'; return; }
    shown=$(grep -c '&lt;b&gt;[34] &amp; more&lt;/b&gt;' "$dir/$1.html")
    [ "$shown" = 2 ] || { fail "$1" "the page has $shown of 2"; return; }
    judge "$1" 0 0 'results | length == 2'
}
custom payload-printed payload_printed

# ---- the functions of a program, by name (dr0=) ----
sim_boot breakpoints-program 0 "--cpu p5 --module $dir/hooked32.mod" "bench=hooked32 reps=3 events=breakpoint_match_on_dr1_register dr1=payload" \
    'records("result"; .event != "tsc") | map(.min) == [1]'
