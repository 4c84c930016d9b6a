#!/bin/bash
# The pages that `anechoic report` makes: well-formed, whole, without anything that leaves them, and with what the
# captures hold. test_report_browser.sh looks at them in a browser.
# Usage: test_report.sh [ANECHOIC]; without one it takes the build's.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
anechoic=$(realpath "${1:-${BUILD:-$root/build}/host/anechoic}")
captures=$root/tests/unit/captures
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
failed=0
good() { echo "ok report: $1"; }
bad() {
    echo "not ok report: $1: $2"
    failed=1
}
# same NAME WANTED GOT
same() {
    if [ "$2" = "$3" ]; then good "$1"; else bad "$1" "\"$3\" instead of \"$2\""; fi
}
# has NAME FILE TEXT
has() {
    if grep -qF -- "$3" "$2"; then good "$1"; else bad "$1" "no \"$3\""; fi
}
# run NAME STATUS MESSAGE ARGUMENT...: MESSAGE is a part of what it prints, empty: it prints no error
run() {
    local name=$1 wanted=$2 message=$3 status=0
    shift 3
    "$anechoic" report "$@" >out 2>err || status=$?
    if [ "$status" != "$wanted" ]; then
        bad "$name" "status $status instead of $wanted: $(tr '\n' ' ' <err)"
    elif [ -z "$message" ] && [ -s err ]; then
        bad "$name" "it says $(cat err)"
    elif ! cat out err | grep -qF -- "$message"; then
        bad "$name" "no \"$message\" but $(cat out err)"
    else
        good "$name"
    fi
}
# How many nodes the expression has. The page's own name space would make each name longer.
count() { xmllint --nonet --xpath "count($2)" "$1"; }
plain() { sed 's| xmlns="[^"]*"||g' "$1"; }

# structure NAME: of NAME.html. It is XML, too, so that xmllint is a strict judge.
structure() {
    local page=$1.html pictures
    pictures=$(sed -n 's/.*, \([0-9]*\) pictures*$/\1/p' out)
    if ! xmllint --nonet --noout "$page" 2>lint; then
        bad "$1 is well-formed" "$(head -n 3 lint | tr '\n' ' ')"
        return
    fi
    good "$1 is well-formed"
    plain "$page" >"$1.xml"
    same "$1 names no address outside of it" 0 "$(count "$1.xml" '//@*[(name() = "href" or name() = "src" or name() = "action" or
        name() = "data" or name() = "srcset" or name() = "xlink:href") and not(starts-with(., "#"))] | //script | //link | //iframe |
        //object | //embed | //img | //*[@onload or @onclick or @onerror]')"
    same "$1's styles fetch nothing" "" "$(grep -oE '@import|url\([^#)][^)]*\)' "$1.xml" | sort -u)"
    same "$1's links lead somewhere" "" "$(comm -23 <(grep -oE 'href=["'\'']#[^"'\'']+' "$1.xml" | cut -d'#' -f2 | sort -u) \
        <(grep -oE ' id=["'\''][^"'\'']+' "$1.xml" | cut -c6- | sort -u))"
    same "$1's ids are its own" "" "$(grep -oE ' id=["'\''][^"'\'']+' "$1.xml" | cut -c6- | sort | uniq -d)"
    same "$1 has the pictures that it counts" "$pictures" "$(count "$1.xml" //svg)"
    same "$1's pictures have a title and a description" "$pictures" "$(count "$1.xml" \
        '//svg[@role = "img" and string-length(title) > 5 and string-length(desc) > 20 and
         @aria-labelledby = concat(title/@id, " ", desc/@id)]')"
    same "$1's pictures draw something" 0 "$(count "$1.xml" '//svg[count(.//path | .//polygon | .//use) < 5 or count(.//text) < 3]')"
    same "$1's tables have captions and headings" "$(count "$1.xml" //table)" \
        "$(count "$1.xml" '//div[@class = "scroll" and @tabindex = "0" and @aria-label]/table[caption and thead/tr/th[@scope]]')"
    same "$1's sections have headings" "$(count "$1.xml" //section)" "$(count "$1.xml" '//section[@aria-labelledby = h2/@id]')"
}

