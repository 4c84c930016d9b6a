# Every row of docs/seed-tools.md: what the seeds' tools do, in a session for each machine that the rows need
# (tests/boot/seed_tools.sh). Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

seed_rows() { # seed_rows NAME MACHINE
    if tests/boot/seed_tools.sh --run "$2" >"$dir/$1.out" 2>&1; then say "ok $1"; else fail "$1" "rows do not show what they say"; fi
}
seed_page() { # the rows are well formed; where they are not, there are no other cases
    if tests/boot/seed_tools.sh --check >"$dir/$1.out" 2>&1; then say "ok $1"; else fail "$1" "rows are not well formed"; fi
}
custom seeds-page seed_page
while IFS= read -r machine; do
    slug=$machine
    [[ $machine != *' --module '* ]] || slug="${machine%% --module *} modules"
    slug=${slug//[ :,]/-}
    custom "seeds-${slug//--/-}" seed_rows "$machine"
done < <(tests/boot/seed_tools.sh --machines 2>/dev/null)
