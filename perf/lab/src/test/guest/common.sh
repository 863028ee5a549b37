# Sourced by every script.

# await SECONDS CONDITION: evaluates the condition until it holds; fails when it did not in that time.
await()
{
    local deadline=$((SECONDS + $1))
    until eval "$2" > /dev/null 2>&1
    do
        [ $SECONDS -lt $deadline ] || { echo "waited $1 s in vain for: $2" >&2; return 1; }
        sleep 0.1
    done
}

# step NAME COMMAND...: runs a part of the script up to its first command that fails; says how it ended, and goes on.
step()
{
    local name=$1 began=${EPOCHREALTIME/./} ended status
    shift
    # Not as the condition of the if: there the shell would go on after a command that failed.
    (set -e; "$@")
    status=$?
    if [ $status = 0 ]
    then
        echo "STEP $name ok"
    else
        echo "STEP $name failed"
        FAILED=yes
    fi
    ended=${EPOCHREALTIME/./}
    echo "$name: $(((ended - began) / 1000)) ms" >&2
}

# finish: ends the script, with failure when a step failed.
finish()
{
    [ -z "${FAILED:-}" ]
    exit
}
