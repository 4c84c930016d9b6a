# The serial port is found: by ACPI's tables, on PCI, or not at all; without a word, and by one. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2261

# little BYTES VALUE: little-endian.
little() {
    local i v=$2
    for ((i = 0; i < $1; i++)); do
        # shellcheck disable=SC2059
        printf "\\x$(printf %02x $((v & 255)))"
        v=$((v >> 8))
    done
}
generic_address() { little 1 "$1"; little 1 "$2"; little 1 0; little 1 "$3"; little 8 "$4"; } # SPACE WIDTH ACCESS ADDRESS

# spcr FILE KIND RATE SPACE WIDTH ACCESS ADDRESS: all behind the header, which QEMU makes.
spcr() {
    {
        little 4 "$2"
        generic_address "$4" "$5" "$6" "$7"
        little 6 0 # interrupts
        little 1 "$3"
        little 5 0x0300010000
        little 4 0xffffffff # not on PCI
        little 12 0
    } >"$1"
}
# dbg2 FILE KIND SPACE WIDTH ACCESS ADDRESS: one device.
dbg2() {
    {
        little 4 44; little 4 1
        little 1 0; little 2 40; little 1 1; little 2 2; little 2 38; little 4 0
        little 2 0x8000; little 2 "$2"; little 2 0; little 2 22; little 2 34
        generic_address "$3" "$4" "$5" "$6"
        little 4 8; little 2 46
    } >"$1"
}

# found NAME STATUS 'WORDS' 'QEMU-ARGUMENTS' CONDITION...: with a serial port whose output is $dir/NAME.port, as the
# character device c. Without one, arguments that have no c, nothing comes, and that is the case's affair.
found() {
    local status name=$1 want=$2 words=$3 arguments=$4
    shift 4
    # shellcheck disable=SC2086 # words
    status=$(qemu "$name" "bench=empty $words" -chardev "file,id=c,path=$dir/$name.port" $arguments </dev/null)
    records_of "$dir/$name.port" "$dir/$name.jsonl"
    judge "$name" "$want" "$status" 'results | length == 1' 'consoles | .ticks > 0' "$@"
}
found_case() { if selected "$1"; then background found "$@"; fi; }

if [ "$list" = no ]; then
    spcr "$dir/spcr-com2" 0 7 1 8 1 0x2f8
    spcr "$dir/spcr-slow" 0 3 1 8 1 0x2f8
    spcr "$dir/spcr-zero" 0 7 1 8 1 0
    spcr "$dir/spcr-arm" 3 7 0 32 3 0x9000000
    spcr "$dir/spcr-memory" 0x12 7 0 32 3 0xfe034000
    spcr "$dir/spcr-ram" 0x12 7 0 32 3 0x200000
    dbg2 "$dir/dbg2-odd" 0 1 8 1 0x2a0
    dbg2 "$dir/dbg2-memory" 0x14 0 32 3 0xfe034000
    printf '\0\0\0\0' >"$dir/short"
fi
SPCR="-acpitable sig=SPCR,rev=2,data=$dir/spcr"
DBG2="-acpitable sig=DBG2,rev=0,data=$dir/dbg2"
COM1='-device isa-serial,index=0,chardev=c' COM2='-device isa-serial,index=1,chardev=c' ODD='-device isa-serial,iobase=0x2a0,irq=5,chardev=c'

# ---- not a word is typed ----
found_case console-com1 0 '' "$COM1" 'console_is("com1"; "0x3f8,115200")' 'console_notes == []' 'consoles | .pci == "not searched"'
found_case console-com1-others 0 '' "$COM1 -device pci-serial,chardev=d -chardev null,id=d ${DBG2}-memory" 'console_is("com1"; "0x3f8,115200")' \
    'console_notes == []' 'consoles | .ports | map(.state) == ["console","named"]'
found_case console-spcr 0 '' "-device isa-serial,index=0,chardev=d -chardev null,id=d $COM2 ${SPCR}-com2" 'console_is("spcr"; "0x2f8,115200")' \
    'console_notes == ["the console is the UART at port 0x2f8, 115200 baud, found by ACPI\u0027s SPCR"]'
found_case console-spcr-rate 0 '' "$COM2 ${SPCR}-slow" 'console_is("spcr"; "0x2f8,9600")'
found_case console-bda 0 '' "$COM2" 'console_is("bda"; "0x2f8,115200")' 'passed_over("com1"; "not answer")'
found_case console-dbg2 0 '' "$ODD ${DBG2}-odd" 'console_is("dbg2"; "0x2a0,115200")' 'passed_over("com1"; "not answer")'
for card in '' -2x -4x; do
    found_case "console-pci$card" 0 '' "-device pci-serial$card,chardev${card:+1}=c" 'consoles | .by == "pci" and .pci == "searched"' \
        'consoles | .ports | any(.state == "console" and (.id | test("^1b36:000[234]$")) and (.port | test("^0xc[0-9a-f]+,115200$")))' \
        'console_notes | length == 2'
done
found_case console-pci-i586 0 '' '-kernel build/i586/anechoic.elf -cpu pentium -device pci-serial,chardev=c' 'consoles | .by == "pci"'
# All buses looked through, at 125 million instructions a second whatever else this machine does.
found_case console-time 0 '' '-device pci-serial,chardev=c -icount shift=3,sleep=off' 'consoles | .pci == "searched" and .ms < 100'
found_case console-pci-q35 0 '' '-M q35 -device pci-serial,chardev=c' 'consoles | .by == "pci"'
found_case console-pci-behind-bridge 0 '' '-device pci-bridge,id=b,chassis_nr=1 -device pci-serial,chardev=c,bus=b,addr=3' \
    'consoles | .by == "pci" and (.ports | any(.pci == "01:03.0" and .state == "console"))'

