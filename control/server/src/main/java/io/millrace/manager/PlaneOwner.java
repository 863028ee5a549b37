package io.millrace.manager;

import io.millrace.control.codec.Change;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.service.Reply;

/**
 * What a data plane's side of a manager tells the whole. The manager's thread.
 */
interface PlaneOwner
{
    /** A change is decided: it is to be audited and answered. */
    void onFinished(String dataPlane, ChangeRequest change, Reply reply);

    /** Something happened on a data plane. */
    void onEvent(String dataPlane, ControlEvent event);

    /** Events of a data plane were lost. */
    void onEventsLost(String dataPlane);

    /** Something happened to a data plane, as the manager sees it. */
    void onManaged(String dataPlane, Change change, String text);

    /** The manager did something by itself: it is to be audited. */
    void onReconciled(String dataPlane, String words, long version, Reply reply);

    /** It has been gone for a while, or is back after that. */
    void onDown(String dataPlane, boolean isDown, String reason);

    /** For people. */
    void log(String line);
}
