package io.millrace.manager;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.service.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Lists all that is kept of a data plane. The manager's thread.
 */
final class Census
{
    private static final List<Kind> KINDS = List.of(
        Kind.DEVICE, Kind.SUBSYSTEM, Kind.NAMESPACE, Kind.HOST, Kind.LISTENER, Kind.ANA, Kind.QOS);

    private final List<Resource> resources = new ArrayList<>();
    private final int asked;
    private int answered;
    private Reply refusal;

    /** Asks at once, for what the data plane knows. */
    Census(final Function<Command, Call> submit, final PeerInfo peer)
    {
        final List<Kind> known = KINDS.stream().filter(peer.kinds()::contains).toList();
        asked = known.size();
        known.forEach((kind) -> submit.apply(new Command.List(kind, "")).onDone(this::onAnswered));
    }

    static boolean isKept(final Kind kind)
    {
        return KINDS.contains(kind);
    }

    private void onAnswered(final Call call)
    {
        answered++;
        if (Code.OK == call.code())
        {
            resources.addAll(call.resources());
        }
        else if (null == refusal)
        {
            refusal = StageRunner.replyOf(call);
        }
    }

    boolean isDone()
    {
        return asked == answered;
    }

    /** Null when all was told. */
    Reply refusal()
    {
        return refusal;
    }

    List<Resource> resources()
    {
        return resources;
    }
}
