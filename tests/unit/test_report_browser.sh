#!/bin/bash
# Pages of `anechoic report` in headless Chromium, light and dark, 360 and 1400 pixels wide, and as print: the
# screenshot is not empty, no text is cut off or lies over another one, no request leaves the page.
# Prints "ok NAME", "not ok NAME: why" or "skipped NAME: why"; exit status 1 when one failed.
# With REPORT_SHOTS=DIR the screenshots are kept there.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
anechoic=${1:-${BUILD:-$root/build}/host/anechoic}
captures=$root/tests/unit/captures
. "$root/tests/unit/browser.sh"

if ! browser_command >/dev/null; then
    echo "skipped report in a browser: there is none; the package chromium has one"
    exit 0
fi
dir=$(mktemp -d)
trap 'browser_close; rm -rf "$dir"' EXIT
failed=0
bad() {
    echo "not ok $1: $2"
    failed=1
}

browser_open "$dir" || {
    bad "report in a browser" "it does not start: $(tail -n 3 "$dir/log" | tr '\n' ' ')"
    exit 1
}
page_js=$(<"$root/tests/unit/page.js")
page_js=${page_js%;}

# set_window WIDTH SCHEME MEDIA
set_window() {
    browser_call Emulation.setDeviceMetricsOverride "{\"width\":$1,\"height\":900,\"deviceScaleFactor\":1,\"mobile\":false}" &&
        browser_call Emulation.setEmulatedMedia \
            "{\"media\":\"$3\",\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"$2\"}]}"
}

# judge NAME WIDTH SCHEME MEDIA: of the page at hand. A picture of nothing compresses well: to `empty` letters.
empty=1000000
judge() {
    local name="report $1 in a browser, $2 pixels, $3, $4"
    set_window "$2" "$3" "$4" || return 1
    browser_evaluate "(async () => {
        for (let i = 0; i < 500; i++) {
            if (innerWidth === $2 && matchMedia('(prefers-color-scheme:$3)').matches && matchMedia('$4').matches) break;
            await new Promise(done => setTimeout(done, 20));
        }
        const wrong = $page_js;
        if (innerWidth !== $2) wrong.push('the window is ' + innerWidth + ' wide');
        scrollTo(0, 0);
        return wrong; })()" || return 1
    if [ "$reply" != "[]" ]; then
        bad "$name" "$(jq -r 'join("; ")' <<<"$reply")"
        return 0
    fi
    browser_call Page.captureScreenshot '{"format":"png"}' || return 1
    [ -z "${REPORT_SHOTS:-}" ] || jq -r .data <<<"$reply" | base64 -d >"$REPORT_SHOTS/$1-$2-$3-$4.png"
    if [ ${#reply} -lt $((4 * empty)) ]; then
        bad "$name" "the screenshot is empty: ${#reply} letters, $empty of an empty page"
    else
        echo "ok $name"
    fi
}

# What the page at hand asked for besides itself, a URL a line.
requests() {
    jq -r 'select(.method == "Network.requestWillBeSent") | .params.request.url | select(test("^(data|about):") | not)' \
        "$dir/events" | grep -vxF -e "file://$1" || true
}

# page NAME CAPTURE... -- WINDOW...: windows as WIDTH,SCHEME,MEDIA
page() {
    local name=$1 files=() window asked
    shift
    while [ "$1" != -- ]; do
        files+=("$captures/$1.rec")
        shift
    done
    shift
    "$anechoic" report "${files[@]}" -o "$dir/$name.html" >/dev/null || return 1
    : >"$dir/events"
    browser_visit "file://$dir/$name.html" || return 1
    for window; do
        # shellcheck disable=SC2086 # words
        judge "$name" ${window//,/ } || return 1
    done
    asked=$(requests "$dir/$name.html")
    if [ -n "$asked" ]; then bad "report $name in a browser" "requests leave the page: $asked"; else echo "ok report $name asks for nothing"; fi
}

{ set_window 1400 light screen && browser_visit about:blank && browser_call Page.captureScreenshot '{"format":"png"}'; } || {
    bad "report in a browser" "it does not answer"
    exit 1
}
empty=${#reply}
all="360,light,screen 360,dark,screen 1400,light,screen 1400,dark,screen"
# shellcheck disable=SC2086 # words
{
    page p4-article p4-article -- $all 720,light,print || bad "report p4-article" "the browser failed"
    page skylake-events skylake-events -- $all || bad "report skylake-events" "the browser failed"
    page qemu qemu -- $all || bad "report qemu" "the browser failed"
}
page side-by-side p4-article skylake-events qemu -- 360,light,screen 1400,dark,screen || bad "report side-by-side" "the browser failed"
page hostile hostile -- 360,dark,screen 1400,light,screen || bad "report hostile" "the browser failed"

# The judge can tell: what it must say of pages that have each of the faults.
browser_visit about:blank
browser_evaluate "(() => {
    const page = (html, sentence) => {
        document.body.innerHTML = html;
        const wrong = $page_js;
        return wrong.some(w => w.includes(sentence)) ? [] : [sentence + ': ' + wrong];
    };
    return [].concat(
        page('<p style=\"width:3000px\">x</p>', 'the page is'),
        page('<p style=\"width:40px;overflow:hidden;white-space:nowrap\">a long text here</p>', 'cut off by its box'),
        page('<svg width=90 height=50><text x=80 y=20>beyond it</text></svg>', 'cut off by its picture'),
        page('<svg width=90 height=50><text x=9 y=20>one</text><text x=9 y=22>two</text></svg>', 'in a picture'),
        page('<p>one</p><p style=\"margin-top:-30px\">two</p>', 'overlaps another block'),
        page('<p style=\"color:#bbb\">x</p>', 'contrast of'),
        page('<svg width=90 height=50 viewBox=\"0 0 900 500\"><text x=9 y=50>tiny</text></svg>', 'too small to read'),
        page('', 'no text at all'));
    })()" || reply='["the browser failed"]'
if [ "$reply" = "[]" ]; then echo "ok the judge of pages sees faults"; else bad "the judge of pages sees faults" "it did not say $reply"; fi
: >"$dir/events"
echo '<!DOCTYPE html><img src="http://127.0.0.1:9/x.png">' >"$dir/asks.html"
browser_visit "file://$dir/asks.html" || true
if [ -n "$(requests "$dir/asks.html")" ]; then echo "ok the judge of pages sees a request"; else bad "the judge of pages sees a request" "it saw none"; fi
exit $failed