# ---- tables that lie: com1 is used, and a note names the fault (QEMU mends checksums and lengths itself) ----
lies() { # lies NAME 'QEMU-ARGUMENTS' BY WHY
    local by=$3 reason=$4
    found_case "console-lies-$1" 0 '' "$COM1 $2" 'console_is("com1"; "0x3f8,115200")' 'passed_over($by; $reason)' 'console_notes | length == 1'
}
lies absent "${SPCR}-com2" spcr 'not answer'
lies zero "${SPCR}-zero" spcr 'address is 0'
lies arm "${SPCR}-arm" spcr 'not compatible'
lies memory "${SPCR}-memory" spcr 'not answer'
lies ram "${SPCR}-ram" spcr 'that of RAM'
lies short "-acpitable sig=SPCR,rev=2,data=$dir/short" spcr shorter
lies short-dbg2 "-acpitable sig=DBG2,rev=0,data=$dir/short" dbg2 shorter

# ---- by a word ----
found_case console-word-spcr 0 console=spcr "$COM2 ${SPCR}-com2" 'consoles | .by == "spcr" and .wanted == "spcr"'
found_case console-word-auto 0 console=auto "$COM1" 'console_is("com1"; "0x3f8,115200")'
found_case console-word-pci 0 console=pci:00:05.0,9600 '-device pci-serial,chardev=c,addr=5' 'consoles | .by == "word" and (.console | test(",9600$"))' \
    'console_notes == []'
found_case console-word-com1 0 console=com1,9600 "$COM1 ${SPCR}-com2" 'consoles | .console == "0x3f8,9600" and .by == "word"' 'console_notes == []'
bad console-spcr-rate 'console=spcr,9600' 'not a serial port'
bad console-pci 'console=pci:00:20.0' 'not a serial port'
bad console-mmio 'console=mmio32:0xfe034002' 'not a serial port'

# ---- two consoles, one that is not there, none ----
two_consoles() { # text on com1, records on PCI
    local status
    status=$(qemu "$1" 'bench=empty records=pci:00:05.0' -serial "file:$dir/$1.com1" -chardev "file,id=c,path=$dir/$1.pci" \
        -device pci-serial,chardev=c,addr=5 </dev/null)
    records_of "$dir/$1.pci" "$dir/$1.jsonl"
    if grep -qa '^{' "$dir/$1.com1" || ! grep -qa '^empty' "$dir/$1.com1"; then fail "$1" "not only text on com1"; return; fi
    judge "$1" 0 "$status" 'results | length == 1' 'consoles | .ports | map(.state) | sort == ["console","records"]'
}
custom console-two two_consoles

no_console() { # no UART at all: the work is done, and ends as it should; also with words that name what is not there
    local status word
    for word in '' console=spcr console=pci:00:05.0 console=mmio32:0xfe034000 console=com2; do
        status=$(qemu "$1" "bench=empty $word" </dev/null)
        if [ "$status" != 0 ]; then fail "$1" "${word:-no word}: status $status"; return; fi
    done
    say "ok $1"
}
custom console-none no_console

elsewhere() { # a word is an order: com1 gets no byte instead; the records that another port keeps are whole
    local status
    status=$(qemu "$1" 'bench=empty console=spcr records=com2' -serial "file:$dir/$1.com1" -serial "file:$dir/$1.com2" </dev/null)
    records_of "$dir/$1.com2" "$dir/$1.jsonl"
    if [ -s "$dir/$1.com1" ]; then fail "$1" "something on com1"; return; fi
    judge "$1" 0 "$status" 'results | length == 1' 'passed_over("spcr"; "no such table")'
}
custom console-elsewhere elsewhere

# ---- registers in memory: no PC of QEMU has such a UART, the glue of Bochs has (sim/bochs/uart.cc) ----
# in_memory NAME CPU WORD BYTES [LIMIT]: text by the UART in memory, which takes LIMIT bytes; records on com1, which are whole.
in_memory() {
    local status uart=$dir/$1.uart word=$3
    ANECHOIC_UART=0xfe034000:$4:$uart${5:+:$5} ./run-bochs.sh --no-install --cpu "$2" -o "$dir/$1.jsonl" \
        --append "bench=empty console=$3:0xfe034000 records=com1" >"$dir/$1.out" 2>&1 </dev/null
    status=$?
    if [ -z "${5-}" ] && ! grep -qa '^done: 1 measurement' "$uart"; then fail "$1" "the UART has no text to its end"; return; fi
    if [ -n "${5-}" ] && [ "$(stat -c %s "$uart")" != "$5" ]; then fail "$1" "the UART has not $5 bytes"; return; fi
    judge "$1" 0 $status 'results | length == 1' 'consoles | .console == "\($word):0xfe034000,115200" and .by == "word"' \
        'consoles | .ports | map(.state) | index("records") != null'
}
in_memory_case() { if selected "$1"; then background in_memory "$@"; fi; }
in_memory_case console-mmio-i586 p55c mmio 1
in_memory_case console-mmio16 skylake mmio16 2
in_memory_case console-mmio32 skylake mmio32 4
in_memory_case console-mmio32-stops skylake mmio32 4 300
