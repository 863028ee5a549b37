package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An iWARP device brings what an RDMA READ reads only into memory that peers may write: that, and no more of it. */
class IwarpTest extends RdmaEndpointFixture
{
    private static final int BYTES = 2 << 20;

    private final RdmaModel model = new RdmaModel();
    private final DmaMemory buffers = DmaMemory.map(BYTES);
    private final DmaMemory capsules = DmaMemory.map(BYTES);
    private final DmaMemory lent = DmaMemory.map(BYTES);
    private final MemoryRegistry registry = new MemoryRegistry();
    private final RdmaMemory memory = new RdmaMemory(model.hostCore(), RegionAccess.LOCAL);
    private ConnectionManager manager;
    private RecordingPeer reader;

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }

    private void connect(final boolean isIwarp) throws InterruptedException
    {
        if (isIwarp)
        {
            model.hostDevice().iwarp();
        }
        registry.add(buffers, MemoryRole.BUFFERS);
        registry.add(capsules, MemoryRole.CAPSULES);
        registry.add(MemoryRegion.imported(MemoryRole.LENT, MemoryDomain.HOST, lent.address(), BYTES, 4096));
        registry.addListener(memory);
        manager = host.call(() -> new ConnectionManager(host.reactor(), memory, 1024));
        reader = new RecordingPeer((_) ->
        {
        });
        host.call(() -> manager.connect(listening, SIZES, reader, "hello".getBytes(), 30_000_000_000L));
        reader.expect("established");
        server = accepted.take();
        server.expect("established");
    }

    @Override
    @AfterEach
    void stop()
    {
        host.run(manager::close);
        super.stop();
        registry.removeListener(memory);
        memory.close();
        buffers.close();
        capsules.close();
        lent.close();
    }

    private boolean isOpen(final long address)
    {
        return model.hostDevice().mayBeWrittenByPeers(address);
    }

    /** Blocks of devices and capsules of other connections are nobody's to write. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldOpenBuffersAloneToPeers(final boolean isIwarp) throws InterruptedException
    {
        connect(isIwarp);
        assertEquals(isIwarp, isOpen(buffers.address()));
        assertEquals(isIwarp, isOpen(buffers.address() + BYTES - 1));
        assertFalse(isOpen(capsules.address()));
        assertFalse(isOpen(lent.address()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldOpenMemoryOfReadsAlone(final boolean isIwarp) throws InterruptedException
    {
        connect(isIwarp);
        final RdmaDomain domain = host.call(() -> reader.connection().domain());
        for (final RegionAccess access : new RegionAccess[]{RegionAccess.LOCAL, RegionAccess.REMOTE_READ})
        {
            try (RdmaRegion region = domain.register(hostData(), BYTES, access))
            {
                assertEquals(BYTES, region.lengthBytes());
                assertFalse(isOpen(hostData()));
            }
            try (RdmaRegion region = domain.register(hostData(), BYTES, domain.forReads(access)))
            {
                assertEquals(BYTES, region.lengthBytes());
                assertEquals(isIwarp, isOpen(hostData()));
            }
        }
    }

    @Test
    void shouldReadIntoBuffers() throws InterruptedException
    {
        connect(true);
        NativeMemory.putLong(targetData(), 77);
        final int key = targetKey();
        host.run(() -> assertTrue(reader.at(buffers.address(), 4096).postRead(1, true, targetData(), key)));
        reader.expect("sent 1 SUCCESS");
        assertEquals(77, NativeMemory.getLong(buffers.address()));
        host.run(() -> assertTrue(reader.at(capsules.address(), 4096).postRead(2, true, targetData(), key)));
        reader.expect("sent 2 PROTECTION");
        assertEquals(0, NativeMemory.getLong(capsules.address()));
    }
}
