# Words of the command line: events by name from the database, whole or damaged, and words that are wrong. Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2261

# ---- the event database: from every loader, damaged, of another format, and for a CPU that it does not know ----
for how in '' '--iso' '--iso --multiboot1' '--flavour i586' '--iso --flavour i586 --multiboot1'; do
    boot "events-find${how// /}" 0 "$how --cpu EPYC --append events=find:retired_inst" found 'results == []'
done
boot events-list 0 "--cpu EPYC --append events=list" found 'events | length > 60' \
    'events | any(.event == "cycles") and any(.event == "uops_dispatched_from_decoder" and (.umasks | length) > 0)'
boot events-find-none 1 "--cpu EPYC --append events=find:Nosuchthing" 'events == []' 'note_says("no name and no description has .nosuchthing.")'
# Several words, in any order, over names, unit masks and descriptions: a unit mask that has one of them in its event's name only,
# and the other in its description only.
boot events-find-words 0 "--cpu EPYC --append events=find:miss+l2" \
    'events | any(.event == "core_to_l2_cacheable_request_access_status:ls_rd_blk_c" and .code == "0x64" and .umask == "0x08")' \
    'events | all(.event + .desc | test("l2.*miss|miss.*l2"; "i"))'
boot events-typo 2 "--cpu EPYC --append events=retired_instuctions" 'error_says("valid.*retired_instructions; events=list")'
boot events-no-pattern 2 "--cpu EPYC --append events=find:" 'error_says("find: and 1 to 63")'
# A database that is not whole, or of another format; NAME is events-HOW.
other_database() {
    local file=$dir/$1.db text format=8 # where the version of its format stands
    case ${1#events-} in
    short) text=truncated && head -c 100000 build/events.db ;;
    damaged) text=checksum && head -c 300000 build/events.db && printf damaged && tail -c +300008 build/events.db ;;
    newer) text='version 2' && head -c $format build/events.db && printf '\2' && tail -c +$((format + 2)) build/events.db ;;
    older) text='version 0' && head -c $format build/events.db && printf '\0' && tail -c +$((format + 2)) build/events.db ;;
    esac >"$file"
    run_case "$1" 1 "--cpu EPYC --append events=find:retired_inst --qemu-arg -initrd --qemu-arg '$file'" \
        'found_by_name | not' 'note_says($text)'
}
for how in short damaged newer older; do custom "events-$how" other_database; done
boot events-other-module 1 "--cpu EPYC --append events=find:retired_inst --qemu-arg -initrd --qemu-arg LICENSE" \
    'found_by_name | not' 'note_says("not an event database")'

# No requested event can be counted: no success, and no time instead.
boot events-none-here 1 "--append events=cycles,instructions" 'results == []' 'error_says("stride_thrash: none of events= can be counted here"; 4)' \
    'note_says("QEMU emulates no performance counters. ./run-bochs.sh --cpu")' 'notes("events") | length == 1' \
    'records("done") | .[0].failed == .[0].measurements and .[0].failed > 0'
boot events-time-here 0 "--append 'bench=empty reps=3 events=cycles,tsc'" 'results | length == 1 and .[0].event == "tsc"'
sim_boot events-absent-level 1 '--cpu p5' 'bench=empty reps=3 events=branch-misses:u' 'results == []' \
    'note_says("absent on this CPU: branch-misses")'

# A list of unit masks that does not fit ends with a whole name.
sim_boot events-many-umasks 2 '--cpu skylake' events=uops_dispatched_port:port_9 'error_says("port_[0-9], [.]{3}\"")'

# ---- wrong command lines: nothing is measured, the word is named ----
bad benchmark 'bench=nonsense' 'unknown benchmark.*nonsense'
bad parameter 'bench=l1_miss:foo=1' 'unknown parameter.*foo=1'
bad value 'bench=stride_thrash:lines=0' 'out of range.*0'
bad value-text 'bench=stride_thrash:lines=x' 'not a number.*x'
bad value-list 'bench=stride_thrash:lines=1,2,4' 'a comma begins another benchmark, but this is a number'
bad reps 'reps=0' 'number out of range.*reps=0'
bad reps-suffix 'reps=10k' 'not a number.*10k'
bad key 'nonsense=1' 'unknown word.*nonsense=1'
bad word 'nonsense' 'unknown word'
bad twice 'reps=3 reps=4' 'given twice'
bad two 'reps=0 bench=nonsense' 'word 2' 2
bad events 'events=nonsense' 'has no event of this name'
bad long-word "bench=$(printf '%070d' 0)" 'in .*bench=0{58}[.]{3}'
bad console 'console=com9' 'not a serial port'
bad variant 'bench=fp_add_latency:variant=mmx' 'unknown variant'
bad bytes 'bench=l1_miss:bytes=1G' 'more memory than is free.*bytes=1G'
bad lines 'bench=stride_thrash:lines=1..4096:stride=16M' 'more memory than is free'
boot bad-control 2 "--append $'reps=5 a\\001b=1'" 'error_says("control character")' 'results == []'
boot bad-long 2 "--append '$(printf 'reps=5 %.0s' {1..700})'" 'error_says("longer than the 4096")' 'results == []'
boot bad-long-exit 2 "--append '$(printf 'reps=5 %.0s' {1..700}) exit=qemu'" 'error_says("longer than the 4096")' 'results == []'
boot bad-serialize 2 "--cpu pentium --flavour i586 --append serialize=lfence" 'error_says("unknown value.*lfence")' 'results == []'
