# shellcheck shell=bash
# Debian archives, for packages that are not of this machine's release or architecture. Sourced, not run.

# The archives that this machine's apt takes its own release from: "URI" a line.
mirrors() {
    local codename
    # shellcheck disable=SC1091
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n -E 's/^deb(-src)?[[:space:]]+(\[[^]]*\][[:space:]]*)?//p' |
        awk -v suite="$codename" '$2 == suite && / main( |$)/ { print $1 }'
    # deb822: stanzas of fields, ended by an empty line; a field may go on in lines that begin with a blank.
    for sources in /etc/apt/sources.list.d/*.sources; do
        [ -f "$sources" ] || continue
        grep -v '^#' "$sources" | awk -v suite="$codename" '
            function stanza(   n, i, uri) {
                if (index(" " field["suites"] " ", " " suite " ") && index(" " field["components"] " ", " main ") &&
                    tolower(field["enabled"]) != " no") {
                    n = split(field["uris"], uri, " ")
                    for (i = 1; i <= n; i++) print uri[i]
                }
                delete field
            }
            /^[[:space:]]*$/ { stanza(); next }
            /^[^[:space:]]/ { name = tolower($1); sub(/:.*/, "", name); sub(/^[^:]*:/, "") }
            { for (i = 1; i <= NF; i++) field[name] = field[name] " " $i }
            END { stanza() }'
    done
}

# private_apt DIR TYPE URI SUITE ARCHITECTURE: an apt configuration of its own in DIR, which it makes, so that nothing
# of the machine's own is changed. The array apt_options then holds what apt-get and apt-cache want to be told.
# TYPE: deb or deb-src. The indices' signatures are checked as ever.
# shellcheck disable=SC2034 # apt_options is the caller's
private_apt() {
    mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
    : >"$1/status"
    {
        printf 'Types: %s\nURIs: %s\nSuites: %s\nComponents: main\n' "$2" "$3" "$4"
        printf 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n'
    } >"$1/debian.sources"
    apt_options=(-q -o "Dir::Etc::SourceList=$1/debian.sources" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$1/lists" -o "Dir::State::status=$1/status" -o "Dir::Cache=$1/cache"
        -o APT::Sandbox::User= -o "APT::Architecture=$5" -o "APT::Architectures=$5" -o Acquire::Languages=none)
}
