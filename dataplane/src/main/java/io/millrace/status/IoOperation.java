package io.millrace.status;

/**
 * Kinds of I/O command that are counted separately. Their order is that of the file.
 */
public enum IoOperation
{
    /** Read and Compare. */
    READ,
    /** Write. */
    WRITE,
    /** Every other: Flush, Write Zeroes, Dataset Management. */
    OTHER
}
