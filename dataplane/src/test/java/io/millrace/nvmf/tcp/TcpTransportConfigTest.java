package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class TcpTransportConfigTest
{
    @Test
    void shouldHaveDefaultsThatAreValid()
    {
        final TcpTransportConfig config = TcpTransportConfig.defaults();

        assertEquals(8192, config.inCapsuleDataBytes());
        assertEquals(131072, config.maxH2cDataBytes());
        assertEquals(524288, config.receiveBufferBytes());
    }

    @Test
    void shouldNameSettingValueBoundAndRemedy()
    {
        expect("tcp in-capsule-data-bytes 131088 is above 131072: lower it, or leave it out for the default",
            () -> of(131088, 131072, 524288, 1_000_000_000L, 10, 0, 0));
        expect("tcp in-capsule-data-bytes 4100 is not a multiple of 16: use 4096",
            () -> of(4100, 131072, 524288, 1_000_000_000L, 10, 0, 0));
        expect("tcp max-h2c-data-bytes 4092 is below 4096: raise it, or leave it out for the default",
            () -> of(4096, 4092, 524288, 1_000_000_000L, 10, 0, 0));
        expect("tcp max-h2c-data-bytes 4098 is not a multiple of 4: use 4096",
            () -> of(4096, 4098, 524288, 1_000_000_000L, 10, 0, 0));
        expect("tcp receive-buffer-bytes 65536 is below 262144: raise it, or leave it out for the default",
            () -> of(131072, 131072, 65536, 1_000_000_000L, 10, 0, 0));
        expect("tcp connect-timeout-ns 1 is below 1000000: raise it, or leave it out for the default",
            () -> of(4096, 131072, 524288, 1, 10, 0, 0));
        expect("tcp connections-max 0 is below 1: raise it, or leave it out for the default",
            () -> of(4096, 131072, 524288, 1_000_000_000L, 0, 0, 0));
        expect("tcp socket-send-bytes -1 is below 0: raise it, or leave it out for the default",
            () -> of(4096, 131072, 524288, 1_000_000_000L, 10, -1, 0));
        expect("tcp socket-receive-bytes -1 is below 0: raise it, or leave it out for the default",
            () -> of(4096, 131072, 524288, 1_000_000_000L, 10, 0, -1));
    }

    private static void expect(final String message, final org.junit.jupiter.api.function.Executable executable)
    {
        assertEquals(message, assertThrows(IllegalArgumentException.class, executable).getMessage());
    }

    private static TcpTransportConfig of(
        final int inCapsule,
        final int maxH2c,
        final int receiveBuffer,
        final long connectTimeoutNs,
        final int connections,
        final int sendBytes,
        final int receiveBytes)
    {
        return new TcpTransportConfig(
            inCapsule, maxH2c, receiveBuffer, true, connectTimeoutNs, connections, sendBytes, receiveBytes);
    }
}
