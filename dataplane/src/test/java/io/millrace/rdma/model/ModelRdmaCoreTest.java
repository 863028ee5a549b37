package io.millrace.rdma.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** What the model promises by itself. */
class ModelRdmaCoreTest
{
    /** More than there are ports. */
    private static final int CONNECTIONS = 60_000;
    private static final int PORTS = 1 << 16;

    @Test
    void shouldHavePortsForAnyNumberOfConnections()
    {
        try (RdmaModel model = new RdmaModel())
        {
            final ModelRdmaCore core = model.targetCore();
            final ModelEventChannel channel = new ModelEventChannel(new LinuxDescriptors());
            final ModelIdentifier listener = new ModelIdentifier(core, channel, false);
            assertEquals(0, listener.bind(new InetSocketAddress(RdmaModel.address(2), 0)));
            assertEquals(0, listener.listen(1));
            for (int i = 0; i < CONNECTIONS; i++)
            {
                final int port = core.freePort();
                assertNotEquals(listener.local().getPort(), port);
                assertTrue(port > 0 && port < PORTS, () -> "port " + port);
            }
            channel.close();
        }
    }
}
