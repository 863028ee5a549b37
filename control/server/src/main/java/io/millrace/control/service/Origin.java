package io.millrace.control.service;

import io.aeron.Image;

/**
 * Origin of a message. Immutable.
 *
 * @param isRemote  whether over UDP.
 * @param imageId   of the sender, by Aeron's session id.
 * @param address   of the sender, without the port; empty over IPC.
 */
record Origin(boolean isRemote, int imageId, String address)
{
    /** Messages over IPC. */
    static final Origin LOCAL = new Origin(false, 0, "");

    /** Of a message that came over UDP. */
    static Origin of(final Image image)
    {
        final String source = image.sourceIdentity();
        final int port = source.lastIndexOf(':');
        return new Origin(true, image.sessionId(), port < 0 ? source : source.substring(0, port));
    }
}
