# `anechoic code`: from a line of text to the count that it must have. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

# answers NAME STATUS ARGUMENT...: what is printed, but for its last line, must be standard input; capture: NAME.jsonl.
answers() {
    local name=$1 wanted=$2 status=0 why
    shift 2
    cat >"$dir/$name.want"
    build/host/anechoic code -o "$dir/$name.jsonl" -x --no-install "$@" >"$dir/$name.out" 2>"$dir/$name.err" </dev/null || status=$?
    why=$(sed '/^Run on .*, not on a processor: /d' "$dir/$name.out" | diff "$dir/$name.want" - | tail -n +2 | head -n 5 | tr '\n' ' ')
    [ $status = "$wanted" ] || why="exit status $status: $(tail -n 1 "$dir/$name.err")"
    [ -n "$why" ] || why=$(build/host/anechoic check --strict "$dir/$name.jsonl" 2>&1 >/dev/null)
    if [ -n "$why" ]; then fail "$name" "$why"; else say "ok $name"; fi
}
counted() { printf 'Instructions retired: %s\nCore cycles: not modelled\n' "$1"; }

snippet_nop() { counted 1.00 | answers "$1" 0 --on bochs:skylake nop; }
snippet_empty() { counted 0.00 | answers "$1" 0 --on bochs:skylake --unroll 7 --ring 3 ''; }
snippet_p5() {
    printf 'Instructions retired: 3.00\ndata_read: 2.00\n' |
        answers "$1" 0 --on bochs:p5 -e instructions,data_read 'mov eax, [esi]; push eax; pop ebx'
}
snippet_parts() {
    printf 'mem_load_retired:l1_hit: 2.00\n' | answers "$1" 0 --on bochs:skylake -e mem_load_retired:l1_hit --one-time-init 'mov qword ptr [r14 + 64], 5' \
        --init 'mov rbx, r14' --late-init 'mov rcx, [rbx + 64]' --loop 3 'mov rax, [rbx]; mov rdx, [rbx + 64]'
}
snippet_basic() { printf 'Instructions retired: 300.00\n' | answers "$1" 0 --on bochs:skylake -e instructions --basic --no-normalization --syntax att 'inc %rax; dec %rbx; nop'; }
snippet_qemu() { printf 'Time-stamp counter: 2.00\n' | answers "$1" 0 --on qemu --aggregate mean 'imul rax, rbx; add rbx, rax'; }
snippet_trap() { # it ends, the others go on
    printf 'a: nop\nbad: ud2\nb: nop; nop\n' >"$dir/$1.txt"
    printf 'a\n  Time-stamp counter: 1.00\n\nb\n  Time-stamp counter: 2.00\n\n' | answers "$1" 1 --on qemu -f "$dir/$1.txt"
    grep -q '^anechoic code: code bad: #UD' "$dir/$1.err" || fail "$1" "no #UD: $(cat "$dir/$1.err")"
}
snippet_pause() { # two jumps cross the marks, and the one in the pause does not count
    counted 10.00 | answers "$1" 0 --on bochs:skylake --no-mem 'mov ebx, 3; jmp 2f; 4: stop_counting; mov ebx, 9; jmp 3f; 2: dec ebx; jnz 2b; jmp 4b; 3: start_counting; nop'
}
snippet_pause32() {
    printf 'data_read: 1.00\nInstructions retired: 2.00\n' | answers "$1" 0 --on bochs:p5 --no-mem -e data_read,instructions \
        'mov eax, [esi]; stop_counting; push eax; pop ecx; start_counting; inc eax'
}
for name in nop empty p5 parts basic qemu trap pause pause32; do custom "anechoic-code-$name" "snippet_$name"; done

