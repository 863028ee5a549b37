package io.millrace.lab;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts emulated machines. A machine's run directory is {@code target/lab/NAME}; its logs stay there until the next
 * run of the same name.
 */
final class Lab
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root", ".")).toAbsolutePath().normalize();
    private static final Path MODULE = ROOT.resolve("perf/lab");

    private final String name;
    private final List<String> options = new ArrayList<>();

    private Lab(final String name)
    {
        this.name = name;
        drives(0);
    }

    static Lab named(final String name)
    {
        return new Lab(name);
    }

    /**
     * {@return a machine in which JVMs run: with one processor, since on two emulated ones they hang sooner or later,
     * see the module's README}
     *
     * @param name of the machine.
     */
    static Lab withJvms(final String name)
    {
        return new Lab(name).option("--cpus", 1);
    }

    /** What keeps machines from being started on this host, in one line, or nothing. */
    static String missing()
    {
        try
        {
            final Process doctor = new ProcessBuilder(script().toString(), "doctor").redirectErrorStream(true).start();
            final String said;
            try (InputStream output = doctor.getInputStream())
            {
                said = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            }
            return 0 == doctor.waitFor() ? "" : said.strip().replace('\n', ';');
        }
        catch (final IOException ex)
        {
            return "cannot run " + script() + ": " + ex.getMessage();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** The repository's root. */
    static Path root()
    {
        return ROOT;
    }

    /** A directory for what a test writes. */
    static Path directory(final String name) throws IOException
    {
        return Files.createDirectories(MODULE.resolve("target/lab").resolve(name));
    }

    /** Folder of this module's compiled tests, for programs that run in the machine. */
    static Path testClasses()
    {
        return MODULE.resolve("target/test-classes");
    }

    Lab option(final String option, final Object value)
    {
        options.add(option);
        options.add(String.valueOf(value));
        return this;
    }

    /** NVMe drives, of which a machine has none otherwise: without them it starts from a saved state. */
    Lab drives(final int count)
    {
        return option("--drives", count);
    }

    /**
     * Runs the machine on one CPU of the host. On two, an NVMe drive of QEMU 7.2 may stop to take commands of the
     * kernel's driver for good, without I/O of the host under way: its threads and the machine's share doorbells in
     * memory.
     */
    Lab onOneHostCpu()
    {
        options.add("--one-host-cpu");
        return this;
    }

    /** A writable directory of the host, seen in the machine as {@code /share}. */
    Lab share(final Path directory)
    {
        return option("--share", directory);
    }

    /** A port of the host's loopback that leads to a port of the machine. */
    Lab forward(final int hostPort, final int guestPort)
    {
        return option("--forward", hostPort + ":" + guestPort);
    }

    /** Starts a machine that runs a script of {@code src/test/guest} and is stopped after a time. */
    LabMachine start(final int limitSeconds, final String guestScript, final Object... arguments) throws IOException
    {
        return start(limitSeconds, MODULE.resolve("src/test/guest").resolve(guestScript), arguments);
    }

    /** Runs a script of {@code src/test/guest} to its end. */
    LabResult run(final int limitSeconds, final String guestScript, final Object... arguments)
        throws IOException, InterruptedException
    {
        try (LabMachine machine = start(limitSeconds, guestScript, arguments))
        {
            return machine.await();
        }
    }

    LabMachine start(final int limitSeconds, final Path guestScript, final Object... arguments) throws IOException
    {
        final Path directory = directory(name);
        final Path monitor = Files.createTempDirectory(Path.of("/tmp"), "lab").resolve("qmp");
        final List<String> command = new ArrayList<>(List.of(script().toString(), "run", "--directory",
            directory.toString(), "--monitor", monitor.toString(), "--time", String.valueOf(limitSeconds)));
        command.addAll(options);
        command.add(guestScript.toString());
        for (final Object argument : arguments)
        {
            command.add(String.valueOf(argument));
        }
        // That of the last run, which a machine that waits for the first line would be judged by.
        Files.deleteIfExists(LabMachine.kernelLog(directory));
        return new LabMachine(new ProcessBuilder(command).start(), directory, monitor, limitSeconds);
    }

    private static Path script()
    {
        return MODULE.resolve("lab");
    }
}
