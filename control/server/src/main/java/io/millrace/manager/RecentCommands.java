package io.millrace.manager;

import io.millrace.control.message.CommandId;
import io.millrace.manager.store.VersionHeader;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which commands made the versions that are kept, so that one that is repeated after the manager was started again is
 * known. What happens in this process the desk of the service remembers. The manager's thread.
 */
final class RecentCommands
{
    private static final int COMMANDS_MAX = 16 * 1024;

    private final Map<CommandId, Long> versions = new LinkedHashMap<>();

    void add(final List<VersionHeader> history)
    {
        for (final VersionHeader each : history)
        {
            each.commands().forEach((id) -> versions.put(id, each.version()));
            each.takenBack().forEach(versions::remove);
        }
        for (final Iterator<CommandId> i = versions.keySet().iterator(); versions.size() > COMMANDS_MAX; )
        {
            i.next();
            i.remove();
        }
    }

    /** The version that it is in; 0: it is not known. */
    long versionOf(final CommandId id)
    {
        return versions.getOrDefault(id, 0L);
    }
}
