package io.millrace.cli.local.parity;

import io.millrace.console.CommandGroup;
import picocli.CommandLine.Command;

/**
 * {@code millrace parity}: parity engines of this machine.
 */
@Command(
    name = "parity",
    description = "Measure how fast this machine computes parity.",
    subcommands = ParityBenchCommand.class,
    footerHeading = "%nExamples:%n",
    footer = "  millrace parity bench")
public final class ParityCommand extends CommandGroup
{
    /**
     * Called by picocli.
     */
    public ParityCommand()
    {
    }
}
