# Last branch records of the model: what Bochs' glue and the stack make of each kind of transfer. Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

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
    jq -r '.trace.at[-1].branches | .[] | .from + " " + .to' "$dir/$1.oracle" | awk '{ printf "%8s %8s\n", $1, $2 }' | tr ' ' 0 | sed 's/^\(.\{8\}\)0/\1 /' |
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
