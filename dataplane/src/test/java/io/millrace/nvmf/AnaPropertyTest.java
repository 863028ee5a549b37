package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.AnaGroupDescriptor;
import io.millrace.nvme.AnaLogHeader;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/**
 * Random changes of states and namespaces under hosts that came in at three addresses: after each, every host is told
 * what a model knows that it must be, and nothing else, and its commands go on or are refused as the state says.
 */
class AnaPropertyTest
{
    private static final AnaState[] STATES = AnaState.values();
    private static final TransportAddress[] LOCALS = {
        TestTarget.LOCAL, TransportAddress.tcp("127.0.0.1", 4421), TransportAddress.tcp("127.0.0.2", 4421)};
    private static final TransportAddress[] LISTENERS = {
        null, LOCALS[0], LOCALS[1], LOCALS[2], TransportAddress.tcp("0.0.0.0", 4421)};
    private static final int GROUPS = 3;
    private static final int NAMESPACES = 4;

    /** A host, and what it must be told. */
    private static final class Path
    {
        final TestTarget target;
        final TransportAddress local;
        final AnaState[] states = new AnaState[GROUPS + 1];
        final long[] groupChanges = new long[GROUPS + 1];
        long changes;
        TestHost admin;
        TestHost io;
        CompletableFuture<Completion> event;

        Path(final TestTarget target, final TransportAddress local)
        {
            this.target = target;
            this.local = local;
            Arrays.fill(states, AnaState.OPTIMIZED);
            connect();
        }

        void connect()
        {
            Arrays.fill(groupChanges, 1);
            changes = 0;
            admin = AnaTest.connect(target, local);
            io = target.io(admin, 1, 1);
            event = await(admin);
        }

        private static CompletableFuture<Completion> await(final TestHost admin)
        {
            return admin.submit((entry) -> entry.opcode(AdminOpcode.ASYNC_EVENT_REQUEST));
        }

        void onNamespaceChanged(final int group)
        {
            changes++;
            groupChanges[group]++;
            expectEvent(AsyncEvent.NAMESPACE_CHANGED);
        }

        void onState(final int group, final AnaState state, final TreeSet<Integer> used)
        {
            boolean isChanged = false;
            boolean isTold = false;
            boolean isEnded = false;
            for (int each = 1; each <= GROUPS; each++)
            {
                if ((0 == group || each == group) && state != states[each])
                {
                    final boolean isUsed = used.contains(each);
                    groupChanges[each] += isUsed ? 1 : 0;
                    isChanged |= isUsed;
                    isTold |= isUsed && AnaState.CHANGE != state;
                    isEnded |= isUsed && AnaState.PERSISTENT_LOSS == states[each];
                    states[each] = state;
                }
            }
            changes += isChanged ? 1 : 0;
            if (isEnded)
            {
                TestTarget.await("the controller to end", () -> null != admin.disconnectReason());
                connect();
            }
            else if (isTold)
            {
                expectEvent(AsyncEvent.ANA_CHANGED);
            }
            else
            {
                admin.status();
                assertFalse(event.isDone(), "told of what is no news");
                assertNull(admin.disconnectReason());
            }
        }

        private void expectEvent(final int result)
        {
            assertEquals(result, TestHost.await(event).result0());
            LogPagesTest.log(admin, AsyncEvent.logPage(result), 0, 16, false);
            event = await(admin);
        }

        /** Namespaces by group. */
        void check(final TreeMap<Integer, Integer> namespaces)
        {
            final Completion log = LogPagesTest.log(admin, LogPageId.ANA, 0, 512, true);
            final AnaLogHeader header = new AnaLogHeader();
            header.wrap(log.buffer(), 0);
            assertEquals(changes, header.changeCount());
            final TreeSet<Integer> used = new TreeSet<>(namespaces.values());
            assertEquals(used.size(), header.groups());
            final AnaGroupDescriptor descriptor = new AnaGroupDescriptor();
            int offset = AnaLogHeader.SIZE_BYTES;
            for (final int group : used)
            {
                descriptor.wrap(log.buffer(), offset);
                assertEquals(group, descriptor.groupId());
                assertEquals(states[group].code(), descriptor.state());
                assertEquals(groupChanges[group], descriptor.changeCount());
                offset += AnaGroupDescriptor.SIZE_BYTES;
                final List<Integer> nsids = namespaces.keySet().stream()
                    .filter((nsid) -> group == namespaces.get(nsid)).toList();
                assertEquals(nsids.size(), descriptor.namespaces());
                for (final int nsid : nsids)
                {
                    assertEquals(nsid, log.dword(offset / Integer.BYTES));
                    offset += Integer.BYTES;
                }
            }
            namespaces.forEach((nsid, group) -> assertEquals(states[group].status(), io.execute((entry) ->
                entry.opcode(IoOpcode.READ).namespaceId(nsid).sglLength(TestTarget.BLOCK_BYTES)).status()));
        }
    }

    @Property(tries = 40)
    void shouldTellEachHostWhatItsPathIs(
        @ForAll @Size(max = 30) final List<@IntRange(min = 0, max = 1 << 20) Integer> history)
    {
        try (TestTarget target = new TestTarget(2))
        {
            final TreeMap<Integer, Integer> namespaces = new TreeMap<>();
            namespaces.put(1, 1);
            final List<Path> paths = Arrays.stream(LOCALS).map((local) -> new Path(target, local)).toList();
            for (final int step : history)
            {
                final int group = (step >>> 3) % (GROUPS + 1);
                final int listener = (step >>> 6) % LISTENERS.length;
                final int nsid = 2 + (step >>> 9) % (NAMESPACES - 1);
                if (0 != step % 4)
                {
                    final AnaState state = STATES[(step >>> 12) % STATES.length];
                    final CompletableFuture<?> done =
                        target.subsystem().ana().set(LISTENERS[listener], group, state);
                    TestTarget.await("the change to be done", done::isDone);
                    for (int at = 0; at < LOCALS.length; at++)
                    {
                        final boolean isCovered = switch (listener)
                        {
                            case 0 -> true;
                            case 4 -> at > 0;
                            default -> at == listener - 1;
                        };
                        if (isCovered)
                        {
                            paths.get(at).onState(group, state, new TreeSet<>(namespaces.values()));
                        }
                    }
                }
                else if (namespaces.containsKey(nsid))
                {
                    final CompletableFuture<Void> gone = target.subsystem().removeNamespace(nsid);
                    TestTarget.await("the namespace to be gone", gone::isDone);
                    final int former = namespaces.remove(nsid);
                    paths.forEach((path) -> path.onNamespaceChanged(former));
                }
                else
                {
                    final int chosen = Math.max(1, group);
                    target.subsystem().addNamespace(new Namespace(
                        nsid, target.subsystem().namespace(1).device(), UUID.randomUUID(), chosen));
                    namespaces.put(nsid, chosen);
                    paths.forEach((path) -> path.onNamespaceChanged(chosen));
                }
                paths.forEach((path) -> path.check(namespaces));
            }
            assertEquals(LOCALS.length, target.subsystem().controllers().count());
            assertEquals(NvmeStatus.SUCCESS, paths.getFirst().admin.propertyGet(8, 0).status());
        }
    }
}
