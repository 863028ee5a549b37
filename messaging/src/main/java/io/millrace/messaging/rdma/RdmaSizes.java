package io.millrace.messaging.rdma;

import io.millrace.messaging.transport.LinkSizes;
import io.millrace.rdma.RdmaSettings;

/**
 * Sizes of one side of a connection over RDMA, and by which device it may go. Immutable; any thread.
 *
 * @param link         what both transports have.
 * @param sendDepth    outstanding send requests.
 * @param segments     of a request.
 * @param inlineBytes  that a send request may hold itself.
 * @param eventChannel whether the reactor may sleep while the connection is idle.
 * @param device       that it may go by.
 */
public record RdmaSizes(
    LinkSizes link, int sendDepth, int segments, int inlineBytes, boolean eventChannel, RdmaSettings device)
{
}
