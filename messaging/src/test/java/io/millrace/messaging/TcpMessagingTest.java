package io.millrace.messaging;

import io.millrace.messaging.transport.TransportKind;

/** The contract over TCP, with four streams. */
class TcpMessagingTest extends MessagingContractTest
{
    @Override
    protected TransportKind kind()
    {
        return TransportKind.TCP;
    }

    @Override
    protected MessagingContext settings(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEnabled(false));
    }
}
