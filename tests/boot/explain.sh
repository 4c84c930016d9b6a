#!/usr/bin/env bash
# What a condition that is not true saw in the records.
#
#   tests/boot/explain.sh CONDITION RECORDS
#
# CONDITION is jq's, over the array of records: A | B | TERM and TERM. For each TERM that is not true a line with it and with what
# it compares: the left part's value, the elements that all() does not hold for, or else the value of A | B. Nothing where a
# condition has another form.
set -u
condition=$1 records=$2

# split SEPARATOR TEXT: the parts between separators that are outside of brackets and strings, to the array parts.
split() {
    local separator=$1 text=$2 depth=0 quoted=no part='' c
    parts=()
    while [ -n "$text" ]; do
        c=${text:0:1}
        if [ $quoted = no ] && [ $depth = 0 ] && [[ $text = "$separator"* ]]; then
            parts+=("$part") part='' text=${text:${#separator}}
            continue
        fi
        case $quoted$c in
        yes\\) c=${text:0:2} ;;
        yes\" | no\") [ $quoted = yes ] && quoted=no || quoted=yes ;;
        no\( | no\[ | no\{) depth=$((depth + 1)) ;;
        no\) | no\] | no\}) depth=$((depth - 1)) ;;
        esac
        part+=$c text=${text:${#c}}
    done
    parts+=("$part")
}

value() { jq -s -c "$1" "$records" 2>/dev/null; }

# A sequence of lines is one condition.
condition=$(tr -s ' \n' ' ' <<<"$condition")
condition=${condition% }
split ' | ' "$condition"
last=${parts[-1]} before=''
for ((i = 0; i < ${#parts[@]} - 1; i++)); do before+="${parts[i]} | "; done
whole=no # alternatives are not split
split ' or ' "$last"
if [ ${#parts[@]} = 1 ]; then split ' and ' "$last"; else whole=yes parts=("$last"); fi
terms=("${parts[@]}")
for term in "${terms[@]}"; do
    seen=$(value "$before($term)")
    [ "$seen" != true ] || continue
    left=''
    for sign in ' == ' ' != ' ' >= ' ' <= ' ' > ' ' < '; do
        split "$sign" "$term"
        [ ${#parts[@]} = 1 ] || [ $whole = yes ] || { left=${parts[0]} && break; }
    done
    if [ -n "$left" ]; then
        seen=$(value "$before($left)")
    elif [[ $whole = no && $term = 'all('*')' && $term != *';'* ]]; then
        seen=$(value "$before map(select(${term#all} | not))")
    else
        seen=$(value "${before:-empty | }.")
    fi
    [ -z "$seen" ] || printf 'not true: %s\n    where it is %s\n' "$term" "$(cut -c1-400 <<<"$seen")"
done
