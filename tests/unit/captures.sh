# shellcheck shell=bash
# For tests of `anechoic`: verdicts, and captures that are made here. Sourced; $command is the subcommand, which names
# the cases, and $anechoic the program. A test that failed sets $failed to 1.
: "${command:?}" "${anechoic:=}"

# verdict NAME [WHY]: with WHY it failed.
verdict() {
    if [ $# = 1 ]; then
        echo "ok $command $1"
    else
        echo "not ok $command $1: $2"
        # shellcheck disable=SC2034
        failed=1
    fi
}

# expect NAME COMMAND...: it comes to 0.
expect() {
    local name=$1
    shift
    if "$@" >said 2>&1; then verdict "$name"; else verdict "$name" "$* failed: $(tr '\n' ' ' <said)"; fi
}

# proves NAME STATUS WANTED: Perl's parser of TAP reads the file out.
proves() {
    local status=0
    if ! command -v prove >/dev/null; then
        echo "skipped $command $1: there is no prove (package perl)"
        return
    fi
    prove -v -e cat out >proved 2>&1 || status=$?
    expect "$1" test "$status: $(grep -cE -- "$3" proved)" = "$2: 1"
}
# disk_full NAME ARGUMENT...: `anechoic` says that its output has no room. Without the device, root would make a file.
disk_full() {
    local name=$1 status=0
    shift
    if [ ! -c /dev/full ]; then
        echo "skipped $command $name: there is no /dev/full"
        return
    fi
    "$anechoic" "$@" >/dev/full 2>err || status=$?
    expect "$name" test "$status: $(grep -c 'No space left' err)" = "4: 1"
}

# session: records without number and checksum, on stdin, become a session on stdout. The CRC is gzip's.
session() {
    local bodies n body crc
    mapfile -t bodies
    bodies+=("{\"t\":\"end\",\"records\":$((${#bodies[@]} + 1)),\"status\":${1:-0}}")
    for n in "${!bodies[@]}"; do
        body=${bodies[n]%\}}
        body="{\"n\":$n,${body#\{}"
        crc=$(printf %s "$body" | gzip -1c | tail -c 8 | od -An -N4 -tx4 --endian=little)
        printf '%s,"crc":"%s"}\n' "$body" "${crc# }"
    done
}
