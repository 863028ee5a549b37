package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.verbs.Verbs;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryException;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRole;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;
import org.junit.jupiter.api.Test;

/** Memory that is registered with on-demand paging, and by its dma-buf, where a device offers that. */
class RegistrationTest extends RdmaEndpointFixture
{
    private static final int BYTES = 8192;
    private static final int FD = 77;
    private static final int WITHOUT_ATOMICS = Verbs.IBV_ODP_SUPPORT_SEND | Verbs.IBV_ODP_SUPPORT_RECV |
        Verbs.IBV_ODP_SUPPORT_READ | Verbs.IBV_ODP_SUPPORT_WRITE;

    private final RdmaModel model = new RdmaModel();

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }

    private RdmaDomain domain()
    {
        return client.connection().domain();
    }

    private String refusal(final Runnable task)
    {
        return assertThrows(RdmaException.class, task::run).getMessage();
    }

    @Test
    void shouldRefuseOnDemandPagingThatTheDeviceDoesNotHave() throws InterruptedException
    {
        open();
        assertTrue(domain().onDemandPaging().operations().isEmpty());
        assertTrue(refusal(() -> domain().registerOnDemand(hostData(), BYTES, RegionAccess.LOCAL))
            .contains("has no on-demand paging for [SEND, RECEIVE, WRITE, READ]: register the memory without"));
        assertEquals(0, model.hostCore().onDemandBytes());
        close();
    }

    @Test
    void shouldRegisterOnDemandWhatTheDeviceOffers() throws InterruptedException
    {
        model.hostCore().onDemandOperations(WITHOUT_ATOMICS);
        open();
        assertTrue(refusal(() -> domain().registerOnDemand(hostData(), BYTES, RegionAccess.REMOTE_ALL))
            .contains("[ATOMIC]"));
        assertTrue(refusal(() -> domain().registerOnDemand(hostData(), BYTES, RegionAccess.WINDOWS))
            .contains("memory windows"));
        try (RdmaRegion region = domain().registerOnDemand(hostData(), BYTES, RegionAccess.REMOTE_READ_WRITE))
        {
            assertEquals(BYTES, model.hostCore().onDemandBytes());
            assertEquals(hostData(), region.address());
        }
        try (RdmaRegion pinned = domain().register(hostData(), BYTES, RegionAccess.LOCAL))
        {
            assertEquals(BYTES, pinned.lengthBytes());
            assertEquals(BYTES, model.hostCore().onDemandBytes());
        }
        close();
    }

    @Test
    void shouldRegisterADmaBufWhereTheDeviceDoes() throws InterruptedException
    {
        open();
        assertTrue(refusal(() -> domain().registerDmaBuf(FD, 4096, hostData(), BYTES, RegionAccess.LOCAL))
            .contains("does not offer this kind"));
        model.hostCore().dmaBuf(FD, hostData() - 4096);
        try (RdmaRegion region = domain().registerDmaBuf(FD, 4096, hostData(), BYTES, RegionAccess.LOCAL))
        {
            assertEquals(hostData(), region.address());
        }
        assertTrue(refusal(() -> domain().registerDmaBuf(FD + 1, 0, hostData(), BYTES, RegionAccess.LOCAL))
            .contains("cannot register " + BYTES + " bytes"));
        close();
    }

    /** Pages of another device have no others; where a device registers no dma-buf, the mapping may do. */
    @Test
    void shouldRegisterMappedMemoryByItsDmaBufAndElseByItsAddress() throws InterruptedException
    {
        open();
        final long before = model.hostCore().lockedBytes();
        try (DmaMemory mapping = DmaMemory.map(BYTES))
        {
            addAndRemove(mapping);
            assertEquals(before, model.hostCore().lockedBytes());

            model.hostCore().dmaBuf(FD, mapping.address());
            final String reason =
                assertThrows(MemoryException.class, () -> addAndRemove(mapping)).getMessage();
            assertTrue(reason.contains("cannot register " + BYTES + " bytes"), reason);
            model.hostCore().dmaBuf(FD, mapping.address() - 4096);
            addAndRemove(mapping);
        }
        assertEquals(before, model.hostCore().lockedBytes());
        close();
    }

    /** A part of the dma-buf, from its second page on. */
    private void addAndRemove(final DmaMemory mapping)
    {
        final long before = model.hostCore().lockedBytes();
        final MemoryRegion region = MemoryRegion.importedDmaBuf(
            MemoryRole.BUFFERS, MemoryDomain.HOST, FD, 4096, BYTES, 4096, mapping.address());
        host.registry().add(region);
        assertEquals(before + BYTES, model.hostCore().lockedBytes());
        host.registry().remove(region);
    }
}
