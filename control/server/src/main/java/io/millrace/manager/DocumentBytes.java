package io.millrace.manager;

import io.millrace.control.state.StateDocument;
import java.util.concurrent.TimeUnit;

/**
 * How much of the heap the documents of all sessions take, and how much they may. Sessions that may not apply
 * documents have a part in all; the rest is for those that may. The manager's thread.
 */
final class DocumentBytes
{
    /** After that a document of a session that may not apply it is dropped, unless it was used meanwhile. */
    static final long IDLE_MAX_NS = TimeUnit.SECONDS.toNanos(30);
    /** What reading and planning a byte of a document takes of the heap, half as much again. */
    private static final int HEAP_BYTES_PER_BYTE = 60;
    static final long DOCUMENT_MAX_BYTES =
        Math.min(StateDocument.LENGTH_MAX, Runtime.getRuntime().maxMemory() / HEAP_BYTES_PER_BYTE);
    private static final long ALL_MAX_BYTES = 2 * DOCUMENT_MAX_BYTES;
    /** One document of any length can be planned, and one be applied beside it. */
    private static final long PLANNED_MAX_BYTES = DOCUMENT_MAX_BYTES;

    private long heldBytes;
    private long plannedBytes;

    /** Adds to what is held, or takes from it when negative. */
    void hold(final boolean mayApply, final long lengthBytes)
    {
        heldBytes += lengthBytes;
        plannedBytes += mayApply ? 0 : lengthBytes;
    }

    /** Why a document may not be longer by so much; null: it may. */
    String refusal(final boolean mayApply, final long documentBytes, final int lengthBytes)
    {
        if (documentBytes + lengthBytes > DOCUMENT_MAX_BYTES)
        {
            return "the document is longer than " + DOCUMENT_MAX_BYTES +
                " bytes, the most that is read: leave out what is the default, or give the manager more heap";
        }
        if (!mayApply && plannedBytes + lengthBytes > PLANNED_MAX_BYTES)
        {
            return "the documents of all sessions that may not apply them are longer than " + PLANNED_MAX_BYTES +
                " bytes: try again in " + TimeUnit.NANOSECONDS.toSeconds(IDLE_MAX_NS) + " s";
        }
        return heldBytes + lengthBytes <= ALL_MAX_BYTES ? null : "the documents of all sessions are longer than " +
            ALL_MAX_BYTES + " bytes: try again when the other sessions have ended";
    }
}
