package io.millrace.server;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.SettingException;
import io.millrace.server.config.ConfigException;
import io.millrace.server.config.ConfigReader;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code millrace serve}: serves what a file declares until it is told to stop.
 */
@Command(
    name = "serve",
    description = "Serve the volumes that a configuration file declares, until Ctrl-C or SIGTERM.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace serve --config millrace.yaml",
        "  millrace serve --config millrace.yaml --check    only check the file",
        "",
        "docs/configuration.md describes the file, millrace.yaml is an example."})
public final class ServeCommand implements Callable<Integer>
{
    @Option(names = {"-c", "--config"}, required = true, paramLabel = "FILE", description = "Configuration file.")
    private Path file;

    @Option(names = "--check", description = "Check the file, start nothing. Ports, files and CPUs are not looked at.")
    private boolean check;

    /**
     * Made by the command line.
     */
    public ServeCommand()
    {
    }

    /**
     * Serves what a file declares.
     *
     * @param file to read.
     */
    public ServeCommand(final Path file)
    {
        this.file = file;
    }

    @Override
    public Integer call() throws InterruptedException
    {
        final Terminal terminal = Terminal.standard();
        final ConfigReader.Result read = read();
        if (check)
        {
            terminal.line(file + ": good; " + read.config().subsystems().size() + " subsystems, " +
                read.config().devices().size() + " devices, " + read.config().listeners().size() + " listeners");
            return ExitCode.OK;
        }
        final StopSignal stop = StopSignal.install();
        final EventLog log = new EventLog(terminal);
        try (DataPlane dataPlane = start(read, log))
        {
            Banner.print(terminal, dataPlane);
            Banner.ready(terminal);
            log.start();
            stop.await();
            log.close();
            terminal.line("stopping");
        }
        return ExitCode.OK;
    }

    private ConfigReader.Result read()
    {
        try
        {
            return ConfigReader.read(file);
        }
        catch (final ConfigException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    private static DataPlane start(final ConfigReader.Result read, final EventLog log)
    {
        try
        {
            return DataPlane.start(read.config(), log);
        }
        catch (final SettingException e)
        {
            throw new CommandException(ExitCode.USAGE, read.locate(e).getMessage(), e);
        }
    }
}
