package io.millrace.control.wire;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.message.SessionRequest;

/** Keeps what was read last. */
final class Recorder implements RequestHandler, ResponseHandler
{
    private CommandHeader header;
    private Command command;
    private Code refusal;
    private Resource resource;
    private ControlEvent event;
    private SessionInfo session;
    private Role role;
    private Code code;
    private String text;
    private long correlationId;

    void clear()
    {
        header = null;
        command = null;
        refusal = null;
        resource = null;
    }

    CommandHeader header()
    {
        return header;
    }

    Command command()
    {
        return command;
    }

    Code refusal()
    {
        return refusal;
    }

    Resource resource()
    {
        return resource;
    }

    ControlEvent event()
    {
        return event;
    }

    SessionInfo session()
    {
        return session;
    }

    Role role()
    {
        return role;
    }

    Code code()
    {
        return code;
    }

    String text()
    {
        return text;
    }

    long correlationId()
    {
        return correlationId;
    }

    @Override
    public void onOpenSession(final long id, final SessionRequest request)
    {
        correlationId = id;
        role = request.role();
        text = request.responseChannel() + " " + request.responseStreamId() + " " + request.clientName() + " " +
            request.keyName() + " " + request.dataPlane();
    }

    @Override
    public void onOtherVersion(final long id, final String channel, final int streamId, final int schemaVersion)
    {
        correlationId = id;
        text = channel + " " + streamId + " " + schemaVersion;
    }

    @Override
    public void onOtherVersion(final int schemaVersion)
    {
        text = Integer.toString(schemaVersion);
    }

    @Override
    public void onProveIdentity(final long id, final long sessionId, final byte[] nonce, final byte[] proof)
    {
        correlationId = id;
    }

    @Override
    public void onCloseSession(final long sessionId)
    {
        correlationId = 0;
    }

    @Override
    public void onKeepAlive(final long sessionId)
    {
        correlationId = 0;
    }

    @Override
    public void onCommand(final CommandHeader ids, final Command value)
    {
        header = ids;
        correlationId = ids.correlationId();
        command = value;
    }

    @Override
    public void onRefused(final long sessionId, final long id, final Code why)
    {
        correlationId = id;
        refusal = why;
    }

    @Override
    public void onChallenge(
        final long id, final long sessionId, final byte[] nonce, final byte[] publicKey)
    {
        correlationId = id;
    }

    @Override
    public void onSessionOpened(final long id, final SessionInfo info, final byte[] proof)
    {
        correlationId = id;
        session = info;
    }

    @Override
    public void onAnswer(final long sessionId, final long id, final Code how, final long value, final String why)
    {
        correlationId = id;
        code = how;
        text = why;
    }

    @Override
    public void onAlive(final long sessionId, final long eventSequence)
    {
        correlationId = 0;
    }

    @Override
    public void onResource(final long id, final Resource value)
    {
        correlationId = id;
        resource = value;
    }

    @Override
    public void onEvent(final ControlEvent value)
    {
        event = value;
    }
}
