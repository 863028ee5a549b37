# Reads the rounds (tab-separated: case side round iops mib average p50 p99 steal other target noisy client) and prints
# medians and ratios as a Markdown table or as JSON. Variables: form, first (our side), others (the peers, separated by spaces).
BEGIN {
    FS = "\t"
    split("iops mib average p50 p99", columns, " ")
    peers = split(others, peer_names, " ")
    cpu_of = ENVIRON["CPU_OF"] == "" ? "client" : ENVIRON["CPU_OF"]
}

{
    if (!($1 in case_seen)) {
        case_seen[$1] = 1
        case_names[++cases] = $1
    }
    n = ++count[$1, $2]
    for (i = 1; i <= 5; i++)
        value[$1, $2, columns[i], n] = $(i + 3)
    value[$1, $2, "target", n] = $11
    value[$1, $2, "client", n] = $13
    if ($13 != "")
        has_client = 1
    noisy[$1] += $12
    line[$1, $2, n] = sprintf("{\"round\": %d, \"iops\": %s, \"mibPerSecond\": %s, \"averageUs\": %s, \"p50Us\": %s, " \
        "\"p99Us\": %s, \"stealPercent\": %s, \"otherPercent\": %s, \"targetCpuPercent\": %s, \"noisy\": %s}",
        $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 ? "true" : "false")
}

# Sorts values 1..n in place.
function sort(list, n,    i, j, t) {
    for (i = 2; i <= n; i++) {
        t = list[i]
        for (j = i - 1; j >= 1 && list[j] > t; j--)
            list[j + 1] = list[j]
        list[j + 1] = t
    }
}

# The value below which a part of 1..n sorted values lies, between two of them where it must.
function quantile(list, n, part,    at, below) {
    if (n == 0)
        return 0
    at = 1 + (n - 1) * part
    below = int(at)
    return below == n ? list[n] : list[below] + (at - below) * (list[below + 1] - list[below])
}

function median(name, side, column,    n, i, sorted) {
    n = count[name, side]
    for (i = 1; i <= n; i++)
        sorted[i] = value[name, side, column, i] + 0
    sort(sorted, n)
    return quantile(sorted, n, 0.5)
}

# Fills ratios 1..n, sorted, with those of the rounds taken one by one: the sides of a round ran next to each other, so
# what disturbs the machine for longer is in both.
function round_ratios(ratios, name, column, peer,    i, n) {
    for (i = 1; i <= count[name, first] && i <= count[name, peer]; i++)
        if (value[name, peer, column, i] > 0)
            ratios[++n] = value[name, first, column, i] / value[name, peer, column, i]
    sort(ratios, n)
    return n
}

function ratio(name, column, peer,    n, ratios) {
    n = round_ratios(ratios, name, column, peer)
    return quantile(ratios, n, 0.5)
}

# How far the median can be trusted: the quartiles, and the worst and best round.
function spread(name, column, peer,    n, ratios) {
    n = round_ratios(ratios, name, column, peer)
    return sprintf("%.2f to %.2f; %.2f to %.2f", quantile(ratios, n, 0.25), quantile(ratios, n, 0.75), ratios[1],
        ratios[n])
}

function markdown(    c, p, name, peer) {
    print "| case | peer | IOPS " first " / peer | ratio of a round, median (quartiles; worst to best) | " \
        "average us " first " / peer | ratio | " \
        "p99 us " first " / peer | ratio |" (has_client ? " " cpu_of " CPU us an I/O | ratio |" : "") " noisy rounds |"
    print "|---|---|---|---|---|---|---|---|" (has_client ? "---|---|" : "") "---|"
    for (c = 1; c <= cases; c++) {
        name = case_names[c]
        for (p = 1; p <= peers; p++) {
            peer = peer_names[p]
            printf "| %s | %s | %d / %d | **%.2f** (%s) | %.1f / %.1f | %.2f | %.1f / %.1f | %.2f |",
                name, peer, median(name, first, "iops"), median(name, peer, "iops"), ratio(name, "iops", peer),
                spread(name, "iops", peer), median(name, first, "average"), median(name, peer, "average"),
                ratio(name, "average", peer), median(name, first, "p99"), median(name, peer, "p99"),
                ratio(name, "p99", peer)
            if (has_client)
                printf " %.2f / %.2f | %.2f |", median(name, first, "client"), median(name, peer, "client"),
                    ratio(name, "client", peer)
            printf " %d of %d |\n", noisy[name], count[name, first] * (peers + 1)
        }
    }
}

function side_json(name, side,    i, text) {
    text = sprintf("{\"side\": \"%s\", \"iops\": %.0f, \"mibPerSecond\": %.1f, \"averageUs\": %.2f, \"p50Us\": %.2f, " \
        "\"p99Us\": %.2f, \"rounds\": [", side, median(name, side, "iops"), median(name, side, "mib"),
        median(name, side, "average"), median(name, side, "p50"), median(name, side, "p99"))
    for (i = 1; i <= count[name, side]; i++)
        text = text (i > 1 ? ", " : "") line[name, side, i]
    return text "]}"
}

function json(    c, p, n, i, name, peer, list) {
    printf "{\"version\": \"%s\", \"peer\": \"%s\", \"cpu\": \"%s\", \"kernel\": \"%s\", \"hugepages\": \"%s\", " \
        "\"secondsEach\": %d,\n \"commands\": [", version, peer_version, cpu, kernel, hugepages, seconds
    n = split(ENVIRON["COMMANDS"], list, "\n")
    for (i = 1; i <= n; i++)
        printf "%s\"%s\"", (i > 1 ? ", " : ""), list[i]
    printf "],\n \"cases\": ["
    for (c = 1; c <= cases; c++) {
        name = case_names[c]
        printf "%s\n  {\"case\": \"%s\", \"sides\": [%s", (c > 1 ? "," : ""), name, side_json(name, first)
        for (p = 1; p <= peers; p++)
            printf ",\n    %s", side_json(name, peer_names[p])
        printf "],\n   \"ratios\": {"
        for (p = 1; p <= peers; p++) {
            peer = peer_names[p]
            printf "%s\"%s\": {\"iops\": %.3f, \"average\": %.3f, \"p99\": %.3f}", (p > 1 ? ", " : ""), peer,
                ratio(name, "iops", peer), ratio(name, "average", peer), ratio(name, "p99", peer)
        }
        printf "}, \"noisyRounds\": %d}", noisy[name]
    }
    print "]}"
}


END {
    if (form == "json")
        json()
    else
        markdown()
}
