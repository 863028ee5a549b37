package io.millrace.manager.plane;

import io.millrace.control.codec.Change;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.service.Reply;
import io.millrace.manager.change.ChangeRequest;

/**
 * Callbacks of a managed data plane. The manager's thread.
 */
public interface PlaneListener
{
    /**
     * A change is decided: audit and answer it.
     *
     * @param dataPlane name of the data plane.
     * @param change    that is decided.
     * @param reply     to it.
     */
    void onFinished(String dataPlane, ChangeRequest change, Reply reply);

    /**
     * Something happened on a data plane.
     *
     * @param dataPlane name of the data plane.
     * @param event     as the data plane reports it.
     */
    void onEvent(String dataPlane, ControlEvent event);

    /**
     * Events of a data plane were lost.
     *
     * @param dataPlane name of the data plane.
     */
    void onEventsLost(String dataPlane);

    /**
     * The status of a data plane changed.
     *
     * @param dataPlane name of the data plane.
     * @param change    what kind of change.
     * @param text      in words; may be empty.
     */
    void onManaged(String dataPlane, Change change, String text);

    /**
     * The manager reconciled a data plane: audit it.
     *
     * @param dataPlane name of the data plane.
     * @param words     what was done.
     * @param version   of the desired state.
     * @param reply     result.
     */
    void onReconciled(String dataPlane, String words, long version, Reply reply);

    /**
     * A data plane went down or came up.
     *
     * @param dataPlane name of the data plane.
     * @param isDown    true: it went down.
     * @param reason    in words.
     */
    void onDown(String dataPlane, boolean isDown, String reason);

    /**
     * Logs a line for people.
     *
     * @param line without a line end.
     */
    void log(String line);
}
