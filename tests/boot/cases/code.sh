# Code of the user's own: snippets in modules. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2034

# Of 100 snippets the i-th has i instructions; of 1500 the i-th has i % 100 + 1 of them, of i / 100 + 1 bytes each; one of each
# length, and one without any.
if [ $list = no ]; then
    LENGTHS64='90 6690 0f1f00 0f1f4000 0f1f440000 660f1f440000 0f1f8000000000 0f1f840000000000 660f1f840000000000
        66660f1f840000000000 6666660f1f840000000000 666666660f1f840000000000 66666666660f1f840000000000
        6666666666660f1f840000000000 666666666666660f1f840000000000'
    LENGTHS32='90 89f6 8d7600 8d742600 3e8d742600 8db600000000 8db42600000000 3e8db42600000000 3e3e8db42600000000
        3e3e3e8db42600000000 3e3e3e3e8db42600000000 3e3e3e3e3e8db42600000000 3e3e3e3e3e3e8db42600000000
        3e3e3e3e3e3e3e8db42600000000 3e3e3e3e3e3e3e3e8db42600000000'
    module one64 64 nop=90
    module one32 32 nop=90
    module count64 64 --count 100 100 480fafc3 # IMUL RAX, RBX
    module count32 32 --count 100 100 0fafc3
    # shellcheck disable=SC2086 # a word for each
    { module lengths64 64 --count 1500 100 $LENGTHS64 && module lengths32 32 --count 1500 100 $LENGTHS32
      module some64 64 --count 300 20 $LENGTHS64 && module some32 32 --count 300 20 $LENGTHS32; }
    # shellcheck disable=SC2046
    { module length64 64 $(tr -s ' \n' '\n' <<<"$LENGTHS64" | awk '{ print "l" NR "=" $1 }') empty=
      module length32 32 $(tr -s ' \n' '\n' <<<"$LENGTHS32" | awk '{ print "l" NR "=" $1 }') empty=; }
fi

# ---- exact: QEMU's TSC counts instructions ----
for f in "i586 pentium 32" "x86_64 max 64"; do
    read -r flavour cpu bits <<<"$f"
    boot "code-lengths-$flavour" 0 \
        "--flavour $flavour --cpu $cpu --icount --module '$dir/lengths$bits.mod' --append 'bench=code:unroll=10 reps=2'" 'results | counted(1500; 100)'
    for ring in 0 3; do
        boot "code-count-$flavour-ring$ring" 0 "--flavour $flavour --cpu $cpu --icount --module '$dir/count$bits.mod' \
            --append 'bench=code,code:unroll=1,code:unroll=7:loop=9,code:basic=1:alignment=16:offset=5,code:unroll=10:loop=3:basic=1 \
            reps=3 ring=$ring text=none'" \
            'counted_with(100; 0; 0)' 'counted_with(1; 0; 0)' 'counted_with(7; 9; 0)' 'counted_with(100; 0; 1)' 'counted_with(10; 3; 1)' \
            'records("plan")[0].items == 500'
        boot "code-length-$flavour-ring$ring" 0 \
            "--flavour $flavour --cpu $cpu --icount --module '$dir/length$bits.mod' --append 'bench=code reps=3 ring=$ring'" one_but_empty
    done
done
boot code-length-lfence 0 "--cpu core2duo --icount --module '$dir/length64.mod' --append 'bench=code reps=3 serialize=lfence'" one_but_empty
boot code-range 0 "--icount --module '$dir/length64.mod' --append 'bench=code:variant=l3:unroll=1..5 reps=3 all=1'" \
    'results | map(.ops) == [1,2,3,4,5] and all(.variant == "l3" and .median == 1 and .sweep == "unroll")' \
    '[.[] | select(.t == "baseline" or .t == "reps") | .t] == ([range(5) | "reps", "baseline"])' \
    'records("reps") as $reps | records("baseline") as $base |
        [range(5) | [$reps[.].raw, $base[.].raw] | transpose | map(.[0] - .[1]) | unique] == [[1],[2],[3],[4],[5]]'