# Every modelled CPU answers, in the mode that it has by itself.
snippet_cpu() { # NAME is anechoic-code-on-CPU
    local cpu=${1##*-} long=3
    [ "$(bochs_flavour "$cpu")" = x86_64 ] || long=4 # 49h is DEC ECX there
    printf 'nop: nop\nempty:\nimul: imul eax, ebx; mov ecx, [esp]\nmode: .byte 0x49, 0x89, 0xc0; nop; nop\n' >"$dir/$1.txt"
    printf "%s\\n  Instructions retired: %s.00\\n\\n" nop 1 empty 0 imul 2 mode $long |
        answers "$1" 0 --on "bochs:$cpu" -e instructions -f "$dir/$1.txt"
}
for cpu in $(model_names); do custom "anechoic-code-on-$cpu" snippet_cpu; done

# Generated snippets (tests/boot/generate.awk): each count is what the generator knows, in every repetition, and what the oracle has.
generated() { # generated NAME CPU BITS RING SNIPPETS FEATURES EVENT=KNOWN,...
    local name=$1 cpu=$2 bits=$3 ring=$4 n=$5 has=$6 events=$7 status=0 verdict counted
    counted=$(sed 's/=[^,]*//g' <<<"${events//memory_loads=loads,memory_stores=stores,/}") # those only the oracle has
    awk -v seed=$((1000 * n + 10 * bits + ring)) -v count="$n" -v bits="$bits" -v has="$has" -v known="$dir/$name.known" \
        -f tests/boot/generate.awk >"$dir/$name.list"
    build/host/anechoic code --on "bochs:$cpu" --bits "$bits" --ring "$ring" -e "$counted" --init 'xor ebx, ebx' --unroll 3 --reps 3 --warmup 1 \
        -f "$dir/$name.list" -o "$dir/$name.jsonl" -x --no-install -x "--oracle=$dir/$name.oracle" >"$dir/$name.out" 2>&1 </dev/null || status=$?
    verdict=$(jq -s -c --arg events "$events" --argjson copies 3 --slurpfile known "$dir/$name.known" --slurpfile oracle "$dir/$name.oracle" \
        -f tests/boot/generated.jq "$dir/$name.jsonl" 2>&1)
    rm -f "$dir/$name.oracle"
    if [ "$(jq --argjson n "$n" '.counts >= 2 * $n and .oracle >= 12 * $n and .wrong == []' <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$name" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    judge "$name" 0 $status
}
P5=instructions_executed=instructions,branches=branches,data_read=loads,data_write=stores
P6=inst_retired=instructions,br_inst_retired=branches,br_taken_retired=taken,data_mem_refs=accesses
P4=memory_loads=loads,memory_stores=stores,instr_retired:nbogusntag=instructions,branch_retired:mmnp:mmnm=not_taken,branch_retired:mmtp:mmtm=taken
INTEL=instruction_retired=instructions,br_inst_retired:all_branches=branches,br_inst_retired:near_taken=taken
INTEL=$INTEL,mem_inst_retired:all_loads=loads,mem_inst_retired:all_stores=stores
AMD=retired_instructions=instructions,retired_branch_instructions=branches,retired_taken_branch_instructions=taken,data_cache_accesses=accesses
AMD4=${AMD/data_cache_accesses/r0040} # of a Zen 4, which has it as a code only
while read -r cpu bits ring events has; do
    for n in 40 400; do
        eval "generated_${cpu}_${bits}_${ring}_$n() { generated \"\$1\" $cpu $bits $ring $n '$has' '$events'; }"
        case $n-$cpu-$bits-$ring in # one of each family
        40-p5-32-3 | 40-p3-32-0 | 40-prescott-64-0 | 40-skylake-64-3 | 40-zen4-64-0) kind=custom ;;
        *) kind='long custom' ;;
        esac
        $kind "code-generated-$cpu-$bits-ring$ring-$n" "generated_${cpu}_${bits}_${ring}_$n"
    done
done <<EOT
p5 32 0 $P5 ret
p5 32 3 $P5 ret
p3 32 0 $P6 ret mmx sse
prescott 32 0 $P4 mmx sse sse2 wide
prescott 64 0 $P4 mmx sse sse2 wide
skylake 64 0 $INTEL ret mmx sse sse2 wide
skylake 32 0 $INTEL ret mmx sse sse2 wide
skylake 64 3 $INTEL ret mmx sse sse2 wide
k8 64 0 $AMD ret mmx sse sse2
zen4 64 0 $AMD4 ret mmx sse sse2
EOT

# A stick: it boots, its module is there, and the answers come out of its capture.
snippet_image() {
    local status=0
    build/host/anechoic code --on "image:$dir/$1.img" -e tsc --init 'mov rax, 5' 'add rax, rax; nop' >"$dir/$1.out" 2>&1 || { fail "$1" "no image"; return; }
    grep -q '^Then: anechoic code --from' "$dir/$1.out" || { fail "$1" "no next step"; return; }
    ./run-qemu.sh --no-install --image "$dir/$1.img" -o "$dir/$1.jsonl" >>"$dir/$1.out" 2>&1 </dev/null || status=$?
    build/host/anechoic code --from "$dir/$1.jsonl" >>"$dir/$1.out" 2>&1
    tail -n 4 "$dir/$1.out" | tr '\n' ';' | grep -q '^add rax, rax; nop;  Time-stamp counter: [0-9.]*.*;;Run on .* (emulated by QEMU), not on a processor' ||
        { fail "$1" "another answer"; return; }
    judge "$1" 0 $status 'results | length == 1 and .[0].bench == "code"'
}
custom anechoic-code-image snippet_image
