# Where processors sit, by each leaf that QEMU has, and that a lone processor has no such record. Sourced by
# tests/boot/run.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2261

# topology NAME CPU SMP 'condition on {t: topology, p: places}'...: all processors of this machine, in both kernels where
# the CPU has long mode. -smp comes a second time, since the script's own takes only a number.
topology() {
    local name=$1 cpu=$2 smp=$3 n=${3%%,*} f flavours='i586 x86_64'
    shift 3
    [ "$cpu" != pentium3 ] || flavours=i586
    for f in $flavours; do
        # So many processors take an emulator ten seconds: each case with one of the kernels, which have the same code for it.
        $([[ $name-$f = 252-i586 || $name-$f = 255-x86_64 || $name != 25? ]] || echo long) boot "topology-$name-$f" 0 \
            "--flavour $f --cpu $cpu --smp $n --qemu-arg -smp --qemu-arg $smp --append 'cpus=all bench=empty'" \
            'placed | (.p | length) == $n and .t.processors == $n and (.p | map(.cpu)) == [range($n)]' \
            'placed | (.p | map([.core, .thread]) | unique | length) == $n and (.p | map(.package) | unique | length) == .t.packages' \
            "${@/#/placed | }"
    done
}

# Until QEMU 9.0 each thread has an L1 of its own, since 9.1 each core: then it has this property.
l1_of_core() { qemu-system-x86_64 -device max-x86_64-cpu,help 2>/dev/null | grep -q x-l1-cache-per-thread; }
if l1_of_core; then l1='[[1,4,2],[1,4,2]]'; else l1='[[1,8,1],[1,8,1]]'; fi

for f in i586 x86_64; do
    boot "topology-alone-$f" 0 "--flavour $f --smp 4 --append bench=empty" 'topology == null' 'places == []'
done
topology threads max 8,sockets=2,dies=1,cores=2,threads=2 '.t.packages == 2 and .t.cores == 4 and .t.threads == 2 and .t.leaves == ["cpuid.0Bh"]' \
    '.p | map([.package, .core, .thread]) == [[0,0,0],[0,0,1],[0,1,0],[0,1,1],[1,2,0],[1,2,1],[1,3,0],[1,3,1]]'
# Three cores: IDs have room for four, so those of the second package begin at 4.
topology holes max 6,sockets=2,cores=3 '.t.packages == 2 and .t.cores == 6' '.p | map(.apic_id) == [0,1,2,4,5,6] and map(.core) == [0,1,2,3,4,5]'
topology caches Skylake-Server 8,sockets=2,cores=2,threads=2 '.t.leaves == ["cpuid.0Bh","cpuid.4"]' \
    '.t.caches | map([.level, .number, .shared]) == $l1 + [[2,4,2],[3,2,4]]' \
    '(.p[0].caches - (.p[0].caches - .p[3].caches) | length) == 1 and (.p[0].caches - .p[4].caches) == .p[0].caches'
# level=: if 1Fh is the highest leaf, QEMU 10.0 ends by an assertion (encode_topo_cpuid1f(): count), also without any kernel.
topology dies Skylake-Server,level=0x20 8,sockets=2,dies=2,cores=2 '.t.leaves[0] == "cpuid.1Fh" and .t.dies == 4 and .t.packages == 2 and .t.cores == 8' \
    '.p | map(.die) == [0,0,1,1,2,2,3,3]'
topology leaf4 core2duo 4,sockets=2,cores=2 '.t.leaves == ["cpuid.4","cpuid.1"] and .t.packages == 2 and .t.cores == 4 and .t.threads == 1'
topology leaf4-threads core2duo 8,sockets=2,cores=2,threads=2 '.t.leaves == ["cpuid.4","cpuid.1"] and .t.packages == 2 and .t.cores == 4 and .t.threads == 2'
# As on a Pentium 4, where all that a package has are threads; and two packages of one processor each.
topology leaf1-threads pentium3 4,sockets=2,threads=2 '.t.leaves == ["cpuid.1"] and .t.packages == 2 and .t.cores == 2 and .t.threads == 2' \
    '.t.caches | all(has("number") | not)'
topology leaf1-packages pentium3 2,sockets=2 '.t.leaves == ["cpuid.1"] and .t.packages == 2 and .t.cores == 2 and .t.threads == 1'
topology amd EPYC,cpuid-0xb=off 8,sockets=2,cores=4 '.t.leaves[0] == "cpuid.80000008h" and .t.packages == 2 and .t.cores == 8'
topology 252 max 252,sockets=2,cores=63,threads=2 '.t.cores == 126 and .t.threads == 2' '.p[251] | .apic_id == 253 and .package == 1'
topology 255 max 255,sockets=255 '.t.packages == 255 and .t.cores == 255 and .t.threads == 1'

drawing() { # the same from the kernel and from `anechoic show`, and no wider than the screen
    ./run-qemu.sh --no-install --smp 8 --qemu-arg -smp --qemu-arg 8,sockets=2,cores=2,threads=2 --cpu Skylake-Server \
        -o "$dir/$1.jsonl" --append 'cpus=all bench=empty' >"$dir/$1.out" 2>&1
    judge_drawing "$1" || return
    say "ok $1"
}
judge_drawing() {
    local face cores='each with L2 4 MiB, L1d 32 KiB, L1i 32 KiB'
    l1_of_core || cores="each with L2 4 MiB"$'\n'"                2 threads, each with L1d 32 KiB, L1i 32 KiB"
    build/host/anechoic show "$dir/$1.jsonl" >"$dir/$1.show" 2>&1
    for face in out show; do
        tr -d '\r' <"$dir/$1.$face" | sed -n '/^  Topology/,/^  Consoles\|^  Quiet\|^$/p' | grep -v '^  Quiet' >"$dir/$1.$face.drawn"
        diff "$dir/$1.$face.drawn" - <<END >"$dir/$1.diff" || { fail "$1" "$face: $(head -n 3 "$dir/$1.diff" | tail -n 1)"; return 1; }
  Topology  8 processors: 2 packages, 4 cores (cpuid.0Bh, cpuid.4)
            2 packages, each with L3 16 MiB
              2 cores of 2 threads, $cores
            package  core  cpu  APIC ID
            0        0     0,1  0,1
            0        1     2,3  2,3
            1        2     4,5  4,5
            1        3     6,7  6,7
END
    done
}
custom topology-drawing drawing
