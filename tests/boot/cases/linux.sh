# An unmodified Linux on the models. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2261

linux_perf() { # Linux' own perf driver on the model, which judges itself; NAME is linux-CPU
    local status k event count compared=0 wrong=''
    if ! tools/linux-kernel.sh >"$dir/$1.out" 2>&1; then
        say "skipped $1: no Linux kernel can be had ($(tail -n 1 "$dir/$1.out"))"
        return
    fi
    tools/linux-perf.sh --no-install --cpu "${1#linux-}" --oracle "$dir/$1.oracle" >"$dir/$1.out" 2>&1
    status=$?
    [ "$status" = 0 ] || { fail "$1" "exit status $status, not 0"; return; }
    # Linux' counts of ring 3 are exact, also for the caches' events.
    while read -r k event count; do
        [ "$(sed -n "${k}p" "$dir/$1.oracle" | jq ".events[\"$event\"].u")" = "$count" ] || wrong="$wrong $k:$event"
        compared=$((compared + 1))
    done < <(sed -n -E 's/^ok run ([0-9]+): ([A-Z0-9_:]+):u of .* = ([0-9]+), .*/\1 \2 \3/p' "$dir/$1.out")
    if [ "$compared" -lt 16 ]; then fail "$1" "only $compared counts"; return; fi
    if [ -n "$wrong" ]; then fail "$1" "not what the oracle has:$wrong"; return; fi
    say "ok $1"
}
for cpu in p3 skylake zen4; do custom "linux-$cpu" linux_perf; done
for cpu in ppro core2 icelake k8; do long custom "linux-$cpu" linux_perf; done
