# What MachineTest expects of any machine: arguments, both streams, the share, the kernel's log, hot-plug, the cable.
. "$(dirname "$0")/common.sh"
printf 'arguments:'
printf ' <%s>' "$@"
echo
echo "launcher's JVM: $MILLRACE_JAVA_OPTS"
echo "this goes to standard error" >&2
cp /share/from-host /share/from-guest
echo "lab: marker in the kernel's log" > /dev/kmsg
ls /dev/nvme0n1 /dev/nvme1n1 > /dev/null || exit 1
echo "ready for the drive"
await 30 'grep -lx "extra *" /sys/class/nvme/nvme*/serial' || exit 1
echo "drive is there"
await 30 '[ "$(cat /sys/class/net/*/carrier | sort | head -n 1)" = 0 ]' || exit 1
echo "link is down"
await 30 '[ "$(cat /sys/class/net/*/carrier | sort | head -n 1)" = 1 ]' || exit 1
echo "link is up"
exit 7
