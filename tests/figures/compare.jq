# How many measured figures are the published ones. Input: null; $figures: the text of a table as zen4.tsv; $records: those of a capture of
# snippets.awk's output. Within: 0.1 cycle, or 2 %.
def published:
    $figures | split("\n") | map(select(startswith("#") | not) | split("\t") | select(length == 4))
    | map({key: "L \(.[1])", value: .[2]}, {key: "T \(.[1])", value: .[3]}) | map(select(.value != "") | .value |= tonumber) | from_entries;
def measured: $records | map(select(.t == "result" and .core_per_op) | {key: .variant, value: (.core_per_op / 12)}) | from_entries;
published as $published | measured
| with_entries(select($published[.key])) | to_entries
| map(.of = $published[.key] | .off = ((.value - .of) | fabs) | .within = (.off <= 0.1 or .off <= 0.02 * .of))
| {figures: length, within: (map(select(.within)) | length), off: map(select(.within | not) | "\(.key): \(.value * 100 | round / 100), not \(.of)")}
