#!/bin/bash
# Pages of `anechoic report` in headless Chromium, light and dark, 360 and 1400 pixels wide, and as print: the
# screenshot has more than one colour, no text is cut off or lies over another one, no request leaves the page.
# Prints "ok NAME", "not ok NAME: why" or "skipped NAME: why"; exit status 1 when one failed.
# With REPORT_SHOTS=DIR the screenshots are kept there.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
anechoic=${1:-${BUILD:-$root/build}/host/anechoic}
captures=$root/tests/unit/captures
. "$root/tests/unit/browser.sh"

dir=$(mktemp -d)
trap 'browser_close; rm -rf "$dir"' EXIT
failed=0
bad() {
    echo "not ok $1: $2"
    failed=1
}

if ! browser_command >/dev/null; then
    # shellcheck source=tools/packages.sh
    (. "$root/tools/packages.sh" && need browser) >"$dir/need" 2>&1 || true
fi
if ! browser_command >/dev/null; then
    echo "skipped report in a browser: there is none; the package chromium has one"
    exit 0
fi
export PATH=$PATH
browser_open "$dir" || {
    bad "report in a browser" "it does not start: $(tail -n 3 "$dir/log" | tr '\n' ' ')"
    exit 1
}

# How many colours there are in the screenshot at hand (in $reply): the browser itself decodes it.
colours() {
    jq -c '{expression: ("(async () => { const i = new Image(); i.src = \"data:image/png;base64," + .data + "\"; await i.decode();
        const c = new OffscreenCanvas(i.width, i.height).getContext(\"2d\"); c.drawImage(i, 0, 0);
        const d = new Uint32Array(c.getImageData(0, 0, i.width, i.height).data.buffer); return new Set(d).size })()"),
        returnByValue: true, awaitPromise: true}' <<<"$reply" >"$dir/decode"
    browser_send_file Runtime.evaluate "$dir/decode" && browser_answer "$browser_id" && reply=$(jq -r .result.value <<<"$reply")
}

# judge NAME PAGE WIDTH SCHEME MEDIA
judge() {
    local name="report $1 in a browser, $3 pixels, $4, $5" requests
    browser_call Emulation.setDeviceMetricsOverride "{\"width\":$3,\"height\":900,\"deviceScaleFactor\":1,\"mobile\":false}" &&
        browser_call Emulation.setEmulatedMedia \
            "{\"media\":\"$5\",\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"$4\"}]}" || return 1
    : >"$dir/events"
    browser_visit "file://$2" || return 1
    browser_evaluate "$(cat "$root/tests/unit/page.js")" || return 1
    if [ "$reply" != "[]" ]; then
        bad "$name" "$(jq -r 'join("; ")' <<<"$reply")"
        return 0
    fi
    browser_call Page.captureScreenshot '{"format":"png"}' || return 1
    [ -z "${REPORT_SHOTS:-}" ] || jq -r .data <<<"$reply" | base64 -d >"$REPORT_SHOTS/$1-$3-$4-$5.png"
    browser_visit about:blank && colours || return 1
    requests=$(jq -r 'select(.method == "Network.requestWillBeSent") | .params.request.url | select(startswith("data:") | not)' \
        "$dir/events" | grep -vxF -e "file://$2" -e about:blank || true)
    if [ "$reply" -lt 10 ]; then
        bad "$name" "the screenshot has $reply colours"
    elif [ -n "$requests" ]; then
        bad "$name" "requests leave the page: $requests"
    else
        echo "ok $name"
    fi
}

pages="p4-article skylake-events qemu side-by-side hostile"
"$anechoic" report "$captures/p4-article.rec" -o "$dir/p4-article.html" >/dev/null
"$anechoic" report "$captures/skylake-events.rec" -o "$dir/skylake-events.html" >/dev/null
"$anechoic" report "$captures/qemu.rec" -o "$dir/qemu.html" >/dev/null
"$anechoic" report "$captures"/{p4-article,skylake-events,qemu}.rec -o "$dir/side-by-side.html" >/dev/null
"$anechoic" report "$captures/hostile.rec" -o "$dir/hostile.html" >/dev/null
for page in $pages; do
    for width in 360 1400; do
        for scheme in light dark; do
            judge "$page" "$dir/$page.html" $width $scheme screen || bad "report $page" "the browser failed"
        done
    done
done
judge p4-article "$dir/p4-article.html" 720 light print || bad "report p4-article" "the browser failed"

# The judge can tell: a page with each of the faults that it looks for.
fault() { # fault NAME SENTENCE HTML
    printf '<!DOCTYPE html><meta charset="utf-8"><body>%s</body>' "$3" >"$dir/fault.html"
    browser_visit "file://$dir/fault.html" && browser_evaluate "$(cat "$root/tests/unit/page.js")" || reply=failed
    if [[ $reply == *"$2"* ]]; then echo "ok the judge of pages sees $1"; else bad "the judge of pages sees $1" "$reply"; fi
}
fault "a page that is too wide" "the page is" '<p style="width:3000px">x</p>'
fault "text that is cut off" "cut off by its box" '<p style="width:40px;overflow:hidden;white-space:nowrap">a long text here</p>'
fault "text beyond a picture" "cut off by its picture" '<svg width="90" height="50"><text x="80" y="20">beyond it</text></svg>'
fault "texts over each other" "in a picture" '<svg width="90" height="50"><text x="9" y="20">one</text><text x="9" y="22">two</text></svg>'
fault "paragraphs over each other" "overlaps another block" '<p>one</p><p style="margin-top:-30px">two</p>'
fault "faint text" "contrast of" '<p style="color:#bbb">x</p>'
fault "an empty page" "no text at all" ''
exit $failed
