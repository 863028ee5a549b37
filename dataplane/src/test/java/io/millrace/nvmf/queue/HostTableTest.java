package io.millrace.nvmf.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.millrace.status.IoOperation;
import io.millrace.status.StatusFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

public class HostTableTest
{
    private final StatusFile status = StatusFile.inMemory(1);
    private final HostTable hosts = new HostTable(status.part(0));

    @AfterEach
    void close()
    {
        status.close();
    }

    private int known()
    {
        return status.snapshot().hosts().size();
    }

    @Test
    void shouldCountOnWhenAHostComesBack()
    {
        final HostCounters first = hosts.join("nqn.a");
        assertSame(first, hosts.join("nqn.a"));
        first.io().onError(IoOperation.READ);
        hosts.leave(first);
        hosts.leave(first);
        assertSame(first, hosts.join("nqn.a"));
        assertEquals(1, first.io().errors(IoOperation.READ));
    }

    @Test
    void shouldForgetAtOnceWhoDidNothing()
    {
        final HostCounters host = hosts.join("nqn.a");
        assertEquals(0, known());
        hosts.leave(host);
        assertNotSame(host, hosts.join("nqn.a"));
    }

    @Test
    void shouldRememberTheLatestThatWent()
    {
        final HostCounters stays = hosts.join("stays");
        stays.io();
        for (int i = 0; i < 3 * HostTable.GONE_MAX; i++)
        {
            final HostCounters host = hosts.join("nqn." + i);
            host.io();
            hosts.leave(host);
        }
        assertEquals(HostTable.GONE_MAX + 1, known());
        assertSame(stays, hosts.join("stays"));
        final HostCounters last = hosts.join("nqn." + (3 * HostTable.GONE_MAX - 1));
        assertEquals(true, last.hasCounted());
        assertEquals(false, hosts.join("nqn.0").hasCounted());
    }
}
