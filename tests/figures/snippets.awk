# Snippets for `anechoic code -f` that show an instruction's latency ("L NAME") and throughput ("T NAME"), from rows as of zen4.tsv:
# ISA, instruction, latency, throughput; parted by tabs. NAME has no colon. Each snippet is TURNS instructions long.
#
# Latency: the destination is a source, too, so each waits for the one before. Throughput: destinations in turn, which wait for none.
# A row that this cannot express is left out: other operands than registers of one kind and imm8, and no own value as a source.
BEGIN {
    FS = "\t"
    TURNS = 12
    split("eax ecx edx ebx r8d r9d r10d r11d r12d r13d esi edi", r32, " ")
    split("rax rcx rdx rbx r8 r9 r10 r11 r12 r13 rsi rdi", r64, " ")
}
function reg(kind, i) { # the i-th of its kind; 13 and 14 are sources alone
    if (kind == "r32") return i <= TURNS ? r32[i] : i == 13 ? "r14d" : "ebp"
    if (kind == "r64") return i <= TURNS ? r64[i] : i == 13 ? "r14" : "rbp"
    return kind (i - 1)
}
# What an operand is: r32, xmm ...; imm; "": nothing for us.
function kind_of(operand) {
    sub(/^ +/, "", operand); sub(/ +$/, "", operand)
    if (operand ~ /^imm?8$/) return "imm"
    if (operand ~ /^(r32|r64)$/) return operand
    if (operand ~ /^r[12]_(32|64)$/) return "r" substr(operand, 4)
    if (operand ~ /^(xmm|ymm)[123]?$/) return substr(operand, 1, 3)
    return ""
}
# One instruction: destination d, the other sources from s on; same: the first source is the destination, too.
function instruction(d, s, same, n, i, text) {
    text = tolower(name) " " reg(kind[1], d)
    for (i = 2; i <= n; i++)
        text = text ", " (kind[i] == "imm" ? "3" : i == 2 && same ? reg(kind[i], d) : reg(kind[i], s++))
    return text
}
function snippet(what, body) { print what " " row ": " body }
!/^#/ && NF == 4 {
    row = $2
    name = $2; sub(/ .*/, "", name)
    operands = substr($2, length(name) + 2)
    n = split(operands, operand, ",")
    ok = name ~ /^[A-Z0-9]+$/ && n > 0
    for (i = 1; i <= n && ok; i++) {
        kind[i] = kind_of(operand[i])
        if (kind[i] == "" || (i == 1 && kind[i] == "imm") || (kind[i] != kind[1] && kind[i] != "imm")) ok = 0
    }
    if (!ok || row in seen) next
    seen[row] = 1
    # A destination that is no source of its own is one where two operands are given, as of POPCNT; of one operand it is both.
    accumulates = name ~ /^VF(N?M(ADD|SUB)|MADDSUB|MSUBADD)/ # and three operands: the destination and two more
    zero = name ~ /^(XOR|SUB|SBB|PXOR|XORP[SD]|PSUB|PCMP|PANDN|ANDNP[SD])/ # of a register and itself, in no time
    if ($3 >= 1) {
        body = ""
        for (i = 0; i < TURNS; i++) body = body (i ? "; " : "") instruction(1, 13, !accumulates && !(n == 2 && zero), n)
        snippet("L", body)
    }
    body = ""
    for (i = 1; i <= TURNS; i++) body = body (i > 1 ? "; " : "") instruction(i, 13, 0, n)
    snippet("T", body)
}
