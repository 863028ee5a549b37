package io.millrace.cli.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.nvmf.transport.TransportAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class TargetOptionsTest
{
    private static final String NQN = "nqn.2014-08.org.nvmexpress:uuid:5a1b7e7e-0000-4000-8000-000000000001";

    private static TargetOptions parse(final String... args)
    {
        final TargetOptions options = new FabricsOptions();
        new CommandLine(new Holder(), CommandLine.defaultFactory()).addMixin("target", options).parseArgs(args);
        return options;
    }

    @CommandLine.Command
    private static final class Holder
    {
    }

    @ParameterizedTest
    @CsvSource({
        "tcp://127.0.0.1:4421/x, 127.0.0.1, 4421",
        "tcp://127.0.0.1/x, 127.0.0.1, 4420",
        "127.0.0.1:4421/x, 127.0.0.1, 4421",
        "tcp://[::1]:4421/x, ::1, 4421"})
    void shouldReadATarget(final String target, final String address, final int port)
    {
        final TargetOptions options = parse(target);
        assertEquals(port, options.address(4420).getPort());
        assertTrue(options.address(4420).getAddress().isLoopbackAddress());
        assertEquals("x", options.nqn());
    }

    /** A line of nvme-cli needs another command's name alone. */
    @Test
    void shouldTakeTheShortNamesOfNvmeCli()
    {
        final TargetOptions options = parse("-t", "rdma", "-a", "127.0.0.1", "-s", "4421", "-n", NQN);
        assertEquals(TransportAddress.Type.RDMA, options.transport());
        assertEquals(4421, options.address(4420).getPort());
        assertEquals(NQN, options.nqn());
        assertEquals(4422, parse("-p", "4422").address(4420).getPort());
    }

    @Test
    void shouldReadTheNameBehindTheTarget()
    {
        assertEquals(NQN, parse("tcp://127.0.0.1:4420/" + NQN).nqn());
        assertEquals(NQN, parse("--nqn", NQN).nqn());
        assertEquals(NQN, parse("tcp://127.0.0.1", "--nqn", NQN, "--port", "99").nqn());
        assertFalse(parse("tcp://127.0.0.1:4420").hasNqn());
        assertEquals(8009, parse().address(8009).getPort());
    }

    @ParameterizedTest
    @CsvSource({
        "'http://127.0.0.1/x', is not understood",
        "'tcp://127.0.0.1:4420/x --port 4421', give one of them",
        "'tcp://127.0.0.1/x --nqn y', give one of them",
        "'tcp://127.0.0.1/x --address 10.0.0.1', give one of them",
        "'--port 70000', port 70000 is out of range: use 1 to 65535"})
    void shouldSayWhatIsWrongWithATarget(final String args, final String message)
    {
        final CommandException e =
            assertThrows(CommandException.class, () -> parse(args.split(" ")).address(4420));
        assertEquals(ExitCode.USAGE, e.exitCode());
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    @Test
    void shouldAskForASubsystemWhenNoneIsGiven()
    {
        final CommandException e = assertThrows(CommandException.class, () -> parse().nqn());
        assertEquals(ExitCode.USAGE, e.exitCode());
        assertTrue(e.getMessage().contains("'millrace discover' lists them"), e.getMessage());
    }

    @Test
    void shouldConnectAsTheHostItIsTold()
    {
        final TargetOptions options = parse("--host-nqn", NQN);
        assertEquals(NQN, options.host().hostNqn());
        assertEquals(options.host(), parse("--host-nqn", NQN).host());
        assertEquals("5a1b7e7e-0000-4000-8000-000000000001", parse("--host-nqn", NQN, "--host-id",
            "5a1b7e7e-0000-4000-8000-000000000001").host().hostId().toString());
        final CommandException e = assertThrows(CommandException.class,
            () -> parse("--host-nqn", NQN, "--host-id", "me").host());
        assertTrue(e.getMessage().contains("host id 'me' is no UUID"), e.getMessage());
    }
}
