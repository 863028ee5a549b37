package io.millrace.manager;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Lists all that is kept of a data plane. The manager's thread.
 */
final class Census
{
    private final List<Resource> resources = new ArrayList<>();
    private int asked;
    private int answered;
    private LeadershipInfo leadership = LeadershipInfo.NONE;
    private Reply refusal;

    /**
     * Asks at once for what the data plane knows: first who is in charge, so that changes past the manager which come
     * meanwhile are not counted.
     */
    Census(final Function<Command, Call> submit, final PeerInfo peer)
    {
        if (peer.kinds().contains(Kind.LEADERSHIP))
        {
            ask(submit, Kind.LEADERSHIP);
        }
        DesiredState.KINDS.stream().filter(peer.kinds()::contains).forEach((kind) -> ask(submit, kind));
    }

    private void ask(final Function<Command, Call> submit, final Kind kind)
    {
        asked++;
        submit.apply(new Command.List(kind, "")).onDone(this::onAnswered);
    }

    static boolean isKept(final Kind kind)
    {
        return DesiredState.KINDS.contains(kind);
    }

    private void onAnswered(final Call call)
    {
        answered++;
        if (Code.OK == call.code())
        {
            for (final Resource each : call.resources())
            {
                if (each instanceof final LeadershipInfo info)
                {
                    leadership = info;
                }
                else
                {
                    resources.add(each);
                }
            }
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

    /** Who is in charge by the data plane. */
    LeadershipInfo leadership()
    {
        return leadership;
    }

    List<Resource> resources()
    {
        return resources;
    }
}
