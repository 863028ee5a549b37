package io.millrace.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.corruption.ComparedVolume;
import io.millrace.nvmf.corruption.CorruptingProxy;
import io.millrace.nvmf.corruption.Corruption;
import io.millrace.nvmf.corruption.Corruptions;
import io.millrace.nvmf.corruption.ExpectedReactions;
import io.millrace.nvmf.corruption.Incident;
import io.millrace.nvmf.corruption.Reaction;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.seed.TestSeeds;
import io.millrace.status.DataPlaneCounters;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A network that flips one bit, between the project's own initiator and target: each field of each PDU, with and
 * without digests. Both sides react as the specification says and report it, and no wrong data is stored or returned.
 */
class CorruptedPduTest
{
    private static final int LIMIT_S = 20;
    /** Two H2CData PDUs. */
    private static final int WRITE_BYTES = 256 << 10;
    /** So that a busy machine ends no connection. */
    private static final int KEEP_ALIVE_MS = 60_000;

    private final Random random = TestSeeds.random();
    private final HostFixture host = new HostFixture();
    private final List<String> targetReports = new CopyOnWriteArrayList<>();
    private final List<String> hostReports = new CopyOnWriteArrayList<>();
    private LocalTarget target;
    private CorruptingProxy proxy;
    private RemoteController direct;
    private ComparedVolume volume;
    private long headerDigestErrors;
    private long dataDigestErrors;
    private long hostTerminations;

    @BeforeEach
    void start() throws IOException
    {
        target = LocalTarget.memory(new TargetListener()
        {
            @Override
            public void onProtocolError(final String remote, final String reason)
            {
                targetReports.add(reason);
            }
        });
        proxy = new CorruptingProxy(target.address());
        direct = host.connect(target.config().build());
        volume = new ComparedVolume(host, host.queue(direct), LocalTarget.BLOCK_BYTES, WRITE_BYTES, random);
    }

    @AfterEach
    void stop() throws IOException
    {
        direct.close();
        proxy.close();
        host.close();
        target.close();
    }

