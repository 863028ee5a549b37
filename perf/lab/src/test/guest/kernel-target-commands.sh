# Serves three namespaces with the kernel's own target over NVMe/TCP, port 4420: 1 a drive, 2 a device whose blocks 2048 to 4095
# fail, 3 a RAM disk. Does what /share/request asks for, and says at the end what the target answered to its first host.
# usage: kernel-target-commands.sh NQN
. "$(dirname "$0")/common.sh"
nqn=$1
nvmet=/sys/kernel/config/nvmet
subsystem=$nvmet/subsystems/$nqn
port=$nvmet/ports/1
trace=/sys/kernel/tracing
# No udev here that makes the nodes.
export DM_DISABLE_UDEV=1

add()
{
    mkdir "$subsystem/namespaces/$1"
    echo -n "$2" > "$subsystem/namespaces/$1/device_path"
    echo 1 > "$subsystem/namespaces/$1/enable"
}

setup()
{
    modprobe nvmet-tcp
    modprobe nvme-tcp
    modprobe dm-mod
    modprobe brd rd_nr=1 rd_size=8192
    await 20 '[ -b /dev/nvme1n1 ]'
    dmsetup create partly << T
0 2048 linear /dev/nvme1n1 0
2048 2048 error
4096 4096 linear /dev/nvme1n1 4096
T
    mount -t tracefs tracefs $trace
    mkdir -p "$subsystem" $port
    echo 1 > "$subsystem/attr_allow_any_host"
    add 1 /dev/nvme0n1
    add 2 /dev/mapper/partly
    add 3 /dev/ram0
    echo tcp > $port/addr_trtype
    echo ipv4 > $port/addr_adrfam
    echo 0.0.0.0 > $port/addr_traddr
    echo 4420 > $port/addr_trsvcid
    ln -s "$subsystem" $port/subsystems/"$nqn"
    echo 1 > $trace/events/nvmet/nvmet_req_complete/enable
}

discarded()
{
    local statistics
    read -r -a statistics < /sys/block/nvme0n1/stat
    echo "DISCARDED ${statistics[13]}"
}

# By a host of this machine; only hosts can.
protect()
{
    LAB_HOST=127.0.0.1 connect 4420 "$nqn" --nr-io-queues=1
    namespace "$nqn" 3
    nvme set-feature "$NAMESPACE" --namespace-id=3 --feature-id=0x84 --value="$1" > /dev/null
    disconnect "$nqn"
}

did=0
carry_out()
{
    local number what
    await 200 "read -r number what < /share/request && [ \$number -gt $did ]"
    read -r number what < /share/request
    did=$number
    case $what in
        discarded) discarded ;;
        disable) echo 0 > "$subsystem/namespaces/3/enable" ;;
        enable) echo 1 > "$subsystem/namespaces/3/enable" ;;
        protect) protect 1 ;;
        unprotect) protect 0 ;;
        end) ENDED=yes ;;
    esac || return 1
    echo "did $number"
}

step setup setup
[ -z "${FAILED:-}" ] || finish
echo "serving"
ENDED=
while [ -z "$ENDED" ]
do
    carry_out || exit 1
done
# The kernel prints 0 without a prefix.
sed -n 's/.*nvmet_req_complete: nvmet1: .*qid=1, .*status=\(0x\)\?\([0-9a-f]*\).*/STATUS 0x\2/p' $trace/trace
finish