# ---- the model's counts, and the oracle's ----
for f in "p5 32 0" "p5 32 3" "p3 32 0" "prescott 32 0" "skylake 64 0" "skylake 64 3" "zen4 64 0"; do
    read -r cpu bits ring <<<"$f"
    of_each_family "$cpu" sim_boot "code-$cpu-ring$ring" 0 "--cpu $cpu --module $dir/some$bits.mod" \
        "bench=code:unroll=5 reps=3 events=instructions ring=$ring text=none" 'results | counted(300; 20)'
done

# ---- counting from inside: exact, with pauses too; of memory nothing is read or written between the readings (raw counts are 0) ----
# both: an instruction before, between and behind two pauses, which have 1 and 3. over: it jumps over a pause, odd: two stop.
if [ $list = no ]; then
    stop=043f81c2b113b5f0 start=043f81c2b113b5e0
    for bits in 32 64; do
        module inside$bits $bits nop=90 empty= one=${stop}90${start} both=90${stop}90${start}90${stop}909090${start}90
        module never_inside$bits $bits nop=90 odd=$stop$stop$start$start open=${stop}90 init=90,init=$stop$start last=90
    done
    module over64 64 over=e913000000${stop}90${start} last=90
fi
for f in "i586 pentium 32 0" "i586 pentium 32 3" "x86_64 max 64 0" "x86_64 max 64 3"; do
    read -r flavour cpu bits ring <<<"$f"
    if [ "$bits" = 64 ]; then loop=",code:no_mem=1:loop=5:unroll=3"; else loop=''; fi
    boot "code-inside-$flavour-ring$ring" 0 "--flavour $flavour --cpu $cpu --icount --module '$dir/inside$bits.mod' \
        --append 'bench=code:no_mem=1,code:no_mem=1:basic=1:unroll=9$loop reps=3 ring=$ring text=none'" \
        'inside_with(100)' 'inside_with(9)' ${loop:+'inside_with(3)'}
    boot "code-inside-wrong-$flavour-ring$ring" 1 \
        "--flavour $flavour --cpu $cpu --icount --module '$dir/never_inside$bits.mod' --append 'bench=code:no_mem=1 reps=3 ring=$ring'" \
        'results | map(.variant) == ["nop","last"]' \
        '[errors[].message] | length == 3 and all(.[0:2][]; test("needs a start_counting")) and (.[2] | test("not into init code"))'
done
boot code-inside-outside 1 "--module '$dir/inside64.mod' --append 'bench=code reps=3'" 'results | map(.variant) == ["nop","empty"]' \
    'error_says("only no_mem=1"; 2)'
boot code-inside-over 1 "--icount --module '$dir/over64.mod' --append 'bench=code:no_mem=1 reps=3'" 'results | map(.median) == [1]' \
    'error_says("must run once in each copy")'
boot code-inside-loop 1 "--flavour i586 --cpu pentium --module '$dir/one32.mod' --append 'bench=code:no_mem=1:loop=2'" \
    'error_says("counts its turns in memory")'
while read -r cpu bits ring events; do
    of_each_family "$cpu" sim_boot "code-inside-$cpu-ring$ring" 0 "--cpu $cpu --module $dir/inside$bits.mod" \
        "bench=code:no_mem=1 reps=3 ring=$ring all=1 text=none events=$events" inside untouched
done <<EOT
p5 32 0 instructions,data_read,data_write
p55c 32 3 instructions,data_read,data_write
p3 32 0 instructions,data_mem_refs
skylake 64 0 instructions,branches,cycles,mem_inst_retired:all_loads,mem_inst_retired:all_stores
skylake 64 3 instructions,mem_inst_retired:all_loads,mem_inst_retired:all_stores
zen4 64 0 instructions,r0040
EOT
sim_boot code-inside-gate 1 "--cpu p5 --module $dir/one32.mod" "bench=code:no_mem=1 ring=3 events=instructions" 'error_says("through a call gate")'

