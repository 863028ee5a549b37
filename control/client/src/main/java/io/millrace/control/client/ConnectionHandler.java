package io.millrace.control.client;

import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.Resource;

/**
 * Callbacks for messages of an open session, called by {@link Connection#poll(long)}.
 */
interface ConnectionHandler
{
    void onAnswer(long correlationId, Code code, long value, String text);

    void onResource(long correlationId, Resource resource);

    void onEvent(ControlEvent event);

    void onEventSequence(long sequence);
}
