package io.millrace.manager;

import io.millrace.control.state.StateDocument;
import java.util.concurrent.TimeUnit;

/**
 * Heap used by the documents of all sessions, and its limits. Sessions without permission to apply share a part of it;
 * the rest is reserved for those with permission. The manager's thread.
 */
final class DocumentBytes
{
    /** Idle time after which a document of a session without permission to apply is dropped. */
    static final long IDLE_MAX_NS = TimeUnit.SECONDS.toNanos(30);
    /** Heap needed to read and plan a byte of a document, plus half. */
    private static final int HEAP_BYTES_PER_BYTE = 60;
    static final long DOCUMENT_MAX_BYTES =
        Math.min(StateDocument.LENGTH_MAX, Runtime.getRuntime().maxMemory() / HEAP_BYTES_PER_BYTE);
    private static final long ALL_MAX_BYTES = 2 * DOCUMENT_MAX_BYTES;
    /** One document of any length can be planned while another is applied. */
    private static final long PLANNED_MAX_BYTES = DOCUMENT_MAX_BYTES;

    private long heldBytes;
    private long plannedBytes;

    /** Adds to what is held, or takes from it when negative. */
    void hold(final boolean mayApply, final long lengthBytes)
    {
        heldBytes += lengthBytes;
        plannedBytes += mayApply ? 0 : lengthBytes;
    }

    /** Reason why a document must not grow by this length; null: it may. */
    String refusal(final boolean mayApply, final long documentBytes, final int lengthBytes)
    {
        if (documentBytes + lengthBytes > DOCUMENT_MAX_BYTES)
        {
            return "the document is longer than " + DOCUMENT_MAX_BYTES +
                " bytes, which is the limit: omit defaults, or give the manager more heap";
        }
        if (!mayApply && plannedBytes + lengthBytes > PLANNED_MAX_BYTES)
        {
            return "the documents of all sessions without permission to apply are longer than " + PLANNED_MAX_BYTES +
                " bytes: try again in " + TimeUnit.NANOSECONDS.toSeconds(IDLE_MAX_NS) + " s";
        }
        return heldBytes + lengthBytes <= ALL_MAX_BYTES ? null : "the documents of all sessions are longer than " +
            ALL_MAX_BYTES + " bytes: try again when the other sessions have ended";
    }
}