if ! command -v xmllint >/dev/null; then
    echo "skipped report: no judge of its structure; the package libxml2-utils has xmllint"
    exit 0
fi
for name in p4-article skylake-events qemu hostile; do
    run "makes a page of $name" 0 "$name.html: 1 run," "$captures/$name.rec" -o $name.html
    structure $name
done
run "makes a page of three runs" 0 "side.html: 3 runs," "$captures"/{p4-article,skylake-events,qemu}.rec -o side.html
structure side

# ---- what the captures hold stands on the page ----
# Each line of a profile: its address beside its samples.
jq -R -r 'fromjson? | select(.t == "profile") | .lines[] | "\(.address) \(.count)"' "$captures/p4-article.rec" | sort -u >wanted
grep -oE '<tr[^>]*><td class="code">0x.*' p4-article.xml | sed 's|<span.*||; s|</td>| |g; s|<[^>]*>||g' |
    awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^[0-9,]+$/) { gsub(",", "", $i); print $1, $i } }' | sort -u >got
same "every line of the profiles is there" "" "$(comm -23 wanted got)"
# The article of 2002 of its figure 5: PEBS names the load at +0, IEBS none before +65.
same "PEBS names the target" 2 "$(count p4-article.xml '//tr[@class = "target"]/td[3][. = "+0"]/following-sibling::td[1][. = "800"]')"
same "the target is the load that misses" 3 "$(count p4-article.xml '//tr[@class = "target"]/td[6][starts-with(., "mov (%eax),%eax")]')"
same "no imprecise sample lies before +65" 0 "$(count p4-article.xml \
    '//table[contains(caption, "by pmi")]//tr[td[4] != ""]/td[2][number(translate(., "+", "")) < 65]')"
same "there are imprecise samples" true "$(xmllint --xpath 'count(//table[contains(caption, "by pmi")]//tr[td[4] != ""]) > 0' p4-article.xml)"
# Eight lines 8 KiB apart in a Pentium 4's L1 of 32 sets of 4 ways.
has "the addresses lie in one set" p4-article.xml "1 of 32 sets are used; 1 of them by more lines than the cache has ways (4)."
has "the addresses' conclusion" p4-article.xml "8 addresses, 8192 bytes apart"
# A Skylake's L1 has 8 ways: nine lines of one set do not fit.
has "the knee of the ways" skylake-events.xml "Knee between lines=8 and 9: from 0.00125 to 1.000."
same "every result is there" "$(grep -c '"t":"result"' "$captures/skylake-events.rec")" \
    "$(count skylake-events.xml '//section[@id = "results"]//table[starts-with(caption, "Statistics")]/tbody/tr')"
same "every known count is there" "$(grep -c '"t":"truth"' "$captures/p4-article.rec")" \
    "$(count p4-article.xml '//section[@id = "truth"]//table[not(starts-with(caption, "Verdicts"))]/tbody/tr[td]')"
same "every figure of the article is there" "$(grep -c '"t":"experiment"' "$captures/p4-article.rec")" \
    "$(count p4-article.xml '//section[@id = "article"]//tbody/tr[td]')"
same "known counts: what disagrees comes first" "DIFFERS" \
    "$(xmllint --xpath 'normalize-space(((//section[@id = "truth"]//table)[2]//tr[td]/td[4])[1]/span)' hostile.xml)"
for section in machine doubts results repetitions regions; do
    same "a QEMU run has $section" 1 "$(count qemu.xml "//main/section[@id = '$section']")"
done
same "three runs stand side by side" 4 "$(count side.xml '//section[@id = "machine"]//thead/tr/th')"

