package io.millrace.control.client;

import io.millrace.control.codec.Code;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.Resource;
import java.util.ArrayList;
import java.util.List;

/**
 * The answer to a command that succeeded. Immutable.
 *
 * @param commandId id of the command; {@link CommandId#NONE} of one that changes nothing.
 * @param value     number of records, port taken, version, or 0.
 * @param text      empty, or a sentence on what is outstanding, such as a data plane that is not connected.
 * @param resources what was listed, in the order of the data plane.
 */
public record Answer(CommandId commandId, long value, String text, List<Resource> resources)
{
    /**
     * Copies the resources.
     */
    public Answer
    {
        resources = List.copyOf(resources);
    }

    /**
     * Returns the resources as what a list of one kind consists of.
     *
     * @param type of the resources.
     * @param <T>  of the resources.
     * @return all, in the order of the data plane.
     * @throws ControlException when one is of another type.
     */
    public <T extends Resource> List<T> resources(final Class<T> type)
    {
        final List<T> result = new ArrayList<>(resources.size());
        for (final Resource resource : resources)
        {
            if (!type.isInstance(resource))
            {
                throw new ControlException(Code.MALFORMED,
                    "the data plane answered with a " + resource.kind() + " to a list of " + type.getSimpleName());
            }
            result.add(type.cast(resource));
        }
        return result;
    }
}
