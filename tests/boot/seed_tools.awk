# docs/seed-tools.md's tables as lines for tests/boot/seed_tools.sh:
#     row SEP line SEP machine SEP commands SEP what the seed has SEP shown by
# SEP is a control character (\001). Faults go to standard error, "line N: ...", and make the status 1.
#
# -v commands="run list ..." has the names that the prompt knows, -v tools="check show ..." those of `anechoic`,
# -v models="p5 p55c ..." the modelled processors.
function fault(text) {
    printf "line %d: %s\n", FNR, text >"/dev/stderr"
    faults++
}
function trim(s) {
    gsub(/^[ \t]+|[ \t]+$/, "", s)
    return s
}
function listed(name, list) { return index(" " list " ", " " name " ") > 0 }

# The parts of a cell that are code, joined by \002.
function codes(s,   out, at, end) {
    out = ""
    while ((at = index(s, "`")) > 0) {
        s = substr(s, at + 1)
        if ((end = index(s, "`")) == 0) {
            fault("a ` without its other one")
            return out
        }
        out = out (out == "" ? "" : "\002") substr(s, 1, end - 1)
        s = substr(s, end + 1)
    }
    return out
}

# A command of the prompt, or after "$ " of the host.
function command_fault(s,   word) {
    s = trim(s)
    if (s == "") return "an empty command"
    if (sub(/^\$ +/, "", s)) {
        if (s !~ /^anechoic /) return "after $ comes anechoic, not \"" s "\""
        split(s, word, " ")
        return listed(word[2], tools) ? "" : "there is no anechoic command \"" word[2] "\""
    }
    split(s, word, " ")
    return listed(word[1], commands) ? "" : "there is no command \"" word[1] "\" at the prompt"
}

BEGIN {
    SEP = "\001"
    header = "What the seed has|Where|Here|Shown by"
}
{
    line = $0
    gsub(/\\\|/, "\003", line) # a | in a cell
}
line !~ /^\|/ {
    table = 0
    next
}
{
    n = split(line, cell, "|")
    for (i = 2; i < n; i++) cell[i] = trim(cell[i])
    if (n == 6 && cell[2] "|" cell[3] "|" cell[4] "|" cell[5] == header) {
        table = 1
        next
    }
    if (!table || line ~ /^\|[-|: ]+$/) next
    rows++
    if (n != 6) {
        fault("a row has four cells, this one has " n - 2)
        next
    }
    for (i = 2; i <= 5; i++) gsub(/\003/, "|", cell[i])
    if (cell[2] == "" || cell[3] == "") fault("what the seed has, and where, are missing")
    if (cell[4] == "none") {
        if (cell[5] !~ /^(no|not yet): ....................+/) fault("neither words nor a reason: \"" cell[2] "\"")
        print rows, FNR, "none", "", cell[2], cell[5]
        next
    }
    words = codes(cell[4])
    if (words == "" || index(words, "\002")) {
        fault("neither words nor a reason: \"" cell[2] "\"")
        next
    }
    if (cell[5] ~ /^(no|not yet):/) fault("words and a reason why there are none")
    if ((at = index(words, ": ")) == 0) {
        fault("\"MACHINE: COMMAND\" is what words look like, not \"" words "\"")
        next
    }
    machine = trim(substr(words, 1, at - 1))
    list = trim(substr(words, at + 2))
    name = machine
    sub(/ .*/, "", name)
    if (name != "qemu" && name != "host" && !listed(name, models)) fault("there is no machine \"" name "\"")
    m = split(list, one, /; +/)
    for (i = 1; i <= m; i++) {
        why = command_fault(name == "host" ? "$ " one[i] : one[i])
        if (why != "") fault(why)
    }
    shown = codes(cell[5])
    if (shown == "") fault("nothing says what \"" cell[2] "\" has to show")
    print rows, FNR, machine, list, cell[2], shown
}
END {
    if (!rows) fault("no row")
    exit faults > 0
}
