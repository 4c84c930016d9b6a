# shellcheck shell=bash disable=SC2154 # variables are shared with the sourcing script
# The original tarball of a Debian source package, whatever release this machine has. Sourced after tools/cache.sh
# and tools/mirrors.sh, not run; the script defines say(), and cache_open has set $cache, $work and $log.

is_right() { [ -f "$1" ] && echo "$2  $1" | sha256sum --status -c -; }

# fetch_source URI RELEASE PACKAGE TARBALL SHA256: the tarball into $work/fetch. The source index is always that
# release's, in an apt configuration of its own. A mirror may lack the .dsc while it has the tarball, and apt then
# fails: only the tarball is asked for, and its checksum decides, not apt's status.
fetch_source() {
    local apt_options
    rm -rf "$work/apt" "$work/fetch"
    mkdir -p "$work/fetch"
    private_apt "$work/apt" deb-src "$1" "$2" "$(dpkg --print-architecture)"
    (
        cd "$work/fetch"
        apt-get "${apt_options[@]}" update
        apt-get "${apt_options[@]}" source --download-only --tar-only "$3"
    ) </dev/null >>"$log" 2>&1 || true
    is_right "$work/fetch/$4" "$5"
}

# debian_source RELEASE PACKAGE TARBALL SHA256 SIZE: $cache/TARBALL is there and is right; exits with 5 otherwise. One
# that has been put there by hand, under its Debian name, is used as well.
debian_source() {
    local uri found=no
    is_right "$cache/$3" "$4" && return
    exec 8>"$cache/.$2.lock"
    flock 8
    if ! is_right "$cache/$3" "$4"; then
        say "fetching $3, $5, through apt..."
        : >"$log"
        for uri in $(mirrors | sort -u); do
            if fetch_source "$uri" "$1" "$2" "$3" "$4"; then
                mv "$work/fetch/$3" "$cache/$3"
                found=yes
                break
            fi
        done
        if [ $found = no ]; then
            tail -n 20 "$log" >&2
            say "no Debian mirror of this machine's gave $3; put it into $cache to go on"
            exit 5
        fi
    fi
    exec 8>&-
}
