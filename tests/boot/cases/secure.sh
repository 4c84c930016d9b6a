# Secure Boot: keys of one's own, enrolled and used as docs/secure-boot.md says, in OVMF. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154

# The page's commands: all its lines that are set in by four blanks.
commands_of_page() { sed -n 's/^    //p' docs/secure-boot.md; }

# enrol VARIABLES IMAGE: the firmware starts the stick, and keeps what that writes. Keys are read from standard input.
enrol() {
    timeout 60 qemu-system-x86_64 -nodefaults -vga std -display none -no-reboot -m 256 -cpu max -M q35,smm=on \
        -global driver=cfi.pflash01,property=secure,value=on -serial stdio -device qemu-xhci \
        -drive if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd \
        -drive "if=pflash,unit=1,format=raw,file=$1" -drive "if=none,id=m,format=raw,readonly=on,file=$2" \
        -device usb-storage,drive=m,bootindex=0
}

# shows FILE TEXT: the file has the text, apart from the terminal's control sequences.
shows() { LC_ALL=C sed 's/\x1b\[[0-9;?=]*[A-Za-z]//g' "$1" 2>/dev/null | LC_ALL=C grep -aqF "$2"; }

# starts_nothing FILE WORDS OPTIONS...: run-qemu.sh starts no kernel, and its firmware prints WORDS. All output goes to FILE.
# The machine ends at these words, since the firmware would wait for ever.
starts_nothing() {
    local said=$1 words=$2 machine
    shift 2
    ./run-qemu.sh --no-install --timeout "${TIMEOUT:-120}" "$@" >"$said" 2>&1 &
    machine=$!
    until shows "$said" "$words"; do
        kill -0 $machine 2>/dev/null || return
        sleep 0.3
    done
    kill $machine 2>/dev/null
    wait $machine
    [ $? = 143 ]
}

secure_boot() {
    local here=$dir/$1.keys out=$dir/$1.out refused=(foreign)
    [ $long = no ] || refused+=(unsigned) # an image without a signature takes the same way in the firmware
    mkdir "$here"
    commands_of_page >"$here/commands"
    (cd "$here" && bash -e commands) >"$out" 2>&1 || { fail "$1" "the page's commands"; return; }
    cp /usr/share/OVMF/OVMF_VARS_4M.fd "$here/vars.fd"
    enrol "$here/vars.fd" "$here/enrol.img" >>"$out" 2>&1 </dev/null || { fail "$1" "the keys cannot be enrolled"; return; }
    module "$1" 64 nop=90
    # What the firmware does not know: a certificate that was not enrolled, and the image without a signature.
    build/host/anechoic image -o "$here/signed.img" --key "$here/db.key" --cert "$here/db.crt" --entry 'One=bench=empty reps=3' \
        --entry 'Two=bench=code reps=4' --module "$dir/$1.mod" >>"$out" 2>&1 &&
        openssl req -new -x509 -newkey rsa:2048 -nodes -subj /CN=other/ -keyout "$here/o.key" -out "$here/o.crt" >>"$out" 2>&1 &&
        build/host/anechoic image -o "$here/foreign.img" --key "$here/o.key" --cert "$here/o.crt" --entry 'One=bench=empty' >>"$out" 2>&1 &&
        build/host/anechoic image -o "$here/unsigned.img" --entry 'One=bench=empty' >>"$out" 2>&1 || { fail "$1" "no images"; return; }
    for image in "${refused[@]}"; do
        if ! starts_nothing "$here/said" 'No bootable option' --secure-boot "$here/vars.fd" --image "$here/$image.img" -o "$dir/$1.jsonl" ||
            [ -s "$dir/$1.jsonl" ] || ! grep -q 'Boot0001.*: Access Denied' "$here/said"; then
            cat "$here/said" >>"$out"
            fail "$1" "the $image image is not refused"
            return
        fi
    done
    ./run-qemu.sh --no-install --timeout "${TIMEOUT:-120}" --secure-boot "$here/vars.fd" --image "$here/signed.img" --choose 2 \
        -o "$dir/$1.jsonl" >>"$out" 2>&1
    judge "$1" 0 $? '.[0].cmdline == "bench=code reps=4"' '.[0].modules == 2' '.[0].acpi_oem != ""' \
        '.[0].consoles | any(startswith("framebuffer"))' '[results[].bench] == ["code"]'
}
custom secure-boot secure_boot

# press FILE: what a person would type, as the screen in FILE asks for it. Text that is waited for, and keys.
press() {
    local down=$'\e[B' step wanted key i
    for step in $'Security Violation|\r' 'Press any key| ' "Enroll hash from disk|$down"$'|\r' $'genuine|\r' "anechoic.cer|$down"$'|\r' \
        "View key 0|$down"$'|\r' "Enroll the key|$down"$'|\r' $'Reboot|\r'; do
        IFS='|' read -r -d '' wanted step <<<"$step|" || true
        for ((i = 0; i < 150; i++)); do
            shows "$1" "$wanted" && break
            sleep 0.2
        done
        while IFS= read -r -d '|' key; do
            sleep 0.7
            printf %s "$key"
        done <<<"$step"
    done
}

# A PC with the keys that it was shipped with: Debian's shim does not know our certificate, and starts MokManager, in which
# whoever sits there enrols it. Without that nothing of ours starts.
shim() {
    local here=$dir/$1.keys out=$dir/$1.out status=0
    mkdir "$here"
    mkfifo "$here/keys"
    { openssl req -new -x509 -newkey rsa:2048 -nodes -subj /CN=mine/ -keyout "$here/my.key" -out "$here/my.crt" &&
        build/host/anechoic image --shim --key "$here/my.key" --cert "$here/my.crt" -o "$here/shim.img" --entry 'One=bench=empty reps=3'; } \
        >"$out" 2>&1 || { fail "$1" "no image"; return; }
    cp /usr/share/OVMF/OVMF_VARS_4M.ms.fd "$here/vars.fd"
    ./run-qemu.sh --no-install --timeout 20 --secure-boot "$here/vars.fd" --image "$here/shim.img" -o "$dir/$1.jsonl" >>"$out" 2>&1 || status=$?
    if [ $status != 124 ] || [ -s "$dir/$1.jsonl" ]; then fail "$1" "it starts before the key is enrolled, or fails: status $status"; return; fi
    press "$here/screen" >"$here/keys" &
    enrol "$here/vars.fd" "$here/shim.img" <"$here/keys" >"$here/screen" 2>>"$out" || { fail "$1" "the key cannot be enrolled"; return; }
    ./run-qemu.sh --no-install --timeout "${TIMEOUT:-120}" --secure-boot "$here/vars.fd" --image "$here/shim.img" -o "$dir/$1.jsonl" >>"$out" 2>&1
    judge "$1" 0 $? '.[0].cmdline == "bench=empty reps=3"' '.[0].modules == 1' 'results | length == 1'
}
custom secure-boot-shim shim
