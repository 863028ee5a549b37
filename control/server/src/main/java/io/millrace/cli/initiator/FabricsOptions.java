package io.millrace.cli.initiator;

import picocli.CommandLine.Option;

/**
 * Target options with the short names of nvme-cli: -t, -a, -s and -n.
 */
final class FabricsOptions extends TargetOptions
{
    @Option(names = {"-t", "--transport"}, paramLabel = "TRANSPORT",
        description = "tcp or rdma. Default: that of the target, or tcp.")
    void transportOption(final String value)
    {
        transport(value);
    }

    @Option(names = {"-s", "-p", "--port"}, paramLabel = "PORT",
        description = "Port of the target. Default: 4420; for discover over TCP 8009.")
    void portOption(final Integer value)
    {
        port(value);
    }
}
