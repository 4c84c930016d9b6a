#!/bin/bash
# `anechoic export` puts captures into a database that SQLite's own program can ask.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

command="export"
# shellcheck source=tests/unit/command.sh
. "$(dirname "$0")/command.sh"
good=$root/docs/records.md
db=$dir/results.sqlite
# asks NAME ANSWER SQL [DATABASE]
asks() {
    local answer
    answer=$(sqlite3 "${4:-$db}" "$3" 2>&1 | tr '\n' ' ' | sed 's/ $//') || true
    if [ "$answer" = "$2" ]; then ok "$1"; else bad "$1" "'$answer' instead of '$2'"; fi
}

count=$(grep -c '^{' "$good")
case_of "a session" 0 "$count records in 1 session added" -o "$db" "$good"
# What docs/records.md's examples say.
asks "values" "5.014|1.908142|[\"slow\"]" "SELECT median, ci95, flags FROM result WHERE bench = 'fp_add_latency'"
asks "a list of objects" "1|data|8192 2|unified|524288" "SELECT level, kind, bytes FROM cpu_caches JOIN cpu USING (record) ORDER BY i"
asks "an object" "7|96" "SELECT fwq_late_min, fwq_detour_max_tsc FROM result WHERE bench = 'fwq'"
asks "free keys" "10000" "SELECT params ->> 'quanta' FROM result WHERE bench = 'fwq'"
asks "a list of values" "4|7496" "SELECT count(*), max(value) FROM reps, json_each(reps.raw)"
asks "an address is a number" "$((0x101234))" "SELECT address FROM error WHERE vector = 13"
asks "absent is NULL" "1" "SELECT count(*) FROM cpu WHERE pmu_family IS NULL AND brand IS NOT NULL"
asks "every record is in its table" "$count|$count" "SELECT (SELECT sum(c) FROM ($(
    "$anechoic" check --text "$good" >/dev/null
    grep -o '^{"n":[0-9]*,"t":"[a-z]*"' "$good" | cut -d '"' -f 6 | sort -u |
        sed 's/.*/SELECT count(*) AS c FROM "&"/' | paste -sd '@' | sed 's/@/ UNION ALL /g'
))), records FROM session"
asks "the session" "$good|1|0|0|$(wc -c <"$good")" "SELECT session.name, number, faults, status, bytes FROM session JOIN file USING (file)"
asks "what a column means" "ns" "SELECT unit FROM field WHERE \"table\" = 'result' AND \"column\" = 'ns_per_op'"

case_of "notices the same file" 0 "is in $db already, unchanged" -o "$db" "$good"
cp "$good" "$dir/other.jsonl"
case_of "takes a copy of it, which may be another run's" 0 "$count records" -o "$db" "$dir/other.jsonl"
asks "two files" "2|2" "SELECT count(DISTINCT file), count(*) FROM session"
echo >>"$dir/other.jsonl"
case_of "--again replaces" 0 "$count records" --again -o "$db" "$dir/other.jsonl"
asks "two files still" "2|2|4" "SELECT count(DISTINCT file), count(*), (SELECT count(*) FROM cpu_caches) FROM session"
"$anechoic" export -o "$db" - <"$good" >"$dir/output" && asks "standard input" "3" "SELECT count(*) FROM file"
cat "$good" | "$anechoic" export -o "$db" - >"$dir/output" && grep -q unchanged "$dir/output" &&
    ok "notices standard input" || bad "notices standard input" "$(cat "$dir/output")"
cat "$good" "$good" | "$anechoic" export -o "$db" - >/dev/null
asks "two captures in one file" "1 2" "SELECT number FROM session WHERE file = 4 ORDER BY number"

# ---- damaged captures ----

sed 's/GenuineIntel/GenuineIntfl/; /^{"n":'$((count - 1))',/d' "$good" >"$dir/damaged.jsonl"
case_of "a damaged capture" 1 "2 faults" -o "$db" "$dir/damaged.jsonl"
asks "what was good is there" "$((count - 2))|2|1" "SELECT records, faults, status IS NULL FROM session ORDER BY session DESC LIMIT 1"
asks "the faults are there" "1 $((count - 1))" "SELECT first FROM fault ORDER BY line"
head -c 100000 /dev/urandom >"$dir/noise"
case_of "no capture" 1 "nothing is added" -o "$db" "$dir/noise"
case_of "an empty file" 1 "no records at all; nothing is added" -o "$db" /dev/null
asks "nothing of those" "5" "SELECT count(*) FROM file"

# ---- other versions ----

# The CRCs are zlib's.
printf '%s\n' '{"n":0,"t":"nota","what":"x","message":"y","crc":"e5ab03f1"}' \
    '{"n":1,"t":"result","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","unit":"tsc/b","reps":1,"ops":1,"raw_min":9,"overhead":0,"min":9.0,"median":9.0,"mode":9.0,"mean":9.0,"ci99":null,"max":9.0,"flags":[],"new":[{}],"crc":"72ba0e3d"}' \
    '{"n":2,"t":"end","records":3,"status":0,"crc":"00000000"}' >"$dir/newer.jsonl"
