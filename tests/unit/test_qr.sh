#!/bin/bash
# `anechoic qr`: photographs of QR codes, in any order, rotated, blurred, of two runs, with one missing, damaged, or of
# something else.
# Prints "ok NAME", "not ok NAME: why" or "skipped NAME: why" for each case; exit status 1 when one failed.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
build=$(realpath "${BUILD:-$root/build}")
anechoic=$build/host/anechoic
cd "$dir"

# case_of NAME STATUS OUTPUT ARGUMENT...: what it prints has OUTPUT in it.
case_of() {
    local name=$1 wanted=$2 output=$3 status=0
    shift 3
    rm -f out
    PATH=${path:-$PATH} "$anechoic" qr -o out "$@" >printed 2>&1 || status=$?
    if [ "$status" != "$wanted" ]; then
        echo "not ok qr $name: exit status $status instead of $wanted: $(tr '\n' ' ' <printed)"
        failed=1
    elif ! grep -qF -- "$output" printed; then
        echo "not ok qr $name: the output lacks '$output': $(tr '\n' ' ' <printed)"
        failed=1
    else
        echo "ok qr $name"
    fi
}
same() { if cmp -s out "$2"; then echo "ok qr $1"; else echo "not ok qr $1: the file is another one"; failed=1; fi; }
is() { if test "$2" "$3" "$4"; then echo "ok qr $1"; else echo "not ok qr $1: $2 is not $3 $4"; failed=1; fi; }

# session RECORDS SEED: a session, as a serial line brings it.
session() {
    awk -v records="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        for (n = 0; n < records; n++) {
            type = n == 0 ? "boot" : n == records - 1 ? "end" : "result"
            printf "{\"n\":%d,\"t\":\"%s\"", n, type
            if (type == "end") printf ",\"records\":%d,\"status\":0", records
            else printf ",\"bench\":\"fp_add_latency\",\"event\":\"tsc\",\"min\":%.6g,\"median\":%.6g,\"mean\":%.9g,\"unit\":\"tsc/add\"", rand() * 100, rand() * 100, rand() * 100
            print ""
        }
    }' | perl -MCompress::Zlib -ne 'chomp; printf "%s,\"crc\":\"%08x\"}\n", $_, crc32($_)'
}
codes() { mkdir -p "$4" && "$build/tests/codes" "$1" "$2" "$3" "$4"; }

session 200 1 >one.jsonl
session 120 2 >two.jsonl
is "200 records are some codes" "$(codes 640 480 one.jsonl one)" -gt 5
codes 1024 768 two.jsonl two >/dev/null

