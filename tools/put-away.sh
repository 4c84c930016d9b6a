#!/bin/sh
# The end of run-qemu.sh and run-bochs.sh, however it came: the emulator and what is temporary go, records that had come are kept.
# Called by tools/run-common.sh in its own place, with SIGINT, SIGTERM and SIGHUP ignored.
#
#   tools/put-away.sh STATUS WORK RECORDS SED EMULATOR MODES
#
#   STATUS    to exit with
#   WORK      the directory of this run
#   RECORDS   the file of its records, which are taken from WORK/serial by the sed script SED unless it has some
#   EMULATOR  its process, or ''
#   MODES     what stty is to set the terminal to, which is standard input; '': it is left alone
#
# Not bash: when a second SIGINT comes while that begins to wait for a child, it may send itself SIGINT for ever, although it
# ignores it (seen with 5.2.15: wait_for(), before it restores the handler).
[ -z "$5" ] || kill "$5" 2>/dev/null
[ -z "$6" ] || stty "$6" 2>/dev/null
[ ! -e "$2/serial" ] || [ -s "$3" ] || LC_ALL=C sed -n -E -e "$4" "$2/serial" >"$3"
rm -rf "$2"
exit "$1"
