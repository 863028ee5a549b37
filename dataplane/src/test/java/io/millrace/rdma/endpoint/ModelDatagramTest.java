package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.RdmaModel;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** The contract on the model. */
class ModelDatagramTest extends DatagramContractTest
{
    private final RdmaModel model = new RdmaModel();

    @Override
    protected RdmaCore hostCore()
    {
        return model.hostCore();
    }

    @Override
    protected RdmaCore targetCore()
    {
        return model.targetCore();
    }

    @Override
    protected InetSocketAddress targetAddress()
    {
        return new InetSocketAddress(model.targetDevice().address(), 0);
    }

    @Override
    @AfterEach
    void stop()
    {
        super.stop();
        assertEquals(List.of(), model.network().violations());
        assertEquals(0, model.hostCore().resources() + model.targetCore().resources());
        model.close();
    }
}
