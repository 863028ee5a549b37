package io.millrace.lab.attack;

import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvmf.tcp.pdu.CapsuleResponse;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A PDU that a target sent.
 *
 * @param bytes of it, header and data.
 */
record AttackPdu(byte[] bytes)
{
    int type()
    {
        return bytes[CommonHeader.TYPE_OFFSET] & 0xFF;
    }

    /** Command identifier of a response capsule, an R2T or data. */
    int commandId()
    {
        return PduType.CAPSULE_RESPONSE == type() ? completion().commandId() : data().commandId();
    }

    /** Status of a response capsule, without the do-not-retry and more bits. */
    int status()
    {
        return completion().statusField() >>> 1 & 0x7FF;
    }

    /** Whether data stands for the answer, too. */
    boolean isSuccess()
    {
        return 0 != (bytes[CommonHeader.FLAGS_OFFSET] & CommonHeader.FLAG_SUCCESS);
    }

    int result0()
    {
        return completion().result0();
    }

    /** Transfer tag of an R2T. */
    int transferTag()
    {
        return data().transferTag();
    }

    /** Where in the payload the data begins, or what an R2T asks for. */
    int offsetBytes()
    {
        return data().bufferOffset();
    }

    int lengthBytes()
    {
        return data().dataLength();
    }

    private CompletionQueueEntry completion()
    {
        check(PduType.CAPSULE_RESPONSE == type());
        final CompletionQueueEntry entry = new CompletionQueueEntry();
        entry.wrap(new UnsafeBuffer(bytes), CapsuleResponse.ENTRY_OFFSET);
        return entry;
    }

    /** R2T and data PDUs have their fields in the same places. */
    private DataPdu data()
    {
        check(PduType.READY_TO_TRANSFER == type() || PduType.C2H_DATA == type());
        final DataPdu pdu = new DataPdu();
        pdu.wrap(new UnsafeBuffer(bytes), 0);
        return pdu;
    }

    private void check(final boolean isExpected)
    {
        if (!isExpected)
        {
            throw new AssertionError("PDU of type " + Integer.toHexString(type()) + " where another was expected");
        }
    }
}
