package io.millrace.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NvmeStatusTest
{
    /** As the specification names them (NVM Express Base 2.0, section 3.3.3.2.1.4). */
    @ParameterizedTest
    @CsvSource({
        "0x300, Internal Path Error", "0x301, Asymmetric Access Persistent Loss",
        "0x302, Asymmetric Access Inaccessible", "0x303, Asymmetric Access Transition",
        "0x360, Controller Pathing Error", "0x370, Host Pathing Error", "0x371, Command Aborted By Host"})
    void shouldNameWhatBefallsPaths(final String status, final String name)
    {
        assertEquals(name, NvmeStatus.name(Integer.decode(status)));
        assertEquals(name, NvmeStatus.name(Integer.decode(status) | NvmeStatus.DO_NOT_RETRY));
        assertTrue(NvmeStatus.isPathRelated(Integer.decode(status) | NvmeStatus.MORE));
        assertTrue(NvmeStatus.isRetryable(Integer.decode(status)));
    }

    @Test
    void shouldTellPathsFromWhatElseFails()
    {
        assertFalse(NvmeStatus.isPathRelated(NvmeStatus.SUCCESS));
        assertFalse(NvmeStatus.isPathRelated(NvmeStatus.INVALID_FIELD));
        assertFalse(NvmeStatus.isPathRelated(NvmeStatus.INVALID_LOG_PAGE));
        assertFalse(NvmeStatus.isPathRelated(NvmeStatus.WRITE_FAULT));
        assertFalse(NvmeStatus.isPathRelated(0x700));
    }
}
