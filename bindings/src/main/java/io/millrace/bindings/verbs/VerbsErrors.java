package io.millrace.bindings.verbs;

import io.millrace.bindings.Native;
import java.lang.foreign.MemorySegment;

/**
 * The three ways in which functions of rdma-core report errors, as one. Stateless.
 */
public final class VerbsErrors
{
    private VerbsErrors()
    {
    }

    /**
     * Of functions that answer an error number, or -1 and leave it in errno, or a negated one.
     *
     * @param capture that was handed to the call.
     * @param result  of the call.
     * @return 0 or negated errno.
     */
    public static int status(final MemorySegment capture, final long result)
    {
        final int status = Native.intResult(capture, result);
        return status > 0 ? -status : status;
    }
}
