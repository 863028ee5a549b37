package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.messaging.transport.TransportKind;
import io.millrace.rdma.model.RdmaModel;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** The contract over RDMA, on the model of rdma-core. */
class ModelRdmaMessagingTest extends MessagingContractTest
{
    private final RdmaModel model = new RdmaModel();

    @Override
    protected TransportKind kind()
    {
        return TransportKind.RDMA;
    }

    @Override
    protected MessagingContext settings(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEventChannel(true)).model(
            "server".equals(context.name()) ? model.targetCore() : model.hostCore(),
            (address) -> new InetSocketAddress(model.targetDevice().address(), address.getPort()));
    }

    @AfterEach
    void checkModel()
    {
        assertEquals(List.of(), model.network().violations());
        assertEquals(0, model.hostCore().resources() + model.targetCore().resources());
        model.close();
    }
}
