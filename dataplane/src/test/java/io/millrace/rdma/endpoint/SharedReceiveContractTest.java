package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.rdma.RdmaException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a shared receive queue does for its connections, whatever the device: on a model in each build, on soft-RoCE in
 * the lab.
 */
public abstract class SharedReceiveContractTest extends RdmaEndpointFixture
{
    private static final int DEPTH = 8;

    private final LinkedBlockingQueue<String> reports = new LinkedBlockingQueue<>();
    private final SharedReceiveListener listener = new SharedReceiveListener()
    {
        @Override
        public void onLimit(final SharedReceiveQueue queue)
        {
            reports.add("limit");
        }

        @Override
        public void onReturned(final long id)
        {
            reports.add("returned " + id);
        }
    };
    private volatile SharedReceiveQueue queue;
    private int posted = DEPTH;

    @BeforeEach
    void share()
    {
        onServerQueuePair = (_) ->
        {
        };
        serverShared = (domain) ->
        {
            if (null == queue)
            {
                queue = domain.sharedReceiveQueue(DEPTH, 2, listener);
                for (int i = 0; i < posted; i++)
                {
                    assertTrue(post(domain, i));
                }
            }
            return queue;
        };
    }

    final SharedReceiveQueue queue()
    {
        return queue;
    }

    /** {@return what the listener was told} */
    final LinkedBlockingQueue<String> reports()
    {
        return reports;
    }

    final boolean post(final RdmaDomain domain, final int id)
    {
        final long address = target.address() + (long)id * RECEIVE_BYTES;
        return queue.segment(address, RECEIVE_BYTES, (int)domain.keys().localKey(address, RECEIVE_BYTES))
            .postReceive(id);
    }

    final void send(final RecordingPeer from, final long value)
    {
        host.run(() ->
        {
            NativeMemory.putLong(hostData(), value);
            assertTrue(from.at(hostData(), 8).postSend(value, true));
        });
    }

    /** {@return the id of the request that the next message of a connection took} */
    final int received(final RecordingPeer at, final long value) throws InterruptedException
    {
        final String report = at.next();
        assertTrue(report.matches("received \\d SUCCESS 8 0"), report);
        final int id = report.charAt("received ".length()) - '0';
        assertEquals(value, NativeMemory.getLong(target.address() + (long)id * RECEIVE_BYTES));
        return id;
    }

