package io.millrace.lab.guest;

import io.millrace.cli.control.DeviceCommand;
import io.millrace.cli.control.NamespaceCommand;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Role;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.cli.local.drive.DriveCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/**
 * Commands of {@code millrace} and of {@link VfioProbe}, a line of standard input each, in one process, since a JVM
 * starts slowly in the machine. After the output of each comes a line {@code END} with its exit code.
 */
public final class DriveSession
{
    private DriveSession()
    {
    }

    /**
     * Runs until standard input ends.
     *
     * @param args none.
     * @throws Exception when a probe is broken.
     */
    public static void main(final String[] args) throws Exception
    {
        final BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (null != line)
        {
            final String[] words = line.strip().split(" +");
            final int code = run(words[0], Arrays.copyOfRange(words, 1, words.length));
            System.out.println("END " + code);
            line = lines.readLine();
        }
    }

    private static int run(final String word, final String[] rest) throws Exception
    {
        return switch (word)
        {
            case "drive" -> execute(new DriveCommand(), rest);
            case "device" -> execute(new DeviceCommand(), rest);
            case "namespace" -> execute(new NamespaceCommand(), rest);
            case "create-nvme" -> createDevice(DeviceSpec.nvme(rest[0], rest[1], Integer.parseInt(rest[2])));
            default ->
            {
                VfioProbe.main(rest);
                yield ExitCode.OK;
            }
        };
    }

    private static int createDevice(final DeviceSpec device)
    {
        try (ControlClient client = ControlClient.connect(new ControlClientContext()
            .aeronDirectoryName(System.getenv("MILLRACE_CONTROL")).role(Role.ADMIN)
            .connectTimeoutNs(TimeUnit.SECONDS.toNanos(60))))
        {
            client.createDevice(device);
            return ExitCode.OK;
        }
        catch (final ControlException e)
        {
            System.out.println("refused: " + e.getMessage());
            return ExitCode.FAILURE;
        }
    }

    private static int execute(final Object command, final String... rest)
    {
        return new CommandLine(command).setExecutionExceptionHandler((e, line, result) -> refused(e)).execute(rest);
    }

    private static int refused(final Exception e) throws IOException
    {
        if (e instanceof final CommandException expected)
        {
            System.out.println("refused: " + expected.getMessage());
            return expected.exitCode();
        }
        throw new IOException(e);
    }
}
