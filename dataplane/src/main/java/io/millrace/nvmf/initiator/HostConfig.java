package io.millrace.nvmf.initiator;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Identity of this host towards targets. Immutable.
 *
 * @param hostNqn the host's NVMe qualified name, up to 223 bytes.
 * @param hostId  the host identifier; one host has one of each.
 */
public record HostConfig(String hostNqn, UUID hostId)
{
    /** Most bytes of an NVMe qualified name (NVM Express Base 2.0, section 4.5). */
    public static final int NQN_BYTES_MAX = 223;
    private static final String UUID_NQN_PREFIX = "nqn.2014-08.org.nvmexpress:uuid:";

    /**
     * Checks what can be checked.
     */
    public HostConfig
    {
        checkNqn("host NQN", hostNqn);
        if (null == hostId)
        {
            throw new InitiatorException("host id is missing: give a UUID");
        }
    }

    /**
     * A host that is named by its identifier.
     *
     * @param hostId the host identifier.
     * @return its configuration.
     */
    public static HostConfig of(final UUID hostId)
    {
        return new HostConfig(UUID_NQN_PREFIX + hostId, hostId);
    }

    /**
     * A host with a random identity, for tools that need no persistent one.
     *
     * @return its configuration.
     */
    public static HostConfig random()
    {
        return of(UUID.randomUUID());
    }

    static void checkNqn(final String what, final String nqn)
    {
        if (null == nqn || nqn.isEmpty())
        {
            throw new InitiatorException(what + " is missing: give an NVMe qualified name such as " +
                "nqn.2026-11.io.millrace:vol0");
        }
        final int lengthBytes = nqn.getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes > NQN_BYTES_MAX)
        {
            throw new InitiatorException(what + " of " + lengthBytes + " bytes is longer than " + NQN_BYTES_MAX +
                ": shorten it");
        }
        if (!nqn.startsWith("nqn."))
        {
            throw new InitiatorException(what + " '" + nqn + "' does not begin with 'nqn.': use a name such as " +
                "nqn.2026-11.io.millrace:vol0");
        }
    }
}
