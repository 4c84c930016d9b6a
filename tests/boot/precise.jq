# What Linux' samples of precise events should be, by the oracle's trace (tests/boot/linux/precise.c): lines of the guest as
# raw input, $oracle its lines, with a trace of all instructions of ring 3. Prints {"runs", "samples", "wrong": [...]}.

# The occurrences that a run's event counts.
def counted($run; $at):
    if $run.what == "all" then $at
    elif $run.what == "taken" then $at | map(select(.taken))
    elif $run.what == "missed" then $at | map(select(.data and .level != "L1"))
    else $at | map(select(.tagged and .latency > $run.threshold)) end;

def expected($run; $e):
    [if $run.ip == "at" then $e.ip else $e.next end,
     if $run.samples[0][1] == "-" then "-" else $e.data end,
     if $run.samples[0][2] == "-" then "-" else $e.latency | tostring end,
     if $run.samples[0][3] == "-" then "-" else $e.level end];

[inputs | rtrimstr("\r")] as $lines
| [$lines[] | capture("^run (?<n>[0-9]+): (?<event>[^ ]+) samples (?<what>[a-z]+), period (?<period>[0-9]+), by (?<by>[a-z]+), (?<ip>[a-z]+), threshold (?<threshold>[0-9]+)$")
    | .n |= tonumber | .period |= tonumber | .threshold |= tonumber] as $runs
| ([$lines[] | select(startswith("sample ")) | split(" ")] | group_by(.[1]) | map({(.[0][1]): map(.[3:])}) | add) as $samples
| [$runs[] | . as $r | .samples = ($samples[$r.n | tostring] // [])
    | .step = (if .by == "overflow" then .period else .period + 1 end)
    | counted(.; $oracle[.n - 1].trace.at) as $at
    | . as $r
    | .wrong = [range(.samples | length) as $k | $at[($k + 1) * $r.step - 1] as $e
        | select($e == null or $r.samples[$k] != expected($r; $e)) | {run: $r.n, sample: $k, got: $r.samples[$k], entry: $e}]
    # all of them
    | .missing = (($at | length) / .step | floor) - (.samples | length)]
| {runs: length, samples: map(.samples | length) | add,
   wrong: (map(.wrong[0:2][]) + map(select(.missing != 0 or (.samples | length) == 0) | {run: .n, missing}))}
