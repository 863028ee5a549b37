package io.millrace.nvmf.corruption;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.corruption.Reaction.Kind;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the specification has the receiver of a damaged PDU do (NVMe/TCP Transport 1.0, sections 3.3.1 and 3.6.2), where
 * one command is outstanding. Where several fields do not fit any more, a receiver names the first that it looks at:
 * header length and flags, without which the digest cannot be found, then the digest, then the rest.
 */
public final class ExpectedReactions
{
    /** Target's limit of data in a capsule. */
    private static final int IN_CAPSULE_BYTES = 8192;
    /** Target's MAXH2CDATA. */
    private static final int H2C_DATA_BYTES = 128 << 10;
    private static final int FIXED_DATA_OFFSET_MASK = 3;

    private final Corruption corruption;
    private final byte[] original;
    private final byte[] damaged;
    private final boolean hasHeaderDigest;
    private final boolean hasDataDigest;
    private final int commandBytes;
    private final int bit;

    private ExpectedReactions(
        final Incident incident,
        final boolean hasHeaderDigest,
        final boolean hasDataDigest,
        final int commandBytes)
    {
        corruption = incident.corruption();
        original = incident.original();
        damaged = incident.damaged();
        this.hasHeaderDigest = hasHeaderDigest;
        this.hasDataDigest = hasDataDigest;
        this.commandBytes = commandBytes;
        bit = corruption.bitIn(original);
    }

    /**
     * {@return what the receiver is to do}
     *
     * @param incident        of a bit that was flipped.
     * @param hasHeaderDigest negotiated.
     * @param hasDataDigest   negotiated.
     * @param commandBytes    that the command moves.
     */
    public static Reaction of(
        final Incident incident,
        final boolean hasHeaderDigest,
        final boolean hasDataDigest,
        final int commandBytes)
    {
        final ExpectedReactions expected =
            new ExpectedReactions(incident, hasHeaderDigest, hasDataDigest, commandBytes);
        return incident.corruption().isFromHost() ? expected.ofTarget() : expected.ofHost();
    }

    private static Reaction target(final FatalErrorStatus status, final int information)
    {
        return new Reaction(Kind.TARGET_TERMINATES, status.code(), information);
    }

    private static Reaction targetField(final PduField field, final byte[] pdu)
    {
        return target(FatalErrorStatus.INVALID_HEADER_FIELD, field.offset(pdu));
    }

    private static Reaction host(final FatalErrorStatus status, final int information)
    {
        return new Reaction(Kind.HOST_TERMINATES, status.code(), information);
    }

    private Reaction hostField(final PduField field)
    {
        return host(FatalErrorStatus.INVALID_HEADER_FIELD, field.offset(original));
    }

    private int intOf(final PduField field, final byte[] pdu)
    {
        return ByteBuffer.wrap(pdu).order(ByteOrder.LITTLE_ENDIAN).getInt(field.offset(pdu));
    }

    /** The information of a header digest error is the digest that was received. */
    private int receivedDigest()
    {
        return ByteBuffer.wrap(damaged).order(ByteOrder.LITTLE_ENDIAN)
            .getInt(PduField.HEADER_DIGEST.offset(original));
    }

    private boolean isGreeting()
    {
        return PduType.IC_REQ == corruption.pduType() || PduType.IC_RESP == corruption.pduType();
    }

    private Reaction ofTarget()
    {
        if (!corruption.field().isOfHeader())
        {
            return hasDataDigest ?
                new Reaction(Kind.COMMAND_FAILS, NvmeStatus.TRANSIENT_TRANSPORT_ERROR, 0) : Reaction.of(Kind.NONE);
        }
        final Reaction early = switch (corruption.field())
        {
            case TYPE -> typeAtTarget();
            case HEADER_LENGTH -> targetField(PduField.HEADER_LENGTH, damaged);
            case FLAGS -> isGreeting() ? null : digestFlagsAtTarget();
            default -> null;
        };
        if (null != early)
        {
            return early;
        }
        if (hasHeaderDigest && !isGreeting())
        {
            return target(FatalErrorStatus.HEADER_DIGEST_ERROR, receivedDigest());
        }
        return switch (corruption.pduType())
        {
            case PduType.IC_REQ -> greetingAtTarget();
            case PduType.H2C_DATA -> dataAtTarget();
            default -> capsuleAtTarget();
        };
    }

