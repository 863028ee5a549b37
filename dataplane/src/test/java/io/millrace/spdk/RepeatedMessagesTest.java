package io.millrace.spdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class RepeatedMessagesTest
{
    private static final long SECOND_NS = 1_000_000_000L;

    private long nowNs = Long.MAX_VALUE - 5 * SECOND_NS;
    private final RepeatedMessages messages = new RepeatedMessages(() -> nowNs);

    @Test
    void shouldPassTheFirstOfMessagesThatDifferInNumbersAlone()
    {
        assertEquals("WRITE cid:98 lba:0x1f failed", messages.onMessage("WRITE cid:98 lba:0x1f failed"));
        assertNull(messages.onMessage("WRITE cid:99 lba:0xABC failed"));
        assertEquals("READ cid:98 lba:0x1f failed", messages.onMessage("READ cid:98 lba:0x1f failed"));
        nowNs += 59 * SECOND_NS;
        assertNull(messages.onMessage("WRITE cid:1 lba:0x2 failed"));
        nowNs += SECOND_NS;
        assertEquals("WRITE cid:3 lba:0x2 failed (and 2 such messages since the last in this log)",
            messages.onMessage("WRITE cid:3 lba:0x2 failed"));
        assertNull(messages.onMessage("WRITE cid:4 lba:0x2 failed"));
        nowNs += 60 * SECOND_NS;
        assertEquals("WRITE cid:5 lba:0x2 failed (and 1 such message since the last in this log)",
            messages.onMessage("WRITE cid:5 lba:0x2 failed"));
        nowNs += 3600 * SECOND_NS;
        assertEquals("WRITE cid:6 lba:0x2 failed", messages.onMessage("WRITE cid:6 lba:0x2 failed"));
    }

    @Test
    void shouldForgetTheOldestOfManyMessages()
    {
        messages.onMessage("first");
        for (int i = 0; i < RepeatedMessages.MESSAGES_MAX - 1; i++)
        {
            final String message = "x".repeat(i + 1);
            assertEquals(message, messages.onMessage(message));
        }
        assertNull(messages.onMessage("first"));
        messages.onMessage("one more");
        assertEquals("first", messages.onMessage("first"));
    }

    @Test
    void shouldSayWhatAConnectionWithoutMemoryNeeds()
    {
        for (final String each : List.of("bufs on tqpair=0x7f.", "pdu pool on tqpair =0x7f.", "reqs on tqpair=0x1"))
        {
            final String message = SpdkMessages.explained("Unable to allocate " + each);
            assertTrue(message.startsWith("Unable to allocate " + each + ": a connection to SPDK's target is ref") &&
                message.contains("raise spdk.memory"), message);
        }
        assertEquals("Unable to allocate memory", SpdkMessages.explained("Unable to allocate memory"));
    }

    @Test
    void shouldExplainAFailureByEachMessageOnceAndWithoutItsSubjects()
    {
        assertEquals("", SpdkMessages.sentenceEnd(List.of()));
        assertEquals("; SPDK says: sock connection error -111 (Connection refused); in failed state; [alone]",
            SpdkMessages.sentenceEnd(List.of(
                "[nqn.host,nqn.subsystem,127.0.0.1,cntlid:0] [CONNECTING] sock connection error -111 " +
                    "(Connection refused)",
                "[nqn.host,nqn.subsystem,127.0.0.1,cntlid:0] in failed state.", "[alone]", "in failed state:")));
    }
}