has "a doubtful counter" p4-article.xml "Counter 1 is unreliable."
# What was measured, on what and when; what may be doubted and the results; the machine last.
has "the title says what was measured" qemu.html "<h1>fp_add_latency, stride_thrash, l1_miss and 2 more on QEMU TCG CPU version 2.5+ (emulated by QEMU)</h1>"
has "a model has its own name" skylake-events.html "<h1>stride_thrash, regions on Skylake-SP (modelled in Bochs)</h1>"
same "doubts and results come first" "doubts results" "$(grep -o '<section id="[^"]*' qemu.html | cut -d'"' -f2 | head -n 2 | xargs)"
same "the machine comes last" machine "$(grep -o '<section id="[^"]*' p4-article.html | cut -d'"' -f2 | tail -n 1)"
banner() { plain "$1" | grep -o '<p class="banner".*</p>' | sed 's/<[^>]*>//g'; }
case $(banner qemu.html) in "Emulated, not measured. "*) good "a banner says emulated" ;; *) bad "a banner says emulated" "$(banner qemu.html)" ;; esac
case $(banner skylake-events.html) in "Modelled, not measured. "*) good "a banner says modelled" ;; *) bad "a banner says modelled" "$(banner skylake-events.html)" ;; esac
# A table says it once at its head; a letter after a number could be a unit. Where runs differ, their names say it.
same "tables say that they are emulated" "$(count qemu.xml '//section[@id != "machine" and @id != "lists" and @id != "doubts"]//table')" \
    "$(count qemu.xml '//caption[contains(., "(emulated)")]')"
same "the machine's table does not" 0 "$(count qemu.xml '//section[@id = "machine"]//caption[contains(., "emulated")]')"
same "tables say that they are modelled" 0 "$(count skylake-events.xml '//section[@id = "results"]//caption[not(contains(., "(modelled)"))]')"
same "no cell has a mark of it" 0 "$(cat qemu.xml skylake-events.xml side.xml | grep -cE '<abbr title="(emulated|modelled|virtualized)|>[EMV]</(abbr|b)>')"
same "runs that differ say it in their names" 3 "$(count side.xml '(//section[@id = "results"]//tr)[1]/th[contains(., "elled)") or contains(., "(emulated)")]')"
same "and not in captions" 0 "$(count side.xml '//section[@id = "results"]//caption[contains(., "(modelled)") or contains(., "(emulated)")]')"
same "a banner for each kind of run" 2 "$(banner side.html | grep -c 'Run [13]: ')"

"$anechoic" report "$captures/qemu.rec" -o again.html >out
same "the same capture gives the same page" "" "$(cmp qemu.html again.html 2>&1)"
has "says a time as people do" qemu.html "(95.11 ms)"

# Sizes that double have a logarithmic axis with numbers at the sizes.
same "sizes that double" "1Ki 2Ki 4Ki 8Ki 16Ki 32Ki" "$(xmllint --xpath '//section[@id = "sweeps"]//text/text()' hostile.xml |
    grep -oE '[0-9]+Ki' | head -n 6 | xargs)"

# ---- text is text ----
has "markup in a record is text" hostile.html '&lt;script&gt;alert(1)&lt;/script&gt;'
has "control characters become U+FFFD" hostile.html $'control \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd and'
if [ -e pwned ]; then bad "nothing in a record is run" "the file is there"; else good "nothing in a record is run"; fi
run "takes a title" 0 "" "$captures/qemu.rec" -o title.html -t '<b>A & B</b>'
has "the title is text" title.html '<h1>&lt;b&gt;A &amp; B&lt;/b&gt;</h1>'

