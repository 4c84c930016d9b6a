# Last branch records of the model: what Bochs' glue and the stack make of each kind of transfer. Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154

# branches NAME: NAME is branches-CPU. tests/boot/branches.c makes each transfer once; the stack has them, and so has the
# oracle's log at the bracket's last branch, SYSENTER; with the clocks where the CPU has them.
branches() {
    local cpu=${1#branches-} event=BRANCH_INSTRUCTIONS_RETIRED from to expected='' n=0
    [ "$cpu" != zen4 ] || event=RETIRED_BRANCH_INSTRUCTIONS
    address() { nm build/boot/branches.elf | awk -v name="$1" '$3 == name { print $1 }'; }
    while read -r from to; do
        n=$((n + 1))
        [ "$cpu" != core2 ] || [ $n -le 4 ] || break
        expected="$expected$(address "$from") $(address "$to")"$'\n'
    done <<'END'
sysenter t_sysenter
iret3 sysenter
sysenter on_interrupt
ijmp ijmp_to
lcall_to ijmp
lcall lcall_to
ljmp lcall
iret2 ljmp
ud on_ud
iret1 ud
int on_int60
ret2 int
icall icall_to
ret1 icall
call call_to
jcc jcc_to
END
    ./run-bochs.sh --no-install --cpu "$cpu" --through build/boot/branches.elf --oracle "$dir/$1.oracle" --trace "$event,branches=16" \
        --bracket "path=$(address begin):$(address end)" -o "$dir/$1.jsonl" --append branches >"$dir/$1.out" 2>&1 ||
        { fail "$1" "exit status $?"; return; }
    tr -d '\r' <"$dir/$1.out" | awk '/^record / { print $2, $3 }' >"$dir/$1.stack"
    jq -r '.trace.at[-1].branches[] | [.from, .to] | map("0000000\(.)"[-8:]) | join(" ")' "$dir/$1.oracle" |
        head -n "$(wc -l <"$dir/$1.stack")" >"$dir/$1.log"
    if ! diff <(printf %s "$expected") "$dir/$1.stack" >"$dir/$1.diff" || ! diff "$dir/$1.log" "$dir/$1.stack" >"$dir/$1.diff"; then
        fail "$1" "$(tr '\n' ';' <"$dir/$1.diff")"
        return
    fi
    # The first record has no clocks that the bracket knows.
    tr -d '\r' <"$dir/$1.out" | awk '/^record / && $4 { print $4 }' | head -n 15 >"$dir/$1.clocks"
    if [ -s "$dir/$1.clocks" ] &&
        ! diff <(jq -r '.trace.at[-1].branches | .[:15] | .[].clocks' "$dir/$1.oracle" | xargs printf '%08x\n') "$dir/$1.clocks" >"$dir/$1.diff"; then
        fail "$1" "clocks: $(tr '\n' ';' <"$dir/$1.diff")"
        return
    fi
    say "ok $1"
}
for cpu in skylake zen4; do custom "branches-$cpu" branches; done
for cpu in core2 sandybridge haswell icelake tigerlake; do long custom "branches-$cpu" branches; done

# ---- branches=lbr ----

# recorded NAME CPU PERIOD WORD [KIND...]: each sample of tests/payload/branches.S, or of lbr-truth-CPU the truth suite's programs,
# has the branches that the oracle has, those of these kinds that the filter lets through, and the tables are made of these.
recorded() {
    local name=$1 cpu=$2 period=$3 word=$4 event=BR_INST_RETIRED:NEAR_TAKEN depth=32 most=690 kinds verdict
    case $cpu in # the handler: with 8 instructions an entry, 12 where there is LBR_INFO
    core2) event=BR_INST_RETIRED:TAKEN depth=4 most=310 ;;
    sandybridge | haswell) depth=16 most=410 ;;
    zen4) event=RETIRED_TAKEN_BRANCH_INSTRUCTIONS depth=16 most=410 ;;
    esac
    kinds=$(printf '%s\n' "${@:5}" | jq -R . | jq -s -c 'map(select(. != ""))')
    case $name in
    lbr-truth-*) payload tests/payload/truth.c -x -I. -x -Iinclude --arg 50 -o "$dir/${name//-/_}.mod" ;;
    *) payload tests/payload/branches.S --entry "${name//-/_}=branches" --arg $((period - 1)) -o "$dir/${name//-/_}.mod" ;; # some 56 samples
    esac
    ./run-bochs.sh --no-install --cpu "$cpu" --module "$dir/${name//-/_}.mod" --oracle "$dir/$name.oracle" \
        --trace "$event,user,branches=32,limit=20000" -o "$dir/$name.jsonl" \
        --append "bench=${name//-/_} branches=$word period=$period samples=70 reps=1 warmup=0 all=1" >"$dir/$name.out" 2>&1 ||
        { fail "$name" "exit status $?"; return; }
    grep -v '"interrupts":{"' "$dir/$name.oracle" | tail -n 1 >"$dir/$name.bracket" # the last that nothing interrupted: jq reads it in a third of the time
    verdict=$(jq -s -c --argjson period "$period" --argjson depth $depth --argjson kinds "$kinds" \
        --slurpfile oracle "$dir/$name.bracket" -f tests/boot/branches.jq "$dir/$name.jsonl" 2>&1)
    if [ "$(jq '.samples >= 40 and .first >= 0 and .wrong == [] and .pairs >= 3 and (.wrong_pairs | not) and .wrong_blocks == []' \
        <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$name" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    build/host/anechoic report "$dir/$name.jsonl" -o "$dir/$name.html" >"$dir/$name.report" 2>&1
    if [ "$(sed -n '/<section id="branches"/,/<.section>/p' "$dir/$name.html" | grep -c '^<tr><td')" != "$(jq '.pairs + .blocks' <<<"$verdict")" ]; then
        fail "$name" "the report's rows of branches and blocks are not $(jq -c '[.pairs, .blocks]' <<<"$verdict")"
        return
    fi
    judge "$name" 0 0 'samplings | all((.handler_instructions // 200) > 130 and (.handler_instructions // 200) < $most and .lost == 0)' \
        'records("branches") | all(.predictions == (if $cpu == "core2" then "absent" else "unmodelled" end) and
            (.lines | all(has("mispredicted") | not)))' \
        'records("blocks") | all(.impossible == 0 and .unlisted == 0 and .cycles == (if $depth == 32 then "unmodelled" else "absent" end))'
}
for cpu in core2 skylake icelake zen4; do usual_for 'skylake icelake zen4' $cpu custom "lbr-$cpu" recorded $cpu 101 lbr; done
for cpu in sandybridge haswell tigerlake; do long custom "lbr-$cpu" recorded $cpu 301 lbr; done
for cpu in core2 sandybridge haswell skylake icelake tigerlake zen4; do long custom "lbr-truth-$cpu" recorded $cpu 301 lbr; done
long custom lbr-filter-skylake recorded skylake 301 lbr:cond,ind_call jcc ind_call
long custom lbr-filter-zen4 recorded zen4 301 lbr:any_ret,ind_jmp ret far ind_jmp
long custom lbr-filter-haswell recorded haswell 301 lbr:any_call call ind_call far
long custom lbr-filter-sandybridge recorded sandybridge 301 lbr:call,cond call jcc