printf '%s\n' '{"n":0,"t":"\u001b[2J","crc":"e04410b6"}' '{"n":1,"t":"end","records":2,"status":0,"crc":"2d1e28d8"}' >"$dir/commands"
case_of "what would command a terminal" 0 'only a newer version knows: \x1b[2J' -o "$dir/commands.sqlite" "$dir/commands"
case_of "a newer capture" 1 "only a newer version knows: nota, result.new" -o "$db" "$dir/newer.jsonl"
printf '%s\n' '{"n":0,"t":"reps","bench":"b","variant":"","params":{},"cpu":"9007199254740993","ring":0,"event":"tsc","first":0,"overhead":"18446744073709551615","raw":[9007199254740992,"18446744073709551615"],"flagged":[],"crc":"ebcc7c2a"}' >"$dir/big.jsonl"
"$anechoic" export -o "$db" "$dir/big.jsonl" >"$dir/output" 2>&1 || true
asks "big integers" '9007199254740993|integer|0xffffffffffffffff' "SELECT cpu, typeof(cpu), overhead FROM reps WHERE bench = 'b'"
asks "big integers keep their digits" '[9007199254740992,"18446744073709551615"]' "SELECT raw FROM reps WHERE bench = 'b'"

# An older version's database lacks tables and columns; a newer one's has more.
old=$dir/old.sqlite
sqlite3 "$old" "PRAGMA application_id = $((0x416e6563));
    CREATE TABLE file(file INTEGER PRIMARY KEY, name TEXT, path TEXT, bytes INTEGER, crc INTEGER, added TEXT);
    CREATE TABLE result(record INTEGER PRIMARY KEY, session INTEGER NOT NULL, n INTEGER NOT NULL, bench TEXT, tomorrow TEXT);
    INSERT INTO result VALUES(1, 1, 1, 'old', 'x');" >/dev/null
case_of "an older database" 0 "$count records" -o "$old" "$good"
asks "its rows stay" "old|x|1" "SELECT bench, tomorrow, median IS NULL FROM result WHERE record = 1" "$old"
asks "it has got the new columns" "2" "SELECT count(*) FROM result WHERE median > 0 AND tomorrow IS NULL" "$old"

# ---- what cannot be written ----

for ((i = 0; i < 10; i++)); do
    cat "$good" "$good" >"$dir/twice"
    [ $i = 0 ] || cat "$dir/many" "$dir/many" >"$dir/twice"
    mv "$dir/twice" "$dir/many"
done
full=$dir/full.sqlite
"$anechoic" export -o "$full" "$good" >/dev/null
status=0
(
    trap '' XFSZ
    ulimit -f 1000
    exec "$anechoic" export -o "$full" "$dir/many" "$good"
) >"$dir/output" 2>&1 || status=$?
[ $status = 4 ] && grep -q "nothing of $dir/many is in it" "$dir/output" &&
    ok "a disk that is full" || bad "a disk that is full" "status $status: $(cat "$dir/output")"
asks "leaves what was there" "$good ok" "SELECT name FROM file; PRAGMA integrity_check" "$full"
case_of "another program's file" 2 "not a database" -o "$good" "$good"
sqlite3 "$dir/strange" 'CREATE TABLE a(b)'
case_of "another program's database" 2 "of another program" -o "$dir/strange" "$good"
case_of "no such directory" 2 "unable to open" -o "$dir/none/x" "$good"
case_of "no such file" 2 "none: No such file" -o "$db" "$dir/none"
case_of "a directory" 2 "Is a directory" -o "$db" "$dir"
case_of "no database named" 2 "-o with the database's name is missing" "$good"
case_of "a database without a name" 2 'needs the name of a file' -o "" "$good"
case_of "a database that does not last" 2 'needs the name of a file' -o :memory: "$good"
case_of "no file named" 2 "no file is named" -o "$db"

# 13,312 records and 26,624 fit into the same memory, which is less than the capture takes.
for file in many twice; do
    [ $file = many ] || cat "$dir/many" "$dir/many" >"$dir/twice"
    (
        ulimit -v 40000
        "$anechoic" export -o "$dir/memory.sqlite" "$dir/$file" >"$dir/output" 2>&1
    ) && ok "memory, $file" || bad "memory, $file" "$(cat "$dir/output")"
done

# ---- the queries of the page ----

page=$root/docs/answers.md
queries=0
while IFS= read -r -d ';' sql; do
    sqlite3 -bail "$db" "$sql" >/dev/null 2>"$dir/output" || bad "query of $page" "$sql: $(cat "$dir/output")"
    queries=$((queries + 1))
done < <(sed -n '/^```sql$/,/^```$/{/^```/d;p}' "$page")
[ $queries -ge 5 ] && ok "the page's $queries queries" || bad "the page's queries" "$queries"
exit $failed