# ---- without the tools ----
mkdir none
bare() { PATH=$dir/none run "$@"; }
tables=$(count p4-article.xml //table)
# cat, grep and the like are still needed by run() itself.
for tool in cat grep tr; do ln -s "$(command -v $tool)" none/; done
bare "without gnuplot it names the package" 0 "The package gnuplot-nox has it." "$captures/p4-article.rec" -o bare.html
plain bare.html >bare.xml
has "the page names gnuplot's package, too" bare.html "The package gnuplot-nox has it."
has "the page names objdump's package" bare.html "The package binutils has it."
same "without gnuplot the tables are there" "$tables" "$(count bare.xml //table)"
same "without gnuplot there is no picture" 0 "$(count bare.xml '//svg')"
same "without gnuplot it is well-formed" "" "$(xmllint --nonet --noout bare.html 2>&1)"

# ---- bad input ----
run "demands a file" 2 "no file is named"
run "refuses an unknown option" 2 "unrecognized option" --nonsense x
run "names a file that is not there" 2 "none.rec: No such file" none.rec -o x.html
run "refuses an empty output name" 2 "-o needs the name of a file" "$captures/qemu.rec" -o ""
: >empty.rec
run "says that a capture has nothing" 1 "empty.rec: has no good record" empty.rec -o nothing.html
if [ -e nothing.html ]; then bad "makes no page of nothing" "there is one"; else good "makes no page of nothing"; fi
head -c 5000 /dev/urandom >noise.rec
run "survives noise" 1 "has no good record" noise.rec -o nothing.html
# A record that is missing, one that is cut, and no end.
sed '/^{"n":5,/d' "$captures/qemu.rec" | head -c 25000 >damaged.rec
run "says that a capture is damaged" 1 "damaged.rec: 3 faults; what was good is on the page" damaged.rec -o damaged.html
has "the page names what is missing" damaged.html "Damaged or missing: line 6: record 5 is missing"
run "keeps what is good of two" 2 "2 runs" "$captures/qemu.rec" none.rec "$captures/p4-article.rec" -o two.html
cat "$captures/qemu.rec" "$captures/qemu.rec" >twice.rec
run "knows two sessions in a file" 0 "2 runs" twice.rec -o twice.html
has "names the sessions" twice.html "twice.rec, session 2"
# Repetitions from 52,000 to 108,000, one of them far beyond: numbers of six digits have room below the picture.
command=report
. "$root/tests/unit/captures.sh"
{
    common='"bench":"b","variant":"","params":{"n":1},"cpu":0,"ring":0,"event":"tsc"'
    raw=$(for ((i = 0; i < 13; i++)); do echo $((52000 + 2000 * i)); done; for ((i = 0; i < 7; i++)); do echo $((96000 + 2000 * i)); done; echo 5000000)
    echo "{\"t\":\"result\",$common,\"unit\":\"tsc/x\",\"reps\":21,\"ops\":1,\"raw_min\":52000,\"overhead\":0,\"min\":52000.0,\"median\":72000.0,\"mean\":9e4,\"ci95\":1.0,\"max\":5e6,\"flags\":[]}"
    echo "{\"t\":\"reps\",$common,\"first\":0,\"overhead\":0,\"raw\":[$(paste -sd, <<<"$raw")],\"flagged\":[]}"
} | session >wide.rec
run "draws large numbers" 0 "2 pictures" wide.rec -o wide.html
tics=$(grep -oE '<text>[0-9]{5,7}</text>' wide.html | tr -dc '0-9\n' | sort -n | tr '\n' ' ')
same "with room for them" "yes" "$([ "$(wc -w <<<"$tics")" -ge 2 ] && [ "$(wc -w <<<"$tics")" -le 4 ] && echo yes || echo "$tics")"
has "one lies beyond it" wide.html "1 lies to the right of the picture."
# A page of silicon, without all=1: each benchmark has a picture, and what is unmodelled is no 0.
{
    echo '{"t":"boot","platform":"silicon","date":"2026-11-27T12:00:00"}'
    echo '{"t":"cpu","cpu":0,"vendor":"GenuineIntel","brand":"Intel(R) Pentium(R) 4","family":15,"model":2,"stepping":4}'
    for bench in b c; do
        for event in tsc cycles; do
            echo '{"t":"result","bench":"'$bench'","variant":"","params":{},"cpu":0,"ring":0,"event":"'$event'","unit":"x/op","reps":5,"ops":1,"raw_min":5,
                "overhead":0,"min":5.0,"median":6.0,"mean":6.5,"ci95":0.5,"max":9.0,"flags":[]}' | tr -d '\n' && echo
        done
        echo '{"t":"result","bench":"'$bench'","variant":"","params":{},"cpu":0,"ring":0,"event":"uops","unit":"x/op","reps":5,"ops":1,"flags":["unmodelled"]}'
    done
} | session >silicon.rec
run "draws each benchmark" 0 "1 run, 2 pictures" silicon.rec -o silicon.html
structure silicon
has "with the date in the title" silicon.html "<h1>b, c on Intel(R) Pentium(R) 4, 2026-11-27</h1>"
same "a processor has no banner" "" "$(banner silicon.html)"
has "the picture has values and intervals" silicon.html "tsc 6 ± 0.500"
has "what is unmodelled is said in the picture" silicon.html "uops unmodelled"
same "and in the grid" 2 "$(count silicon.xml '//table[starts-with(caption, "Medians")]//td[. = "unmodelled"]')"
# A parameter is a whole number, and so are the ticks of its axis. What an error is about is named once.
{
    echo '{"t":"boot","platform":"silicon"}'
    for lines in 3 4 5 6; do
        echo '{"t":"result","bench":"s","variant":"","params":{"lines":'$lines'},"cpu":0,"ring":0,"event":"tsc","unit":"tsc/load","sweep":"lines","reps":5,"ops":1,
            "raw_min":5,"overhead":0,"min":5.0,"median":'$lines'.0,"mean":6.5,"ci95":0.5,"max":9.0,"flags":[]}' | tr -d '\n' && echo
    done
    echo '{"t":"error","what":"benchmark","bench":"gp","variant":"","message":"gp: #GP general protection"}'
    echo '{"t":"error","what":"benchmark","bench":"s","variant":"fast","message":"it failed"}'
} | session >ticks.rec
run "draws a short sweep" 0 "1 run, 1 picture" ticks.rec -o ticks.html
structure ticks
same "with whole numbers below it" "3 4 5 6" "$(xmllint --xpath '//*[local-name() = "svg"]//*[local-name() = "text"]' ticks.xml | grep -oE '[0-9.]+' | grep -xE '[3-6](\.[0-9]+)?' | sort -u | xargs)"
has "an error names its benchmark once" ticks.html "benchmark: gp: #GP general protection</li>"
has "or before what it says" ticks.html "benchmark: s fast: it failed</li>"
has "counters in the same state are named together" qemu.html "Counters 0 to 3 are absent."
# Around a median of 0 there are no per cent: the row has its numbers, and no dot that looks exact. And an emulator without the
# PMU model is not modelled.
{
    echo '{"t":"boot","platform":"bochs"}'
    for event in tsc misses; do
        low=$([ $event = misses ] && echo 0 || echo 5)
        echo '{"t":"result","bench":"b","variant":"","params":{},"cpu":0,"ring":0,"event":"'$event'","unit":"x/op","reps":5,"ops":1,"raw_min":5,
            "overhead":0,"min":'"$low"'.0,"median":'"$low"'.0,"mean":6.5,"ci95":0.5,"max":9.0,"flags":["emulated"]}' | tr -d '\n' && echo
    done
} | session >zero.rec
run "draws a page with a median of 0" 0 "1 run, 1 picture" zero.rec -o zero.html
has "with the numbers of what cannot be drawn" zero.html "misses 0 to 9, not drawn: the median is 0"
has "and a sentence" zero.html "1 row is not drawn: the median is 0."
has "Bochs by itself is emulated" zero.html "Emulated, not measured."
has "and so is its machine" zero.html "(emulated by Bochs)"
run "says that the disk is full" 2 "No space left on device" "$captures/qemu.rec" -o /dev/full
cp "$captures/qemu.rec" own.rec
ln own.rec same.rec
run "does not write over a capture" 2 "-o own.rec: it is a capture" "$captures/p4-article.rec" same.rec -o own.rec
same "which stays" "" "$(cmp "$captures/qemu.rec" own.rec 2>&1)"
run "says where it cannot write" 2 "no/page.html: No such file or directory" "$captures/qemu.rec" -o no/page.html
same "works in a pipe" "" "$({ "$anechoic" report - -o - <"$captures/qemu.rec" >pipe.html && xmllint --nonet --noout pipe.html; } 2>&1)"

