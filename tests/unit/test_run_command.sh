#!/bin/bash
# `anechoic run` with a script in the place of run-qemu.sh that says what a kernel says: text, records and statuses go
# through; several boots take turns; the line of progress is there on a terminal only; Ctrl-C keeps what came.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
case $build in /*) ;; *) build=$root/$build ;; esac
anechoic=$build/host/anechoic
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
not_ok() {
    echo "not ok run $1: $2"
    failed=1
}

# The stand-in: prints the session of docs/records.md, in which 2 benchmarks are planned.
cat >"$dir/run-qemu.sh" <<SCRIPT
#!/bin/bash
echo "\$*" >>"$dir/called"
[[ " \$* " != *' fails '* ]] || { echo 'no such thing' >&2; exit 4; }
if [[ " \$* " = *' hangs '* ]]; then
    trap 'exit 130' INT
    sed -n '/^{"n":[0-4],/p' "$root/docs/records.md"
    touch "$dir/hanging"
    for ((i = 0; i < 600; i++)); do sleep 0.1; done
fi
if [[ " \$* " = *' talks '* ]]; then
    trap 'touch "$dir/ended"; exit 143' TERM
    sed -n '/^{"n":[0-4],/p' "$root/docs/records.md"
    for ((i = 0; i < 600; i++)); do echo text; sleep 0.1; done
fi
if [[ " \$* " = *' shows '* ]]; then grep '"t":"plan"' "$root/docs/records.md"; grep -m1 '"t":"result"' "$root/docs/records.md"; sleep 0.5; exit 0; fi
if [[ " \$* " = *' cut '* ]]; then sed '/^{"n":3,/d' "$root/docs/records.md"; exit 0; fi
cat "$root/docs/records.md"
exit \$([[ " \$* " = *' one '* ]] && echo 1 || echo 0)
SCRIPT
cp "$dir/run-qemu.sh" "$dir/run-bochs.sh"
chmod +x "$dir"/run-*.sh

# run NAME STATUS 'TEXT' ARGUMENT...: the status, and a line of what is printed
run() {
    local name=$1 wanted=$2 text=$3 status=0
    shift 3
    : >"$dir/called"
    timeout 60 "$anechoic" run --scripts "$dir" "$@" >"$dir/out" 2>"$dir/err" || status=$?
    if [ "$status" != "$wanted" ]; then not_ok "$name" "status $status instead of $wanted: $(tr '\n' ' ' <"$dir/err")"
    elif ! grep -qF -- "$text" "$dir/err" "$dir/called" "$dir/out"; then not_ok "$name" "nowhere '$text': $(cat "$dir/err" "$dir/called" | tr '\n' ' ')"
    else echo "ok run $name"; fi
}

run "runs a session" 0 'complete, status 0' qemu bench=x reps=5 -o "$dir/kept"
if cmp -s "$dir/kept" "$root/docs/records.md"; then echo "ok run keeps every line"; else not_ok "keeps every line" "the copy differs"; fi
if grep -q '^{' "$dir/out" || grep -q $'\r' "$dir/err"; then not_ok "is quiet in a pipe" "records, or a line of progress"; else echo "ok run is quiet in a pipe"; fi
run "gives its words to the kernel" 0 '--append bench=x reps=5' qemu bench=x reps=5
run "knows KVM" 0 '--accel kvm' kvm
run "knows modelled CPUs" 0 '--cpu p55c' bochs:p55c
run "gives the script's own options to it" 0 '--icount --timeout=9 --raw' qemu -x --icount -x --timeout=9
run "gives the script's status" 4 'no such thing' kvm fails
if grep -q 'no records' "$dir/err"; then not_ok "leaves the reason to the script" "$(cat "$dir/err")"; else echo "ok run leaves the reason to the script"; fi
# Whoever starts it may ignore that children end, and then there is no status to wait for.
timeout 60 env --ignore-signal=CHLD "$anechoic" run --scripts "$dir" kvm fails >"$dir/out" 2>"$dir/err"
status=$?
if [ $status = 4 ]; then echo "ok run gives the script's status to any parent"; else not_ok "gives the script's status to any parent" "status $status"; fi
run "a failed benchmark" 1 'complete' qemu one
run "a session that is not complete" 1 'record 3 is missing' qemu cut
run "several boots" 0 'boot 3 of 3' qemu --boots 3 -o "$dir/a.b.txt"
for i in 1 2 3; do [ -s "$dir/a.b-$i.txt" ] || not_ok "several boots" "no a.b-$i.txt"; done
run "two alternatives" 0 'boot 4 of 4' qemu first --against second --boots 2 -o "$dir/two"
if [ "$(grep -oE 'first|second' "$dir/called" | tr '\n' ' ')" = 'first second first second ' ]; then echo "ok run takes turns"; else not_ok "takes turns" "$(cat "$dir/called")"; fi
for name in old-1 new-1 old-2 new-2; do [ -s "$dir/two-$name" ] || not_ok "two alternatives" "no two-$name"; done
run "a full disk" 1 'No space left on device' qemu -o /dev/full
run "refuses another place" 2 'qemu, kvm or bochs:CPU' vmware
run "says where a machine at its prompt is" 2 'is tty:DEVICE' /dev/ttyS0
run "knows a device's short name" 2 'null: No such file or directory; is it /dev/null?' tty:null
run "says where a rate goes" 2 'null,x: No such file or directory; a rate is --baud RATE, or tty:DEVICE,RATE' tty:null,x
run "says what COM2 is" 2 "Linux' name of COM2 is /dev/ttyS1" tty:COM2
run "takes Linux' form of a rate" 2 '/dev/null: nothing can be sent there' tty:/dev/null,115200n8
run "refuses another frame" 2 'tty:/dev/null,115200e7: a serial line has one of 50' tty:/dev/null,115200e7
run "refuses a CPU without a name" 2 'qemu, kvm or bochs:CPU' bochs:
run "needs a place" 2 'is missing' --boots 1
run "refuses no boots" 2 'from 1 to 10000' qemu --boots 0
run "several boots need a file" 2 'need -o FILE' qemu --boots 2
status=0
"$anechoic" run --scripts "$dir/none" qemu >"$dir/out" 2>"$dir/err" || status=$?
if [ $status = 2 ] && grep -q 'there is no run-qemu.sh' "$dir/err"; then echo "ok run names scripts that are not there"; else not_ok "names scripts that are not there" "status $status: $(cat "$dir/err")"; fi

# Ctrl-C. (Asynchronous commands of a script ignore SIGINT, and so would their children.)
rm -f "$dir/hanging"
env --default-signal=INT "$anechoic" run --scripts "$dir" qemu hangs -o "$dir/kept" >"$dir/out" 2>"$dir/err" &
pid=$!
for ((i = 0; i < 300; i++)); do [ ! -e "$dir/hanging" ] || break; sleep 0.1; done
kill -INT $pid
status=0
wait $pid || status=$?
if [ $status = 130 ] && [ "$(grep -c '^{' "$dir/kept")" = 5 ] && grep -q 'NOT COMPLETE' "$dir/err"; then
    echo "ok run keeps what came before Ctrl-C"
else
    not_ok "keeps what came before Ctrl-C" "status $status, $(grep -c '^{' "$dir/kept") records: $(cat "$dir/err")"
fi

# Nobody reads any longer what is printed.
"$anechoic" run --scripts "$dir" qemu talks -o "$dir/kept" 2>"$dir/err" | head -n 1 >"$dir/out"
status=${PIPESTATUS[0]}
if [ "$status" = 143 ] && [ "$(grep -c '^{' "$dir/kept")" = 5 ] && [ -e "$dir/ended" ] && grep -q 'NOT COMPLETE' "$dir/err"; then
    echo "ok run ends in order when nobody reads"
else
    not_ok "ends in order when nobody reads" "status $status, $(grep -c '^{' "$dir/kept") records: $(cat "$dir/err")"
fi

# A terminal (util-linux' script makes one): the line says which benchmark of how many.
script -qec "'$anechoic' run --scripts '$dir' qemu shows" /dev/null </dev/null >"$dir/out" 2>&1
if grep -qE 'benchmark 1 of 2: fp_add_latency, [0-9]+ s, some [0-9]+ s left' "$dir/out"; then echo "ok run shows progress on a terminal"; else not_ok "shows progress on a terminal" "$(tr '\r' '\n' <"$dir/out" | tail -n 3)"; fi
exit $failed
