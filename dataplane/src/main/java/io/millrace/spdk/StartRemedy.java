package io.millrace.spdk;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * What to do about a start of SPDK that failed, by what SPDK says of it. Stateless.
 */
final class StartRemedy
{
    /** SPDK answers EINVAL to a configuration of which a method failed, whatever the method says. */
    private static final Pattern OF_MEMORY = Pattern.compile(
        "(couldn't|could not|can't|can ?not|unable to|failed to) (re|c)?alloc|alloc\\w*\\(\\) failed|" +
        "alloc(ation)?( \\w+)? (failed|error)|no memory|out of memory|failed to populate|" +
        "(failed|unable) to create.*(pool|iobuf)|zero buffer failed", Pattern.CASE_INSENSITIVE);

    private StartRemedy()
    {
    }

    /**
     * {@return what to do when DPDK has not started}
     *
     * @param config  of SPDK.
     * @param failure of the call.
     */
    static String ofEnvironment(final SpdkConfig config, final Throwable failure)
    {
        final int errno = failure instanceof final NativeException e ? e.errno() : 0;
        if (config.hugepages() && (Errno.ENOMEM == errno || Errno.EACCES == errno))
        {
            return "have " + config.memoryMib() + " MiB of hugepages free and some more (sysctl vm.nr_hugepages), in " +
                "a mount of hugetlbfs that this user may write, or leave spdk.hugepages out";
        }
        // DPDK writes what it finds wrong to standard error before it takes messages, as of a processor.
        return Errno.ENOMEM != errno ? "see what DPDK wrote to standard error" :
            "lower spdk.memory, " + config.memoryMib() + " MiB, or free as much, and allow it (ulimit -v, the " +
            "control group)";
    }

    /**
     * {@return what to do when subsystems have not started}
     *
     * @param config of SPDK.
     * @param errno  of the start; 0: none.
     * @param said   by SPDK; empty: nothing.
     */
    static String ofSubsystems(final SpdkConfig config, final int errno, final String said)
    {
        final Path file = config.config();
        if (Errno.ENOMEM == errno || OF_MEMORY.matcher(said).find())
        {
            return "raise spdk.memory, " + config.memoryMib() + " MiB" + (null == file ? "" :
                ", or make what " + file + " has in it smaller (malloc bdevs, bdev_set_options, iobuf_set_options)");
        }
        return null == file ? "see what SPDK wrote to the log" :
            "correct what " + file + " has of it, or leave that out and try the method with 'millrace spdk rpc'";
    }
}
