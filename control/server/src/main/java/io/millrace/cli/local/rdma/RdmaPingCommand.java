package io.millrace.cli.local.rdma;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.console.TimeSpan;
import io.millrace.perf.rdma.PingListener;
import io.millrace.perf.rdma.RdmaPing;
import io.millrace.perf.rdma.RdmaPingConfig;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace rdma ping}: whether messages come back over RDMA, and how fast.
 */
@Command(
    name = "ping",
    description = {
        "Send messages over an RDMA connection, compare what comes back, and print the time of each round trip.",
        "The other side runs the same command without an address, or 'millrace rdma lat' or 'bw' without one.",
        "A ping without reply is lost; the next one connects again. Ctrl-C ends it with the statistics.",
        "Exits with 1 when a ping was lost."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace rdma ping                         on one machine",
        "  millrace rdma ping 192.0.2.7               on the other, until Ctrl-C",
        "  millrace rdma ping 192.0.2.7 -c 5 -i 200ms -s 4KiB"})
public final class RdmaPingCommand implements Callable<Integer>
{
    private static final int SIZE_DEFAULT = 64;

    @Mixin
    private RdmaTestOptions options;

    @Option(names = {"-c", "--count"}, paramLabel = "COUNT", defaultValue = "0",
        description = "Pings to send. Default: 0, until Ctrl-C.")
    private long count;

    @Option(names = {"-i", "--interval"}, paramLabel = "TIME", converter = TimeSpan.class, defaultValue = "1s",
        description = "Time between the starts of two pings. Default: ${DEFAULT-VALUE}.")
    private long intervalMs;

    @Option(names = {"-W", "--timeout"}, paramLabel = "TIME", converter = TimeSpan.class, defaultValue = "1s",
        description = "A ping without reply in this time is lost. Default: ${DEFAULT-VALUE}.")
    private long timeoutMs;

    /**
     * Called by picocli.
     */
    public RdmaPingCommand()
    {
    }

    @Override
    public Integer call()
    {
        if (options.isServer())
        {
            return options.serve();
        }
        final RdmaPingConfig config = config();
        final Terminal terminal = Terminal.standard();
        final StopSignal stop = StopSignal.install();
        final Printer printer = new Printer(config, options.isJson(), terminal, stop);
        final Reactor reactor = new Reactor(ReactorConfig.of("rdma-ping", -1));
        reactor.start();
        try
        {
            final RdmaPing ping = reactor.call(() ->
            {
                final RdmaPing made = new RdmaPing(reactor, config, printer);
                printer.begin();
                return made;
            }).join();
            stop.await();
            reactor.call(() ->
            {
                ping.close();
                return null;
            }).join();
            return printer.end();
        }
        catch (final CompletionException e)
        {
            throw RdmaTestOptions.failure(e);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            return ExitCode.FAILURE;
        }
        finally
        {
            reactor.close();
        }
    }

    private RdmaPingConfig config()
    {
        try
        {
            return new RdmaPingConfig(options.server(), options.size(SIZE_DEFAULT), count,
                TimeUnit.MILLISECONDS.toNanos(intervalMs), TimeUnit.MILLISECONDS.toNanos(timeoutMs));
        }
        catch (final IllegalArgumentException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    /** Prints each ping. On the reactor's thread, and when that calls no more, on the command's. */
    static final class Printer implements PingListener
    {
        private final RdmaPingConfig config;
        private final boolean isJson;
        private final Terminal terminal;
        private final StopSignal stop;
        private final PingSummary summary = new PingSummary();
        private final String server;

        Printer(
            final RdmaPingConfig config, final boolean isJson, final Terminal terminal, final StopSignal stop)
        {
            this.config = config;
            this.isJson = isJson;
            this.terminal = terminal;
            this.stop = stop;
            server = config.server().getAddress().getHostAddress();
        }

        /** Prints the header: pings are sent from now on. */
        void begin()
        {
            line("RDMA PING " + server + " port " + config.server().getPort() + ", " + config.sizeBytes() + " bytes");
        }

        private void line(final String text)
        {
            if (!isJson)
            {
                terminal.line(text);
            }
        }

        @Override
        public void onReply(final long sequence, final long ns)
        {
            summary.onReply(ns);
            line(config.sizeBytes() + " bytes from " + server + ": seq=" + sequence + " time=" + PingSummary.us(ns) +
                " us");
        }

        @Override
        public void onLost(final long sequence, final String reason)
        {
            summary.onLost();
            line("lost seq=" + sequence + ": " + reason);
        }

        @Override
        public void onEnd()
        {
            stop.request();
        }

        /** {@return the exit code} */
        int end()
        {
            if (isJson)
            {
                terminal.line(Json.write(summary.json(server, config.sizeBytes())));
            }
            else
            {
                summary.print(server, terminal);
            }
            return summary.isComplete() ? ExitCode.OK : ExitCode.FAILURE;
        }
    }
}
