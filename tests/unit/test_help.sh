#!/bin/bash
# What --help, the man page, the completion and the pages say of `anechoic`'s commands and options is what it takes.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -u

cd "$(dirname "$0")/../.." || exit
anechoic=${BUILD:-build}/host/anechoic
export LC_ALL=C.UTF-8
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
# verdict NAME WHY: ok where there is no WHY
verdict() {
    if [ -z "$2" ]; then
        echo "ok help $1"
    else
        echo "not ok help $1: $2"
        failed=1
    fi
}

options() { grep -oE -- '(^|[ ,])--[a-z]+[a-z-]*' | grep -oE -- '--[a-z-]+' | sort -u; }

"$anechoic" --help >"$dir/help"
commands=$(sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' "$dir/help")
why=''
[ "$(wc -w <<<"$commands")" -ge 11 ] || why="--help lists only: $commands"
[ "$(echo "$commands" | sort | tr '\n' ' ')" = "$(sed -n 's/^extern const struct command \(.*\)$/\1/p; s/^    \(command_.*[,;]\)$/\1/p' host/command.h |
    grep -o 'command_[a-z]*' | sed 's/command_//' | cat - <(printf 'man\ncompletion\n') | sort | tr '\n' ' ')" ] || why="--help and host/command.h differ"
verdict "lists the commands" "$why"

"$anechoic" man >"$dir/the-page" && "$anechoic" completion >"$dir/the-completion"
man -l "$dir/the-page" 2>"$dir/err" | col -b >"$dir/the-man"
why=$(cat "$dir/err")
man --warnings -l "$dir/the-page" 2>&1 >/dev/null | head -n 1 >"$dir/err"
verdict "the man page has no warning of groff's" "$why$(cat "$dir/err")"
# A date would differ from build to build; lines are broken where words end.
verdict "the man page has no warning of mandoc's" "$(mandoc -T lint <"$dir/the-page" 2>&1 | grep -v 'STYLE:.*longer than 80\|missing date' | head -n 1)"
verdict "bash reads the completion" "$(bash -n "$dir/the-completion" 2>&1)"

# completed WORD...: what bash offers for the last of them
completed() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _anechoic; printf "%s\n" "${COMPREPLY[@]}"' - "$dir/the-completion" "$@"
}
verdict "completion of commands" "$(diff <(completed anechoic '' | grep -v '^-' | sort) <(echo "$commands" | sort) | tr '\n' ' ')"

# said_of OPTION ARGUMENT...: what getopt() objects to in the option
said_of() {
    local option=$1
    shift
    timeout 20 "$anechoic" "$@" </dev/null 2>&1 >/dev/null | grep -F -- "$option" | grep -E "unrecognized|ambiguous|invalid option|requires an argument|doesn't allow"
}

for command in $commands; do
    why=''
    "$anechoic" "$command" --help >"$dir/$command" 2>"$dir/err" || why="--help: exit status $?"
    [ ! -s "$dir/err" ] || why="--help on standard error: $(cat "$dir/err")"
    grep -q "^usage: anechoic $command " "$dir/$command" || why="no usage"
    grep -q '^Exit status: ' "$dir/$command" || why="no exit status"
    [ -z "$(awk 'length > 79' "$dir/$command")" ] || why="wider than 79 columns"
    [ "$("$anechoic" "$command" -h)" = "$(cat "$dir/$command")" ] || why="-h differs from --help"
    "$anechoic" "$command" --no-such-option >"$dir/out" 2>"$dir/err" </dev/null
    [ $? = 2 ] && [ ! -s "$dir/out" ] && grep -q "try: anechoic $command --help" "$dir/err" || why="an unknown option: $(cat "$dir/err")"
    # The help's lines of options: "  -o, --output FILE   ..."
    sed -n -E 's/^  (-[a-z],|   ) --([a-z-]+)( [A-Z=]+)?( .*)?$/\1 \2 \3/p' "$dir/$command" | tr -d ',' >"$dir/options"
    while read -r letter name value; do
        if [[ $letter != -* ]]; then value=$name name=$letter letter=''; fi
        [ "$name" != help ] || continue
        if [ -n "$value" ]; then
            said_of "'--$name'" "$command" "--$name" | grep -q 'requires an argument' || why="$why; --$name takes no $value"
            [ -z "$(said_of "--$name" "$command" "--$name" 1 --help)" ] || why="$why; --$name $value is not taken"
        else
            said_of "'--$name'" "$command" "--$name=1" | grep -q "doesn't allow" || why="$why; --$name takes a value"
            [ -z "$(said_of "--$name" "$command" "--$name" --help)" ] || why="$why; --$name is not taken"
        fi
        [ -z "$letter" ] || [ -z "$(said_of "'${letter#-}'" "$command" "$letter" ${value:+1} --help)" ] || why="$why; $letter is not taken"
    done <"$dir/options"
    verdict "$command's options are taken" "${why#; }"

    sed -E 's/^ *(-[a-z] )?([a-z-]+) .*/--\2/' "$dir/options" | sort -u >"$dir/names"
    verdict "$command's options are completed" "$(completed anechoic "$command" -- | sort -u | diff - "$dir/names" | tr '\n' ' ')"
    sed -n "/^   anechoic $command /,/^   anechoic /p" "$dir/the-man" | grep -E '^ +(-[a-z], )?--[a-z]' | options >"$dir/in-man"
    verdict "$command's options are in the man page" "$(diff "$dir/in-man" "$dir/names" | tr '\n' ' ')"

    # The pages: options after the command's name, but not those that are for a script (-x) or in quotes.
    unknown=$(grep -hoE "(^|[ /\`])anechoic $command [^\`|#;&]*" README.md docs/*.md | sed -E 's/"[^"]*"?//g; s/-x [^ ]+//g' | options | comm -23 - "$dir/names")
    verdict "the pages' options of $command exist" "$unknown"
done

# Output that cannot be written is no success, whatever it is.
if [ -c /dev/full ]; then
    for arguments in man completion "check --help" "check docs/records.md" "check --text docs/records.md" \
        "export -o $dir/results.sqlite docs/records.md" "events --list" "events --cpu p5" "events --cpu p5 --encode cycles"; do
        # shellcheck disable=SC2086 # words
        "$anechoic" $arguments >/dev/full 2>"$dir/err"
        verdict "$arguments on a full disk" "$([ "$?: $(cat "$dir/err")" = "4: anechoic ${arguments%% *}: standard output: No space left on device" ] || cat "$dir/err" - <<<"; no status 4")"
    done
else
    echo "skipped help output on a full disk: there is no /dev/full"
fi

# Every command that is not about the tool itself has its section.
why=''
for command in $commands; do
    case $command in man | completion) continue ;; esac
    grep -q "\`$command\`" docs/results.md || why="$why $command"
done
verdict "docs/results.md has every command" "$why"
exit $failed
