package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.verbs.Verbs;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompletionStatusTest
{
    @Test
    void shouldKnowNumbersOfVerbsAndNoOthers()
    {
        assertEquals(CompletionStatus.SUCCESS, CompletionStatus.of(Verbs.IBV_WC_SUCCESS));
        assertEquals(CompletionStatus.RECEIVER_NOT_READY, CompletionStatus.of(Verbs.IBV_WC_RNR_RETRY_EXC_ERR));
        final Set<CompletionStatus> known = new HashSet<>();
        for (int number = -5; number < 100; number++)
        {
            known.add(CompletionStatus.of(number));
        }
        assertEquals(CompletionStatus.values().length, known.size());
        assertEquals(CompletionStatus.OTHER, CompletionStatus.of(-1));
        assertEquals(CompletionStatus.OTHER, CompletionStatus.of(99));
    }

    /** Users look the names up where verbs are described. */
    @ParameterizedTest
    @EnumSource(CompletionStatus.class)
    void shouldHaveTheNameOfVerbs(final CompletionStatus status) throws ReflectiveOperationException
    {
        final int number = Verbs.class.getField("IBV_WC_" + status.verbsName()).getInt(null);
        assertEquals(status, CompletionStatus.of(number));
    }
}
