package io.millrace.block.spdk;

import io.millrace.block.BlockDeviceException;
import java.util.List;

/**
 * An NVMe controller for SPDK's driver: a drive, or a subsystem of a target with its paths. Immutable.
 *
 * @param paths        paths to the controller, at least one.
 * @param subsystem    NQN of the subsystem; empty for a drive.
 * @param hostNqn      NQN to connect as; empty: SPDK makes one.
 * @param lossTimeoutS how long requests wait while no path is connected, in seconds; 0: they fail at once, and the path
 *                     is never connected again. Of no meaning for a drive.
 */
public record NvmeControllerConfig(List<NvmePath> paths, String subsystem, String hostNqn, long lossTimeoutS)
{
    /**
     * Checks what goes into JSON.
     *
     * @throws BlockDeviceException if an NQN has a character that an NQN cannot have.
     */
    public NvmeControllerConfig
    {
        paths = List.copyOf(paths);
        check("subsystem", subsystem);
        check("host-nqn", hostNqn);
    }

    private static void check(final String setting, final String nqn)
    {
        if (nqn.chars().anyMatch((c) -> c <= ' ' || c > '~' || '"' == c || '\\' == c))
        {
            throw new BlockDeviceException(setting + " '" + nqn + "' has blanks, quotes, backslashes or characters " +
                "beyond ASCII: use the NQN of the target");
        }
    }

    /**
     * {@return SPDK's name of the controller, with which those of its bdevs begin}
     */
    public String name()
    {
        return subsystem.isEmpty() ? paths.getFirst().address() : subsystem;
    }
}