case_of "a screen's pictures" 0 'out: 200 records from' one/*.pbm
same "no byte is lost" one.jsonl
mapfile -t backwards < <(printf '%s\n' one/*.pbm | sort -r)
case_of "in any order, and again" 0 'complete, status 0' "${backwards[@]}" one/003.pbm
same "order does not matter" one.jsonl
case_of "on a larger screen" 0 'out: 120 records from' two/*.pbm
same "nor does the screen" two.jsonl

# As a phone sees them: turned, larger, grey, out of focus.
mkdir turned
angle=-12
for f in one/*.pbm; do
    pnmscale 2 "$f" 2>/dev/null | pnmrotate -background=black $angle 2>/dev/null |
        pnmsmooth -width=5 -height=5 2>/dev/null >"turned/$(basename "$f" .pbm).pgm"
    angle=$((angle + 3))
done
case_of "rotated and blurred" 0 'out: 200 records from' turned/*.pgm
same "that loses nothing" one.jsonl

# Straight and large: zbar overlooks some of them by itself. All are read, without ffmpeg.
session 700 7 >many.jsonl
codes 640 480 many.jsonl many >/dev/null
mkdir large only-zbar
ln -s "$(command -v zbarimg)" only-zbar/zbarimg
for f in many/*.pbm; do
    [ "$(find large -type f | wc -l)" -lt 3 ] || break
    pnmscale 3 "$f" 2>/dev/null | pnmsmooth -width=5 -height=5 2>/dev/null >large.pgm
    zbarimg -q --raw --nodbus -Sdisable -Sqrcode.enable large.pgm >/dev/null 2>&1 || mv large.pgm "large/$(basename "$f" .pbm).pgm"
done
if [ -z "$(ls large)" ]; then
    echo "skipped qr what zbar overlooks: this zbar overlooks none"
else
    path=$dir/only-zbar case_of "what zbar overlooks" 1 ' of 30 are missing' large/*.pgm
    is "each of them is read" "$(grep -c 'no QR code is found' printed)" = 0
fi

# ---- what is not good ----

set -- one/*.pbm
n=$#
case_of "one missing" 1 "code 2 of $n is missing" "$1" "${@:3}"
is "what comes before the gap is written" "$(wc -l <out)" -ge 1
case_of "all but the first" 1 "code 1 of $n is missing" "${@:2}"
case_of "two runs" 1 "codes of several runs; --run says" one/*.pbm two/*.pbm
is "nothing is written then" "$(ls out 2>/dev/null | wc -l)" = 0
run=$(sed -n 's/.*run \([0-9A-F]*\): '"$n of $n"' .*/\1/p' printed)
case_of "one of them is chosen" 0 'out: 200 records' --run "$run" one/*.pbm two/*.pbm
same "and is not mixed" one.jsonl
case_of "a run that is not there" 2 '--run 12345678: there is no code of this run' --run 12345678 one/*.pbm

# A patch over a code: error correction mends a small one, and a large one leaves nothing to read.
pbmmake -white 40 40 >patch.pbm
pbmmake -black 260 260 >large.pbm
pnmpaste patch.pbm 300 200 one/001.pbm >scratched.pbm
pnmpaste large.pbm 200 120 one/001.pbm >ruined.pbm
case_of "a scratched code is mended" 0 'complete, status 0' scratched.pbm "${@:2}"
same "to the last bit" one.jsonl
case_of "a ruined code" 1 'ruined.pbm: no QR code is found' ruined.pbm "${@:2}"
grep -qF "code 1 of $n is missing" printed && echo "ok qr and is missing" || { echo "not ok qr and is missing"; failed=1; }

text=$(zbarimg -q --raw --nodbus one/001.pbm)
pbmmake -white 320 200 >white.pbm
case_of "no code in the picture" 1 'white.pbm: no QR code is found in it' white.pbm
grep -qF "there is no QR code of Anechoic's" printed && echo "ok qr that is said" || { echo "not ok qr that is said"; failed=1; }
case_of "a picture without a code among good ones" 0 'white.pbm: no QR code is found' white.pbm one/*.pbm
pnmscale 0.25 one/001.pbm 2>/dev/null >small.pgm
case_of "too small to be read" 1 'small.pgm: no QR code is found' small.pgm "${@:2}"
is "a code's text begins with AQ1" "${text:0:3}" = AQ1
pnmsmooth -width=31 -height=31 one/001.pbm >blurred.pgm 2>/dev/null
case_of "blurred beyond reading" 1 'blurred.pgm: no QR code is found in it; is it blurred' blurred.pgm "${@:2}"
echo 'no picture' >text.jpg
case_of "no picture" 2 'text.jpg: no image or video that can be read' text.jpg
case_of "no picture among good ones: the records are there all the same" 2 'complete, status 0' text.jpg one/*.pbm
same "all of them" one.jsonl
case_of "a file that is not there" 2 'nothing.jpg' nothing.jpg
case_of "an output that cannot be written" 4 'no/such/dir' -o no/such/dir one/*.pbm
case_of "an output that is a picture" 2 'it is one of the images' -o one/001.pbm one/*.pbm
case_of "no picture at all" 2 'no image or video is named'

# Without the programs that it needs.
mkdir bin
path=$dir/bin case_of "without zbar" 4 'apt-get install zbar-tools' one/001.pbm
printf '\0\0\0\040ftypisom0000' >film.mp4
path=$dir/bin case_of "a video without ffmpeg" 4 'film.mp4: a video needs ffmpeg: apt-get install ffmpeg' film.mp4

# A film in which each code is to be seen for a second.
if command -v ffmpeg >/dev/null; then
    mkdir pictures
    export TMPDIR=$dir/pictures # other tests use the usual one at the same time
    ffmpeg -nostdin -v error -framerate 1 -i one/%03d.pbm -r 25 -pix_fmt yuv420p film.mp4 -y
    case_of "a video" 0 'out: 200 records' film.mp4
    same "and each of its codes" one.jsonl
    head -c 20000 film.mp4 >cut.mp4
    case_of "a video that is cut off" 2 'cut.mp4: no image or video that can be read' cut.mp4
    is "its pictures are removed" "$(find pictures -mindepth 1 | wc -l)" = 0
else
    echo "skipped qr a video: there is no ffmpeg; the package ffmpeg has it"
fi

# ---- figures ----

session 480 3 >long.jsonl
is "64 KiB of records" "$(wc -c <long.jsonl)" -ge 65536
is "are within two minutes at a code a second" "$(codes 640 480 long.jsonl long)" -le 120
exit $failed
