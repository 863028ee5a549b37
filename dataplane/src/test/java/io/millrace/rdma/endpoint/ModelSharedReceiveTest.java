package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_wc;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The contract on the model. */
class ModelSharedReceiveTest extends SharedReceiveContractTest
{
    private final RdmaModel model = new RdmaModel();
    private volatile int lastNumber;

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }

    /** {@return one that tells the numbers of queue pairs} */
    @Override
    RdmaCore targetCore()
    {
        return (RdmaCore)Proxy.newProxyInstance(
            RdmaCore.class.getClassLoader(), new Class<?>[]{RdmaCore.class}, (_, method, arguments) ->
            {
                try
                {
                    final Object result = method.invoke(model.targetCore(), arguments);
                    if ("queuePairNumber".equals(method.getName()))
                    {
                        lastNumber = (int)result;
                    }
                    return result;
                }
                catch (final InvocationTargetException e)
                {
                    throw e.getCause();
                }
            });
    }

    /** A provider may report what a queue pair took after that was destroyed: nobody else would return the buffer. */
    @Test
    void shouldReturnWhatAConnectionTookThatIsGone() throws Exception
    {
        open();
        final int number = lastNumber;
        close();
        target.run(() ->
        {
            try (Arena arena = Arena.ofConfined())
            {
                final long entry = arena.allocate(ibv_wc.sizeof(), Long.BYTES).address();
                NativeMemory.putInt(entry + ibv_wc.qp_num$offset(), number);
                queue().onReceived(0, Verbs.IBV_WC_SUCCESS, entry);
                assertEquals(1, queue().room());
                queue().onReceived(0, Verbs.IBV_WC_SUCCESS, entry);
                assertEquals(1, queue().room(), "once");
            }
        });
        final String report = reports().poll(60, TimeUnit.SECONDS);
        assertTrue(report.matches("returned \\d"), report);
        assertEquals(0, reports().size());
    }
}