    /** Other types have a header length of their own, or may not come now. */
    private Reaction typeAtTarget()
    {
        return switch (damaged[CommonHeader.TYPE_OFFSET] & 0xFF)
        {
            case PduType.H2C_TERM_REQ -> Reaction.of(Kind.ENDS);
            case PduType.CAPSULE_COMMAND, PduType.H2C_DATA -> isGreeting() ?
                target(FatalErrorStatus.SEQUENCE_ERROR, 0) : targetField(PduField.HEADER_LENGTH, damaged);
            case PduType.IC_REQ -> target(FatalErrorStatus.SEQUENCE_ERROR, 0);
            default -> targetField(PduField.TYPE, damaged);
        };
    }

    private Reaction digestFlagsAtTarget()
    {
        final boolean isNeededForDigest = 1 << bit == CommonHeader.FLAG_HEADER_DIGEST ||
            1 << bit == CommonHeader.FLAG_DATA_DIGEST && PduType.H2C_DATA == corruption.pduType();
        return isNeededForDigest || !hasHeaderDigest ? targetField(PduField.FLAGS, damaged) : null;
    }

    private Reaction greetingAtTarget()
    {
        return switch (corruption.field())
        {
            case FORMAT_VERSION ->
                target(FatalErrorStatus.UNSUPPORTED_PARAMETER, PduField.FORMAT_VERSION.offset(damaged));
            case DATA_ALIGNMENT -> damaged[ICPdu.DATA_ALIGNMENT_OFFSET] >= 0 &&
                damaged[ICPdu.DATA_ALIGNMENT_OFFSET] <= CommonHeader.DATA_ALIGNMENT_MAX ?
                Reaction.of(Kind.NONE) : targetField(PduField.DATA_ALIGNMENT, damaged);
            // What the target grants is not what the host asked for, or the bit is reserved.
            case DIGESTS -> bit < 2 ? hostField(PduField.DIGESTS) : Reaction.of(Kind.NONE);
            case MAXIMUM -> Reaction.of(Kind.NONE);
            default -> targetField(corruption.field(), damaged);
        };
    }

    private Reaction capsuleAtTarget()
    {
        if (PduField.PDU_LENGTH != corruption.field() || corruption.hasData())
        {
            return targetField(corruption.field(), damaged);
        }
        // Longer: a capsule with data, whose flags and data offset are those of one without.
        final long dataBytes = (long)intOf(PduField.PDU_LENGTH, damaged) - original.length -
            (hasDataDigest ? CommonHeader.DIGEST_SIZE_BYTES : 0);
        return targetField(dataBytes <= 0 || dataBytes > IN_CAPSULE_BYTES ? PduField.PDU_LENGTH :
            hasDataDigest ? PduField.FLAGS : PduField.DATA_OFFSET, damaged);
    }

    private Reaction dataAtTarget()
    {
        final long start = Integer.toUnsignedLong(intOf(PduField.BUFFER_OFFSET, damaged));
        final long length = Integer.toUnsignedLong(intOf(PduField.DATA_LENGTH, damaged));
        return switch (corruption.field())
        {
            case BUFFER_OFFSET -> target(start + length > commandBytes ?
                FatalErrorStatus.DATA_OUT_OF_RANGE : FatalErrorStatus.SEQUENCE_ERROR, 0);
            case DATA_LENGTH ->
            {
                if (length > H2C_DATA_BYTES)
                {
                    yield target(FatalErrorStatus.LIMIT_EXCEEDED, 0);
                }
                if (start + length > commandBytes)
                {
                    yield target(FatalErrorStatus.DATA_OUT_OF_RANGE, 0);
                }
                yield targetField(0 == length || 0 != (length & FIXED_DATA_OFFSET_MASK) ?
                    PduField.DATA_LENGTH : PduField.PDU_LENGTH, damaged);
            }
            default -> targetField(corruption.field(), damaged);
        };
    }