# ---- branches ----
# A line without cycles has empty cells, and no share of 0.
taken='"bench":"f","variant":"","params":{},"cpu":0,"ring":3,"event":"e","method":"pmi","period":301,"jitter":false,"facility":"lbr",
    "filter":"any,u","depth":16,"samples":3,"outside":1,"unlisted":0,"first":0,"times":40,"flags":[]'
{
    echo '{"t":"branches",'"$taken"',"distinct":1,"predictions":"recorded",
        "lines":[{"from":"0x10","to":"0x20","from_symbol":"f+0x10","times":30,"share":0.75,"mispredicted":7}]}' | tr -d '\n'
    echo
    echo '{"t":"blocks",'"$taken"',"distinct":2,"impossible":0,"cycles":"recorded","lines":[
        {"from":"0x20","to":"0x10","times":30,"share":0.75,"cycles_mean":4.5,"cycles_least":3,"cycles_most":11,"cycles_share":0.6},
        {"from":"0x24","to":"0x10","times":10,"share":0.25}]}' | tr -d '\n'
    echo
    echo '{"t":"stacks",'"$taken"',"distinct":1,"cut":0,"lines":[{"functions":"f;g","times":2,"share":0.5}]}' | tr -d '\n'
    echo
} | session >branches.rec
run "makes a page of branches" 0 "1 run" branches.rec -o branches.html
same "with what the records have" "f+0x10|0x20|30|75.0 % |7| 0x20|0x10|30|75.0 % |4.500|3|11|60.0 % | 0x24|0x10|10|25.0 % ||||| f;g|2|50.0 % | " \
    "$(plain branches.html | sed -n '/<section id="branches"/,/<.section>/p' | grep -o '<tr><td.*' | sed 's|</td>|\||g; s|<[^>]*>||g' | tr '\n' ' ')"

