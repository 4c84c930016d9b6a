# Programs of the user's own as modules: what the cases of tests/boot/cases/programs.sh boot. Sourced by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2034

payload() { build/host/anechoic payload build "$@" >/dev/null; }
functions=crc32,sort,find,matrix,move
function_files() { # function_files FILE OPTION...: those of tests/payload/functions.c
    payload tests/payload/functions.c -o "$1" --entry crc32 --arg 100 --entry sort --arg 100 --entry find --arg 100 --entry matrix --arg 8 \
        --entry move --arg 100 "${@:2}"
}
PRINTS='--entry print --arg 49 --entry much --arg 1000 --entry leave --arg 5 --entry fails --arg 3
    --entry aborts --arg 1 --entry asserts --arg 4 --entry nothing'

BROKEN='undefined nowhere divided protected breakpoint single stackless overwrites recurses spins deaf sleeps'

# Some seconds of compiling, where one of the cases is selected.
payload_files() {
    local bits i file name machine
    # functions of every kind
    for bits in 32 64; do function_files "$dir/functions$bits.mod" --bits $bits; done
    # programs that trap or never return
    # shellcheck disable=SC2046,SC2086 # a word for each
    for bits in 32 64; do
        payload tests/payload/broken.S -o "$dir/broken$bits.mod" --bits $bits \
            $(printf -- '--entry %s ' fine $BROKEN $([ $bits = 64 ] || echo changes spoils looks))
    done
    # modules that are wrong
    printf 'void payload(long n) { (void)n; }\n' >"$dir/one.c"
    payload "$dir/one.c" -o "$dir/one.mod"
    payload "$dir/one.c" -o "$dir/wrong32.mod" --bits 32
    mkdir -p "$dir/again"
    payload "$dir/one.c" -o "$dir/again/one.mod"
    payload "$dir/one.c" -o "$dir/empty.mod"
    payload "$dir/one.c" -o "$dir/code.mod"
    head -c 3000 "$dir/one.mod" >"$dir/cut.mod"
    { head -c 5000 "$dir/one.mod" && printf '\377' && tail -c +5002 "$dir/one.mod"; } >"$dir/changed.mod"
    for ((i = 0; i < 100; i++)); do cp "$dir/one.mod" "$dir/m$i.mod"; done
    for ((i = 0; i < 17; i++)); do payload "$dir/one.c" -o "$dir/of$i.mod"; done
    # regions
    for bits in 32 64; do payload tests/payload/regions.c -o "$dir/marked$bits.mod" --bits $bits --arg 7; done
    # traces
    for bits in 32 64; do payload tests/payload/hooked.c -o "$dir/hooked$bits.mod" --bits $bits --arg 7; done
    # printing and ending
    for bits in 32 64; do payload tests/payload/print.c -o "$dir/print$bits.mod" --bits $bits $PRINTS; done
    # libp5mon: the thesis's programs
    for file in tests/payload/p5mon/*; do
        name=$(basename "${file%.*}")
        payload "$file" --bits 32 --entry "$name=main" -o "$dir/$name.mod"
    done
    # functions that need much of the stack, as an object file that was compiled elsewhere
    for bits in 32 64; do
        if [ $bits = 64 ]; then machine=(); else machine=(-march=i586 -mno-sse); fi
        gcc -m$bits "${machine[@]}" -O1 -fPIE -mno-red-zone -ffreestanding -fno-stack-protector -fcf-protection=none \
            -c tests/payload/deep.c -o "$dir/deep$bits.o"
        payload "$dir/deep$bits.o" -o "$dir/deep$bits.mod" --bits $bits --entry large --arg 3 --entry deep --entry sparse --arg 1
    done
    # the example of docs/payload.md
    payload docs/examples/crc32.c --bits 32 --arg 60000 -o "$dir/crc32_32.mod"
    # one that never returns
    for bits in 32 64; do payload tests/payload/never.c --bits $bits --arg 1 -o "$dir/never_$bits.mod"; done
}

[ $list = yes ] || [ -z "$(list=yes && . tests/boot/cases/programs.sh)" ] || payload_files
. tests/boot/cases/programs.sh