# ---- the parts, each in its time ----
# Once: [R14+64] += 5. Init: 5 is there, and nothing of another run, else #UD; EAX = 3. Late: EAX += 4. The code: EAX is 7, else #UD.
if [ $list = no ]; then
    module parts64 64 parts=83f80774020f0b,once=4183464005,init=41837e400574020f0bb803000000,late=83c004 \
        again=83f80774020f0b,once=4183464005,init=41837e400574020f0bb803000000,late=83c004
    module parts32 32 parts=83f80774020f0b,once=83474005,init=837f400574020f0bb803000000,late=83c004 \
        again=83f80774020f0b,once=83474005,init=837f400574020f0bb803000000,late=83c004
fi
boot code-parts-x86_64 0 "--icount --module '$dir/parts64.mod' --append bench=code" 'results | map(.median) == [2,2]'
boot code-parts-i586 0 "--flavour i586 --cpu pentium --icount --module '$dir/parts32.mod' --append 'bench=code ring=3'" \
    'results | map(.median) == [2,2]'

# ---- what a snippet breaks ends that snippet, or is restored: is_X is #UD where X is not as it was ----
if [ $list = no ]; then
    module break64 64 nop=90 ud=0f0b pf=89042510000000 de=31c9f7f1 gp=66b8f8ff8ec0 rsp=bc08000000 rsp_push=bc0800000050 std=fd sti=fb \
        gs=31c08ee8 ds=31c08ed88ec0 is_ds=8cd883f81074020f0b cr0=0f20c04883c8080f22c0 is_cr0=0f20c0a80874020f0b \
        cr4=0f20e04883c8040f22e0 is_cr4=0f20e0a80474020f0b dr=b8001000000f23c0 is_dr=0f21c04885c074020f0b \
        mxcsr=41c70600000000410fae16 is_mxcsr=410fae1e418b0625c0ff00003d801f000074020f0b \
        x87=d9ee is_x87=41d9366641817e08ffff74020f0b tf=9c810c24000100009d int3=cc last=90
    module break32 32 nop=90 ud=0f0b pf=a310000000 de=31c9f7f1 gp=66b8f8ff8ec0 rsp=bc08000000 rsp_push=bc0800000050 std=fd sti=fb \
        gs=31c08ee8 ds=31c08ed88ec0 is_ds=8cd883f81074020f0b cr0=0f20c083c8080f22c0 is_cr0=0f20c0a80874020f0b \
        cr4=0f20e083c8040f22e0 is_cr4=0f20e0a80474020f0b dr=b8001000000f23c0 is_dr=0f21c085c074020f0b \
        x87=d9ee is_x87=d93766817f08ffff74020f0b tf=9c810c24000100009d int3=cc last=90
fi
for f in "i586 pentium 32" "x86_64 max 64"; do
    read -r flavour cpu bits <<<"$f"
    boot "code-break-$flavour-ring0" 1 "--flavour $flavour --cpu $cpu --icount --module '$dir/break$bits.mod' --append 'bench=code reps=3'" \
        'traps == [["ud",6],["pf",14],["de",0],["gp",13],["rsp_push",8],["tf",1],["int3",3]]' \
        'results | length == (if $bits == 64 then 18 else 16 end) and all(.min == .max) and .[0].median == 1 and .[-1].variant == "last"' \
        '[errors[] | [.copy, .byte]] == [[1,0],[1,0],[1,2],[1,4],[1,5],[2,1],[1,0]]' \
        'errors | all(.variant as $v | .message | startswith("code \($v): #"))' \
        'notes("interrupts") == []'
    boot "code-break-$flavour-ring3" 1 "--flavour $flavour --cpu $cpu --icount --module '$dir/break$bits.mod' --append 'bench=code reps=3 ring=3'" \
        'traps | map(.[0]) == ["ud","pf","de","gp","rsp_push","sti","is_ds","cr0","is_cr0","cr4","is_cr4","dr","is_dr","tf","int3"]' \
        'results | all(.min == .max) and .[0].median == 1 and .[-1].variant == "last"'
