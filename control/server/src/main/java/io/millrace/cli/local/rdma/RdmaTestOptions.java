package io.millrace.cli.local.rdma;

import io.millrace.console.ByteSize;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.perf.rdma.RdmaOperation;
import io.millrace.perf.rdma.RdmaTestConfig;
import io.millrace.perf.rdma.RdmaTestServer;
import io.millrace.rdma.RdmaException;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * What the tests of RDMA connections have in common; without an address they are the server.
 */
final class RdmaTestOptions
{
    private static final int PORT_MAX = 65_535;

    @Parameters(index = "0", arity = "0..1", paramLabel = "ADDRESS",
        description = "Address of the server to test. Without it this is the server of ping, lat and bw, until " +
            "Ctrl-C.")
    private String address;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", defaultValue = "" + RdmaTestConfig.PORT_DEFAULT,
        description = "Port of the server. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Option(names = "--listen", paramLabel = "ADDRESS", defaultValue = "0.0.0.0",
        description = "Address of this server. Default: ${DEFAULT-VALUE}, all RDMA devices.")
    private String listen;

    @Option(names = {"-s", "--size"}, paramLabel = "SIZE", converter = ByteSize.class,
        description = "Size of one operation, up to 8MiB. Default: 64 bytes for ping, 2 bytes for lat, 64KiB for bw.")
    private Long sizeBytes;

    @Option(names = "--json", description = "Print JSON; a server ignores it.")
    private boolean json;

    boolean isServer()
    {
        return null == address;
    }

    boolean isJson()
    {
        return json;
    }

    RdmaTestConfig config(final String operation, final int sizeDefault, final int depth, final long count)
    {
        check("--iters", count, Long.MAX_VALUE);
        check("--tx-depth", depth, RdmaTestConfig.DEPTH_MAX);
        check("--size", size(sizeDefault), RdmaTestConfig.SIZE_BYTES_MAX);
        try
        {
            return new RdmaTestConfig(server(), RdmaOperation.valueOf(operation.toUpperCase(Locale.ROOT)),
                size(sizeDefault), depth, count);
        }
        catch (final IllegalArgumentException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    static void check(final String option, final long value, final long max)
    {
        if (value < 1 || value > max)
        {
            throw new CommandException(ExitCode.USAGE, option + ' ' + value + ": must be " +
                (Long.MAX_VALUE == max ? "at least 1" : "1 to " + max));
        }
    }

    /** {@return size of one operation} */
    int size(final int sizeDefault)
    {
        return null == sizeBytes ? sizeDefault : (int)Math.min(sizeBytes, Integer.MAX_VALUE);
    }

    /** {@return the server to test} */
    InetSocketAddress server()
    {
        return socketAddress(address);
    }

    private InetSocketAddress socketAddress(final String host)
    {
        if (port < 1 || port > PORT_MAX)
        {
            throw new CommandException(ExitCode.USAGE, "--port " + port + ": must be 1 to " + PORT_MAX);
        }
        try
        {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        }
        catch (final UnknownHostException e)
        {
            throw new CommandException(ExitCode.FAILURE, host + ": there is no such host", e);
        }
    }

    int serve()
    {
        final InetSocketAddress local = socketAddress(listen);
        final Terminal terminal = Terminal.standard();
        final StopSignal stop = StopSignal.install();
        final Reactor reactor = new Reactor(ReactorConfig.of("rdma-server", -1));
        reactor.start();
        try
        {
            final RdmaTestServer server =
                reactor.call(() -> new RdmaTestServer(reactor, local, terminal::line)).join();
            terminal.line("RDMA tests are served at " + server.address().getAddress().getHostAddress() + ", port " +
                server.address().getPort() + ", until Ctrl-C. Anyone who reaches it may connect.");
            stop.await();
            reactor.call(() ->
            {
                server.close();
                return null;
            }).join();
            return stop.exitCode(ExitCode.OK);
        }
        catch (final CompletionException e)
        {
            throw failure(e);
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

    static CommandException failure(final CompletionException e)
    {
        if (e.getCause() instanceof final RdmaException refused)
        {
            return new CommandException(ExitCode.FAILURE, refused.getMessage(), refused);
        }
        throw e;
    }
}
