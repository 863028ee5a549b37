# Shared by the comparisons: finding the peer, starting and stopping both sides, measuring in turn, reporting.
# Sourced after `set -euo pipefail`. The caller sets NAME and its own defaults, and calls common_option from its parser.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
NQN=nqn.2026-11.io.millrace:compare
ROUNDS=5
SECONDS_EACH=3
WARMUP_SECONDS=3
RUNNING_IN_SECONDS=1
TARGET_CPU=0
CLIENT_CPU=1
HUGEPAGES=auto
SOCKETS=posix
IDLE=sleep
REALTIME=no
CONGESTION=cubic
ONLY=
JSON_FILE=
MARKDOWN_FILE=
KEEP_LOGS=
DEVICE_MIB=256
PEER_MIB=1024
PIDS=()
PRIORITY=()

EXIT_FAILED=1
EXIT_USAGE=2
EXIT_MISSING=3

die()
{
    local status=$1
    shift
    echo "$NAME: $*" >&2
    exit "$status"
}

common_usage()
{
    cat <<U
  --rounds N             rounds of each case, each with all sides in random order ($ROUNDS)
  --seconds N            measured time of a round ($SECONDS_EACH)
  --running-in N         seconds of load before the measured time of each round ($RUNNING_IN_SECONDS)
  --warmup N             seconds of load before the first round of a case ($WARMUP_SECONDS)
  --only CASE,...        these cases only, by name
  --list                 print the names of the cases
  --target-cpu N         CPU of the target ($TARGET_CPU)
  --client-cpu N         CPU of the client ($CLIENT_CPU)
  --hugepages WHEN       auto, yes or no ($HUGEPAGES): for both sides, or for none; making them needs root
  --spdk-sockets IMPL    posix or uring ($SOCKETS): what SPDK's target does its network I/O with
  --idle MODE            sleep or busy-spin ($IDLE): what Millrace's reactor does without work; SPDK spins always
  --realtime WHEN        yes or no ($REALTIME): real-time priority (SCHED_RR) for targets and client, so that other processes do
                         not disturb them; needs root
  --congestion NAME      TCP's congestion control of both sides ($CONGESTION, which Linux has unless told otherwise); to be
                         another than the machine's needs root
  --json FILE            results of every round, medians and ratios
  --markdown FILE        the table, with command lines and the machine
  --logs DIR             keep the output of targets and clients there

Needs SPDK's nvmf_tgt and spdk_nvme_perf in PATH or under SPDK_DIR (a built source tree or an installation).
Exit status: 0 measured, 1 failed, 2 wrong usage, 3 no SPDK or another part missing.
U
}

# Takes one option of those above and sets SHIFT to the number of words used; fails when it is none of them.
common_option()
{
    SHIFT=2
    case $1 in
        --list) LIST=yes; SHIFT=1; return 0 ;;
        --rounds | --seconds | --running-in | --warmup | --only | --target-cpu | --client-cpu | --hugepages | \
            --spdk-sockets | --idle | --realtime | --congestion | --json | --markdown | --logs)
            [ -n "${2:-}" ] || die $EXIT_USAGE "$1 needs a value" ;;
        *) return 1 ;;
    esac
    case $1 in
        --rounds) ROUNDS=$(whole_number "$1" "$2") || exit ;;
        --seconds) SECONDS_EACH=$(whole_number "$1" "$2") || exit ;;
        --running-in) RUNNING_IN_SECONDS=$(whole_number "$1" "$2" 0) || exit ;;
        --warmup) WARMUP_SECONDS=$(whole_number "$1" "$2") || exit ;;
        --only) ONLY=$2 ;;
        --target-cpu) TARGET_CPU=$(whole_number "$1" "$2" 0) || exit ;;
        --client-cpu) CLIENT_CPU=$(whole_number "$1" "$2" 0) || exit ;;
        --hugepages) HUGEPAGES=$(one_of "$1" "$2" auto yes no) || exit ;;
        --spdk-sockets) SOCKETS=$(one_of "$1" "$2" posix uring) || exit ;;
        --idle) IDLE=$(one_of "$1" "$2" sleep busy-spin) || exit ;;
        --realtime) REALTIME=$(one_of "$1" "$2" yes no) || exit ;;
        --congestion) CONGESTION=$(congestion_control "$1" "$2") || exit ;;
        --json) JSON_FILE=$2 ;;
        --markdown) MARKDOWN_FILE=$2 ;;
        --logs) KEEP_LOGS=$2 ;;
    esac
}

