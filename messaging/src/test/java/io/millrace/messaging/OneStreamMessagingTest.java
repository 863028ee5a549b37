package io.millrace.messaging;

import io.millrace.messaging.transport.TransportKind;

/** The contract over TCP, with one stream for messages and bulk. */
class OneStreamMessagingTest extends MessagingContractTest
{
    @Override
    protected TransportKind kind()
    {
        return TransportKind.TCP;
    }

    @Override
    protected MessagingContext settings(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEnabled(false)).tcpStreams(1);
    }
}