# ---- the odd one ----
unlike() { plain "$1.html" | sed -n '/<section id="unlike"/,/<\/section>/p'; }
machine() { # machine MEDIAN CACHE-SIZE
    {
        echo '{"t":"cpu","cpu":0,"vendor":"GenuineIntel","caches":[{"level":1,"bytes":'"$2"'}]}'
        for bench in first second; do
            echo '{"t":"result","bench":"'$bench'","variant":"","params":{},"cpu":0,"ring":0,"event":"tsc","unit":"tsc/op","median":'"$([ $bench = second ] && echo "$1" || echo 7)"'}'
        done
    } | session
}
for i in 1 2 3 4 5; do machine 100.$i 32768 >"pc$i.rec"; done
machine 104 32768 >pc6.rec
run "compares five machines" 0 "5 runs" pc[1-5].rec -o alike.html
same "of equal ones none is named" 0 "$(unlike alike | grep -c '<td>')"
unlike alike | grep -q 'none is unlike the others' && good "and says so" || bad "and says so" "$(unlike alike)"
run "compares six" 0 "6 runs" pc*.rec -o six.html
same "4 % is not far" 0 "$(unlike six | grep -c '<td>')"
machine 106 32768 >pc6.rec
machine 100.2 16384 >pc7.rec
run "compares seven" 0 "7 runs" pc*.rec -o seven.html
same "the odd ones are named, each by what is odd" "pc6 pc7 second" "$(unlike seven | grep -oE 'pc[0-9]|second|first' | sort -u | tr '\n' ' ' | sed 's/ $//')"
has "with its value and that of most" seven.html '<td>106</td><td>100.3'
machine '"none"' 32768 | grep -v second >pc8.rec
run "compares eight" 1 "8 runs" pc*.rec -o eight.html
unlike eight | grep 'pc8' | grep -q 'no result' && good "a result that is missing is named" || bad "a result that is missing is named" "$(unlike eight)"
run "compares two" 0 "2 runs" pc1.rec pc6.rec -o two.html
same "of two none is the odd one" 0 "$(grep -c 'id="unlike"' two.html)"
same "leaves no other file" "" "$(find . -name '*.html.*')"
exit $failed
