package io.millrace.remote;

import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.InitiatorException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The identity that a data plane has towards targets: the one that it is given, else that of its machine, which is the
 * same after a restart, so that a target can tell that the host is back. Set-up.
 */
final class HostIdentity
{
    private static final Path NQN_FILE = Path.of("/etc/nvme/hostnqn");
    private static final Path ID_FILE = Path.of("/etc/nvme/hostid");
    private static final Path MACHINE_FILE = Path.of("/etc/machine-id");

    private HostIdentity()
    {
    }

    /**
     * {@return who connects}
     *
     * @param hostNqn NQN of the host; empty for that of {@code /etc/nvme/hostnqn}, or one made from the machine's id.
     * @param hostId  UUID of the host; empty for that of {@code /etc/nvme/hostid}, or one made from the NQN.
     * @throws InitiatorException when either is wrong.
     */
    static HostConfig of(final String hostNqn, final String hostId)
    {
        final String nqn = hostNqn.isEmpty() ? firstLine(NQN_FILE) : hostNqn;
        // The machine's id belongs to the machine's name.
        final String id = hostId.isEmpty() && hostNqn.isEmpty() ? firstLine(ID_FILE) : hostId;
        if (nqn.isEmpty())
        {
            return HostConfig.of(id.isEmpty() ? uuid("millrace " + firstLine(MACHINE_FILE)) : parse(id));
        }
        return new HostConfig(nqn, id.isEmpty() ? uuid(nqn) : parse(id));
    }

    private static UUID uuid(final String text)
    {
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static UUID parse(final String id)
    {
        try
        {
            return UUID.fromString(id);
        }
        catch (final IllegalArgumentException e)
        {
            throw new InitiatorException("host id '" + id + "' is no UUID: write 8-4-4-4-12 hexadecimal digits", e);
        }
    }

    private static String firstLine(final Path file)
    {
        try
        {
            return Files.readString(file).lines().map(String::strip).filter((line) -> !line.isEmpty()).findFirst()
                .orElse("");
        }
        catch (final IOException e)
        {
            return "";
        }
    }
}
