# A rack of equal machines, one of which is not: each boot's capture is checked, all go into one database, and the
# report names the odd one. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

# rack_machine DIRECTORY NUMBER SHIFT: boots one, with a clock on which an instruction takes 2^SHIFT ns. 0: its capture
# is complete.
rack_machine() {
    local name
    name=$(printf '%s/pc%03d' "$1" "$2")
    timeout "${TIMEOUT:-120}" qemu-system-x86_64 -nodefaults -no-user-config -vga std -display none -no-reboot -m 64 -cpu max \
        -icount "shift=$3,sleep=off" -rtc base=2020-01-01,clock=vm -seed 1 -serial stdio \
        -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel build/x86_64/anechoic.elf \
        -append 'exit=qemu bench=fp_add_latency,l1_miss' </dev/null 2>"$name.err" |
        build/host/anechoic capture - -o "$name.rec" >/dev/null 2>>"$name.err" &&
        build/host/anechoic check --strict "$name.rec" >>"$name.err" 2>&1
}

rack() { # NAME is fleet-MACHINES
    local name=$1 machines=${1#*-} at_a_time=3 where=$dir/$1 odd i shift complete named
    odd=$((machines / 2)) # made different on purpose: its clock has half the rate
    mkdir "$where"
    for ((i = 1; i <= machines; i++)); do
        while [ "$(jobs -rp | wc -l)" -ge $at_a_time ]; do wait -n; done
        shift=$((i == odd))
        { rack_machine "$where" $i $shift && echo $i >>"$where/complete"; } &
    done
    wait
    complete=$(wc -l <"$where/complete" 2>/dev/null || echo 0)
    [ "$complete" = "$machines" ] || { fail "$name" "$complete of $machines captures are complete: $(cat "$where"/*.err | head -n 3)"; return; }

    build/host/anechoic export -o "$where/rack.sqlite" "$where"/pc*.rec >"$dir/$name.out" 2>&1 || { fail "$name" "export"; return; }
    named=$(sqlite3 "$where/rack.sqlite" "
        SELECT count(*), sum(status = 0), (SELECT count(*) FROM result) / count(*) FROM session")
    [ "$named" = "$machines|$machines|3" ] || { fail "$name" "the database has $named"; return; }
    # By the page's own query.
    sed -n '/^```sql$/,/^```$/{/^```/d;p}' docs/lab.md >"$where/query"
    named=$(sqlite3 "$where/rack.sqlite" <"$where/query" 2>&1 | cut -d '|' -f 1 | sed 's,.*/,,' | sort -u)
    [ "$named" = "$(printf 'pc%03d.rec' $odd)" ] || { fail "$name" "by the database it is '$named'"; return; }

    build/host/anechoic report "$where"/pc*.rec -o "$where/rack.html" >>"$dir/$name.out" 2>&1 || { fail "$name" "report"; return; }
    named=$(sed -n '/id="unlike"/,/<\/section>/p' "$where/rack.html" | grep -o 'pc[0-9]*\.rec' | sort -u)
    [ "$named" = "$(printf 'pc%03d.rec' $odd)" ] || { fail "$name" "by the report it is '$named'"; return; }
    say "ok $name"
}
custom fleet-6 rack
long custom fleet-100 rack
