# Rewrites one Java file of jextract's; generate.sh says what for. Works member by member: a member is its comment and the
# lines up to the closing brace, or the semicolon, at the indentation of members.

function rename(line,    out, key)
{
    out = ""
    while (match(line, /\$anon\$[0-9]+:[0-9]+/))
    {
        key = substr(line, RSTART, RLENGTH)
        if (!(key in names))
        {
            names[key] = "$anon$" ++anonymous
        }
        out = out substr(line, 1, RSTART - 1) names[key]
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}

function flush()
{
    if (!unwanted)
    {
        printf "%s", member
    }
    member = ""
    unwanted = 0
}

BEGIN { outer = "    "; indent = outer }

{
    text = substr($0, length(indent) + 1)
    isMember = substr($0, 1, length(indent)) == indent && text ~ /^[^ ]/
    if (isMember && text ~ /^\/\*\*/)
    {
        flush()
    }
    if (text ~ /MethodHandle HANDLE = / || /\$ELEM_HANDLE/ || /\$handle\(\)/ || /[a-z0-9_]\.HANDLE;/ ||
        /MemorySegment ADDR = / || /\$address\(\)/ || /[a-z0-9_]\(struct, index0\)/)
    {
        unwanted = 1
    }
    member = member rename($0) "\n"

    if ($0 ~ /^    (public|private) static class /)
    {
        flush()
        indent = outer outer
    }
    else if ($0 == outer "}")
    {
        flush()
        indent = outer
    }
    # The descriptor of a function without arguments ends in the line of its result.
    else if (isMember && text ~ /^(}|\)|.*;$)/ || $0 ~ /^[^ ]/ || $0 ~ /[^ ]    \);$/)
    {
        flush()
    }
}

END { flush() }
