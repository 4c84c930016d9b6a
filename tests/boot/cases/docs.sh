# The output shown in the pages is the real output, and their instructions work. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

# ---- examples ----
# In a page a block ```console is a command, "$ ./run-..." or "$ anechoic code ...", and the lines that it prints. [...] stands for lines that are
# left out.

# example PAGE NUMBER: the block's lines.
example() {
    awk -v n="$2" '/^```console$/ { inside = ++seen == n; next } /^```$/ { inside = 0 } inside' "$1"
}

# shows EXAMPLE OUTPUT: nothing where the output is as the example has it, else the first part that is not.
shows() {
    awk '
    { sub(/[ \r]+$/, "") }
    FNR == 1 { file++ }
    file == 1 && FNR > 1 { want[++n] = $0 }
    file == 2 { got[++m] = $0 }
    function here(at, from, count,   i) {
        for (i = 0; i < count; i++) if (got[at + i] != want[from + i]) return 0
        return at + count - 1 <= m
    }
    END {
        at = 1; any = 0
        for (from = 1; from <= n; from += count) {
            if (want[from] == "[...]") { any = 1; count = 1; continue }
            for (count = 0; from + count <= n && want[from + count] != "[...]";) count++
            if (any && from + count > n) at = m - count + 1
            while (any && at + count - 1 <= m && !here(at, from, count)) at++
            if (!here(at, from, count)) { print "not printed: " want[from]; exit }
            at += count
            any = 0
        }
        if (!any && at <= m) print "not shown: " got[at]
    }' "$1" "$2"
}

# example_module PAGE COMMAND: build the module that the command names, by the page's own words.
example_module() {
    local module build
    module=$(sed -n 's/.*--module \([^ ]*\).*/\1/p' <<<"$2")
    [ -n "$module" ] || return 0
    build=$(grep -m 1 -- "^    build/host/anechoic payload build .* -o $module\$" "$1") && eval "$build" >/dev/null
}

show_example() { # NAME is docs-PAGE-NUMBER
    local page number=${1##*-} command why
    page=${1#docs-} page=${page%-*}.md
    [ -e "$page" ] || page=docs/$page
    example "$page" "$number" >"$dir/$1.want"
    command=$(sed -n '1s/^\$ //p' "$dir/$1.want")
    case $command in
    ./run-*) command=${command/.sh/.sh --no-install -o "$dir/$1.jsonl"} ;;
    'anechoic code '*) command="build/host/$command -o '$dir/$1.jsonl' -x --no-install" ;;
    *)
        fail "$1" "no command in example $number of $page"
        return
        ;;
    esac
    example_module "$page" "$command" || { fail "$1" "$page does not say how its module is built"; return; }
    eval "$command" >"$dir/$1.out" 2>&1 </dev/null
    why=$(shows "$dir/$1.want" "$dir/$1.out")
    if [ -n "$why" ]; then fail "$1" "$why"; else say "ok $1"; fi
}

for page in README.md docs/*.md; do
    [ $page != docs/extending.md ] || continue # below
    for ((i = 1; i <= $(grep -c '^```console$' "$page"); i++)); do
        custom "docs-$(basename "$page" .md)-$i" show_example
    done
done

# ---- docs/measuring.md has every word that there is, and no other ----
words_of_page() {
    ./run-qemu.sh --no-install -o "$dir/$1.jsonl" --append 'nonsense' >"$dir/$1.out" 2>&1
    jq -r 'select(.t == "error") | .valid' "$dir/$1.jsonl" | tr ' ' '\n' | sort >"$dir/$1.kernel"
    sed -n '/^## The words/,/^## /s/^| \(`[^|]*=.*\)/\1/p' docs/measuring.md | awk -F ' [|] ' '{ print $1 }' |
        grep -o '`[a-z0-9_]*=' | tr -d '`' | sort >"$dir/$1.page"
    if [ ! -s "$dir/$1.kernel" ] || ! diff "$dir/$1.kernel" "$dir/$1.page" >>"$dir/$1.out"; then
        fail "$1" "the kernel's words and the page's differ"
    else
        say "ok $1"
    fi
}
custom docs-words words_of_page

# ---- the benchmark of docs/extending.md, as its reader adds it: to a copy of the sources ----
extending() {
    local page=docs/extending.md copy=$dir/$1.tree file why built
    file=$(sed -n 's/.*save it as `\(bench\/[a-z0-9_]*\.c\)`.*/\1/p' $page)
    mkdir -p "$copy/build"
    tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$copy"
    # What is built need not be built again.
    for built in build/codes build/i586 build/x86_64 build/tools build/events build/events.db build/font.psf; do
        [ ! -e $built ] || cp -a $built "$copy/build"
    done
    awk '/^```c$/ && !seen++ { inside = 1; next } /^```$/ { inside = 0 } inside' $page >"$copy/$file"
    example $page 1 >"$dir/$1.want"
    (cd "$copy" && export NO_BUILD=0 && eval "$(sed -n '1s/^\$ //p' "$dir/$1.want") --no-install -o '$dir/$1.jsonl'" &&
        make -s build/i586/anechoic.elf) >"$dir/$1.out" 2>&1 </dev/null ||
        { fail "$1" "does not build or run"; return; }
    rm -rf "$copy"
    why=$(shows "$dir/$1.want" "$dir/$1.out")
    [ -z "$why" ] || { fail "$1" "$why"; return; }
    judge "$1" 0 0 'results | length == 1 and .[0].bench == "imul_latency" and .[0].unit == "tsc/imul"' \
        'results[0] | .min == .max and .median > 1 and .median < 1.1'
}
custom docs-extending extending
