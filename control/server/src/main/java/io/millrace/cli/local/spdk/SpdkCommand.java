package io.millrace.cli.local.spdk;

import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.JsonException;
import io.millrace.console.JsonReader;
import io.millrace.console.Terminal;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.SpdkRpc;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace spdk}: bdevs of SPDK in a data plane, and its JSON-RPC.
 */
@Command(
    name = "spdk",
    description = "Show SPDK in a data plane of this machine, and call its JSON-RPC.",
    footerHeading = "%nExamples:%n",
    footer = {"  millrace spdk status", "  millrace spdk rpc bdev_get_bdevs '{\"name\": \"Malloc0\"}'"})
public final class SpdkCommand extends CommandGroup
{
    /**
     * Called by picocli.
     */
    public SpdkCommand()
    {
    }

    @Command(name = "status", mixinStandardHelpOptions = true,
        description = {
            "Show the version of SPDK and its bdevs.",
            "Exits with 1 when SPDK does not run, or does not answer."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace spdk status",
            "  millrace spdk status --json | jq -r '.bdevs[].name'"})
    int status(
        @Mixin final SpdkOptions options,
        @Option(names = "--json", description = "Print JSON.") final boolean json)
    {
        final SpdkRpc rpc = options.client();
        final SpdkStatus status = tried(() -> SpdkStatus.ask(rpc));
        final Terminal terminal = Terminal.standard();
        if (json)
        {
            terminal.line(status.json());
        }
        else
        {
            status.print(terminal);
        }
        return ExitCode.OK;
    }

    @Command(name = "rpc", mixinStandardHelpOptions = true,
        description = {
            "Call a method of SPDK's JSON-RPC and print its result as JSON.",
            "rpc_get_methods lists the methods, SPDK's documentation describes them. What a method changes lasts " +
                "until SPDK ends: what save_config prints is a configuration for spdk.config.",
            "Exits with 1 when SPDK refuses the call, or does not answer."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace spdk rpc rpc_get_methods",
            "  millrace spdk rpc bdev_malloc_delete '{\"name\": \"Malloc0\"}'",
            "  millrace spdk rpc save_config > spdk.json"})
    int rpc(
        @Mixin final SpdkOptions options,
        @Parameters(index = "0", paramLabel = "METHOD", description = "Name of the method.") final String method,
        @Parameters(index = "1", arity = "0..1", paramLabel = "PARAMS", defaultValue = "",
            description = "Its parameters as a JSON object. Default: none.") final String params)
    {
        final Object parameters = parameters(params);
        final SpdkRpc rpc = options.client();
        Terminal.standard().line(Json.write(tried(() -> rpc.call(method, parameters))));
        return ExitCode.OK;
    }

    private static Object parameters(final String text)
    {
        if (text.isBlank())
        {
            return null;
        }
        try
        {
            final Object parameters = JsonReader.read(text);
            if (parameters instanceof Map || parameters instanceof List)
            {
                return parameters;
            }
        }
        catch (final JsonException e)
        {
            throw new CommandException(ExitCode.USAGE, "PARAMS is no JSON: " + e.getMessage() +
                ": quote it as in '{\"name\": \"Malloc0\"}'", e);
        }
        throw new CommandException(ExitCode.USAGE,
            "PARAMS is no JSON object: write one such as '{\"name\": \"Malloc0\"}'");
    }

    private static <T> T tried(final Supplier<T> call)
    {
        try
        {
            return call.get();
        }
        catch (final RpcException e)
        {
            throw new CommandException(ExitCode.FAILURE, e.getCause() instanceof IOException ?
                e.getMessage() + "; --socket names another socket, --timeout allows more time" : e.getMessage(), e);
        }
    }
}
