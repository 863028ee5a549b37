package io.millrace.spdk;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.spdk.SpdkReactorCalls;

/**
 * Refuses JSON configurations of which SPDK would carry out a part, or nothing, without a word. Stateless.
 */
final class ConfigurationCheck
{
    private ConfigurationCheck()
    {
    }

    /**
     * Checks a configuration; SPDK can be used, and need not have started.
     *
     * @param subject of the refusal.
     * @param json    SPDK's configuration.
     * @throws SpdkException when it is empty, no JSON object, or has text after the object.
     */
    static void check(final String subject, final String json)
    {
        final int line;
        try
        {
            line = SpdkReactorCalls.checkConfiguration(json);
        }
        catch (final NativeException e)
        {
            final String reason = switch (e.errno())
            {
                case Errno.ENODATA -> "is empty: write it as SPDK's save_config does, or leave the setting out";
                case Errno.EBADMSG -> "is no JSON object with an array \"subsystems\": write it as SPDK's " +
                    "save_config does";
                default -> "cannot be checked (" + e.getMessage() + "): free memory";
            };
            throw new SpdkException("spdk: " + subject + ' ' + reason, e);
        }
        if (0 != line)
        {
            throw new SpdkException("spdk: " + subject + " has text after its JSON object, in line " + line +
                ", which SPDK would ignore: delete it, or move its methods into the object");
        }
    }
}
