package io.millrace.manager;

import io.millrace.control.codec.Change;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.service.Reply;

/**
 * Callbacks of a managed data plane. The manager's thread.
 */
interface PlaneListener
{
    /** A change is decided: audit and answer it. */
    void onFinished(String dataPlane, ChangeRequest change, Reply reply);

    /** Something happened on a data plane. */
    void onEvent(String dataPlane, ControlEvent event);

    /** Events of a data plane were lost. */
    void onEventsLost(String dataPlane);

    /** The status of a data plane changed. */
    void onManaged(String dataPlane, Change change, String text);

    /** The manager reconciled a data plane: audit it. */
    void onReconciled(String dataPlane, String words, long version, Reply reply);

    /** A data plane went down or came up. */
    void onDown(String dataPlane, boolean isDown, String reason);

    /** For people. */
    void log(String line);
}
