#!/bin/bash
# docs/seed-tools.md is complete and well formed, and the script that runs its rows (tests/boot/seed_tools.sh) fails where it has to.
# The rows themselves are run by the boots `seeds-...`.
# Prints "ok NAME" or "not ok NAME: why" for each case; exit status 1 when one failed.
set -u

cd "$(dirname "$0")/../.." || exit
export LC_ALL=C
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
ok() { echo "ok seed_tools $1"; }
bad() {
    echo "not ok seed_tools $1: $2"
    failed=1
}

# page ROW...: a page with these rows.
page() {
    printf '%s\n' '# A page' '| What the seed has | Where | Here | Shown by |' '|---|---|---|---|' "$@" >"$dir/page.md"
}
script() { PAGE=$dir/page.md tests/boot/seed_tools.sh "$@" >"$dir/out" 2>&1; }

# ---- what is not well formed ----

refused() { # refused NAME TEXT ROW...: --check fails with this text
    local name=$1 text=$2
    shift 2
    page "$@"
    if script --check; then
        bad "$name" "accepted"
    elif ! grep -qF -- "$text" "$dir/out"; then
        bad "$name" "says: $(head -n 1 "$dir/out")"
    else
        ok "$name"
    fi
}
good='| a | b | `p5: run bench=empty` | `done` |'
page "$good" '| a | b | none | no: it needs an operating system |' '| a | b | none | not yet: it is being built by hand |'
if script --check && grep -q '^3 rows, 1 with words$' "$dir/out"; then ok "a good page"; else bad "a good page" "$(head -n 1 "$dir/out")"; fi
refused "neither words nor a reason" 'line 5: neither words nor a reason: "x"' "$good" '| x | b |  |  |'
refused "a reason that says nothing" 'neither words nor a reason: "x"' '| x | b | none | no: none |'
refused "words and a reason" 'words and a reason' '| x | b | `p5: list` | no: it needs an operating system |'
refused "a command that does not exist" 'there is no command "count" at the prompt' '| x | b | `p5: list; count all` | `x` |'
refused "an anechoic command that does not exist" 'there is no anechoic command "count"' '| x | b | `p5: list; $ anechoic count session` | `x` |'
refused "a machine that does not exist" 'there is no machine "p7"' '| x | b | `p7: list` | `x` |'
refused "words without a machine" '"MACHINE: COMMAND" is what words look like' '| x | b | `list` | `x` |'
refused "nothing that is shown" 'nothing says what "x" has to show' '| x | b | `p5: list` | as it should |'
refused "a cell too few" 'a row has four cells, this one has 3' '| x | b | `p5: list` |'
refused "a code that has no end" 'without its other one' '| x | b | `p5: list | `x` |'
refused "no rows" 'no row'

# ---- what is not shown ----

words='host: anechoic events --cpu p5 --encode data_read:u'
page "| one | b | \`$words\` | \`Pentium: p5\`, then \`WRMSR 0x11 0x80\` |"
if script --run host && grep -q '^host: 1 of 1 rows' "$dir/out"; then ok "a row that is true"; else bad "a row that is true" "$(cat "$dir/out")"; fi
lacks() { # lacks NAME WHAT-IS-SHOWN MISSING: --run fails, and says so
    page "| one | b | \`$words\` | \`Pentium: p5\` |" "| two | b | \`$words\` | $2 |"
    if script --run host; then
        bad "$1" "accepted"
    elif ! grep -qF "row 2 (line 5), two: \`$words\` does not show \`$3\`" "$dir/out" || ! grep -q '^host: 1 of 2 rows' "$dir/out"; then
        bad "$1" "says: $(head -n 1 "$dir/out")"
    else
        ok "$1"
    fi
}
lacks "a value that is another" '`WRMSR 0x11 0x81`' 'WRMSR 0x11 0x81'
lacks "the wrong order" '`WRMSR 0x11 0x80`, `Pentium: p5`' 'Pentium: p5'
lacks "a condition that does not hold" '`jq: length == 1`' 'jq: length == 1'

