package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.verbs.ReceiveRequest;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class ReceiveListTest
{
    private static final int REQUESTS_MAX = 4;

    @Test
    void shouldCountTheRefusedRequestsOfItsOwnAlone()
    {
        try (Arena arena = Arena.ofConfined())
        {
            final ReceiveList list = new ReceiveList(arena, REQUESTS_MAX, 1);
            for (int i = 0; i < REQUESTS_MAX; i++)
            {
                list.add(i, 0, 0);
            }
            final long first = list.take();
            assertEquals(4, list.refused(4, first));
            assertEquals(1, list.refused(4, first + 3L * ReceiveRequest.SIZE_BYTES));
            // What another call has left there: of a longer list, of requests to send, none.
            assertEquals(0, list.refused(2, first + 3L * ReceiveRequest.SIZE_BYTES));
            assertEquals(0, list.refused(2, first + 2L * ReceiveRequest.SIZE_BYTES));
            assertEquals(0, list.refused(4, first - ReceiveRequest.SIZE_BYTES));
            assertEquals(0, list.refused(4, 0));
        }
    }
}
