package io.millrace.spdk;

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
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final String MEMORY_TOTAL = "MemTotal:";
    private static final int KIB_SHIFT = 10;

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
        checkMemory(config);
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
                messages.explain() + ": " + StartRemedy.ofEnvironment(config, failure[0]), failure[0]);
        }
    }

    /** Ordinary pages are taken when they are used: where there are none left the kernel ends a process. */
    private static void checkMemory(final SpdkConfig config)
    {
        final long totalMib = Long.parseLong(line(MEMORY, MEMORY_TOTAL).replace(" kB", "")) >> KIB_SHIFT;
        if (!config.hugepages() && config.memoryMib() > totalMib)
        {
            throw new SpdkException("spdk: memory of " + config.memoryMib() + " MiB is more than the machine has, " +
                totalMib + " MiB: lower spdk.memory");
        }
    }

    /** {@return the CPUs that this process may use, as the kernel writes them: {@code 0-3,8}} */
    private static String allowedCpus()
    {
        return line(STATUS, CPUS);
    }

    private static String line(final Path file, final String name)
    {
        try (Stream<String> lines = Files.lines(file))
        {
            return lines.filter((line) -> line.startsWith(name)).findFirst()
                .map((line) -> line.substring(name.length()).strip())
                .orElseThrow(() -> new SpdkException("spdk: " + file + " has no " + name + ": mount /proc"));
        }
        catch (final IOException e)
        {
            throw new SpdkException("spdk: " + file + " cannot be read (" + e + "): mount /proc", e);
        }
    }
}