value()
{
    [ -n "$2" ] || die $EXIT_USAGE "$1 needs a value"
    echo "$2"
}

whole_number()
{
    [[ $2 =~ ^[0-9]+$ ]] && [ "$2" -ge "${3:-1}" ] ||
        die $EXIT_USAGE "$1 $2: must be a whole number of at least ${3:-1}"
    echo "$2"
}

one_of()
{
    local option=$1 value=$2 choice
    shift 2
    for choice in "$@"
    do
        [ "$value" != "$choice" ] || { echo "$value"; return; }
    done
    die $EXIT_USAGE "$option $value: must be one of $*"
}

# What is a module is loaded by its first use.
congestion_control()
{
    local known
    known=$(sysctl -n net.ipv4.tcp_available_congestion_control)
    # shellcheck disable=SC2086 # a word each
    modinfo -n "tcp_$2" > /dev/null 2>&1 || one_of "$1" "$2" $known > /dev/null
    echo "$2"
}

# Keeps the cases that --only names; CASES holds "name pattern bytes depth" each.
select_cases()
{
    local case_line name kept=()
    if [ -n "${LIST:-}" ]
    then
        printf '%s\n' "${CASES[@]}" | cut -d ' ' -f 1
        exit 0
    fi
    [ -n "$ONLY" ] || return 0
    for name in ${ONLY//,/ }
    do
        for case_line in "${CASES[@]}"
        do
            [ "${case_line%% *}" != "$name" ] || { kept+=("$case_line"); continue 2; }
        done
        die $EXIT_USAGE "--only $name: no such case; --list prints them"
    done
    CASES=("${kept[@]}")
}

find_spdk()
{
    local directory
    for directory in ${SPDK_DIR:+"$SPDK_DIR/build/bin" "$SPDK_DIR/bin" "$SPDK_DIR"}
    do
        if [ -x "$directory/nvmf_tgt" ] && [ -x "$directory/spdk_nvme_perf" ]
        then
            SPDK_BIN=$directory
            return
        fi
    done
    if [ -z "${SPDK_DIR:-}" ] && command -v nvmf_tgt >/dev/null && command -v spdk_nvme_perf >/dev/null
    then
        SPDK_BIN=$(dirname "$(command -v nvmf_tgt)")
        return
    fi
    die $EXIT_MISSING "no SPDK build with nvmf_tgt and spdk_nvme_perf found${SPDK_DIR:+ in $SPDK_DIR}: point to one with" \
        "SPDK_DIR=/path/to/spdk $0"
}

# set_congestion: until the end sockets have the congestion control that was asked for. bbr spaces what is sent by timers:
# over loopback its estimates of the rate decide over large blocks, not the programs.
set_congestion()
{
    local setting=net.ipv4.tcp_congestion_control present
    present=$(sysctl -n $setting)
    CONGESTION_NOTE=" congestion control: $CONGESTION;"
    [ "$present" != "$CONGESTION" ] || return 0
    sysctl -q -w "$setting=$CONGESTION" 2> /dev/null ||
        die $EXIT_MISSING "TCP's congestion control is $present and cannot be set to $CONGESTION: run this as root," \
            "or with --congestion $present, which the result says; there are $(sysctl -n net.ipv4.tcp_available_congestion_control)"
    FORMER_CONGESTION=$present
}

check_host()
{
    local cpu
    command -v taskset >/dev/null || die $EXIT_MISSING "taskset is missing: apt-get install util-linux"
    [ "$TARGET_CPU" != "$CLIENT_CPU" ] || die $EXIT_USAGE "--target-cpu and --client-cpu are both $TARGET_CPU: use two CPUs"
    for cpu in "$TARGET_CPU" "$CLIENT_CPU"
    do
        taskset -c "$cpu" true 2>/dev/null || die $EXIT_MISSING "CPU $cpu is not there for this process; $(nproc) are"
    done
    if [ "$REALTIME" = yes ]
    then
        PRIORITY=(chrt --rr 5)
        "${PRIORITY[@]}" true 2>/dev/null || die $EXIT_MISSING "--realtime yes: this user may not use SCHED_RR; run it as root"
    fi
    WORK=$(mktemp -d "${TMPDIR:-/tmp}/millrace-compare.XXXXXX")
    LOGS=${KEEP_LOGS:-$WORK}
    mkdir -p "$LOGS"
    : > "$WORK/results"
    : > "$WORK/commands"
    : > "$LOGS/client.err"
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    [ -z "${WITHOUT_LAUNCHER:-}" ] || return 0
    # Builds, if need be, before anything is timed.
    "$ROOT/millrace" --version > "$LOGS/build.log" 2>&1 ||
        { cat "$LOGS/build.log" >&2; die $EXIT_FAILED "$ROOT/millrace does not run"; }
    MILLRACE_VERSION=$(tail -n 1 "$LOGS/build.log")
}

clean_up()
{
    local pid status=$?
    for pid in "${PIDS[@]}"
    do
        kill -CONT "$pid" 2>/dev/null || continue
        kill "$pid" 2>/dev/null || true
    done
    for pid in "${PIDS[@]}"
    do
        for _ in $(seq 100)
        do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    return_hugepages
    [ -z "${FORMER_CONGESTION:-}" ] || sysctl -q -w "net.ipv4.tcp_congestion_control=$FORMER_CONGESTION" || true
    [ -z "${CPU_GROUP:-}" ] || rmdir "$CPU_GROUP" || true
    if [ "$status" != 0 ] && [ -z "$KEEP_LOGS" ] && [ -d "${WORK:-}" ]
    then
        # The client says this at every orderly end.
        grep -v "CQ transport error -6" "$LOGS/client.err" > "$WORK/client.log" || true
        tail -n 20 "$WORK"/*.log >&2 || true
    fi
    rm -rf "${WORK:-}"
}

# reserve_hugepages MIB: sees to it that so much is free for both sides together, or that neither side gets any.
reserve_hugepages()
{
    local wanted=$((($1 + 1) / 2)) free size mounted
    size=$(awk '/^Hugepagesize/ { print $2 }' /proc/meminfo)
    mounted=$(awk '$3 == "hugetlbfs"' /proc/mounts)
    if [ "$HUGEPAGES" != no ] && [ "$size" = 2048 ] && [ -n "$mounted" ]
    then
        free=$(awk '/^HugePages_Free/ { f = $2 } /^HugePages_Rsvd/ { r = $2 } END { print f - r }' /proc/meminfo)
        if [ "$free" -lt $wanted ] && [ -w /proc/sys/vm/nr_hugepages ]
        then
            HUGEPAGES_ADDED=$((wanted - free))
            echo $(($(cat /proc/sys/vm/nr_hugepages) + HUGEPAGES_ADDED)) > /proc/sys/vm/nr_hugepages
            free=$(awk '/^HugePages_Free/ { f = $2 } /^HugePages_Rsvd/ { r = $2 } END { print f - r }' /proc/meminfo)
        fi
        if [ "$free" -ge $wanted ]
        then
            HUGEPAGES=yes
            return
        fi
    fi
    [ "$HUGEPAGES" != yes ] || die $EXIT_MISSING "--hugepages yes: $wanted free hugepages of 2 MiB and a hugetlbfs mount" \
        "are needed; as root: mount -t hugetlbfs none /dev/hugepages; sysctl vm.nr_hugepages=$wanted"
    HUGEPAGES=no
    return_hugepages
}

# Gives back what this run added, and no more: others may have changed the number meanwhile.
return_hugepages()
{
    local added=${HUGEPAGES_ADDED:-0}
    HUGEPAGES_ADDED=0
    [ "$added" = 0 ] || echo $(($(cat /proc/sys/vm/nr_hugepages) - added)) > /proc/sys/vm/nr_hugepages
}

free_port()
{
    local port
    for _ in $(seq 100)
    do
        port=$((20000 + RANDOM % 12000))
        if ! (exec 3<> "/dev/tcp/127.0.0.1/$port") 2>/dev/null
        then
            echo $port
            return
        fi
    done
    die $EXIT_FAILED "found no free TCP port"
}

# await_port PORT PID LOG: fails when the process ends before it listens.
await_port()
{
    for _ in $(seq 300)
    do
        kill -0 "$2" 2>/dev/null || return 1
        ! (exec 3<> "/dev/tcp/127.0.0.1/$1") 2>/dev/null || return 0
        sleep 0.1
    done
    die $EXIT_FAILED "the target does not listen on port $1 after 30 s; its log: $3"
}

# start_millrace DEVICE_YAML: sets MILLRACE_PID and MILLRACE_PORT.
start_millrace()
{
    MILLRACE_PORT=$(free_port)
    cat > "$WORK/millrace.yaml" <<Y
reactors: [{cpu: $TARGET_CPU, idle: $IDLE}]
devices:
  - $1
subsystems:
  - nqn: $NQN
    allow-any-host: true
    namespaces: [{nsid: 1, device: device0}]
listeners:
  - {transport: tcp, address: 127.0.0.1, port: $MILLRACE_PORT}
discovery: false
Y
    # A former version may have control off by default, and no key for it.
    ! grep -q 'control.enabled' "$ROOT/docs/configuration.md" || echo 'control: {enabled: false}' >> "$WORK/millrace.yaml"
    # The whole JVM, its compiler included, has the one CPU that SPDK's target has; or its reactor alone, where a script says so.
    local cpus=$TARGET_CPU
    [ "${JVM_CPUS:-one}" = one ] || cpus=0-$(($(nproc --all) - 1))
    MILLRACE_NO_BUILD=1 "${PRIORITY[@]}" taskset -c "$cpus" "$ROOT/millrace" serve --config "$WORK/millrace.yaml" \
        > "$LOGS/millrace.log" 2>&1 < /dev/null &
    MILLRACE_PID=$!
    PIDS+=("$MILLRACE_PID")
    await_port "$MILLRACE_PORT" "$MILLRACE_PID" "$LOGS/millrace.log" ||
        die $EXIT_FAILED "millrace serve ended before it listened; the end of its log follows"
    command_line millrace "${PRIORITY[*]:+${PRIORITY[*]} }taskset -c $cpus ./millrace serve --config compare.yaml   # $1"
}

# start_spdk SIDE BDEV_METHOD PARAMETERS [TRANSPORT_PARAMETERS]: sets SPDK_PID and SPDK_PORT; fails when the target does not
# start.
start_spdk()
{
    local transport=${4:+, $4} memory="-s $PEER_MIB --huge-unlink"
    [ "$HUGEPAGES" = yes ] || memory="--no-huge -s $PEER_MIB"
    SPDK_PORT=$(free_port)
    cat > "$WORK/$1.json" <<J
{"subsystems": [
  {"subsystem": "sock", "config": [{"method": "sock_set_default_impl", "params": {"impl_name": "$SOCKETS"}}]},
  {"subsystem": "bdev", "config": [
    {"method": "$2", "params": {"name": "device0", $3}},
    {"method": "bdev_wait_for_examine"}]},
  {"subsystem": "nvmf", "config": [
    {"method": "nvmf_create_transport", "params": {"trtype": "TCP"$transport}},
    {"method": "nvmf_create_subsystem", "params": {"nqn": "$NQN", "allow_any_host": true, "serial_number": "PEER"}},
    {"method": "nvmf_subsystem_add_ns", "params": {"nqn": "$NQN", "namespace": {"nsid": 1, "bdev_name": "device0"}}},
    {"method": "nvmf_subsystem_add_listener", "params": {"nqn": "$NQN", "listen_address":
      {"trtype": "TCP", "adrfam": "IPv4", "traddr": "127.0.0.1", "trsvcid": "$SPDK_PORT"}}}]}]}
J
    # Several targets share the CPU in turn, which the lock on it would refuse.
    # shellcheck disable=SC2086
    "${PRIORITY[@]}" "$SPDK_BIN/nvmf_tgt" -m "[$TARGET_CPU]" $memory --no-pci --disable-cpumask-locks -r "$WORK/$1.sock" -c "$WORK/$1.json" \
        > "$LOGS/$1.log" 2>&1 < /dev/null &
    SPDK_PID=$!
    await_port "$SPDK_PORT" "$SPDK_PID" "$LOGS/$1.log" || return 1
    PIDS+=("$SPDK_PID")
    SPDK_VERSION=$(sed -n 's/.*Starting \(SPDK [^ ]* \/ DPDK [^ ]*\).*/\1/p' "$LOGS/$1.log" | head -n 1)
    command_line "$1" "${PRIORITY[*]:+${PRIORITY[*]} }nvmf_tgt -m [$TARGET_CPU] $memory --no-pci -c compare.json   \
# $2 $3$transport, sockets: $SOCKETS"
}

# limit_cpu PERCENT PID: gives a process so much of one CPU, 5 ms at a time; all processes limited so share one group.
limit_cpu()
{
    local root=/sys/fs/cgroup/cpu period=5000
    if [ -z "${CPU_GROUP:-}" ]
    then
        [ -d $root ] || root=/sys/fs/cgroup
        CPU_GROUP=$root/millrace-compare.$$
        mkdir "$CPU_GROUP" || die $EXIT_MISSING "cannot make the control group $CPU_GROUP: run it as root"
        if [ -e "$CPU_GROUP/cpu.max" ]
        then
            echo "$(($1 * period / 100)) $period" > "$CPU_GROUP/cpu.max"
        elif [ -e "$CPU_GROUP/cpu.cfs_quota_us" ]
        then
            echo $period > "$CPU_GROUP/cpu.cfs_period_us"
            echo $(($1 * period / 100)) > "$CPU_GROUP/cpu.cfs_quota_us"
        else
            die $EXIT_MISSING "the control group $CPU_GROUP has no CPU controller"
        fi
    fi
    echo "$2" > "$CPU_GROUP/cgroup.procs"
}

# run_only PID: lets this target run and stops the others, so that a spinning one takes nothing from it.
run_only()
{
    local pid
    for pid in "${PIDS[@]}"
    do
        [ "$pid" = "$1" ] || kill -STOP "$pid" 2>/dev/null || true
    done
    [ "$1" = none ] || kill -CONT "$1"
}

command_line()
{
    grep -qxF "$1: $2" "$WORK/commands" || echo "$1: $2" >> "$WORK/commands"
}

# client PORT PATTERN BYTES DEPTH SECONDS [MORE...]: SPDK's load generator, its output on standard output.
client()
{
    local port=$1 pattern=$2 bytes=$3 depth=$4 seconds=$5 memory="-s 512"
    shift 5
    [ "$HUGEPAGES" = yes ] || memory="--no-huge -s 512"
    # shellcheck disable=SC2086
    "${PRIORITY[@]}" "$SPDK_BIN/spdk_nvme_perf" -c "[$CLIENT_CPU]" $memory \
        -r "trtype:TCP adrfam:IPv4 traddr:127.0.0.1 trsvcid:$port subnqn:$NQN" \
        -q "$depth" -o "$bytes" -w "$pattern" -t "$seconds" "$@" 2>> "$LOGS/client.err"
}

# Writes every block once: a page of memory that was never written is read from the one zero page, which is always cached.
fill()
{
    run_only "$1"
    client "$2" write 131072 8 600 -d 100% > "$WORK/fill" || true
    grep -q '^Total' "$WORK/fill" || die $EXIT_FAILED "could not write the device over; see the client's output above"
}

# CPU time in ticks: "user of CPUs a and b" "steal of both", from /proc/stat.
cpu_ticks()
{
    awk -v a="cpu$TARGET_CPU" -v b="cpu$CLIENT_CPU" '$1 == a || $1 == b { user += $2 + $3; steal += $9 }
        END { print user, steal }' /proc/stat
}

# User and system ticks of a process.
process_ticks()
{
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{ u = $12; s = $13 } END { print u + 0, s + 0 }'
}

# measure CASE SIDE ROUND PID COMMAND...: runs a client that prints "iops mib average p50 p99 [client]" (the latencies in us,
# and the client's CPU time of an I/O in us) as its last line, and files that with what else took time on the two CPUs. Round 0
# is warm-up and not kept.
measure()
{
    local case_name=$1 side=$2 round=$3 pid=$4 before after target_before=0\ 0 target_after=0\ 0 began ended figures
    local TIMEFORMAT='%U'
    shift 4
    run_only "$pid"
    before=$(cpu_ticks)
    [ "$pid" = none ] || target_before=$(process_ticks "$pid")
    began=${EPOCHREALTIME/./}
    { time "$@" > "$WORK/figures" || true; } 2> "$WORK/client-user"
    ended=${EPOCHREALTIME/./}
    after=$(cpu_ticks)
    [ "$pid" = none ] || target_after=$(process_ticks "$pid")
    figures=$(tail -n 1 "$WORK/figures")
    [[ $figures =~ ^([0-9.]+\ ){4}[0-9.]+(\ [0-9.]+)?$ ]] ||
        die $EXIT_FAILED "$case_name on $side, round $round: the client measured nothing"
    [ "$round" != 0 ] || return 0
    echo "$before $after $target_before $target_after $(tail -n 1 "$WORK/client-user") $began $ended $figures" |
        awk -v name="$case_name" -v side="$side" -v round="$round" -v hz="$(getconf CLK_TCK)" '{
            seconds = ($11 - $10) / 1e6
            steal = 100 * ($4 - $2) / hz / seconds / 2
            other = 100 * (($3 - $1 - ($7 - $5)) / hz - $9) / seconds / 2
            target = 100 * ($7 - $5 + $8 - $6) / hz / seconds
            if (other < 0) other = 0
            noisy = steal > 1 || other > 5
            printf "%s\t%s\t%d\t%.0f\t%.1f\t%.2f\t%.2f\t%.2f\t%.1f\t%.1f\t%.0f\t%d\t%s\n",
                name, side, round, $12, $13, $14, $15, $16, steal, other, target, noisy, $17
        }' >> "$WORK/results"
    tail -n 1 "$WORK/results" | awk -F '\t' '{ printf "  %-26s round %d  %-12s %9d IOPS %8.1f MiB/s  avg %8.2f us  p99 %9.2f us  \
target CPU %3d %%%s\n", $1, $3, $2, $4, $5, $6, $8, $11,
            $12 ? sprintf("  noisy (steal %.1f %%, other processes %.1f %%)", $9, $10) : "" }' >&2
}