    @ParameterizedTest
    @CsvSource({
        "false, false, FAIL", "true, true, FAIL", "true, false, FAIL", "false, true, FAIL",
        "false, false, WAIT", "true, true, WAIT"})
    void shouldNoticeABitThatIsFlippedInACommand(
        final boolean hasHeaderDigest, final boolean hasDataDigest, final OutagePolicy policy)
    {
        final ControllerListener listener = new ControllerListener()
        {
            @Override
            public void onState(final RemoteController controller, final ControllerState state, final String reason)
            {
                if (ControllerState.RECONNECTING == state)
                {
                    hostReports.add(reason);
                }
            }
        };
        try (RemoteController controller = Waits.get(RemoteController.connect(host.group, HostFixture.HOST,
            ConnectionConfig.to(proxy.address(), LocalTarget.NQN).digests(hasHeaderDigest, hasDataDigest)
                .keepAliveMs(KEEP_ALIVE_MS).reconnectDelayMs(1, 10).outagePolicy(policy).build(), listener)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            for (final Corruption corruption : Corruptions.ofCommands(random, hasHeaderDigest, hasDataDigest))
            {
                hostReports.clear();
                targetReports.clear();
                final int reconnects = controller.reconnectCount();
                final ComparedVolume.Command command = volume.command(corruption);
                final Incident incident = proxy.arm(corruption);
                final int status = command.run(queue);
                final Reaction expected = expected(incident, hasHeaderDigest, hasDataDigest, command.lengthBytes());
                if (expected.isFatal())
                {
                    Waits.until("connected again after " + incident, () -> reconnects < controller.reconnectCount());
                    Waits.until("queue is live", () -> host.call(queue::isLive));
                    assertHostReport(incident, expected);
                }
                assertEquals(status(expected, policy), status, incident::toString);
                command.assertStored(0 == status, hasDataDigest);
                assertEquals(0, command.run(queue), incident::toString);
                command.assertStored(true, hasDataDigest);
            }
        }
        assertCounters(true);
    }

    @Test
    void shouldNoticeABitThatIsFlippedInAGreeting()
    {
        for (final Corruption corruption : Corruptions.ofGreetings(random))
        {
            targetReports.clear();
            final ConnectionConfig config = ConnectionConfig.to(proxy.address(), LocalTarget.NQN)
                .digests(random.nextBoolean(), random.nextBoolean()).build();
            final Incident incident = proxy.arm(corruption);
            final ComparedVolume.Command command = volume.command(corruption);
            final var connecting =
                RemoteController.connect(host.group, HostFixture.HOST, config, ControllerListener.NONE);
            incident.awaitApplied(LIMIT_S);
            if (ExpectedReactions.of(incident, false, false, 0).isFatal())
            {
                hostReports.add(Waits.failure(connecting).getMessage());
                assertHostReport(incident, expected(incident, false, false, 0));
            }
            else
            {
                try (RemoteController controller = Waits.get(connecting))
                {
                    expected(incident, false, false, 0);
                    assertEquals(0, command.run(host.queue(controller)), incident::toString);
                    command.assertStored(true, false);
                }
            }
        }
        assertCounters(false);
    }

    /** What the specification has the receiver do, which is what was seen on the wire. */
    private Reaction expected(
        final Incident incident, final boolean hasHeaderDigest, final boolean hasDataDigest, final int lengthBytes)
    {
        incident.awaitApplied(LIMIT_S);
        final Reaction expected = ExpectedReactions.of(incident, hasHeaderDigest, hasDataDigest, lengthBytes);
        if (expected.isFatal())
        {
            incident.awaitEnd(LIMIT_S);
        }
        assertEquals(expected, incident.reaction(), incident::toString);
        if (0 != incident.headerAtFault().length && ExpectedReactions.isDirect(incident, expected))
        {
            assertArrayEquals(Arrays.copyOf(incident.damaged(), incident.headerAtFault().length),
                incident.headerAtFault(), incident::toString);
        }
        switch (expected.kind())
        {
            case TARGET_TERMINATES ->
            {
                headerDigestErrors += isHeaderDigestError(expected) ? 1 : 0;
                final String report = "fatal error of the host: " + FatalErrorStatus.of(expected.status()) +
                    ", information " + expected.information();
                Waits.until(report + " among " + targetReports, () -> targetReports.contains(report));
            }
            case HOST_TERMINATES -> hostTerminations++;
            // The type that a bit makes H2CTermReq of.
            case ENDS -> hostTerminations += incident.corruption().isFromHost() ? 1 : 0;
            case COMMAND_FAILS -> dataDigestErrors++;
            default -> assertEquals(List.of(), targetReports, incident::toString);
        }
        return expected;
    }

    private static boolean isHeaderDigestError(final Reaction reaction)
    {
        return FatalErrorStatus.HEADER_DIGEST_ERROR.code() == reaction.status();
    }

    private void assertHostReport(final Incident incident, final Reaction reaction)
    {
        final String part = switch (reaction.kind())
        {
            case TARGET_TERMINATES -> "ended the connection: " + FatalErrorStatus.of(reaction.status()) + " (status " +
                reaction.status() + ", information 0x" + Integer.toHexString(reaction.information()) + ")";
            case HOST_TERMINATES -> isHeaderDigestError(reaction) ?
                "violated the protocol: header digest is 0x" + Integer.toHexString(reaction.information()) :
                "violated the protocol: ";
            default -> incident.corruption().isFromHost() ? "closed the connection" :
                "violated the protocol: data digest is 0x";
        };
        assertTrue(hostReports.getLast().contains(part), () -> hostReports + " after " + incident);
    }

    private static int status(final Reaction reaction, final OutagePolicy policy)
    {
        return switch (reaction.kind())
        {
            case COMMAND_FAILS -> NvmeStatus.TRANSIENT_TRANSPORT_ERROR;
            case NONE -> 0;
            default -> OutagePolicy.WAIT == policy ? 0 : HostRequest.STATUS_HOST_PATH_ERROR;
        };
    }

    /**
     * The counters of an operator, which the first reactor publishes now and then. A host that has sent H2CTermReq on
     * an I/O queue resets its controller, which may end that connection before the target has read the request.
     */
    private void assertCounters(final boolean maybeReset)
    {
        Waits.until("digest errors are counted", () ->
            headerDigestErrors <= counter(DataPlaneCounters.Value.HEADER_DIGEST_ERRORS) &&
            dataDigestErrors <= counter(DataPlaneCounters.Value.DATA_DIGEST_ERRORS));
        assertEquals(headerDigestErrors, counter(DataPlaneCounters.Value.HEADER_DIGEST_ERRORS));
        assertEquals(dataDigestErrors, counter(DataPlaneCounters.Value.DATA_DIGEST_ERRORS));
        final long atLeast = maybeReset ? 1 : hostTerminations;
        Waits.until(atLeast + " H2CTermReq of " + hostTerminations + " are counted", () ->
            atLeast <= counter(DataPlaneCounters.Value.HOST_TERMINATIONS));
        assertTrue(hostTerminations >= counter(DataPlaneCounters.Value.HOST_TERMINATIONS));
    }

    private long counter(final DataPlaneCounters.Value value)
    {
        return target.dataPlane().statusSnapshot().dataPlane(value);
    }
}
