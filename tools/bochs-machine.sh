# shellcheck shell=bash
# The machines that Bochs is asked to be: its model of each CPU, and its configuration. Sourced, not run.

# bochs_model CPU: Bochs's model for that CPU of ours. Bochs has no Pentium Pro: a Pentium II without what that added,
# and the PMU model's CPUID. It has no Northwood, either: a Willamette with the model's CPUID.
bochs_model() {
    case $1 in
    p5) echo pentium ;;
    p55c) echo pentium_mmx ;;
    ppro) echo 'p2_klamath, exclude_features="mmx,sysenter_sysexit"' ;;
    p2) echo p2_klamath ;;
    p3) echo p3_katmai ;;
    willamette | northwood) echo p4_willamette ;;
    prescott) echo p4_prescott_celeron_336 ;;
    k8) echo athlon64_venice ;;
    fam10h) echo 'phenom_8650_toliman, exclude_features="popcnt"' ;; # it says so, but Bochs wants SSE4.2 for it
    bulldozer) echo zambezi ;;
    zen | zen4) echo ryzen ;; # zen4: with the PMU model's CPUID
    coreduo) echo core_duo_t2400_yonah ;;
    core2) echo core2_penryn_t9600 ;;
    sandybridge) echo corei7_sandy_bridge_2600k ;;
    haswell) echo corei7_haswell_4770 ;;
    skylake) echo corei7_skylake_x ;;
    icelake) echo corei7_icelake_u ;;
    tigerlake) echo tigerlake ;;
    *) return 1 ;;
    esac
}

# bochs_flavour CPU: the kernel that it boots, the 64-bit one where it has long mode.
bochs_flavour() {
    case $1 in
    core2 | sandybridge | haswell | skylake | icelake | tigerlake | k8 | fam10h | bulldozer | zen | zen4) echo x86_64 ;;
    *) echo i586 ;;
    esac
}

# bochsrc DIR MODEL DISPLAY IPS ISO: DIR/bochsrc for a machine that boots from the image, whose log is DIR/log and whose
# serial line is DIR/serial. IPS: ticks of its clock in a second.
bochsrc() {
    cat >"$1/bochsrc" <<RC
plugin_ctrl: unmapped=1, biosdev=1, speaker=0
config_interface: textconfig
display_library: $3
cpu: model=$2, count=1, ips=$4, reset_on_triple_fault=0
clock: sync=none, time0=946684800
megs: 128
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=$5, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$1/serial
log: $1/log
panic: action=fatal
error: action=report
info: action=ignore
RC
}
