# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with the sourcing script
# What tools/newlib.sh, tools/bochs.sh and tools/codes.sh have in common: something is made once and put into a directory
# of the user's cache (ANECHOIC_CACHE, else XDG_CACHE_HOME/anechoic, else ~/.cache/anechoic). It appears there whole or
# not at all, and of two builds at once the second waits for the first. Sourced by them, not run; they define say(),
# and build() (or what $builder names), which leaves what it made in $work/done. Then:
#
#   cache_open NAME; ...; cache_build FILE...

# cache_open NAME: prints the directory of this name and exits where there is one; else holds the lock, and $cache,
# $result, $log and $work, a directory that goes with the script as does the process $watcher, are there.
cache_open() {
    name=$1
    cache=${ANECHOIC_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/anechoic}
    cache_found
    mkdir -p "$cache"
    cache=$(cd "$cache" && pwd)
    exec 9>"$cache/.$name.lock"
    flock 9
    cache_found # another build may have finished while this one waited
    work=$(mktemp -d "$cache/.build-${name%%-*}-XXXXXX")
    watcher=''
    log=$work/log
    trap cache_cleanup EXIT
    trap 'exit 130' INT TERM HUP
}

cache_found() {
    result=$cache/$name
    if [ -d "$result" ]; then
        echo "$result"
        exit 0
    fi
}

# shellcheck disable=SC2317 # called by the trap
cache_cleanup() {
    [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
    rm -rf "$work"
}

# cache_build FILE...: build, and if all of these are in $work/done, put it in its place and print the directory. Exits
# with 5 where it fails; the log stays in the cache.
cache_build() {
    local file status
    # Not "build || status=$?": there the shell would ignore set -e inside of it.
    set +e
    ("${builder:-build}") </dev/null >"$log" 2>&1 9>&-
    status=$?
    set -e
    for file; do [ -s "$work/done/$file" ] || status=5; done
    if [ "$status" != 0 ]; then
        mv "$log" "$cache/$name.log"
        tail -n 20 "$cache/$name.log" >&2
        say "the build failed; the whole log is $cache/$name.log"
        exit 5
    fi
    mv -T "$work/done" "$result"
    rm -f "$cache/$name.log"
    echo "$result"
}