done

# ---- INT of a vector that is the CPU's or the kernel's own: a trap of the snippet ----
INTS='wake=cdf2 timer=b805000000cdf0 mc=cd12 df=cd08 again=cd08 last=90'
# shellcheck disable=SC2086 # a word for each
[ $list = yes ] || for bits in 32 64; do module ints$bits $bits $INTS; done
for f in "i586 pentium3 32" "x86_64 max 64"; do
    read -r flavour cpu bits <<<"$f"
    boot "code-int-$flavour" 1 "--flavour $flavour --cpu $cpu --icount --module '$dir/ints$bits.mod' --append 'bench=code:unroll=1 reps=3'" \
        'traps == [["wake",13],["timer",13],["mc",18],["df",8],["again",8]]' 'results | map(.variant) == ["last"]' \
        'notes("interrupts") == []'
done

[ $list = yes ] || for bits in 32 64; do
    module registers$bits $bits named=b801000000b902000000ba03000000bb04000000bd05000000be06000000bf070000000f0b
done
# Each register has its own value in the error.
for f in "i586 pentium 32 e" "x86_64 max 64 r"; do
    read -r flavour cpu bits r <<<"$f"
    boot "code-registers-$flavour" 1 "--flavour $flavour --cpu $cpu --module '$dir/registers$bits.mod' --append 'bench=code reps=3'" \
        'errors[0].registers | [.[$r + ("ax", "cx", "dx", "bx", "bp", "si", "di")]] == ["0x1", "0x2", "0x3", "0x4", "0x5", "0x6", "0x7"] and
            (.[$r + "sp"] | length > 5)'
done

# ---- modules: from every loader, damaged, for the other kernel, and none ----
if [ $list = no ]; then
    module same64 64 other=90 nop=90
    head -c 40 "$dir/one64.mod" >"$dir/short.mod"
    { head -c 70 "$dir/one64.mod" && printf '\377' && tail -c +72 "$dir/one64.mod"; } >"$dir/flipped.mod"
fi
for how in --iso '--iso --multiboot1'; do # through UEFI: pxe-uefi64
    boot "code${how// /}" 0 "$how --flavour x86_64 --module '$dir/one64.mod' --append bench=code" one_nop
done
boot code-iso-i586 0 "--iso --cpu pentium --flavour i586 --module '$dir/one32.mod' --append bench=code" one_nop
not_used() { # not_used NAME FILE PATTERN: the rest is measured
    local text=$3
    boot "code-$1" 1 "--module '$dir/one64.mod' --module '$dir/$2' --append bench=code,empty" 'error_says($text)' \
        'errors | all(.what == "module" and (.module as $m | .message | startswith($m)))' \
        'results | map(.bench) == ["code","empty"]' 'records("done")[0].failed == 0'
}
not_used short short.mod 'short.mod: not used, since it is truncated: 40 of its [0-9]+ bytes are there'
not_used flipped flipped.mod 'flipped.mod: not used, since it is damaged: its CRC is wrong'
# Code that never returns is ended, and the rest is measured: whether it blocks interrupts, sleeps, or neither.
module never64 64 a=90 loop=90ebfe halt=f4 cli=faebfe b=9090
module never32 32 a=90 loop=90ebfe halt=f4 cli=faebfe b=9090
# An instruction takes 16 ns, so that a second of limit= is over after 62 million of them.
SLOW='--icount --qemu-arg=-icount --qemu-arg=shift=4,sleep=off'
boot code-never-x86_64 1 "$SLOW --module '$dir/never64.mod' --append 'bench=code reps=3 limit=1'" 'ended(16; 32)' ended_at
long boot code-never-i586 1 "--flavour i586 --cpu pentium $SLOW --module '$dir/never32.mod' --append 'bench=code reps=3 limit=1'" 'ended(16; 32)' ended_at
for cpu in skylake:64 p5:32; do
    sim_boot "code-never-${cpu%:*}" 1 "--cpu ${cpu%:*} --module $dir/never${cpu#*:}.mod" \
        "bench=code reps=3 limit=1 events=instructions text=none" 'ended(1; 2)' ended_at
