package io.millrace.block.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.block.StatusRecorder;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileHealthTest
{
    private static final long QUIET_NS = 30_000_000;

    private final Reactor reactor = new Reactor(ReactorConfig.of("health", -1));
    private final FileHealth health = new FileHealth("/vol", QUIET_NS);
    private final StatusRecorder reported = new StatusRecorder(health::status);

    FileHealthTest()
    {
        reactor.start();
        health.start(reported);
    }

    @AfterEach
    void close()
    {
        reactor.close();
    }

    private void error(final int errno)
    {
        reactor.call(() ->
        {
            health.onError(errno, reactor);
            return null;
        }).join();
    }

    @ParameterizedTest
    @ValueSource(ints = {Errno.EIO, Errno.ENOSPC, Errno.EROFS, Errno.ETIMEDOUT, Errno.ENOLINK})
    void shouldBeDegradedUntilErrorsCease(final int errno)
    {
        final long beganNs = reactor.call(reactor::nowNs).join();
        for (int i = 0; i < 5; i++)
        {
            error(errno);
        }
        final DeviceStatus degraded = reported.next();
        assertEquals(DeviceHealth.DEGRADED, degraded.health());
        assertTrue(degraded.reason().contains("/vol"), degraded.reason());
        assertTrue(degraded.reason().contains(Errno.describe(errno)), degraded.reason());
        // The errors in between reported nothing.
        assertEquals(DeviceStatus.ONLINE, reported.next());
        assertTrue(reactor.call(reactor::nowNs).join() - beganNs >= QUIET_NS);
        error(errno);
        assertEquals(degraded, reported.next());
    }

    @Test
    void shouldSayHowMuchIsMissingUntilNothingIsSoughtThere()
    {
        cut(4096, 8192);
        final DeviceStatus degraded = reported.next();
        assertEquals(DeviceHealth.DEGRADED, degraded.health());
        assertEquals("/vol has 4096 bytes now, less than the 8192 of the device: enlarge it again", degraded.reason());
        assertEquals(DeviceStatus.ONLINE, reported.next());
        cut(Long.MAX_VALUE, 8192);
        assertEquals("/vol was truncated below the 8192 bytes of the device: enlarge it again",
            reported.next().reason());
    }

    private void cut(final long lengthBytes, final long sizeBytes)
    {
        reactor.call(() ->
        {
            health.onCut(lengthBytes, sizeBytes, reactor);
            return null;
        }).join();
    }

    @Test
    void shouldStayFailedWhenTheDriveIsGone()
    {
        error(Errno.EIO);
        assertEquals(DeviceHealth.DEGRADED, reported.next().health());
        error(Errno.ENODEV);
        assertEquals(DeviceHealth.FAILED, reported.next().health());
        error(Errno.EIO);
        // The timer of the first error has expired when a later one does.
        final long dueNs = System.nanoTime() + 2 * QUIET_NS;
        while (System.nanoTime() - dueNs < 0)
        {
            Thread.onSpinWait();
        }
        error(Errno.EIO);
        assertEquals(DeviceHealth.FAILED, health.status().health());
        assertTrue(reported.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(ints = {Errno.ECANCELED, Errno.EOPNOTSUPP, Errno.EPERM})
    void shouldNotTakeARefusedRequestForBadHealth(final int errno)
    {
        error(errno);
        assertEquals(DeviceStatus.ONLINE, health.status());
        assertTrue(reported.isEmpty());
    }
}