# From the records of PEBS, many to an interrupt.
long custom lbr-pebs-icelake recorded icelake 301 'lbr sample=pebs data=lbr buffer=16 events=br_inst_retired.near_taken:u ring=3'

# Who called whom, by the instruction that was next: the function that has it runs, and its callers are those of the source.
stacks() {
    local name=$1
    payload tests/payload/branches.S --bits 64 --entry "${name//-/_}=branches" --arg 300 -o "$dir/${name//-/_}.mod"
    ./run-bochs.sh --no-install --cpu "$2" --module "$dir/${name//-/_}.mod" -o "$dir/$name.jsonl" \
        --append "bench=${name//-/_} branches=lbr:call_stack period=997 samples=200 warmup=0 all=1" >"$dir/$name.out" 2>&1
    judge "$name" 0 $? '[records("stacks")[] | .lines[]] | length >= 6 and (map(.times) | add) == ([.[] | .times] | add)' \
        '[records("stacks")[] | .lines[].functions] - ["branches", "branches;leaf", "branches;outer", "branches;outer;inner",
            "branches;recurse", "branches;recurse;recurse", "branches;recurse;recurse;recurse", "branches;recurse;recurse;recurse;recurse"] == []' \
        'records("stacks") | .[0].outside == 0 and .[0].cut == 0 and .[0].lines[0].functions == "branches;outer;inner" and
            (map(.lines[].times) | add) == .[0].samples' \
        '(records("stacks") | times_of(.functions | split(";") | last; .times)) as $runs
            | (profiles | times_of(.symbol | sub("\\+.*"; ""); .count)) == $runs'
}
custom lbr-stacks-haswell stacks haswell
for cpu in skylake icelake; do long custom "lbr-stacks-$cpu" stacks $cpu; done

# Where there are none, or not these: said, with what there is.
long sim_boot lbr-none-p3 1 '--cpu p3' 'bench=stride_thrash branches=lbr' 'error_says("does not read the last branch records of P6")' 'samplings == []'
long sim_boot lbr-none-k8 1 '--cpu k8' 'bench=stride_thrash branches=lbr' 'error_says("last branch records from Zen 4 on")'
long sim_boot lbr-no-filter 1 '--cpu core2' 'bench=stride_thrash branches=lbr:cond' 'error_says("branches=lbr: takes any")'
long sim_boot lbr-no-stack 1 '--cpu zen4' 'bench=stride_thrash branches=lbr:call_stack' 'error_says("cannot record these")'
long sim_boot lbr-no-ibs 1 '--cpu zen4' 'bench=stride_thrash ring=3 sample=ibs branches=lbr' 'error_says("does not go with IBS")'
long sim_boot lbr-timer 0 '--cpu skylake' 'bench=stride_thrash ring=3 sample=timer branches=lbr samples=100' \
    'records("branches") | .[0].samples >= 50 and .[0].lines[0].from_symbol[:13] == "stride_thrash" and .[0].lines[0].share > 0.9'

# The 32-bit kernel keeps each sample's records apart, too.
sim_boot lbr-skylake-i586 0 '--cpu skylake --flavour i586' 'bench=regions:n=500 branches=lbr period=97 all=1 reps=1' \
    '[records("sample")[] | .samples[]] | length > 20 and all((.branch_from | length) == 32 and (.branch_to | length) == 32 and (has("branch_cycles") | not))'
