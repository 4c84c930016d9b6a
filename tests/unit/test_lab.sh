#!/bin/bash
# The jobs of docs/examples/lab are YAML, and their monitors find in the kernel's own records what is in them: a test case for
# each result, by a name of its own, with its median and unit. What LAVA itself made of them: docs/lab.md.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -u

cd "$(dirname "$0")/../.." || exit
anechoic=${BUILD:-build}/host/anechoic
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$anechoic" capture tests/unit/captures/lava.log -o "$dir/lava.rec" >/dev/null 2>&1
exec /usr/bin/python3 - "$dir/lava.rec" tests/unit/captures/{p4-article,qemu,skylake-events}.rec <<'PYTHON'
import glob, json, re, sys, yaml

failed = 0
def verdict(name, why):
    global failed
    failed |= why is not None
    print(f"ok lab {name}" if why is None else f"not ok lab {name}: {why}")

# As lava_dispatcher/actions/test/monitor.py: patterns with DOTALL, over what lies between start and end; what is no letter or
# digit becomes _ in names.
def cases(monitor, text):
    flags = re.DOTALL
    start = re.compile(monitor["start"], flags).search(text)
    if not start:
        raise ValueError("start is not found")
    end = re.compile(monitor["end"], flags).search(text, start.end())
    if not end:
        raise ValueError("end is not found")
    for m in re.compile(monitor["pattern"], flags).finditer(text, start.end(), end.start() + len("\n")):
        g = m.groupdict()
        yield (re.sub(r"\W+", "_", g["test_case_id"].strip().lower()), monitor["fixupdict"][g["result"]], g.get("measurement"), g.get("units"))

def session(path):
    """The text of the first session, without the carriage returns that LAVA takes away."""
    text = open(path, encoding="latin-1").read().replace("\r", "")
    text = text[text.index('{"n":0,'):]
    return text, [json.loads(l) for l in text.split("\n") if l.startswith("{")]

jobs = {}
for path in sorted(glob.glob("docs/examples/lab/*.yaml")):
    try:
        jobs[path] = yaml.safe_load(open(path))
        why = None if isinstance(jobs[path], dict) else "no map"
    except yaml.YAMLError as e:
        why = str(e).replace("\n", " ")
    verdict(f"{path} is YAML", why)

monitors = [next(a["test"]["monitors"] for a in j["actions"] if "test" in a) for j in jobs.values() if "job_name" in j]
verdict("two jobs, of the same monitors", None if len(monitors) == 2 and monitors[0] == monitors[1] else "they differ")
results, ended = monitors[0]

text, records = session(sys.argv[1])
want = [(r["bench"], r["unit"], r["median"]) for r in records if r["t"] == "result"]
got = list(cases(results, text))
verdict("each result is a case that passes, with its median and unit",
        None if len(got) == len(want) > 1 and all(
            name.startswith(bench) and verdict == "pass" and unit == u and float(value) == m
            for (name, verdict, value, unit), (bench, u, m) in zip(got, want)) else f"{got} of {want}")
verdict("the session's end passes", None if [c[:2] for c in cases(ended, text)] == [("end", "pass")] else list(cases(ended, text)))

# Many benchmarks, parameters and events.
for path in sys.argv[2:]:
    text, records = session(path)
    want = [r for r in records if r["t"] == "result"]
    got = [c for c in cases(results, text) if c[1] == "pass"]
    why = None
    if [c[2] and float(c[2]) for c in got] != [r["median"] for r in want] or [c[3] for c in got] != [r["unit"] for r in want]:
        why = f"{len(got)} cases of {len(want)} results, or others"
    elif len({c[0] for c in got}) != len(got):
        why = "two cases have the same name"
    verdict(f"{path.split('/')[-1]}: each of its results has a name of its own", why)

# What fails is a case that fails.
bad = '{"n":0,"t":"boot","crc":"0"}\n{"n":1,"t":"error","what":"unknown-word","message":"x","crc":"0"}\n' \
    '{"n":2,"t":"end","records":3,"status":2,"crc":"0"}\ndone: x\n'
verdict("an error is a case that fails", None if [c[:2] for c in cases(results, bad)] == [("unknown_word", "fail")] else list(cases(results, bad)))
verdict("another status than 0 fails", None if [c[:2] for c in cases(ended, bad)] == [("end", "fail")] else list(cases(ended, bad)))
sys.exit(failed)
PYTHON
