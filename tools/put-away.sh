#!/bin/sh
# The last step of run-qemu.sh and run-bochs.sh: it ends the emulator, keeps the records, and removes temporary files.
# tools/run-common.sh executes it in its own place, with SIGINT, SIGTERM and SIGHUP ignored.
#
#   tools/put-away.sh STATUS WORK RECORDS SED EMULATOR MODES
#
#   STATUS    the exit status
#   WORK      the directory of this run
#   RECORDS   the file for its records. If it is empty, the sed script SED takes them from WORK/serial.
#   EMULATOR  its process, or ''
#   MODES     stty's modes for the terminal, which is standard input; '': no terminal
#
# bash can hang here. If a second SIGINT arrives while bash begins to wait for a child, it sends itself SIGINT for ever,
# although it ignores the signal (seen with 5.2.15, in wait_for()).
[ -z "$5" ] || kill "$5" 2>/dev/null
[ -z "$6" ] || stty "$6" 2>/dev/null
[ ! -e "$2/serial" ] || [ -s "$3" ] || LC_ALL=C sed -n -E -e "$4" "$2/serial" >"$3"
rm -rf "$2"
exit "$1"
