# shellcheck shell=bash
# Drives a headless Chromium through its debugging pipe (file descriptors 3 and 4 of it, messages that end in
# NUL). Sourced by tests:
#
#   browser_open DIR          # starts it; DIR keeps its profile
#   browser_call METHOD PARAMS          # the result of a method, as JSON, in $reply
#   browser_evaluate EXPRESSION         # the value of a JavaScript expression, as JSON, in $reply
#   browser_close
#
# Events that arrive meanwhile are appended to DIR/events, one a line. Each function fails with a message on
# standard error when the browser does not answer.
browser_dir='' browser_pid='' browser_session='' browser_id=0 reply=''

browser_command() {
    local name
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" && return 0
    done
    return 1
}

# browser_send METHOD [PARAMS]: to the page, once there is one.
browser_send() {
    printf '%s\n' "${2:-{\}}" >"$browser_dir/params"
    browser_send_file "$1" "$browser_dir/params"
}

# browser_send_file METHOD FILE: parameters from a file, since they may be long.
browser_send_file() {
    browser_id=$((browser_id + 1))
    jq -c --argjson id "$browser_id" --arg method "$1" --arg session "$browser_session" \
        '{$id, $method, params: .} + if $session == "" then {} else {sessionId: $session} end' "$2" |
        tr '\n' '\0' >&"$browser_to"
}

# Reads messages until the answer with this number is among them.
browser_answer() {
    local message
    while IFS= read -r -d '' -t "${BROWSER_SECONDS:-60}" -u "$browser_from" message; do
        if [[ $message == "{\"id\":$1,"* ]]; then
            if [[ $message == *'"error":{'* && $message != *'"result":{'* ]]; then
                echo "browser: $message" >&2
                return 1
            fi
            reply=$(jq -c .result <<<"$message")
            return 0
        fi
        printf '%s\n' "$message" >>"$browser_dir/events"
    done
    echo "browser: no answer" >&2
    return 1
}

browser_call() {
    browser_send "$@" && browser_answer "$browser_id"
}

browser_evaluate() {
    browser_call Runtime.evaluate "$(jq -cn --arg e "$1" '{expression: $e, returnByValue: true, awaitPromise: true}')" || return 1
    if jq -e .exceptionDetails <<<"$reply" >/dev/null; then
        echo "browser: $reply" >&2
        return 1
    fi
    reply=$(jq -c .result.value <<<"$reply")
}

browser_open() {
    local command target
    command=$(browser_command) || return 1
    browser_dir=$1
    : >"$browser_dir/events"
    mkfifo "$browser_dir/to" "$browser_dir/from"
    # Its sandbox needs privileges that a container may lack; the page is our own. HOME: it writes there, too.
    HOME=$browser_dir "$command" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --disable-component-update --user-data-dir="$browser_dir/profile" \
        --remote-debugging-pipe about:blank 3<"$browser_dir/to" 4>"$browser_dir/from" \
        >"$browser_dir/log" 2>&1 </dev/null &
    browser_pid=$!
    exec {browser_to}>"$browser_dir/to" {browser_from}<"$browser_dir/from"
    browser_session=''
    browser_call Target.createTarget '{"url":"about:blank"}' || return 1
    target=$(jq -r .targetId <<<"$reply")
    browser_call Target.attachToTarget "{\"targetId\":\"$target\",\"flatten\":true}" || return 1
    browser_session=$(jq -r .sessionId <<<"$reply")
    browser_call Page.enable && browser_call Network.enable && browser_call Runtime.enable
}

# browser_visit URL: until it has been loaded.
browser_visit() {
    browser_call Page.navigate "$(jq -cn --arg url "$1" '{$url}')" || return 1
    browser_evaluate 'new Promise(done => document.readyState == "complete" ? done(1) : addEventListener("load", () => done(1)))'
}

browser_close() {
    [ -n "$browser_pid" ] || return 0
    browser_session=''
    browser_send Browser.close 2>/dev/null || true
    wait "$browser_pid" 2>/dev/null || true
    exec {browser_to}>&- {browser_from}<&-
    browser_pid=''
}
