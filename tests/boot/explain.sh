#!/usr/bin/env bash
# What a condition that is not true saw in the records.
#
#   tests/boot/explain.sh CONDITION RECORDS [JQ-OPTION...]
#
# CONDITION is jq's, over the array of records: A | B | TERM and TERM. For each TERM that is not true a line with it and with what
# it compares: the left part's value, the elements that all() does not hold for, or else the value of A | B. If TERM is a definition of
# conditions.jq, its body is looked at in its place. Nothing where a condition has another form.
set -u
here=$(dirname "$0") condition=$1 records=$2
options=("${@:3}")

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

value() { jq -s -c -L "$here" "${options[@]}" "include \"conditions\"; $1" "$records" 2>/dev/null; }

# body TERM: puts the body of the definition TERM, with its arguments, into $body. False: TERM is not a definition.
body() {
    local name=${1%%(*} arguments=() parameters=() head i
    [[ $name =~ ^[a-z_0-9]+$ ]] || return
    if [ "$name" != "$1" ]; then
        split '; ' "${1#"$name"(}"
        arguments=("${parts[@]}")
        arguments[-1]=${arguments[-1]%)}
    fi
    while IFS= read -r body; do
        head=${body%%:*} body=${body#*: }
        split '; ' "$(sed 's/^[^(]*(\{0,1\}//; s/)$//' <<<"$head")"
        parameters=("${parts[@]}")
        [ -n "${parameters[0]}" ] || parameters=()
        [ ${#parameters[@]} = ${#arguments[@]} ] || continue
        for ((i = ${#parameters[@]} - 1; i >= 0; i--)); do
            case ${parameters[i]} in
            \$*) body="${arguments[i]} as ${parameters[i]} | $body" ;;
            *) body=$(sed "s/\b${parameters[i]}\b/(${arguments[i]//\//\\/})/g" <<<"$body") ;;
            esac
        done
        return 0
    done < <(awk -v name="$1" '{ sub(/ +#.*/, "") } /^def / { text = ""; sub(/^def /, ""); inside = 1 } inside { sub(/^ +/, " "); text = text $0 }
        inside && /;$/ { inside = 0; sub(/\(.*/, "", name); if (match(text, "^" name "[:(]")) { sub(/;$/, "", text); print text } }' "$here/conditions.jq")
    return 1
}

explain() { # explain CONDITION
    local last before='' whole=no terms term seen left sign i body
    split ' | ' "$1"
    last=${parts[-1]}
    for ((i = 0; i < ${#parts[@]} - 1; i++)); do before+="${parts[i]} | "; done
    split ' or ' "$last"
    if [ ${#parts[@]} = 1 ]; then split ' and ' "$last"; else whole=yes parts=("$last"); fi # alternatives are not split
    terms=("${parts[@]}")
    for term in "${terms[@]}"; do
        seen=$(value "$before($term)")
        [ "$seen" != true ] || continue
        split ' ' "$term"
        if [[ ${#parts[@]} = 1 && $term = '('*')' ]]; then
            body=${term:1:-1}
        elif ! body "$term"; then
            body=''
        fi
        if [ -n "$body" ]; then
            explain "$before$body"
            continue
        fi
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
}

# A sequence of lines is one condition.
condition=$(tr -s ' \n' ' ' <<<"$condition")
explain "${condition% }"
