package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.DataPlane;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.corruption.ComparedVolume;
import io.millrace.nvmf.corruption.CorruptingProxy;
import io.millrace.nvmf.corruption.Corruption;
import io.millrace.nvmf.corruption.Corruptions;
import io.millrace.nvmf.corruption.ExpectedReactions;
import io.millrace.nvmf.corruption.Incident;
import io.millrace.nvmf.corruption.PduField;
import io.millrace.nvmf.corruption.Reaction;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.ControllerState;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.OutagePolicy;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.seed.TestSeeds;
import io.millrace.serve.config.ConfigReader;
import io.millrace.status.DataPlaneCounters;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A network that flips one bit, with the kernel at one end of the connection: its initiator and our target, our
 * initiator and its target. Our side reacts as the specification says, the kernel's goes on by itself, and no wrong
 * data is stored or returned. All fields of all PDUs are {@code CorruptedPduTest}'s; here are those that the kernel of
 * the other end reacts to in a defined way.
 */
@LabTest
final class CorruptionTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:corruption";
    private static final String NVMET_NQN = "nqn.2026-11.io.millrace:kernel-target";
    private static final int LIMIT_S = 580;
    private static final int REACTION_S = 60;
    private static final int SECTOR = 512;
    /** Long for the kernel's work on one PDU, also on a busy machine. */
    private static final int END_DELAY_MS = 300;
    /** One command of the kernel, with one R2T and one H2CData PDU. */
    private static final int WRITE_BYTES = 64 << 10;
    /** So that a busy machine ends no connection. */
    private static final int KEEP_ALIVE_MS = 60_000;
    private static final String CONFIG = """
        reactors: [{name: r0}]
        devices: [{name: memory, type: memory, size: 8MiB, block-size: 4096}]
        subsystems:
          - nqn: nqn.2026-11.io.millrace:corruption
            allow-any-host: true
            namespaces: [{nsid: 1, device: memory}]
        listeners: [{transport: tcp, address: 127.0.0.1, port: 0}]
        discovery: false
        """;

    private static final Random RANDOM = TestSeeds.random();
    private static final List<String> TARGET_REPORTS = new CopyOnWriteArrayList<>();
    private static final List<String> HOST_REPORTS = new CopyOnWriteArrayList<>();
    private static HostFixture host;
    private static Path share;
    private static DataPlane dataPlane;
    /** In front of our target. */
    private static CorruptingProxy targetProxy;
    /** In front of the kernel's. */
    private static CorruptingProxy kernelProxy;
    private static InetSocketAddress kernelAddress;
    private static LabMachine machine;
    private static int requests;
    private static long headerDigestErrors;
    private static long dataDigestErrors;

    @BeforeAll
    static void start() throws Exception
    {
        // Again when a test is repeated.
        host = new HostFixture();
        requests = 0;
        headerDigestErrors = 0;
        dataDigestErrors = 0;
        share = Lab.directory("corruption-share");
        Files.writeString(share.resolve("request"), "0\n");
        dataPlane = DataPlane.start(ConfigReader.read("lab.yaml", CONFIG).config(), new TargetListener()
        {
            @Override
            public void onProtocolError(final String remote, final String reason)
            {
                TARGET_REPORTS.add(reason);
            }
        });
        targetProxy = new CorruptingProxy(dataPlane.addresses().getFirst().socketAddress(), END_DELAY_MS);
        final int port = Ports.free();
        kernelAddress = new InetSocketAddress("127.0.0.1", port);
        kernelProxy = new CorruptingProxy(kernelAddress);
        machine = Lab.named("corruption").share(share).forward(port, 4420)
            .start(LIMIT_S, "corruption.sh", targetProxy.address().getPort(), NQN, NVMET_NQN);
        machine.awaitLine("serving");
    }

    @AfterAll
    static void end() throws Exception
    {
        try (LabMachine usedMachine = machine; CorruptingProxy _ = targetProxy; CorruptingProxy _ = kernelProxy;
            DataPlane _ = dataPlane; HostFixture _ = host)
        {
            if (null != usedMachine && !usedMachine.hasEnded())
            {
                ask("end");
                usedMachine.await().assertPassed();
            }
        }
    }

    /** Has the machine do something, which must succeed there. */
    private static void ask(final String what) throws Exception
    {
        requests++;
        final Path request = Files.writeString(share.resolve("next"), requests + " " + what + "\n");
        Files.move(request, share.resolve("request"), StandardCopyOption.ATOMIC_MOVE);
        machine.awaitLine("did " + requests + " 0");
    }

    private static Corruption of(final int pduType, final boolean hasData, final PduField field)
    {
        return new Corruption(pduType, hasData, 0, field, RANDOM.nextInt(1 << 20));
    }

    private static Corruption of(final int pduType, final PduField field)
    {
        return of(pduType, false, field);
    }

    private static List<Corruption> withDigests()
    {
        return List.of(
            of(PduType.CAPSULE_COMMAND, PduField.HEADER_DIGEST),
            of(PduType.CAPSULE_COMMAND, PduField.ENTRY),
            of(PduType.CAPSULE_COMMAND, true, PduField.ENTRY),
            of(PduType.CAPSULE_COMMAND, true, PduField.DATA),
            of(PduType.CAPSULE_COMMAND, true, PduField.DATA_DIGEST),
            of(PduType.H2C_DATA, PduField.HEADER_DIGEST),
            of(PduType.H2C_DATA, PduField.BUFFER_OFFSET),
            of(PduType.H2C_DATA, PduField.DATA),
            of(PduType.H2C_DATA, PduField.DATA_DIGEST),
            of(PduType.READY_TO_TRANSFER, PduField.HEADER_DIGEST),
            of(PduType.READY_TO_TRANSFER, PduField.BUFFER_OFFSET),
            of(PduType.C2H_DATA, PduField.HEADER_DIGEST),
            of(PduType.C2H_DATA, PduField.DATA_LENGTH),
            of(PduType.C2H_DATA, PduField.DATA),
            of(PduType.C2H_DATA, PduField.DATA_DIGEST),
            of(PduType.CAPSULE_RESPONSE, PduField.HEADER_DIGEST),
            of(PduType.CAPSULE_RESPONSE, PduField.ENTRY));
    }

    @Test
    void shouldServeTheKernelOverANetworkThatDamagesPdus() throws Exception
    {
        final ConnectionConfig config =
            ConnectionConfig.to(dataPlane.addresses().getFirst().socketAddress(), NQN).build();
        try (RemoteController direct = host.connect(config))
        {
            final ComparedVolume volume =
                new ComparedVolume(host, host.queue(direct), ComparedVolume.BLOCK_BYTES, WRITE_BYTES, RANDOM);
            ask("connect --hdr-digest --data-digest");
            for (final Corruption corruption : withDigests())
            {
                serveKernel(volume, corruption, true);
            }
            for (final Corruption corruption : greetings())
            {
                serveGreeting(volume, corruption);
            }
            ask("disconnect");
            ask("connect");
            for (final Corruption corruption : withoutDigests())
            {
                serveKernel(volume, corruption, false);
            }
            ask("disconnect");
        }
        assertCounter(headerDigestErrors, DataPlaneCounters.Value.HEADER_DIGEST_ERRORS);
        assertCounter(dataDigestErrors, DataPlaneCounters.Value.DATA_DIGEST_ERRORS);
    }

    private static List<Corruption> greetings()
    {
        return List.of(
            of(PduType.IC_REQ, PduField.FORMAT_VERSION),
            of(PduType.IC_REQ, PduField.HEADER_LENGTH),
            new Corruption(PduType.IC_REQ, false, 0, PduField.DATA_ALIGNMENT, 5 + RANDOM.nextInt(3)),
            of(PduType.IC_RESP, PduField.FORMAT_VERSION),
            new Corruption(PduType.IC_RESP, false, 0, PduField.DIGESTS, RANDOM.nextInt(2)));
    }

    private static List<Corruption> withoutDigests()
    {
        return List.of(
            of(PduType.CAPSULE_COMMAND, PduField.TYPE),
            of(PduType.CAPSULE_COMMAND, PduField.PDU_LENGTH),
            of(PduType.CAPSULE_COMMAND, true, PduField.DATA_OFFSET),
            of(PduType.H2C_DATA, PduField.TYPE),
            of(PduType.H2C_DATA, PduField.HEADER_LENGTH),
            of(PduType.H2C_DATA, PduField.COMMAND_ID),
            of(PduType.H2C_DATA, PduField.TRANSFER_TAG),
            of(PduType.H2C_DATA, PduField.BUFFER_OFFSET),
            of(PduType.H2C_DATA, PduField.DATA_LENGTH),
            of(PduType.READY_TO_TRANSFER, PduField.TRANSFER_TAG),
            of(PduType.READY_TO_TRANSFER, PduField.COMMAND_ID),
            of(PduType.C2H_DATA, PduField.COMMAND_ID),
            of(PduType.CAPSULE_RESPONSE, PduField.COMMAND_ID));
    }

    /** The kernel moves data while a PDU is damaged: it succeeds in the end, and our target does what it has to. */
    private static void serveKernel(
        final ComparedVolume volume, final Corruption corruption, final boolean hasDigests) throws Exception
    {
        TARGET_REPORTS.clear();
        final ComparedVolume.Command command = volume.command(corruption);
        final Incident incident = targetProxy.arm(corruption);
        if (command.isWrite())
        {
            Files.write(share.resolve("data"), command.data());
        }
        ask((command.isWrite() ? "write " : "read ") + command.startByte() + " " + command.lengthBytes());
        incident.awaitApplied(REACTION_S);
        if (!command.isWrite())
        {
            command.assertReturned(Files.readAllBytes(share.resolve("data")));
        }
        command.assertStored(true, hasDigests);
        assertOurTarget(incident, hasDigests, command.lengthBytes());
    }

    /** What our target does with what a host sent; whatever the kernel's initiator does with ours, it says nothing. */
    private static void assertOurTarget(final Incident incident, final boolean hasDigests, final int lengthBytes)
    {
        final Reaction expected = ExpectedReactions.of(incident, hasDigests, hasDigests, lengthBytes);
        final boolean isData = !isOfHeader(incident.corruption());
        if (expected.isFatal() && (incident.corruption().isFromHost() || !isData))
        {
            incident.awaitEnd(REACTION_S);
        }
        final Reaction seen = incident.reaction();
        switch (expected.kind())
        {
            case TARGET_TERMINATES ->
            {
                assertEquals(expected, seen, incident::toString);
                if (incident.corruption().isFromHost())
                {
                    assertArrayEquals(Arrays.copyOf(incident.damaged(), incident.headerAtFault().length),
                        incident.headerAtFault(), incident::toString);
                }
                assertTrue(TARGET_REPORTS.contains("fatal error of the host: " +
                    FatalErrorStatus.of(expected.status()) + ", information " + expected.information()),
                    () -> TARGET_REPORTS + " after " + incident);
                headerDigestErrors += FatalErrorStatus.HEADER_DIGEST_ERROR.code() == expected.status() ? 1 : 0;
            }
            case COMMAND_FAILS ->
            {
                assertEquals(expected, seen, incident::toString);
                assertEquals(List.of(), TARGET_REPORTS, incident::toString);
                dataDigestErrors++;
            }
            case HOST_TERMINATES, ENDS ->
            {
                // Linux 6.1 sends no H2CTermReq, and keeps the connection when data is damaged.
                assertEquals(isData ? Reaction.Kind.NONE : Reaction.Kind.ENDS, seen.kind(), incident::toString);
                assertEquals(List.of(), TARGET_REPORTS, incident::toString);
            }
            default -> assertEquals(expected, seen, incident::toString);
        }
    }

    private static boolean isOfHeader(final Corruption corruption)
    {
        return PduField.DATA != corruption.field() && PduField.DATA_DIGEST != corruption.field();
    }

    private static void serveGreeting(final ComparedVolume volume, final Corruption corruption) throws Exception
    {
        TARGET_REPORTS.clear();
        final ComparedVolume.Command command = volume.command(corruption);
        final Incident incident = targetProxy.arm(corruption);
        ask("reset");
        incident.awaitApplied(REACTION_S);
        ask("read " + command.startByte() + " " + command.lengthBytes());
        command.assertReturned(Files.readAllBytes(share.resolve("data")));
        assertOurTarget(incident, false, 0);
    }

    private static void assertCounter(final long expected, final DataPlaneCounters.Value value)
    {
        Waits.until(value + " is " + expected, () -> expected == dataPlane.statusSnapshot().dataPlane(value));
    }

    @Test
    void shouldUseTheKernelsTargetOverANetworkThatDamagesPdus()
    {
        try (RemoteController direct = host.connect(ConnectionConfig.to(kernelAddress, NVMET_NQN).build()))
        {
            final ComparedVolume volume = new ComparedVolume(host, host.queue(direct), SECTOR, WRITE_BYTES, RANDOM);
            useKernel(volume, true, withDigests());
            final List<Corruption> noticed = new ArrayList<>(Corruptions.ofCommands(RANDOM, false, false));
            noticed.removeIf((corruption) -> !Set.of(PduType.READY_TO_TRANSFER, PduType.C2H_DATA,
                PduType.CAPSULE_RESPONSE).contains(corruption.pduType()) ||
                PduType.READY_TO_TRANSFER == corruption.pduType() && PduField.TRANSFER_TAG == corruption.field());
            useKernel(volume, false, noticed);
        }
    }

    private static void useKernel(
        final ComparedVolume volume, final boolean hasDigests, final List<Corruption> corruptions)
    {
        final ControllerListener listener = new ControllerListener()
        {
            @Override
            public void onState(final RemoteController controller, final ControllerState state, final String reason)
            {
                if (ControllerState.RECONNECTING == state)
                {
                    HOST_REPORTS.add(reason);
                }
            }
        };
        try (RemoteController controller = Waits.get(RemoteController.connect(host.group, HostFixture.HOST,
            ConnectionConfig.to(kernelProxy.address(), NVMET_NQN).digests(hasDigests, hasDigests)
                .keepAliveMs(KEEP_ALIVE_MS).reconnectDelayMs(20, 100).outagePolicy(OutagePolicy.FAIL).build(),
            listener)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            for (final Corruption corruption : corruptions)
            {
                HOST_REPORTS.clear();
                final int reconnects = controller.reconnectCount();
                final ComparedVolume.Command command = volume.command(corruption);
                final Incident incident = kernelProxy.arm(corruption);
                final int status = command.run(queue);
                incident.awaitApplied(REACTION_S);
                incident.awaitEnd(REACTION_S);
                Waits.until("connected again after " + incident, REACTION_S, () ->
                    reconnects < controller.reconnectCount() && host.call(queue::isLive));
                assertEquals(HostRequest.STATUS_HOST_PATH_ERROR, status, incident::toString);
                assertOurHost(incident, hasDigests, command.lengthBytes());
                command.assertStored(false, true);
                assertEquals(0, command.run(queue), incident::toString);
                command.assertStored(true, true);
            }
        }
    }

    /** What our initiator does with what the kernel's target sent; the latter ends a connection without a word. */
    private static void assertOurHost(final Incident incident, final boolean hasDigests, final int lengthBytes)
    {
        final Reaction expected = ExpectedReactions.of(incident, hasDigests, hasDigests, lengthBytes);
        final boolean isKernels = incident.corruption().isFromHost();
        if (isKernels)
        {
            assertEquals(Reaction.Kind.ENDS, incident.reaction().kind(), incident::toString);
        }
        else
        {
            assertEquals(expected, incident.reaction(), incident::toString);
            if (Reaction.Kind.HOST_TERMINATES == expected.kind())
            {
                assertArrayEquals(Arrays.copyOf(incident.damaged(), incident.headerAtFault().length),
                    incident.headerAtFault(), incident::toString);
            }
        }
        final String report = isKernels ? "closed the connection" :
            Reaction.Kind.ENDS == expected.kind() ? "violated the protocol: data digest is 0x" :
            FatalErrorStatus.HEADER_DIGEST_ERROR.code() == expected.status() ?
                "violated the protocol: header digest is 0x" + Integer.toHexString(expected.information()) :
                "violated the protocol: ";
        assertTrue(HOST_REPORTS.getFirst().contains(report) || isKernels && isLost(HOST_REPORTS.getFirst()),
            () -> HOST_REPORTS + " after " + incident);
    }

    /** The kernel may reset the connection instead of closing it. */
    private static boolean isLost(final String report)
    {
        return report.contains(" broke");
    }
}