    private Reaction ofHost()
    {
        if (!corruption.field().isOfHeader())
        {
            // There is no fatal error status for data digests: the host may end the connection of its own accord.
            return Reaction.of(hasDataDigest ? Kind.ENDS : Kind.NONE);
        }
        return switch (corruption.field())
        {
            case TYPE -> typeAtHost();
            case HEADER_LENGTH -> hostField(PduField.HEADER_LENGTH);
            default -> hasHeaderDigest && !isGreeting() ?
                host(FatalErrorStatus.HEADER_DIGEST_ERROR, receivedDigest()) :
                isGreeting() ? greetingAtHost() : headerAtHost();
        };
    }

    private Reaction typeAtHost()
    {
        return switch (damaged[CommonHeader.TYPE_OFFSET] & 0xFF)
        {
            // Of another length than the greeting; longer than one may be.
            case PduType.C2H_TERM_REQ -> hostField(isGreeting() ? PduField.HEADER_LENGTH : PduField.PDU_LENGTH);
            case PduType.CAPSULE_RESPONSE, PduType.C2H_DATA -> isGreeting() ?
                host(FatalErrorStatus.SEQUENCE_ERROR, 0) :
                hasHeaderDigest ? host(FatalErrorStatus.HEADER_DIGEST_ERROR, receivedDigest()) :
                hostField(PduType.C2H_DATA == corruption.pduType() ? PduField.PDU_LENGTH : PduField.DATA_OFFSET);
            default -> host(FatalErrorStatus.SEQUENCE_ERROR, 0);
        };
    }

    private Reaction greetingAtHost()
    {
        return switch (corruption.field())
        {
            case FORMAT_VERSION ->
                host(FatalErrorStatus.UNSUPPORTED_PARAMETER, PduField.FORMAT_VERSION.offset(original));
            default -> hostField(corruption.field());
        };
    }

    private Reaction headerAtHost()
    {
        final boolean isR2t = PduType.READY_TO_TRANSFER == corruption.pduType();
        return switch (corruption.field())
        {
            case DATA_OFFSET -> hostField(
                (damaged[CommonHeader.DATA_OFFSET_OFFSET] & 0xFF) <
                    (original[CommonHeader.DATA_OFFSET_OFFSET] & 0xFF) ||
                0 != (damaged[CommonHeader.DATA_OFFSET_OFFSET] & FIXED_DATA_OFFSET_MASK) ?
                    PduField.DATA_OFFSET : PduField.PDU_LENGTH);
            // The host repeats the tag, and the target does not know it.
            case TRANSFER_TAG -> targetField(PduField.TRANSFER_TAG, damaged);
            case BUFFER_OFFSET -> host(FatalErrorStatus.DATA_OUT_OF_RANGE, 0);
            case DATA_LENGTH -> isR2t ? r2tLengthAtHost() : hostField(PduField.PDU_LENGTH);
            default -> hostField(corruption.field());
        };
    }

    private Reaction r2tLengthAtHost()
    {
        final long length = Integer.toUnsignedLong(intOf(PduField.DATA_LENGTH, damaged));
        // The host sends less than it was asked for, as the last of it.
        return 0 == length || length > commandBytes ? host(FatalErrorStatus.DATA_OUT_OF_RANGE, 0) :
            targetField(PduField.FLAGS, damaged);
    }

    /** {@return whether the receiver of the damaged PDU reacts to that, not to what follows from it} */
    public static boolean isDirect(final Incident incident, final Reaction reaction)
    {
        return (Kind.TARGET_TERMINATES == reaction.kind()) == incident.corruption().isFromHost();
    }
}