done
# Code that masks the 8259s as well is ended by the counter that the events leave free, of every family whose counters interrupt.
module masked64 64 a=90 masked=b0ffe621e6a1faebfe b=9090
module masked32 32 a=90 masked=b0ffe621e6a1faebfe b=9090
for cpu in ppro:32 prescott:32 core2:64 skylake:64 k8:64 zen4:64; do
    usual_for 'ppro prescott skylake zen4' ${cpu%:*} sim_boot "code-masked-${cpu%:*}" 1 "--cpu ${cpu%:*} --module $dir/masked${cpu#*:}.mod" \
        "bench=code reps=3 limit=1 events=instructions text=none" \
        'ended(1; 2)' 'errors | map([.variant, .byte, .vector]) == [["masked",7,null]]'
done
# Without an enabled APIC the 8254's interrupt ends what runs at ring 3.
for f in "i586 pentium 32" "x86_64 max 64"; do
    read -r flavour cpu bits <<<"$f"
    $([ $flavour = i586 ] || echo long) boot "code-never-ring3-$flavour" 1 \
        "--flavour $flavour --cpu $cpu $SLOW --module '$dir/never$bits.mod' --append 'bench=code reps=3 limit=1 ring=3'" \
        'ended(16; 32)' 'errors | map([.variant, .vector]) == [["loop",null],["halt",13],["cli",13]]'
    boot "code-never-ring3-$flavour-no-apic" 1 \
        "--flavour $flavour --cpu $cpu,-apic $SLOW --module '$dir/never$bits.mod' --append 'bench=code reps=3 limit=1 ring=3'" \
        'ended(16; 32)' 'errors | map([.variant, .vector]) == [["loop",null],["halt",13],["cli",13]]'
done
for cpu in skylake:64 p5:32; do
    of_each_family "${cpu%:*}" sim_boot "code-never-${cpu%:*}-ring3" 1 "--cpu ${cpu%:*} --module $dir/never${cpu#*:}.mod" \
        "bench=code reps=3 limit=1 events=instructions ring=3 text=none" \
        'ended(1; 2)' 'errors | map([.variant, .vector]) == [["loop",null],["halt",13],["cli",13]]'
done
bad code-limit 'bench=empty limit=-1' 'limit='
bad code-limit-large 'bench=empty limit=86401' 'limit='

