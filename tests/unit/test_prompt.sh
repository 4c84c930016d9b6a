#!/bin/bash
# `anechoic code --on tty:DEVICE` and `anechoic run tty:DEVICE` with a machine at its prompt (tests/wire/prompt.c), over a line
# that loses, changes and doubles bytes (tests/wire/wire.c): what is measured is what was asked, whatever the line does, and
# what cannot be is said. Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
case $build in /*) ;; *) build=$root/$build ;; esac
anechoic=$build/host/anechoic wire=$build/tests/wire prompt=$build/tests/prompt
dir=$(mktemp -d)
cd "$dir" || exit
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$dir"' EXIT
failed=0
not_ok() {
    echo "not ok prompt $1: $2"
    failed=1
}

# at 'PROMPT OPTIONS' 'WIRE OPTIONS': a machine, and a line to it: $dir/line
at() {
    local i pids
    pids=$(jobs -p)
    # shellcheck disable=SC2086 # a list
    [ -z "$pids" ] || { kill $pids; wait $pids; } 2>/dev/null
    rm -f line socket module
    # shellcheck disable=SC2086 # options are words
    "$prompt" $1 socket module 2>machine &
    # shellcheck disable=SC2086
    "$wire" $2 socket pty:line 2>>machine &
    for ((i = 0; i < 400; i++)); do [ ! -e line ] || return; sleep 0.02; done
}
# asks NAME STATUS [TEXT...] -- ARGUMENT...: anechoic's status, and what standard error says
asks() {
    local name=$1 wanted=$2 status=0 says=() text
    shift 2
    while [ "$1" != -- ]; do says+=("$1"); shift; done
    shift
    timeout 100 "$anechoic" "$@" >out 2>err || status=$?
    sed -i '/without a lock file/d' err
    if [ "$status" != "$wanted" ]; then
        not_ok "$name" "status $status instead of $wanted: $(tail -n 3 err | tr '\n' ' ')"
        return 1
    fi
    for text in "${says[@]}"; do
        grep -qF -- "$text" err || { not_ok "$name" "it does not say '$text': $(tr '\n' ' ' <err)"; return 1; }
    done
}
ok() { echo "ok prompt $1"; }
same() { if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1" "$(diff -a "$2" "$3" | head -n 5 | tr '\n' ' ')"; fi; }

# ---- a line without faults ----

at '' ''
asks 'an answer' 0 -- code 'imul rax, rbx' --on tty:line -o kept && {
    printf 'Time-stamp counter: 1.00\nMeasured on A brand.\n' >wanted
    same 'an answer' wanted out
    head -n 1 kept | grep -q '"t":"boot"' && grep -q '"t":"done"' kept || not_ok 'what is kept' "$(cut -c 1-60 kept)"
    "$anechoic" code --from kept >again 2>/dev/null
    printf 'imul rax, rbx\n  Time-stamp counter: 1.00\n\nMeasured on A brand.\n' >wanted
    same 'what is kept has the answer' wanted again
}
# The module that a boot gets, by a script that only keeps it.
cat >run-qemu.sh <<'SCRIPT'
#!/bin/bash
while [ "$1" != --module ]; do shift; done
cp "$2" "${0%/*}/booted"
exit 4
SCRIPT
chmod +x run-qemu.sh
for ((i = 0; i < 300; i++)); do echo "snippet $i: add rax, $i"; done >list
"$anechoic" code -f list --on qemu --scripts . >/dev/null 2>&1
asks 'many snippets' 0 -- code -f list --on tty:line && same 'a module arrives as a boot gets it' booted module
cp out clean
[ "$(grep -c '^snippet' clean)" = 300 ] || not_ok 'many snippets' "$(grep -c '^snippet' clean) of 300 have an answer"
asks 'wrong words' 2 'unknown benchmark: "wrong"' -- code nop --on tty:line bench=wrong && ok 'wrong words'
asks 'and another question after them' 0 -- code -f list --on tty:line && same 'and another question after them' clean out
asks 'run' 0 -- run tty:line bench=code -o kept && ok 'run'
asks 'run with a module' 0 -- run tty:line --module booted bench=code && same 'run with a module' booted module
asks 'no module' 2 'this is no module' -- run tty:line --module list bench=code && ok 'no module'
asks 'a file that is not there' 2 'No such file' -- run tty:line --module nothing bench=code && ok 'a file that is not there'
asks 'not at a prompt' 2 'no --boots' -- run tty:line --boots 3 bench=code -o x && ok 'not at a prompt'
asks 'a line that is too long' 2 'has 1000 characters at most' -- run tty:line "$(printf 'bench=code:%01200d' 1)" && ok 'a line that is too long'
asks 'the other kernel' 2 'takes code of 64 bits' -- code nop --bits 32 --on tty:line && ok 'the other kernel'
timeout -s INT 3 "$anechoic" run tty:line bench=hangs >out 2>err
status=$?
[ $status = 124 ] || not_ok 'Ctrl-C' "status $status" # timeout's own
asks 'Ctrl-C ends what is measured' 0 -- code -f list --on tty:line && same 'Ctrl-C ends what is measured' clean out
asks 'the session ends' 3 'its session has ended' -- run tty:line bench=dies && ok 'the session ends'

# ---- other machines ----

at '--bits 32 --counters absent' ''
asks '32 bits' 0 -- code 'inc eax' --on tty:line -o kept && { if grep -q '^run .*events=' kept; then not_ok '32 bits' 'events, where there are no counters'; else ok '32 bits'; fi; }
at '--room 2000' ''
asks 'no room' 4 'has room for 2000' -- code -f list --on tty:line && ok 'no room'
asks 'and one that fits' 0 -- code nop --on tty:line && ok 'and one that fits'

# The echo of a line takes two seconds: whoever types it once more cancels what the first one has begun.
at '--slow 40' ''
asks 'a slow machine' 0 -- run tty:line 'bench=code reps=100 warmup=100 text=none' -o kept && {
    if grep -q '\^C' kept || [ "$(grep -c '"t":"done"' kept)" != 1 ]; then not_ok 'a slow machine' 'it was asked again'; else ok 'a slow machine'; fi
}

# ---- nobody, and somebody else ----

asks 'no device' 2 'No such file or directory' -- code nop --on tty:/dev/nothing && ok 'no device'
asks 'no rate' 2 'has one of' -- code nop --on tty:line,12345 && ok 'no rate'
asks 'no line' 2 'nothing can be sent there' -- code nop --on tty:list && ok 'no line'
"$wire" session:3 pty:other &
sleep 0.5
asks 'no prompt' 4 'no prompt answers' -- code nop --on tty:other && ok 'no prompt'

# ---- a line with faults ----

for seed in 1 3 5; do
    at '' "--drop 3000 --flip 3000 --double 4000 --up 3000 --seed $seed"
    asks "faults, seed $seed" 0 -- code -f list --on tty:line || continue
    same "faults, seed $seed: the module" booted module
    # Answers that were asked for again come late.
    grep -A1 '^snippet' out | grep -v '^--' | paste - - | sort >have
    grep -A1 '^snippet' clean | grep -v '^--' | paste - - | sort >wanted
    same "faults, seed $seed: the answers" wanted have
done
at '--keep 4000' '--drop 300 --records-only --seed 7'
asks 'records that are gone' 1 'did not come again' -- code -f list --on tty:line && ok 'records that are gone'
at '' '--cut 9000'
asks 'a cable that is pulled' 4 'line' -- code -f list --on tty:line && ok 'a cable that is pulled'
exit $failed
