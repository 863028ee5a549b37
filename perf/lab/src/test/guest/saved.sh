# What MachineTest expects of a machine whose state was saved before its run: arguments, the time, the share.
. "$(dirname "$0")/common.sh"
echo "$1"
date +%s
echo "$1" > /share/kept