    @Test
    void shouldTakeRequestsForWhicheverConnectionHasAMessage() throws Exception
    {
        final List<RecordingPeer> clients = new ArrayList<>();
        final List<RecordingPeer> servers = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            open();
            clients.add(client);
            servers.add(server);
        }
        final Set<Integer> taken = new HashSet<>();
        for (int i = 0; i < DEPTH; i++)
        {
            final int which = i * 7 % 3;
            send(clients.get(which), 100 + i);
            assertTrue(taken.add(received(servers.get(which), 100 + i)), "each request once");
        }
        target.run(() ->
        {
            assertEquals(DEPTH, queue.room());
            assertEquals(0, servers.get(0).queuePair().receiveRoom());
            assertFalse(servers.get(0).queuePair().postReceive(1), "it has no receive queue of its own");
            for (int i = 0; i < DEPTH; i++)
            {
                assertTrue(post(servers.get(0).connection().domain(), i));
            }
            assertFalse(post(servers.get(0).connection().domain(), 0), "more than its depth");
        });
        for (int i = 0; i < DEPTH; i++)
        {
            send(clients.get(2), 200 + i);
            received(servers.get(2), 200 + i);
        }
    }

    @Test
    void shouldSayOnceThatFewRequestsAreLeft() throws Exception
    {
        open();
        target.run(() -> queue.limit(4));
        for (int i = 0; i < DEPTH; i++)
        {
            assertEquals(List.of(), i <= 4 ? List.copyOf(reports) : List.of());
            send(client, i);
            received(server, i);
        }
        assertEquals("limit", reports.poll(60, TimeUnit.SECONDS));
        target.run(() ->
        {
            for (int i = 0; i < DEPTH; i++)
            {
                assertTrue(post(server.connection().domain(), i));
            }
            queue.limit(DEPTH);
        });
        send(client, 1);
        received(server, 1);
        assertEquals("limit", reports.poll(60, TimeUnit.SECONDS));
        assertEquals(List.of(), List.copyOf(reports));
    }

    @Test
    void shouldTakeRequestsThatWerePostedAsLists() throws Exception
    {
        open();
        target.run(() -> queue.holdUntilPolled());
        for (int round = 0; round < 4; round++)
        {
            final Set<Integer> taken = new HashSet<>();
            for (int i = 0; i < DEPTH; i++)
            {
                send(client, 100 * round + i);
                assertTrue(taken.add(received(server, 100 * round + i)), "each request once");
            }
            final int first = round;
            target.run(() ->
            {
                for (int i = 0; i < DEPTH - first; i++)
                {
                    assertTrue(post(server.connection().domain(), i));
                }
            });
            // Those that fill no list leave by themselves.
            target.run(() ->
            {
                for (int i = DEPTH - first; i < DEPTH; i++)
                {
                    assertTrue(post(server.connection().domain(), i));
                }
                assertFalse(post(server.connection().domain(), 0), "more than its depth");
            });
        }
        assertEquals(List.of(), List.copyOf(reports));
    }

    @Test
    void shouldLetAPeerFailWhenItIsEmpty() throws Exception
    {
        posted = 0;
        open();
        host.run(() -> assertTrue(client.at(hostData(), 8).postSend(9, true)));
        client.expect("sent 9 RECEIVER_NOT_READY");
        final String why = client.closed();
        assertTrue(why.contains("no receive request"), why);
        assertEquals("the peer ended the connection", server.closed());
    }

    /** A connection that ends, by whichever side and reason, takes nothing of the others along. */
    @Test
    void shouldOutliveItsConnections() throws Exception
    {
        open();
        final RecordingPeer first = client;
        final RecordingPeer firstServer = server;
        open();
        send(first, 1);
        first.expect("sent 1 SUCCESS");
        received(firstServer, 1);
        // Longer than the buffer: this request ends with the connection.
        host.run(() -> assertTrue(first.at(hostData(), RECEIVE_BYTES + 1).postSend(9, true)));
        first.next();
        first.closed();
        final List<String> ends = new ArrayList<>();
        for (String next = firstServer.next(); !next.startsWith("closed: "); next = firstServer.next())
        {
            ends.add(next);
        }
        assertTrue(ends.size() <= 1 && ends.stream().noneMatch((each) -> each.contains("SUCCESS")), ends::toString);
        for (int i = 0; i < DEPTH - 1 - ends.size() - reports.size(); i++)
        {
            send(client, 10 + i);
            received(server, 10 + i);
        }
        assertEquals(DEPTH, (int)target.call(() -> queue.room()), "none is lost");
    }

    @Test
    void shouldCloseAfterItsConnections() throws Exception
    {
        open();
        final IllegalStateException used =
            assertThrows(IllegalStateException.class, () -> target.run(() -> queue.close()));
        assertTrue(used.getMessage().contains("1 connections use it"), used.getMessage());
        close();
        target.run(() ->
        {
            queue.close();
            queue.close();
            assertEquals(0, queue.room());
            assertFalse(queue.postReceive(1));
        });
        for (int i = 0; i < DEPTH; i++)
        {
            assertEquals("returned " + i, reports.poll(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldReturnOnlyWhatNoMessageTook() throws Exception
    {
        open();
        final Set<String> left = new HashSet<>();
        for (int i = 0; i < DEPTH; i++)
        {
            left.add("returned " + i);
        }
        for (int i = 0; i < 3; i++)
        {
            send(client, i);
            left.remove("returned " + received(server, i));
            client.expect("sent " + i + " SUCCESS");
        }
        close();
        target.run(() -> queue.close());
        assertEquals(left, Set.copyOf(reports));
        assertEquals(left.size(), reports.size());
    }

    /** Its device would drop the completion with the queue pair, and the request that the message took. */
    @Test
    void shouldReportAMessageThatIsThereBeforeItsConnectionEnds() throws Exception
    {
        open();
        target.call(() ->
        {
            send(client, 7);
            client.expect("sent 7 SUCCESS");
            target.manager().close();
            return null;
        });
        final int id = received(server, 7);
        assertEquals("the connection manager was closed", server.closed());
        assertFalse(reports.contains("returned " + id));
        assertEquals(DEPTH - 1, reports.size());
    }

    @Test
    void shouldRefuseWhatTheDeviceDoesNotHave() throws Exception
    {
        open();
        final RdmaDomain domain = server.connection().domain();
        final RdmaException refused = assertThrows(RdmaException.class, () ->
            target.run(() -> domain.sharedReceiveQueue(DEPTH, QueuePairConfig.SEGMENTS_MAX, listener).close()),
            "soft-RoCE and the model have fewer segments in such a queue");
        assertTrue(refused.getMessage().contains("has at most"), refused.getMessage());
        assertThrows(IllegalArgumentException.class, () ->
            target.run(() -> domain.sharedReceiveQueue(0, 1, listener)));
        assertThrows(IllegalArgumentException.class, () -> target.run(() -> queue.limit(DEPTH + 1)));
    }
}
