# Two paths of the kernel's native multipath to one subsystem, whose ANA states change under a load that verifies itself.
# Says each time when it has seen a change and where I/O goes then.
# usage: ana.sh PORT PORT NQN
. "$(dirname "$0")/common.sh"
first=$1
second=$2
nqn=$3

# find_path PORT NSID: sets CONTROLLER and WAY to the kernel's controller at a port and its directory of a namespace.
find_path()
{
    local directory way name address nsid
    for directory in /sys/class/nvme/nvme*
    do
        read -r name < "$directory/subsysnqn" && read -r address < "$directory/address" || continue
        [ "$name" = "$nqn" ] || continue
        case $address in
            *trsvcid=$1 | *trsvcid=$1,*) ;;
            *) continue ;;
        esac
        for way in "$directory"/nvme*c*n*
        do
            if read -r nsid < "$way/nsid" && [ "$nsid" = "$2" ]
            then
                CONTROLLER=${directory##*/}
                WAY=$way
                return 0
            fi
        done
    done 2> /dev/null
    return 1
}

# is_ana PORT NSID STATE: whether the kernel has that state for the path.
is_ana()
{
    local state
    find_path "$1" "$2" && read -r state < "$WAY/ana_state" && [ "$state" = "$3" ]
}

# count PORT: sets COUNT to the reads and writes of namespace 1 that went through the path.
count()
{
    local reads writes
    find_path "$1" 1 && read -r reads _ _ _ writes _ < "$WAY/stat" && COUNT=$((reads + writes))
}

# counted PORT NUMBER: whether more than that went through the path.
counted()
{
    count "$1" && [ "$COUNT" -gt "$2" ]
}

# goes_through PORT OTHER: fails unless I/O goes through one path and not through the other.
goes_through()
{
    local there
    count "$1" || return 1
    await 30 "counted $1 $((COUNT + 10))" || return 1
    count "$2" || return 1
    there=$COUNT
    count "$1" || return 1
    await 30 "counted $1 $((COUNT + 50))" || return 1
    count "$2"
    [ "$COUNT" = "$there" ] || { echo "$((COUNT - there)) went through $2" >&2; return 1; }
}

# stands: fails when I/O goes through any path.
stands()
{
    local one other
    # What was under way has ended then.
    sleep 1
    count "$first" && one=$COUNT && count "$second" && other=$COUNT || return 1
    sleep 2
    count "$first" && [ "$COUNT" = "$one" ] && count "$second" && [ "$COUNT" = "$other" ]
}

# seen STATE STATE: waits for the states of namespace 1 on the two paths.
seen()
{
    await 30 "is_ana $first 1 $1" && await 30 "is_ana $second 1 $2" || { logs; exit 1; }
}

# logs: prints what nvme-cli says of each path.
logs()
{
    local port
    for port in $first $second
    do
        find_path "$port" 1
        echo "LOG $port $(nvme ana-log "/dev/$CONTROLLER" -o json | tr -d ' \n')"
    done
}

modprobe nvme-tcp
[ "$(cat /sys/module/nvme_core/parameters/multipath)" = Y ] || { echo "the kernel has no native multipath"; exit 1; }
for port in $first $second
do
    nvme connect -t tcp -a "$LAB_HOST" -s "$port" -n "$nqn" --nr-io-queues=2 --reconnect-delay=1 || exit 1
    await 20 "find_path $port 1" || exit 1
    await 20 "find_path $port 2" || exit 1
done
namespace "$nqn" 1 || exit 1
seen optimized inaccessible
is_ana "$first" 2 inaccessible && is_ana "$second" 2 non-optimized || { logs; exit 1; }
logs
nvme list-subsys "$NAMESPACE"
echo "connected"

# Each run verifies all that it has written, on the way and at its end.
(
    until [ -e /tmp/stop ]
    do
        fio --output=/tmp/fio --name=load --filename="$NAMESPACE" --ioengine=libaio --direct=1 --rw=randwrite --bs=4k \
            --size=8M --iodepth=8 --rate_iops=300 --verify=crc32c --verify_fatal=1 --do_verify=1 --verify_backlog=64 \
            || exit 1
    done
) &
load=$!

for round in 1 2 3 4 5 6
do
    if [ $((round % 2)) = 1 ]
    then
        seen optimized inaccessible
        goes_through "$first" "$second" || exit 1
    else
        seen inaccessible optimized
        goes_through "$second" "$first" || exit 1
    fi
    echo "round $round"
done

seen inaccessible inaccessible
stands || { echo "I/O goes on without a path"; exit 1; }
kill -0 $load || { echo "the load has ended"; exit 1; }
echo "I/O waits"
seen non-optimized inaccessible
goes_through "$first" "$second" || exit 1
echo "I/O goes on"

seen non-optimized optimized
goes_through "$second" "$first" || exit 1
echo "the optimized path is preferred"
# The kernel is not told of a transition; it learns of it by the status of a command.
seen non-optimized change
goes_through "$first" "$second" || exit 1
echo "in transition"
seen non-optimized inaccessible
echo "the transition has ended"

seen persistent-loss optimized
goes_through "$second" "$first" || exit 1
find_path "$first" 1
read -r before < "/sys/class/nvme/$CONTROLLER/cntlid"
echo "access is lost"
seen optimized optimized
find_path "$first" 1
read -r after < "/sys/class/nvme/$CONTROLLER/cntlid"
[ "$before" != "$after" ] || { echo "controller $before has come back from a loss for life"; exit 1; }
echo "access is back with another controller"

touch /tmp/stop
wait $load || { cat /tmp/fio; exit 1; }
logs
kernel_warnings | grep -iE 'I/O error|blk_update_request|timeout|BUG:|WARNING:|hung' | sed 's/^/WARNING /'
exit 0
