# `anechoic code`: from a line of text to the count that it must have. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

# answers NAME STATUS ARGUMENT...: what is printed, but for its last line, must be standard input; capture: NAME.jsonl.
answers() {
    local name=$1 wanted=$2 status=0 why
    shift 2
    cat >"$dir/$name.want"
    build/host/anechoic code -o "$dir/$name.jsonl" -x --no-install "$@" >"$dir/$name.out" 2>"$dir/$name.err" </dev/null || status=$?
    why=$(sed '/^\(Modelled\|Emulated\) (/d' "$dir/$name.out" | diff "$dir/$name.want" - | tail -n +2 | head -n 5 | tr '\n' ' ')
    [ $status = "$wanted" ] || why="exit status $status: $(tail -n 1 "$dir/$name.err")"
    [ -n "$why" ] || why=$(build/host/anechoic check --strict "$dir/$name.jsonl" 2>&1 >/dev/null)
    if [ -n "$why" ]; then fail "$name" "$why"; else say "ok $name"; fi
}
counted() { printf 'Instructions retired: %s\nCore cycles: %s\n' "$1" "$1"; }

snippet_nop() { counted 1.00 | answers "$1" 0 nop; }
snippet_empty() { counted 0.00 | answers "$1" 0 --unroll 7 --ring 3 ''; }
snippet_p5() { printf 'Instructions retired: 3.00\ndata_read: 2.00\n' | answers "$1" 0 --on bochs:p5 -e instructions,data_read 'mov eax, [esi]; push eax; pop ebx'; }
snippet_parts() {
    printf 'mem_load_retired:l1_hit: 2.00\n' | answers "$1" 0 -e mem_load_retired:l1_hit --one-time-init 'mov qword ptr [r14 + 64], 5' \
        --init 'mov rbx, r14' --late-init 'mov rcx, [rbx + 64]' --loop 3 'mov rax, [rbx]; mov rdx, [rbx + 64]'
}
snippet_basic() { printf 'Instructions retired: 300.00\n' | answers "$1" 0 -e instructions --basic --no-normalization --syntax att 'inc %rax; dec %rbx; nop'; }
snippet_qemu() { printf 'Time-stamp counter: 2.00\n' | answers "$1" 0 --on qemu --aggregate mean 'imul rax, rbx; add rbx, rax'; }
snippet_trap() { # it ends, the others go on
    printf 'a: nop\nbad: ud2\nb: nop; nop\n' >"$dir/$1.txt"
    printf 'a\n  Time-stamp counter: 1.00\n\nb\n  Time-stamp counter: 2.00\n\n' | answers "$1" 1 --on qemu -f "$dir/$1.txt"
    grep -q '^anechoic code: code bad: #UD' "$dir/$1.err" || fail "$1" "no #UD: $(cat "$dir/$1.err")"
}
for name in nop empty p5 parts basic qemu trap; do custom "anechoic-code-$name" "snippet_$name"; done

# Snippets of 1 to 30 instructions of many kinds and lengths, in a file: each has the count that its maker knows.
snippet_many() {
    local name=$1 cpu=$2 bits=$3 i n kinds kind text
    kinds=(nop 'inc eax' 'add eax, 1000000' 'mov ecx, edx' 'imul eax, ebx' 'push eax; pop edx' 'cmp eax, ebx' 'test eax, 5' 'xchg eax, ebx'
        'mov edx, [esi + 1000]' 'mov [edi + 8], eax' 'add dword ptr [esi], 5' 'jmp 9f; 9: nop' 'fld1; fstp st(0)' 'cdq' 'rol eax, 5')
    if [ "$bits" = 64 ]; then
        kinds=("${kinds[@]/\[esi/[rsi}" 'movabs rax, 0x123456789abcdef0' 'lea r8, [r9 + 4 * r10]' 'mov r12, [r14]')
        kinds=("${kinds[@]/\[edi/[rdi}")
        kinds=("${kinds[@]/push eax; pop edx/push rax; pop rdx}")
    fi
    RANDOM=$((bits + ${#cpu}))
    : >"$dir/$name.text"
    : >"$dir/$name.expected"
    for ((i = 0; i < 100; i++)); do
        text='' n=0
        for ((kind = RANDOM % 30; kind >= 0; kind--)); do
            text+="${kinds[RANDOM % ${#kinds[@]}]}; "
        done
        n=$(grep -o ';' <<<"${text//9:/}" | wc -l)
        echo "s$i: $text" >>"$dir/$name.text"
        printf 's%s\n  Instructions retired: %s.00\n\n' $i "$n" >>"$dir/$name.expected"
    done
    answers "$name" 0 --on "bochs:$cpu" -e instructions --unroll 11 --reps 5 -f "$dir/$name.text" <"$dir/$name.expected"
}
for cpu in p5:32 p3:32 prescott:32 skylake:64 k8:64 zen4:64; do
    eval "snippet_many_${cpu%:*}() { snippet_many \"\$1\" ${cpu%:*} ${cpu#*:}; }"
    custom "anechoic-code-many-${cpu%:*}" "snippet_many_${cpu%:*}"
done

# A stick: it boots, its module is there, and the answers come out of its capture.
snippet_image() {
    local status=0
    build/host/anechoic code --on "image:$dir/$1.img" -e tsc --init 'mov rax, 5' 'add rax, rax; nop' >"$dir/$1.out" 2>&1 || { fail "$1" "no image"; return; }
    grep -q '^Then: anechoic code --from' "$dir/$1.out" || { fail "$1" "no next step"; return; }
    ./run-qemu.sh --no-install --image "$dir/$1.img" -o "$dir/$1.jsonl" >>"$dir/$1.out" 2>&1 </dev/null || status=$?
    build/host/anechoic code --from "$dir/$1.jsonl" >>"$dir/$1.out" 2>&1
    tail -n 4 "$dir/$1.out" | tr '\n' ';' | grep -q '^add rax, rax; nop;  Time-stamp counter: [0-9.]*.*;;Emulated (QEMU)' || { fail "$1" "another answer"; return; }
    judge "$1" 0 $status "$RESULTS | length == 1 and .[0].bench == \"code\""
}
custom anechoic-code-image snippet_image
