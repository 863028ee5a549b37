package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a memory window opens to a peer, and for how long, whatever the device: on a model in each build, on soft-RoCE
 * in the lab.
 */
public abstract class MemoryWindowContractTest extends RdmaEndpointFixture
{
    private static final int RANGE_BYTES = 8192;

    private MemoryWindow window;
    private RdmaRegion region;

    @BeforeEach
    void makeWindow() throws Exception
    {
        open();
        region = server.connection().domain().register(targetData(), HALF, RegionAccess.WINDOWS);
        assertTrue(server.connection().domain().hasWindows());
        window = target.call(() -> server.connection().domain().window());
    }

    private void bind(final int id, final RegionAccess access) throws InterruptedException
    {
        target.run(() -> assertTrue(
            server.queuePair().postBind(id, true, window, region, targetData() + 4096, RANGE_BYTES, access)));
        server.expect("sent " + id + " SUCCESS");
    }

    private void write(final int id, final long address, final int bytes, final int key, final String status)
        throws InterruptedException
    {
        host.run(() -> assertTrue(client.at(hostData(), bytes).postWrite(id, true, address, key)));
        client.expect("sent " + id + " " + status);
    }

    @Test
    void shouldOpenARangeUntilItIsInvalidated() throws Exception
    {
        NativeMemory.putLong(hostData(), 0x1122334455667788L);
        bind(1, RegionAccess.REMOTE_READ_WRITE);
        final int first = window.remoteKey();
        write(2, targetData() + 4096, RANGE_BYTES, first, "SUCCESS");
        assertEquals(0x1122334455667788L, NativeMemory.getLong(targetData() + 4096));
        target.run(() -> assertTrue(server.queuePair().postInvalidate(3, true, first)));
        server.expect("sent 3 SUCCESS");
        bind(4, RegionAccess.REMOTE_READ_WRITE);
        assertNotEquals(first, window.remoteKey());
        host.run(() -> assertTrue(
            client.at(hostData(), 64).postRead(5, true, targetData() + 4096, window.remoteKey())));
        client.expect("sent 5 SUCCESS");
        write(6, targetData() + 4096, 8, first, "REMOTE_ACCESS");
    }

    @Test
    void shouldOpenNothingBeyondTheRange() throws Exception
    {
        bind(1, RegionAccess.REMOTE_READ_WRITE);
        write(2, targetData() + 4096 + RANGE_BYTES - 8, 16, window.remoteKey(), "REMOTE_ACCESS");
    }

    @Test
    void shouldOpenNoMoreThanTheAccess() throws Exception
    {
        bind(1, RegionAccess.REMOTE_READ);
        write(2, targetData() + 4096, 8, window.remoteKey(), "REMOTE_ACCESS");
    }

    @Test
    void shouldOpenNothingWhenItIsInvalidated() throws Exception
    {
        bind(1, RegionAccess.REMOTE_WRITE);
        target.run(() -> assertTrue(server.queuePair().postInvalidate(2, true, window.remoteKey())));
        server.expect("sent 2 SUCCESS");
        write(3, targetData() + 4096, 8, window.remoteKey(), "REMOTE_ACCESS");
    }

    @Test
    void shouldOpenNothingOnOtherConnections() throws Exception
    {
        bind(1, RegionAccess.REMOTE_WRITE);
        final int key = window.remoteKey();
        open();
        write(2, targetData() + 4096, 8, key, "REMOTE_ACCESS");
    }

    @Test
    void shouldOpenNothingWhenItIsClosed() throws Exception
    {
        bind(1, RegionAccess.REMOTE_WRITE);
        target.run(() ->
        {
            window.close();
            window.close();
            assertThrows(IllegalArgumentException.class, () -> server.queuePair().postBind(
                2, true, window, region, targetData(), 8, RegionAccess.REMOTE_WRITE));
        });
        write(3, targetData() + 4096, 8, window.remoteKey(), "REMOTE_ACCESS");
    }

    /** The peer gives the range back with its answer. */
    @Test
    void shouldBeInvalidatedByThePeer() throws Exception
    {
        bind(1, RegionAccess.REMOTE_WRITE);
        final int key = window.remoteKey();
        host.run(() -> assertTrue(client.at(hostData(), 8).postSendWithInvalidate(2, true, key)));
        client.expect("sent 2 SUCCESS");
        server.expect("received 0 SUCCESS 8 " + key);
        write(3, targetData() + 4096, 8, key, "REMOTE_ACCESS");
    }

    @Test
    void shouldRefuseRangesOutsideTheRegion() throws Exception
    {
        target.run(() -> assertTrue(server.queuePair().postBind(1, true, window, region,
            targetData() + HALF - 8, 16, RegionAccess.REMOTE_WRITE)));
        final String status = server.next();
        assertTrue(status.matches("sent 1 (WINDOW|REQUEST)"), status);
        final String why = server.closed();
        assertTrue(why.contains("window") || why.contains("check"), why);
    }
}
