package io.millrace.lab.guest;

import io.millrace.messaging.MessagingContext;
import io.millrace.messaging.MessagingContractTest;
import io.millrace.messaging.transport.TransportKind;

/**
 * The contract of messaging on a device of the kernel, which is connected with itself.
 */
public class MessagingDeviceContract extends MessagingContractTest
{
    /**
     * Runs it and ends with exit code 1 when a test failed.
     *
     * @param args an address of the device.
     */
    public static void main(final String[] args)
    {
        System.setProperty("millrace.messaging.address", args[0]);
        System.setProperty("millrace.messaging.limit-s", "120");
        System.exit(ContractRun.run(MessagingDeviceContract.class, "messaging") ? 0 : 1);
    }

    @Override
    protected TransportKind kind()
    {
        return TransportKind.RDMA;
    }

    @Override
    protected MessagingContext settings(final MessagingContext context)
    {
        // Two reactors that poll leave the machine no processor for the kernel's part of the device.
        return context.rdma(context.rdma().withEventChannel(true))
            .connectTimeoutNs(MessagingPeer.CONNECT_TIMEOUT_NS).keepAliveTimeoutNs(MessagingPeer.KEEP_ALIVE_TIMEOUT_NS);
    }
}
