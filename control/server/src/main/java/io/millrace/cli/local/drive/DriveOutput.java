package io.millrace.cli.local.drive;

import picocli.CommandLine.Option;

/**
 * Output options of a command.
 */
final class DriveOutput
{
    /** Formats; the names are values of the option. */
    enum Format
    {
        /** For people. */
        table,
        /** For programs. */
        json
    }

    @Option(names = {"-o", "--output"}, paramLabel = "FORMAT", defaultValue = "table",
        description = "Print as ${COMPLETION-CANDIDATES}. Default: table.")
    private Format format;

    @Option(names = "--json", description = "Print JSON: short for --output json.")
    private boolean json;

    boolean isJson()
    {
        return json || Format.json == format;
    }
}
