package io.millrace.dataplane;

import io.millrace.dataplane.config.SettingException;
import java.io.Serial;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * An operation on a running data plane was refused or failed; nothing has changed. The message is one sentence:
 * subject, problem or bound, remedy.
 */
public final class OperationException extends RuntimeException
{
    /** Kinds of refusal. */
    public enum Reason
    {
        /** The resource does not exist. */
        NOT_FOUND,
        /** The name is taken by something else. */
        EXISTS,
        /** Another resource depends on it or uses it. */
        IN_USE,
        /** A value is out of bounds. */
        INVALID,
        /** This data plane or this machine cannot do it. */
        UNSUPPORTED,
        /** It was tried and failed. */
        FAILED
    }

    /** Two NQNs and some words. */
    private static final int SUBJECT_LENGTH_MAX = 600;
    private static final int NAMES_MAX = 5;

    @Serial
    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final String problem;
    private final String remedy;

    /** A name that does not exist, with some of those that do. */
    static OperationException missing(
        final String subject, final Collection<String> existing, final String nouns)
    {
        return new OperationException(Reason.NOT_FOUND, subject, "does not exist", existing.isEmpty() ?
            "there are no " + nouns : "existing " + nouns + ": " +
            existing.stream().limit(NAMES_MAX).collect(Collectors.joining(", ")) +
            (existing.size() > NAMES_MAX ? " and " + (existing.size() - NAMES_MAX) + " more" : ""));
    }

    OperationException(final Reason reason, final String subject, final String problem, final String remedy)
    {
        this(reason, subject, problem, remedy, null);
    }

    OperationException(
        final Reason reason, final String subject, final String problem, final String remedy, final Throwable cause)
    {
        super((subject.isEmpty() ? "" : SettingException.printable(subject, SUBJECT_LENGTH_MAX) + ": ") + problem +
            (remedy.isEmpty() ? "" : "; " + remedy), cause);
        this.reason = reason;
        this.problem = problem;
        this.remedy = remedy;
    }

    /**
     * {@return which kind of refusal}
     */
    public Reason reason()
    {
        return reason;
    }

    /**
     * {@return what is wrong}
     */
    public String problem()
    {
        return problem;
    }

    /**
     * {@return what to do about it; empty when the problem says so}
     */
    public String remedy()
    {
        return remedy;
    }
}
