# Both ends of connections whose PDUs are damaged: the kernel's initiator, connected through a proxy on the host, moves data as
# /share/request asks for, and the kernel's target serves a RAM disk on port 4420.
# usage: corruption.sh PROXY_PORT NQN NVMET_NQN
# Requests, numbered: connect OPTION..., write BYTE LENGTH (of /share/data), read BYTE LENGTH (to /share/data), reset, disconnect, end.
. "$(dirname "$0")/common.sh"
proxy=$1
nqn=$2
nvmet=/sys/kernel/config/nvmet
subsystem=$nvmet/subsystems/$3
port=$nvmet/ports/1

setup()
{
    modprobe nvme-tcp
    modprobe nvmet-tcp
    modprobe brd rd_nr=1 rd_size=8192
    mkdir -p "$subsystem/namespaces/1" $port
    echo 1 > "$subsystem/attr_allow_any_host"
    echo /dev/ram0 > "$subsystem/namespaces/1/device_path"
    echo 1 > "$subsystem/namespaces/1/enable"
    echo tcp > $port/addr_trtype
    echo ipv4 > $port/addr_adrfam
    echo 0.0.0.0 > $port/addr_traddr
    echo 4420 > $port/addr_trsvcid
    ln -s "$subsystem" $port/subsystems/"$3"
}

connects()
{
    connect "$proxy" "$nqn" --nr-io-queues=1 --reconnect-delay=1 --ctrl-loss-tmo=600 --keep-alive-tmo=60 "$@"
    namespace "$nqn" 1
}

# In one command of that length.
transfer()
{
    namespace "$nqn" 1 || return 1
    case $1 in
        write) dd if=/share/data of="$NAMESPACE" bs="$3" count=1 seek="$2" oflag=direct,seek_bytes status=none ;;
        read) dd if="$NAMESPACE" of=/share/data bs="$3" count=1 skip="$2" iflag=direct,skip_bytes status=none ;;
    esac
}

# What fails is tried again by the kernel itself.
reset()
{
    find_controller "$nqn" || return 1
    echo 1 > "/sys/class/nvme/$CONTROLLER/reset_controller" || echo "the first attempt failed"
}

did=0
carry_out()
{
    local number what result
    await 400 "read -r number _ < /share/request && [ \$number -gt $did ]"
    read -r number what arguments < /share/request
    did=$number
    case $what in
        connect) connects $arguments ;;
        write | read) transfer "$what" $arguments ;;
        reset) reset ;;
        disconnect) disconnect "$nqn" ;;
        end) ENDED=yes ;;
    esac
    result=$?
    [ "$what" = end ] || [ "$what" = disconnect ] || await 60 "is_state '$nqn' live" || result=1
    echo "did $number $result"
}

step setup setup "$@"
[ -z "${FAILED:-}" ] || finish
echo "serving"
ENDED=
while [ -z "$ENDED" ]
do
    carry_out || exit 1
done
finish
