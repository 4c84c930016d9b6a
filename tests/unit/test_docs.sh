#!/bin/bash
# The pages hold together: links, the version, README's length. What their examples print is for the boots (tests/boot/cases/docs.sh).
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

cd "$(dirname "$0")/../.."
export LC_ALL=C
failed=0
ok() { echo "ok docs $1"; }
bad() {
    echo "not ok docs $1: $2"
    failed=1
}

pages='README.md CONTRIBUTING.md CHANGELOG.md docs/*.md'

# As GitHub makes an anchor of a heading: small letters, digits, hyphens.
anchors() {
    grep '^#' "$1" | sed 's/^#* //' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

wrong=''
for page in $pages; do
    while read -r link; do
        target=${link%%#*} anchor=''
        [[ $link != *'#'* ]] || anchor=${link#*#}
        [[ $link != http* ]] || continue
        file=$page
        [ -z "$target" ] || file=$(dirname "$page")/$target
        if [ ! -e "$file" ]; then
            wrong="$wrong $page:$link"
        elif [ -n "$anchor" ] && ! anchors "$file" | grep -qx -- "$anchor"; then
            wrong="$wrong $page:$link"
        fi
    done < <(sed 's/`[^`]*`//g' "$page" | grep -o '](\([^) ]*\))' | sed 's/^](//; s/)$//')
done
[ -z "$wrong" ] && ok links || bad links "lead nowhere:$wrong"

lines=$(wc -l <README.md)
[ "$lines" -le 150 ] && ok "README's length" || bad "README's length" "$lines lines, more than 150"

unlinked=''
for page in docs/*.md CONTRIBUTING.md CHANGELOG.md; do
    grep -q "($page" README.md || unlinked="$unlinked $page"
done
[ -z "$unlinked" ] && ok "README's links" || bad "README's links" "not linked:$unlinked"

# The version stands in one place; the pages say the same.
version=$(grep -rhoE 'define ANECHOIC_VERSION "[^"]*"' --include='*.h' boot kernel measure report | cut -d '"' -f 2)
if [[ ! $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
    bad version "not one ANECHOIC_VERSION: $version"
elif [ "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)" != "$version" ]; then
    bad version "CHANGELOG.md does not begin with $version"
elif ! grep -q "^Anechoic $version," README.md; then
    bad version "README.md does not show $version"
elif [ "$(grep -oh '"version":"[^"]*"' docs/records.md | sort -u)" != "\"version\":\"$version\"" ]; then
    bad version "docs/records.md's examples are of another version"
else
    ok version
fi

# docs/pmu-model.md has every processor that is modelled, and no other.
models=$(sed -n 's/^MODEL(\([a-z0-9]*\),.*/\1/p' sim/models.def | sort)
shown=$(sed -n '/^## Using it/,/^## What/p' docs/pmu-model.md | grep '^| `[a-z]' | cut -d '|' -f 2 | grep -o '[a-z0-9]*' | sort)
[ -n "$models" ] && [ "$models" = "$shown" ] && ok models || bad models "docs/pmu-model.md has others than sim/models.def"
exit $failed
