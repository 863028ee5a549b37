package io.millrace.cli.initiator;

import picocli.CommandLine.Option;

/**
 * Target options of perf, where -s is the size of an I/O and -t the duration, as fio and SPDK have them.
 */
final class PerfTargetOptions extends TargetOptions
{
    @Option(names = "--transport", paramLabel = "TRANSPORT",
        description = "tcp or rdma. Default: that of the target, or tcp.")
    void transportOption(final String value)
    {
        transport(value);
    }

    @Option(names = {"-p", "--port"}, paramLabel = "PORT",
        description = "Port of the target. Default: 4420.")
    void portOption(final Integer value)
    {
        port(value);
    }
}
