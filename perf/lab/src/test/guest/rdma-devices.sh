# Two RDMA devices in software, one with addresses and one whose interface is down, as verbs' own tool and ours see them.
# usage: rdma-devices.sh MILLRACE_COMMAND...
. "$(dirname "$0")/common.sh"
millrace=("$@")

makes_devices()
{
    modprobe rdma_rxe
    modprobe ib_uverbs
    ip link add lab0 type dummy
    ip link set lab0 mtu 4200 up
    ip addr add 192.0.2.1/24 dev lab0
    ip -6 addr add fd00:6d69:6c6c::1/64 dev lab0 nodad
    ip link add lab1 type dummy
    rdma link add rxe0 type rxe netdev lab0
    rdma link add rxe1 type rxe netdev lab1
    # The kernel adds addresses of an interface to the table of its device a moment later.
    await 20 "[ \$(ibv_devinfo -v -d rxe0 | grep -c 'GID\[') = 3 ]"
}

# Each number of ibv_devinfo as NAME VALUE, and each address with its index.
verbs_values()
{
    local line name value
    ibv_devinfo -v -d rxe0 | while IFS=: read -r name value
    do
        case $name in
        *GID\[*) line=${name//[^0-9]/}; echo "VALUE gid-$line ${value//[$'\t ']/}" ;;
        *) read -r name <<< "$name"; read -r value <<< "$value"; echo "VALUE ${name%% *} ${value%% *}" ;;
        esac
    done
}

lists()
{
    local text=
    "${millrace[@]}" rdma devices --json > /tmp/json
    read -r -d '' text < /tmp/json || true
    echo "JSON devices ${text//$'\n'/}"
}

# chooses ARGUMENT...: what is chosen, or why nothing is.
chooses()
{
    echo "VALUE chosen-$1-$2 $("${millrace[@]}" rdma devices --device "$1" --gid-index "$2" | grep '^device')"
}

step make makes_devices
step verbs verbs_values
step list lists
step choose chooses rxe0 2
step choose-down chooses rxe1 auto
finish
