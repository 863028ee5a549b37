# Sourced by scripts with several paths to one subsystem, whose name is in nqn.

# find_path PORT: sets CONTROLLER to the kernel's controller at a port.
find_path()
{
    local directory name address
    for directory in /sys/class/nvme/nvme*
    do
        read -r name < "$directory/subsysnqn" && read -r address < "$directory/address" || continue
        [ "$name" = "$nqn" ] || continue
        case $address in
            *trsvcid=$1 | *trsvcid=$1,*)
                CONTROLLER=${directory##*/}
                return 0
                ;;
        esac
    done 2> /dev/null
    return 1
}

# is_path PORT STATE: whether the kernel's controller at a port is in a state, such as live.
is_path()
{
    local state
    find_path "$1" && read -r state < "/sys/class/nvme/$CONTROLLER/state" && [ "$state" = "$2" ]
}
