package io.millrace.perf.load;

import io.millrace.nvme.NvmeStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Errors of a worker as text: the first few wrong blocks, and the count of each status. Any thread; allocates, but only
 * on errors.
 */
final class LoadMessages
{
    private final int limit;
    private final List<String> wrongBlocks = new ArrayList<>();
    private final Map<Integer, Long> statusCounts = new LinkedHashMap<>();
    private final Map<Integer, String> statusExamples = new LinkedHashMap<>();

    LoadMessages(final int limit)
    {
        this.limit = limit;
    }

    synchronized void add(final String wrongBlock)
    {
        if (wrongBlocks.size() < limit)
        {
            wrongBlocks.add(wrongBlock);
        }
    }

    synchronized void addError(final boolean write, final long lba, final int status)
    {
        final int code = NvmeStatus.code(status);
        statusCounts.merge(code, 1L, Long::sum);
        statusExamples.computeIfAbsent(code, (key) ->
            (write ? "write" : "read") + " of block " + lba + ": " + NvmeStatus.name(code));
    }

    synchronized List<String> wrongBlocks()
    {
        return List.copyOf(wrongBlocks);
    }

    synchronized List<String> errors()
    {
        final List<String> lines = new ArrayList<>();
        statusCounts.forEach((code, count) -> lines.add(count + " times status 0x" + Integer.toHexString(code) +
            ", first " + statusExamples.get(code)));
        return lines;
    }
}
