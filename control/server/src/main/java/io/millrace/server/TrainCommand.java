package io.millrace.server;

import io.millrace.console.ExitCode;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.dataplane.DataPlane;
import io.millrace.server.config.ConfigReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * {@code millrace train}: starts and stops a small data plane once and prints nothing. The launcher runs it after a
 * build, for the JVM to keep the classes that a start loads and links (JEP 483); a server then listens in less than
 * half the time.
 */
@Command(name = "train", hidden = true, description = "Start and stop a small data plane, for the JVM to learn how.")
public final class TrainCommand implements Callable<Integer>
{
    private static final String CONFIG = """
        reactors: [{cpu: any}]
        memory: {size: 8MiB}
        devices:
          - {name: mem0, type: memory, size: 1MiB, block-size: 512}
          - {name: file0, type: file, path: '%s', size: 1MiB}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:train
            allow-any-host: true
            namespaces: [{nsid: 1, device: mem0}, {nsid: 2, device: file0}]
        listeners: [{transport: tcp, address: 127.0.0.1, port: 0}]
        discovery: false
        """;

    /**
     * Made by the command line.
     */
    public TrainCommand()
    {
    }

    @Override
    public Integer call() throws IOException
    {
        final Path file = Files.createTempFile("millrace-train", ".img");
        try (PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
        {
            final Terminal terminal = new Terminal(nowhere, false, false);
            final String text = CONFIG.formatted(file.toString().replace("'", "''"));
            final EventLog log = new EventLog(terminal);
            StopSignal.install();
            try (DataPlane dataPlane = DataPlane.start(ConfigReader.read("train", text).config(), log))
            {
                Banner.print(terminal, dataPlane);
                Banner.ready(terminal);
                log.start();
                log.onConnected("train", "train", "train", 1);
                log.close();
            }
        }
        finally
        {
            Files.delete(file);
        }
        return ExitCode.OK;
    }
}
