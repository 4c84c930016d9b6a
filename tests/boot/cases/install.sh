# The installed tool, and releases. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

# copy_of_sources TO [BUILT...]: the files of this checkout, without git's, and what is built already of these. That comes first:
# a source that changes meanwhile is then newer than what was built of it.
copy_of_sources() {
    local to=$1 built
    shift
    mkdir -p "$to/build"
    for built; do
        [ ! -e "build/$built" ] || cp -a "build/$built" "$to/build"
    done
    tar -cf - --exclude=./build --exclude=./dist --exclude=./.git . | tar -xf - -C "$to"
}

# as_nobody COMMAND...: without rights, and without a home. Who is not root already has none to lose.
as_nobody() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "$@"
    else
        env HOME=/nonexistent "$@"
    fi
}

# The installed program runs, as a user without rights, in a directory that has nothing of the sources.
installed() {
    local place=/tmp/anechoic-install.$$ here=$dir/$1.user out=$dir/$1.out anechoic why=''
    mkdir -p "$place" "$here"
    chmod 755 "$place" "$dir"
    chmod 777 "$here"
    make -s install DESTDIR="$place" PREFIX=/opt/anechoic >"$out" 2>&1 </dev/null || why="make install"
    anechoic=$place/opt/anechoic/bin/anechoic
    try() { # try WHAT LINE ARGUMENT...: the tool succeeds and prints a line with LINE
        local what=$1 line=$2
        shift 2
        [ -z "$why" ] || return
        (cd "$here" && as_nobody "$anechoic" "$@") >"$here/said" 2>&1 </dev/null || why="$what: exit status $?"
        cat "$here/said" >>"$out"
        [ -n "$why" ] || grep -q -- "$line" "$here/said" || why="$what: does not say $line"
    }
    try run-qemu '^done: 2 measurements, 0 failed' run qemu bench=fp_add_latency reps=5 -o q.rec -x --no-install
    try run-bochs '5 .* 1\.001 .*unmodelled$' run bochs:p55c bench=stride_thrash:lines=4..5 events=data_read_miss,cycles -o b.rec -x --no-install
    try code '^Instructions retired: 1.00' code --on bochs:skylake nop -x --no-install
    try code-here '^Core cycles: ' code nop -x --no-install
    cp tests/payload/print.c "$here"
    try payload 'bench=print' payload build print.c --entry print --arg 49
    cp docs/examples/flushed.c "$here"
    try experiment 'bench=flushed' payload build flushed.c --bits 32
    try run-experiment 'a load after CLFLUSH  *1 misses' run bochs:willamette bench=flushed -o e.rec -x --module=flushed.mod -x --no-install
    try run-payload '  | 49: 7.000 text' run qemu bench=print -o m.rec -x --module=print.mod -x --no-install
    try check '^b.rec: .* complete, status 0' check b.rec q.rec
    try show 'stride_thrash' show b.rec
    try report '^p.html: 2 runs, ' report b.rec q.rec -o p.html
    try compare '^2 rows: 2 same' compare --fail-over 0 b.rec b.rec
    # docs/ci.md: what a job does when counts have grown. A Pentium has two ways where a Pentium MMX has four.
    try run-p5 '^done' run bochs:p5 bench=stride_thrash:lines=4..5 events=data_read_miss,cycles -o red.rec -x --no-install
    if [ -z "$why" ]; then
        (cd "$here" && as_nobody "$anechoic" compare --fail-over 0 b.rec red.rec) >"$here/said" 2>&1
        [ $? = 1 ] && grep -q 'lines=4.*data_read_miss: more by .* beyond 0 %' "$here/said" || why="compare is not red: $(tail -n 1 "$here/said")"
    fi
    try export 'added to' export -o r.sqlite b.rec
    try events '^mem_load_retired:l2_miss 0xd1/0x10' events --cpu skl mem_load_retired+l2
    try image '^1 A: boots' image -o o.img --entry 'A=bench=fp_add_latency reps=5' --verify
    try pxe '^tftp: load boot/grub/i386-pc/core.0' pxe tftp
    try floppy 'of=/dev/fd0' image -o o.fd --floppy --entry 'A=bench=fp_add_latency'
    [ -n "$why" ] || man -l "$place/opt/anechoic/share/man/man1/anechoic.1" 2>&1 | grep -q 'bench=l1_miss' || why="man page"
    # shellcheck disable=SC2016 # the inner shell's variable
    [ -n "$why" ] || [ "$(bash -c '. "$1"; COMP_WORDS=(anechoic comp); COMP_CWORD=1; _anechoic; echo "${COMPREPLY[*]}"' - \
        "$place/opt/anechoic/share/bash-completion/completions/anechoic")" = 'compare completion' ] || why="completion"
    make -s uninstall DESTDIR="$place" PREFIX=/opt/anechoic >>"$out" 2>&1
    [ -n "$why" ] || [ -z "$(find "$place" -type f)" ] || why="make uninstall leaves $(find "$place" -type f | head -n 1)"
    rm -rf "$place"
    if [ -n "$why" ]; then fail "$1" "$why"; else say "ok $1"; fi
}
custom install installed

# Two builds in two directories, one of them of the first's tarball and by somebody with other settings, are the same bytes.
release_twice() {
    local out=$dir/$1.out one=$dir/$1.one other=$dir/$1.in-another-directory why=''
    : >"$out"
    copy_of_sources "$one" codes i586 x86_64 tools events events.db font.psf
    (cd "$one" && SOURCE_DATE_EPOCH=1700000000 make -s release) >>"$out" 2>&1 </dev/null || why="make release"
    [ -n "$why" ] || (umask 027 && mkdir "$other" && tar -xzf "$one"/dist/anechoic-*.tar.gz --no-same-permissions -C "$other" \
        --strip-components=1) >>"$out" 2>&1 || why="the tarball"
    # Its date is that of the files.
    [ -n "$why" ] || (cd "$other" && umask 077 && unset SOURCE_DATE_EPOCH && TZ=Asia/Tokyo make -s release) >>"$out" 2>&1 </dev/null ||
        why="make release in another directory"
    [ -n "$why" ] || diff -r "$one/dist" "$other/dist" >>"$out" 2>&1 || why="the two differ"
    [ -n "$why" ] || (cd "$one/dist" && sha256sum --quiet -c SHA256SUMS) >>"$out" 2>&1 || why="SHA256SUMS"
    [ -n "$why" ] || ./run-qemu.sh --no-install --timeout "${TIMEOUT:-120}" --image "$one"/dist/anechoic-*.iso --choose 2 \
        -o "$dir/$1.jsonl" >>"$out" 2>&1 </dev/null || why="the image does not boot"
    [ -n "$why" ] || { make -s -C "$other" install-tool PREFIX="$one/to" && "$one/to/bin/anechoic" --version; } >>"$out" 2>&1 </dev/null ||
        why="the tool does not build from the sources"
    rm -rf "$one" "$other"
    if [ -n "$why" ]; then fail "$1" "$why"; else say "ok $1"; fi
}
custom_i386 release release_twice # a release has all events
