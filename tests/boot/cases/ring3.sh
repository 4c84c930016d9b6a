# The ways from ring 3 to the kernel: only the bracket's own INT 80h ends a call, and what cannot be is no count. Sourced
# by tests/boot/run.sh.
# shellcheck shell=bash disable=SC2154,SC2034

# INT 80h and INT 31h of the user's own; a far call through the Pentium's gate, with an ECX that RDMSR refuses; MSRs of counters and
# the time stamp, set back (at ring 0).
if [ "$list" = no ]; then
    module back64 64 nop=90 back=cd80 behind=90cd80 timer=cd31 other=cd81 irq=cd20 nmi=cd02 sample=cdf1 spurious=cdff loop=b90300000090cd81e2fb last=90
    module back32 32 nop=90 back=cd80 behind=90cd80 timer=cd31 other=cd81 irq=cd20 nmi=cd02 sample=cdf1 spurious=cdff loop=b90300000090cd81e2fb last=90
    # CDh before an instruction that is no INT; far returns and jumps to the next instruction, and to nowhere.
    module far64 64 data=b901000000a8cd90 iret=4889e06a008c1424509c8cc850488d05030000005048cf lret=8cc850488d05030000005048cb \
        jump=8cc8504883ec08488d050d0000008904248cc86689442404ff2c244883c410 iret_bad=6a006a006a0068341200006a0048cf lret_bad=6a006a0048cb last=90
    module far32 32 data=b901000000a8cd90 iret=9c0ee80000000083042405cf lret=0ee80000000083042405cb \
        jump=0ee80000000083042407ff2c2483c408 iret_bad=6a0068341200006a00cf lret_bad=6a006a00cb last=90
    module gate32 32 nop=90 gate=b9090300009a000000004b00 last=90
    module set64 64 nop=90 count=31c031d2b9090300000f30 tsc=31c031d2b9100000000f30 last=90
    module fast64 64 enter=0f34 call=0f05 last=90
    module fast32 32 enter=0f34 last=90
    mkdir "$dir/astray"
    for f in "i586 32" "x86_64 64"; do
        read -r flavour bits <<<"$f"
        cat >"$dir/astray/astray.c" <<EOT
enum { FIRST = 0x$(address_of user_text_start "$flavour"), END = 0x$(address_of user_text_end "$flavour") };
/* The place on the stack where user_done's address stands: INT 80h in the kernel's pages that ring 3 may execute. */
static unsigned long *find(unsigned long *sp)
{
    for (;; sp++)
        if (*sp >= FIRST && *sp < END && ((unsigned char *)*sp)[0] == 0xcd && ((unsigned char *)*sp)[1] == 0x80) return sp;
}
/* Goes to where the bracket returns to, past the bracket. */
void astray(long arg)
{
    unsigned long *sp = find(__builtin_frame_address(arg & 0));
#ifdef __x86_64__
    __asm__ volatile("movq %0, %%rsp\n\tret" ::"r"(sp));
#else
    __asm__ volatile("movl %0, %%esp\n\tret" ::"r"(sp));
#endif
}
/* Calls the kernel's INT 80h, on a stack that is not the one it is for. */
void borrowed(long arg) { ((void (*)(void))*find(__builtin_frame_address(arg & 0)))(); }
void own(long arg)
{
    (void)arg;
    __asm__ volatile("int \$0x80");
}
void good(long arg) { (void)arg; }
EOT
        build/host/anechoic payload build --bits $bits --entry astray --entry borrowed --entry own --entry good \
            "$dir/astray/astray.c" -o "$dir/astray$bits.mod" >/dev/null
    done