# ---- complete ----
# Names of the seeds' own lists, each of which has to be in a first column.

unset PAGE
if tests/boot/seed_tools.sh --check >"$dir/out" 2>&1; then ok "the page: $(cat "$dir/out")"; else bad "the page" "$(head -n 3 "$dir/out")"; fi
sed -n 's/^| \([^|]*\) |.*/\1/p' docs/seed-tools.md >"$dir/first"
has() { # has NAME WORD...
    local name=$1 word missing=''
    shift
    for word; do grep -qE -- "(^|[^A-Za-z0-9_])$word([^A-Za-z0-9_]|\$)" "$dir/first" || missing="$missing $word"; done
    [ -z "$missing" ] && ok "$name" || bad "$name" "not on the page:$missing"
}
has "run_p5mon's parameters (table C.1, figure C.1)" command repetitions user_events kernel_events output_all_results \
    confidence_level_99 conf_level_99 use_assembly_regions max_regions output_file skip_initialization_run repeat_first_run \
    verbose_level dump_parms warn_parm_not_defined warn_parm_defined_twice warn_parm_not_used parm_warn_file_name parm_dump_file_name -P -F
has "its events (table C.1)" count_clocks data_read data_write data_read_or_write data_tlb_miss data_read_miss data_write_miss \
    data_read_or_write_miss write_to_M_or_E_lines data_cache_lines_written_back external_snoops data_cache_snooping_hits \
    memory_accesses_in_both_pipes bank_conflicts misaligned_data_memory_or_IO_references code_read code_tlb_miss code_cache_miss \
    segment_register_loaded branches btb_hits taken_branch_or_btb_hit pipeline_flushes instructions_executed \
    instructions_executed_in_v_pipe clocks_while_bus_cycle_in_progress clocks_stalled_full_write_buffers \
    clocks_stalled_waiting_data_read clocks_stalled_write_to_M_or_E_line locked_bus_cycle IO_read_or_write_cycle \
    non_cacheable_memory_reads pipeline_stalled_address_generation_interlock flops breakpoint_match_DR0 breakpoint_match_DR1 \
    breakpoint_match_DR2 breakpoint_match_DR3 hardware_interrupts
has "libp5mon (tables 3.2 to 3.5, figure 3.5)" p5mon_init p5mon_close p5mon_clear p5mon_config p5mon_read p5mon_gen_config \
    p5mon_asm_init p5mon_asm_begreg_X p5mon_asm_endreg_X event_disable evt_disable evt_kernel evt_user evt_all clk_kernel clk_user \
    clk_all clr_none clr_0 clr_1 clr_0_1 init_0_clr_1 init_1_clr_0 init_0 init_1 init_0_1 clear_only event0 event1 ctrl0 ctrl1 clr init0 init1
has "rabbit's options" --e --duration --mesi --bus_agent --MMX --compare --os -s -S -p gt0 le0 gt1 le1 gt2 le2 gt3 le3 gt4 le4
has "rabbit's events" 03 04 05 06 07 10 11 12 13 14 21 22 23 24 25 26 27 28 29 2a 2e 43 45 46 47 48 4b 52 60 61 62 63 64 65 66 67 68 \
    69 6a 6b 6c 6d 6e 6f 70 79 7a 7b 7e 80 81 85 86 87 a2 b0 b1 b2 b3 c0 c1 c2 c4 c5 c6 c7 c8 c9 ca cc cd ce cf d0 d2 d4 d5 d6 d8 d9 e0 e2 e4 e6
has "the survey's tools" PMX PMON MTPM MTPMPlus PmonStat EMON P5MON PTACH PTACHPro 'VTUNE EBS' "VTUNE's Dynamic Analyzer" \
    'VTUNE time-based' EDBEMON 'Soft Logic Analyzer'
has "the manual's page" tagging replay assist front_end_event execution_event replay_event instr_retired uops_retired PEBS
has "the article" ESCR T0_OS T1_USR threshold complement edge OVF_PMI_T0 FORCE_OVF OVF cascade IEBS PEBS 'figure 5' 'table 1' SMT
exit $failed