# ---- the kernel's code and constants are read-only at both rings; x86_64: what is data is not executed ----
little() { printf '%02x%02x%02x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)); }
for f in "i586 pentium 32 c705" "x86_64 max 64 c70425"; do
    read -r flavour cpu bits store <<<"$f"
    if [ $list = no ]; then
        at() { little "0x$(address_of "$1" "$flavour")"; }
        data=
        [ "$bits" = 32 ] || data="data=b8$(at idt)ffd0" # i586 has no bit for it
        # shellcheck disable=SC2086
        module "fixed$bits" "$bits" a=90 start="$store$(at kernel_text)00000000" payload="$store$(at user_text_start)00000000" \
            constant="$store$(at kernel_text_end)00000000" $data b=9090
    fi
    for ring in 0 3; do
        boot "code-fixed-$flavour-ring$ring" 1 \
            "--flavour $flavour --cpu $cpu --icount --module '$dir/fixed$bits.mod' --append 'bench=code,empty reps=3 ring=$ring'" \
            'errors | map([.variant, .vector]) | .[0:3] == [["start",14],["payload",14],["constant",14]] and (.[3] // ["data",14]) == ["data",14]' \
            '[errors[].error_code_text][0:3] | all(startswith("write to a protected page"))' \
            'results | map(.variant) == ["a","b",""] or map(.variant) == ["a","b",null]'
    done
done

# ---- #UD says which bytes, and what they need ----
if [ $list = no ]; then
    module needs32 32 sse=0f58c1 cmov=0f44c1 ud2=0f0b avx=c5f858c1 none=0f0a
    module needs64 64 avx=c5f858c1 avx512=62f17c4858c1 push_es=06 fsbase=f3480faec0 nop=90 int3=90cc int13=90cd0d init=90,init=90f1
fi
boot code-needs-i586 1 "--flavour i586 --cpu pentium --icount --module '$dir/needs32.mod' --append 'bench=code reps=3'" \
    '[errors[] | [.variant, .needs]] == [["sse","SSE"],["cmov","CMOV"],["ud2",null],["avx","AVX"],["none",null]]' \
    '[errors[].bytes][0:3] == ["0f 58 c1","0f 44 c1","0f 0b"]' \
    '[errors[].message] | (.[0] | test(": 0f 58 c1 needs SSE, which this CPU lacks;")) and (.[2] | test(": 0f 0b is UD2, invalid on every CPU;"))'
boot code-needs-x86_64 1 "--cpu max --icount --module '$dir/needs64.mod' --append 'bench=code reps=3'" \
    '[errors[] | [.variant, .needs]] == [["avx512","AVX512F"],["push_es",null],["fsbase",null],["int3",null],["int13",null],["init",null]]' \
    '[errors[] | [.control, .copy, .part, .byte]][2:] == [["CR4.FSGSBASE",1,null,0],[null,1,null,1],[null,1,null,1],[null,null,"init",1]]' \
    '[errors[].message] | (.[0] | test("needs AVX512F, which this CPU lacks")) and (.[1] | test("06 does not exist in 64-bit mode")) and
        (.[2] | test("f3 48 0f ae c0 needs FSGSBASE, but CR4.FSGSBASE is clear"))'

# ---- AVX: its registers are those of a new CPU for each snippet, and XCR0 is restored ----
if [ $list = no ]; then # clean: UD2 unless what dirty has filled is zero
    DIRTY='dirty=c5fcc2c00f clean=c4e37d19c101c4e27917c974020f0b' # YMM0
    DIRTY512='dirty=62f3454825ffffc5f446c9 clean=c5f898c974020f0b62f3fd483bf801c4e27d17c074020f0b' # ZMM7 and K1
    XCR0='xcr0=31c90f01d083e0030f01d1' # without AVX
    for bits in 32 64; do
        # shellcheck disable=SC2086 # a word for each
        { module avx$bits $bits $DIRTY $XCR0 again=c5fcc2c00f && module avx512$bits $bits $DIRTY512 $XCR0 again=c5f446c9; }
    done
fi
avx() { # avx CPU FLAVOUR BITS MODULE DIRTY CLEAN AGAIN: their instructions
    local dirty=$5 clean=$6 again=$7
    usual_for 'zen4-x86_64 skylake-i586 skylake-x86_64' $1-$2 sim_boot "code-$4-$1-$2" 0 "--cpu $1 --flavour $2 --module $dir/$4$3.mod" \
        "bench=code reps=2 events=instructions" \
        '[records("result"; .event == "instructions") | .[] | [.variant, .median]]
            == [["dirty", $dirty], ["clean", $clean], ["xcr0", 4], ["again", $again]]'
}
for f in "i586 32" "x86_64 64"; do
    read -r flavour bits <<<"$f"
    avx sandybridge $flavour $bits avx 1 3 1
    avx zen4 $flavour $bits avx 1 3 1
    avx skylake $flavour $bits avx512 2 5 1
done

# ---- 1,000 in a row: traps of all kinds, a few runaways; the kernel is alive, and its own numbers are what they were ----
for f in "i586 pentium 32" "x86_64 max 64"; do
    read -r flavour cpu bits <<<"$f"
    if [ $list = no ]; then
        abs=$([ "$bits" = 64 ] && echo 890425 || echo a3)
        kinds=(0f0b "${abs}10000000" 31c9f7f1 66b8f8ff8ec0 cc 9c810c24000100009d f4ebfd bc0800000050 fa0f0b cd03 cf)
        many=()
        for i in {1..1000}; do
            kind=$((i % 11))
            [ $kind = 6 ] && [ $i -gt 20 ] && kind=0
            [ $i = 6 ] && many+=("s$i=ebfe") || many+=("s$i=${kinds[kind]}")
        done
        module "thousand$bits" "$bits" "${many[@]}" last=90
    fi
    for ring in 0 3; do
        # Each flavour and each ring once; the other two with --long.
        $([[ $flavour-$ring = i586-0 || $flavour-$ring = x86_64-3 ]] || echo long) boot "code-thousand-$flavour-ring$ring" 1 \
            "--flavour $flavour --cpu $cpu $SLOW --module '$dir/thousand$bits.mod' \
                --append 'bench=fp_add_latency,code,fp_add_latency reps=3 limit=1 ring=$ring text=none'" \
            'errors | length == 1000' \
            'results | map(select(.bench == "code") | [.variant, .median]) == [["last",16]]' \
            'results | map(select(.bench == "fp_add_latency") | [.variant, .min, .median]) | length >= 2 and .[:length / 2] == .[length / 2:]'
    done
done

boot code-no-watchdog 0 "--flavour i586 --cpu pentium,-apic --module '$dir/one32.mod' --append 'bench=code'" \
    'records("note"; (.message | test("no watchdog here"))) | length == 1'

not_used bits one32.mod 'one32.mod: not used, since its code is for 32 bits, but this kernel executes 64'
not_used same same64.mod 'same64.mod: not used, since there are two snippets of the name nop'
boot code-all-bad 1 "--module '$dir/short.mod' --append bench=code,empty" 'error_says("it is truncated")' 'results | map(.bench) == ["empty"]'
boot code-no-module 1 "--module README.md --append bench=empty" 'error_says("README.md: not used, since it is no module")' 'results | length == 1'
boot code-many-modules 1 "$(printf "%.0s--module '$dir/one64.mod' " {1..20}) --append bench=code" one_nop \
    'error_says("3 modules: not used, since at most 16 modules are possible"; 17)'
bad code 'bench=code' '--module FILE.*nothing to measure'
boot code-variant 2 "--module '$dir/length64.mod' --append bench=code:variant=l16" 'error_says("l1, l2, l3.*unknown variant")' 'results == []'
boot code-alignment 2 "--module '$dir/one64.mod' --append bench=code:alignment=96" 'error_says("no power of two.*96")' 'results == []'
boot code-sampled 2 "--module '$dir/one64.mod' --append 'bench=code sample=timer'" 'error_says("snippets are counted, not sampled")'
boot code-unroll 1 "--module '$dir/length64.mod' --append 'bench=code:unroll=10000000:variant=l15,code:variant=l1'" \
    'error_says("code l15: unroll=10000000 needs 43[0-9]+ KiB.* unroll=[0-9]+ fits")' 'results | length == 1'
boot code-little-memory 0 "--flavour i586 --cpu pentium --icount --module '$dir/one32.mod' --append bench=code --qemu-arg -m --qemu-arg 8" one_nop \
    'notes("memory") | any(.message | test("EDI, ESI, EBP and ESP point into 256 KiB each, not 1024"))'

# ---- thousands in one boot ----
thousands() {
    module "$1" 64 --count 12000 4 480fafc3
    run_case "$1" 0 "--icount --module '$dir/$1.mod' --timeout 600 --append 'bench=code reps=10 text=none'" \
        'results | length == 12000 and all(.median == (.variant[1:] | tonumber) % 4 + 1)'
}
long custom code-thousands thousands
