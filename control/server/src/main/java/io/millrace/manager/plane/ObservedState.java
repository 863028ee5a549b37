package io.millrace.manager.plane;

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
 * Reads the actual state of a data plane. The manager's thread.
 */
final class ObservedState
{
    private final List<Resource> resources = new ArrayList<>();
    private int asked;
    private int answered;
    private LeadershipInfo leadership = LeadershipInfo.NONE;
    private long directChangesBefore = -1;
    private Reply refusal;

    /**
     * Sends all lists at once: the leadership first and last, to detect direct changes in between.
     */
    ObservedState(final Function<Command, Call> submit, final PeerInfo peer)
    {
        if (peer.kinds().contains(Kind.LEADERSHIP))
        {
            ask(submit, Kind.LEADERSHIP);
        }
        DesiredState.KINDS.stream().filter(peer.kinds()::contains).forEach((kind) -> ask(submit, kind));
        if (peer.kinds().contains(Kind.LEADERSHIP))
        {
            // Again: direct changes in between are in some of the lists.
            ask(submit, Kind.LEADERSHIP);
        }
    }

    private void ask(final Function<Command, Call> submit, final Kind kind)
    {
        asked++;
        submit.apply(new Command.List(kind, "")).onDone(this::onAnswered);
    }

    static boolean isPersisted(final Kind kind)
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
                    directChangesBefore = directChangesBefore < 0 ? info.directChanges() : directChangesBefore;
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

    /** Null if all lists were answered. */
    Reply refusal()
    {
        return refusal;
    }

    /** Leadership of the data plane, as of the last list. */
    LeadershipInfo leadership()
    {
        return leadership;
    }

    /** Direct changes before the first list, which all lists contain. */
    long directChangesBefore()
    {
        return Math.max(0, directChangesBefore);
    }

    List<Resource> resources()
    {
        return resources;
    }
}