fi
for f in "i586 pentium 32 5 4 5" "x86_64 max 64 10 5 9"; do
    read -r flavour cpu bits iret lret jump <<<"$f"
    boot "ring3-back-$flavour-3" 1 "--flavour $flavour --cpu $cpu --icount --module '$dir/back$bits.mod' --append 'bench=code reps=3 ring=3'" \
        refused 'results | map([.variant, .median]) == [["nop",1],["last",1]]' refuses
    boot "ring3-back-$flavour-0" 1 "--flavour $flavour --cpu $cpu --icount --module '$dir/back$bits.mod' --append 'bench=code reps=3 ring=0'" \
        refused 'results | map([.variant, .median, (.flags | index("stray"))]) == [["nop",1,null],["last",1,null]]' refuses
    for ring in 0 3; do
        boot "ring3-far-$flavour-$ring" 1 "--flavour $flavour --cpu $cpu --icount --module '$dir/far$bits.mod' --append 'bench=code reps=3 ring=$ring'" \
            'faults | map(.[0:3]) == [["iret_bad",13,1],["lret_bad",13,1]]' \
            'results | map([.variant, .median]) == [["data",3],["iret",$iret],["lret",$lret],["jump",$jump],["last",1]]'
    done
    boot "ring3-astray-$flavour" 1 \
        "--flavour $flavour --cpu $cpu --icount --module '$dir/astray$bits.mod' --append 'bench=astray,borrowed,own,good reps=3 ring=3'" \
        'faults | map(.[0:2]) == [["astray",null],["borrowed",13],["own",13]]' 'results | map(.bench) == ["good"]' \
        'messages | (.[0] | test("did not return to the bracket")) and (.[2] | test("own.0x0"))'
done
for f in "p5 32" "skylake 64"; do
    read -r cpu bits <<<"$f"
    sim_boot "ring3-back-$cpu-0" 1 "--cpu $cpu --module $dir/back$bits.mod" 'bench=code reps=3 ring=0 events=instructions' refused refuses \
        'results | map(select(.event == "instructions") | [.variant, .median]) == [["nop",1],["last",1]]'
    sim_boot "ring3-back-$cpu" 1 "--cpu $cpu --module $dir/back$bits.mod --module $dir/astray$bits.mod" \
        'bench=code,astray,good reps=3 ring=3 events=instructions' \
        'faults == refused_faults + [["astray", null, null, null]]' \
        'results | map(select(.event == "instructions")) | map([.variant, .median >= 0, (.flags | index("modelled") != null)])
            == [["nop",true,true],["last",true,true],["",true,true]]'
done
sim_boot ring3-gate-p5 1 "--cpu p5 --module $dir/gate32.mod" 'bench=code reps=3 ring=3 events=instructions' 'faults == [["gate",13,1,5]]' \
    'results | map(select(.event == "instructions") | .median) == [1,1]'
sim_boot ring3-set-skylake 1 "--cpu skylake --module $dir/set64.mod" 'bench=code reps=3 ring=0 events=instructions' \
    'results | map(.variant) | unique == ["last","nop"]' \
    'messages | length == 2 and (.[0] | test("instructions counted -[0-9]+, which is no count")) and
        (.[1] | test("the time stamp counted -[0-9]+, which is no count"))'
# As another system leaves the registers of SYSENTER and SYSCALL (tests/boot/loader.c): they are closed at ring 3.
fast() { # fast NAME FLAVOUR CPU BITS VECTORS
    local status vectors=$5
    status=$(qemu "$1" "" -m 128 -cpu "$3" -icount shift=0 -serial "file:$dir/$1.com1" -kernel build/boot/loader.elf \
        -initrd "build/$2/anechoic.elf,$dir/fast$4.mod fast$4.mod" -append 'fastcalls exit=qemu bench=code reps=3 ring=3' </dev/null)
    records_of "$dir/$1.com1" "$dir/$1.jsonl"
    judge "$1" 1 "$status" 'faults | map(.[1:]) == $vectors' 'results | map(.variant) == ["last"]'
}
custom ring3-fast-x86_64 fast x86_64 core2duo 64 '[[13,1,0],[6,1,0]]'
custom ring3-fast-i586 fast i586 pentium3 32 '[[13,1,0]]'
