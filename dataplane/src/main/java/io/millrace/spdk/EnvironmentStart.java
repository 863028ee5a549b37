package io.millrace.spdk;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.spdk.SpdkEnvironment;
import io.millrace.bindings.spdk.SpdkReactorCalls;
import io.millrace.reactor.Reactor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Starts SPDK's environment, which is DPDK, on a thread that ends: DPDK sets the calling thread to CPUs of its own.
 * Stateless.
 */
final class EnvironmentStart
{
    private static final String START = "the start of SPDK";
    /** Of DPDK's messages; its files are named after the process id. */
    private static final String PROCESS_NAME = "millrace";
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String CPUS = "Cpus_allowed_list:";

    private EnvironmentStart()
    {
    }

    /**
     * Starts it, and SPDK's threads. Off the reactors.
     *
     * @param config   of SPDK.
     * @param messages of SPDK, opened.
     * @throws SpdkException saying why it did not start.
     */
    static void start(final SpdkConfig config, final SpdkMessages messages)
    {
        Reactor.checkMayBlock(START);
        final Throwable[] failure = new Throwable[1];
        final Thread thread = new Thread(() ->
        {
            try
            {
                SpdkEnvironment.start(new SpdkEnvironment.Options(PROCESS_NAME, "0@(" + allowedCpus() + ')',
                    config.memoryMib(), config.hugepages(), config.pciAllowed()));
                SpdkReactorCalls.startThreads();
            }
            catch (final RuntimeException e)
            {
                failure[0] = e;
            }
        }, "spdk-start");
        thread.start();
        try
        {
            thread.join();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new SpdkException("spdk: its start was interrupted", e);
        }
        if (null != failure[0])
        {
            throw new SpdkException("spdk: its environment did not start (" + failure[0].getMessage() + ')' +
                messages.explain() + ": " + remedy(config, failure[0]), failure[0]);
        }
    }

    /** DPDK writes what it finds wrong to standard error before it takes messages, as of a processor. */
    private static String remedy(final SpdkConfig config, final Throwable failure)
    {
        final boolean isMemory = failure instanceof NativeException e && Errno.ENOMEM == e.errno();
        return !isMemory ? "see what DPDK wrote to standard error" :
            config.hugepages() ? "are " + config.memoryMib() + " MiB of hugepages free (sysctl vm.nr_hugepages), and " +
            "may this user use them?" : "has the machine " + config.memoryMib() + " MiB of free memory?";
    }

    /** {@return the CPUs that this process may use, as the kernel writes them: {@code 0-3,8}} */
    private static String allowedCpus()
    {
        try (Stream<String> lines = Files.lines(STATUS))
        {
            return lines.filter((line) -> line.startsWith(CPUS)).findFirst()
                .map((line) -> line.substring(CPUS.length()).strip())
                .orElseThrow(() -> new SpdkException("spdk: " + STATUS + " has no " + CPUS));
        }
        catch (final IOException e)
        {
            throw new SpdkException("spdk: " + STATUS + " cannot be read (" + e + "): mount /proc", e);
        }
    }
}
