package io.millrace.control.wire;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.millrace.control.codec.Role;
import io.millrace.control.message.SessionRequest;
import io.millrace.control.session.MessageSeal;
import io.millrace.control.session.SessionProof;
import io.millrace.control.session.SessionTranscript;
import io.millrace.control.session.SharedSecret;
import io.millrace.control.session.Side;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Any bytes from a peer are read or refused, and never throw. Runs on the kept corpus with every build; fuzzes with
 * coverage guidance when the environment says {@code JAZZER_FUZZ=1}: {@code JAZZER_FUZZ=1 mvn -pl control/client test
 * -Dtest=AdapterFuzzTest -Dsurefire.failIfNoSpecifiedTests=false}.
 */
class AdapterFuzzTest
{
    private final Recorder recorder = new Recorder();
    private final RequestAdapter requests = new RequestAdapter(recorder);
    private final ResponseAdapter responses = new ResponseAdapter(recorder);
    private final MessageSeal seal = SessionProof.seal(
        SharedSecret.of(new byte[16]),
        new SessionTranscript(0, new SessionRequest(Role.READ, "", 0, "", "", ""), new byte[32], new byte[32]),
        Side.DATA_PLANE, null);

    @FuzzTest(maxDuration = "2m")
    void shouldSurviveAnyBytes(final byte[] input)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(input);
        requests.onMessage(buffer, 0, input.length);
        responses.onMessage(buffer, 0, input.length);
        if (seal.open(buffer, 0, input.length))
        {
            throw new IllegalStateException("a seal was forged");
        }
    }
}