# The client's figures as measure wants them.
spdk_figures()
{
    local running_in=()
    [ "$RUNNING_IN_SECONDS" = 0 ] || running_in=(-a "$RUNNING_IN_SECONDS")
    client "$1" "$2" "$3" "$4" "$5" "${running_in[@]}" -L | awk '
        /^Total/ { iops = $3; mib = $4; average = $5 }
        $1 == "50.00000%" { p50 = $3 + 0 }
        $1 == "99.00000%" { p99 = $3 + 0 }
        END { if (iops > 0) print iops, mib, average, p50, p99 }'
}

cpu_model()
{
    awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo
}

# report FIRST_SIDE OTHER_SIDE...: table on standard output, and the files asked for.
report()
{
    local first=$1 text="$WORK/report.md"
    shift
    {
        awk -v first="$first" -v others="$*" -v form=markdown -f "$ROOT/perf/compare/report.awk" "$WORK/results"
        echo
        echo "$MILLRACE_VERSION; ${SPDK_VERSION:-SPDK}; $ROUNDS rounds of $SECONDS_EACH s, in random order, medians;" \
            "${CPU_PERCENT:+targets have $CPU_PERCENT % of one CPU; }"\
            "real-time priority: $REALTIME; hugepages: $HUGEPAGES (both sides);${CONGESTION_NOTE:-} CPU $TARGET_CPU target, CPU $CLIENT_CPU client."
        echo "$(cpu_model), $(nproc) CPUs, Linux $(uname -r), $(date -u +%Y-%m-%d)."
        echo
        sed 's/^/    /' "$WORK/commands"
    } > "$text"
    cat "$text"
    [ -z "$MARKDOWN_FILE" ] || cp "$text" "$MARKDOWN_FILE"
    if [ -n "$JSON_FILE" ]
    then
        COMMANDS=$(sed 's/\\/\\\\/g; s/"/\\"/g' "$WORK/commands") \
            awk -v first="$first" -v others="$*" -v form=json -v version="$MILLRACE_VERSION" \
            -v peer_version="${SPDK_VERSION:-}" -v cpu="$(cpu_model)" -v kernel="$(uname -r)" -v hugepages="$HUGEPAGES" -v seconds="$SECONDS_EACH" \
            -f "$ROOT/perf/compare/report.awk" "$WORK/results" > "$JSON_FILE"
    fi
}
