# An unmodified Linux on the models. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2261

# Linux' own perf driver on the model, which judges itself. NAME is linux-CPU, linux-CPU-N with N processors, or
# linux-CPU-threads; where there are several, each run's oracle has its processor, too. Those take a minute, most of it before
# Linux' first word: while nothing is counted Bochs still executes one instruction of each in turn.
linux_perf() {
    local status cpu n options=() from to event on count compared=0 least=16 wrong=''
    IFS=- read -r _ cpu n <<<"$1"
    case $n in
    '') ;;
    threads) options=(--threads 2) least=4 ;;
    *) options=(--smp "$n") least=$((2 * n)) ;;
    esac
    if ! tools/linux-kernel.sh >"$dir/$1.out" 2>&1; then
        say "skipped $1: no Linux kernel can be had ($(tail -n 1 "$dir/$1.out"))"
        return
    fi
    tools/linux-perf.sh --no-install --cpu "$cpu" "${options[@]}" --oracle "$dir/$1.oracle" >"$dir/$1.out" 2>&1
    status=$?
    [ "$status" = 0 ] || { fail "$1" "exit status $status, not 0: $(grep '^not ok' "$dir/$1.out" | head -n 3 | tr '\n' ';')"; return; }
    # Linux' counts of ring 3 are exact, also for the caches' events.
    while read -r from to event on count; do
        sed -n "$from,${to}p" "$dir/$1.oracle" | jq -r --arg e "$event" '"\(.events[$e].u) \(.cpu // 0)"' |
            grep -q -x "$count $on" || wrong="$wrong $from:$event"
        compared=$((compared + 1))
    done < <(sed -n -E -e 's/^ok run ([0-9]+): ([A-Z0-9_:]+):u of CPU ([0-9]+) = ([0-9]+), .*/\1 \1 \2 \3 \4/p' -e t \
        -e 's/^ok run ([0-9]+) to ([0-9]+): ([A-Z0-9_:]+):u of CPU ([0-9]+) .* = ([0-9]+), .*/\1 \2 \3 \4 \5/p' -e t \
        -e 's/^ok run ([0-9]+): ([A-Z0-9_:]+):u of .* = ([0-9]+), .*/\1 \1 \2 0 \3/p' "$dir/$1.out")
    if [ "$compared" -lt "$least" ]; then fail "$1" "only $compared counts"; return; fi
    if [ -n "$wrong" ]; then fail "$1" "not what the oracle has:$wrong"; return; fi
    say "ok $1"
}
# perf's :p, :pp and load latency: each sample of Linux' is what the oracle's trace has. NAME is linux-precise-CPU.
linux_precise() {
    local cpu=${1#linux-precise-} status verdict
    if ! tools/linux-kernel.sh >"$dir/$1.out" 2>&1; then
        say "skipped $1: no Linux kernel can be had ($(tail -n 1 "$dir/$1.out"))"
        return
    fi
    tools/linux-perf.sh --no-install --cpu "$cpu" --only precise --oracle "$dir/$1.oracle" --trace INSTRUCTION_RETIRED,user >"$dir/$1.out" 2>&1
    status=$?
    [ "$status" = 0 ] || { fail "$1" "exit status $status, not 0"; return; }
    verdict=$(jq -R -n -c --slurpfile oracle "$dir/$1.oracle" -f tests/boot/precise.jq "$dir/$1.out" 2>&1)
    if [ "$(jq '.runs >= 2 and .samples >= 200 and .wrong == []' <<<"$verdict" 2>/dev/null)" != true ]; then
        fail "$1" "$(cut -c1-300 <<<"$verdict")"
        return
    fi
    say "ok $1"
}
custom linux-precise-skylake linux_precise
for cpu in core2 sandybridge haswell icelake tigerlake; do long custom "linux-precise-$cpu" linux_precise; done

for cpu in p3 skylake zen4; do usual_for 'skylake zen4' $cpu custom "linux-$cpu" linux_perf; done
for cpu in ppro core2 sandybridge haswell icelake tigerlake k8 fam10h bulldozer zen \
    p3-2 p3-4 core2-2 skylake-2 skylake-threads icelake-threads zen4-2; do
    long custom "linux-$cpu" linux_perf
done
