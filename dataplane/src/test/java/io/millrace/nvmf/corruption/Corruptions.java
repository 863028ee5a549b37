package io.millrace.nvmf.corruption;

import io.millrace.nvmf.tcp.pdu.PduType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One fault for each field of each PDU that a receiver notices, the bit chosen at random.
 */
public final class Corruptions
{
    /** As many as the largest data has. */
    private static final int BITS = 1 << 20;
    /** The only bit of the length of an H2CData PDU, and of the offset of the second. */
    private static final int DATA_BIT = 17;
    /** A bit that is set in the length of a capsule without data, and in the offset of data without a header digest. */
    private static final int SHORT_BIT = 3;
    /** One that is not. */
    private static final int LONG_BIT = 5;
    /** Lowest bit of PLEN that makes a capsule longer than its data may be. */
    private static final int LENGTH_BIT_MIN = 14;
    /** Lowest bit of HPDA that makes it too large. */
    private static final int ALIGNMENT_BIT_MIN = 5;

    private final Random random;
    private final boolean hasHeaderDigest;
    private final boolean hasDataDigest;
    private final List<Corruption> all = new ArrayList<>();

    private Corruptions(final Random random, final boolean hasHeaderDigest, final boolean hasDataDigest)
    {
        this.random = random;
        this.hasHeaderDigest = hasHeaderDigest;
        this.hasDataDigest = hasDataDigest;
    }

    /**
     * {@return faults of the PDUs of I/O commands}
     *
     * @param random          that chooses the bits.
     * @param hasHeaderDigest negotiated.
     * @param hasDataDigest   negotiated.
     */
    public static List<Corruption> ofCommands(
        final Random random, final boolean hasHeaderDigest, final boolean hasDataDigest)
    {
        return new Corruptions(random, hasHeaderDigest, hasDataDigest).ofCommands();
    }

    private List<Corruption> ofCommands()
    {
        capsule(false);
        capsule(true);
        add(PduType.H2C_DATA, PduField.TYPE, PduField.HEADER_LENGTH, PduField.PDU_LENGTH, PduField.DATA_OFFSET,
            PduField.COMMAND_ID, PduField.TRANSFER_TAG, PduField.DATA_LENGTH);
        add(PduType.H2C_DATA, PduField.FLAGS, 0, 3);
        // Out of order but within the command's data, and beyond; no data at all.
        addOne(PduType.H2C_DATA, 0, PduField.BUFFER_OFFSET, random.nextInt(DATA_BIT));
        addOne(PduType.H2C_DATA, 0, PduField.BUFFER_OFFSET, random.nextInt(DATA_BIT + 1, Integer.SIZE));
        addOne(PduType.H2C_DATA, 1, PduField.BUFFER_OFFSET, DATA_BIT);
        addOne(PduType.H2C_DATA, 0, PduField.DATA_LENGTH, DATA_BIT);
        add(PduType.CAPSULE_RESPONSE, PduField.TYPE, PduField.HEADER_LENGTH, PduField.PDU_LENGTH, PduField.COMMAND_ID);
        add(PduType.CAPSULE_RESPONSE, PduField.FLAGS, 0, 1);
        add(PduType.C2H_DATA, PduField.TYPE, PduField.HEADER_LENGTH, PduField.PDU_LENGTH, PduField.DATA_OFFSET,
            PduField.COMMAND_ID, PduField.BUFFER_OFFSET, PduField.DATA_LENGTH);
        add(PduType.C2H_DATA, PduField.FLAGS, 0, 2);
        // Within the header, and behind the start of the data.
        addOne(PduType.C2H_DATA, 0, PduField.DATA_OFFSET, SHORT_BIT);
        addOne(PduType.C2H_DATA, 0, PduField.DATA_OFFSET, LONG_BIT);
        add(PduType.READY_TO_TRANSFER, PduField.TYPE, PduField.HEADER_LENGTH, PduField.PDU_LENGTH,
            PduField.COMMAND_ID, PduField.TRANSFER_TAG, PduField.BUFFER_OFFSET, PduField.DATA_LENGTH);
        add(PduType.READY_TO_TRANSFER, PduField.FLAGS, 0, 1);
        if (hasHeaderDigest)
        {
            for (final int type : new int[]{PduType.H2C_DATA, PduType.C2H_DATA, PduType.READY_TO_TRANSFER})
            {
                add(type, PduField.HEADER_DIGEST);
                add(type, PduField.FLAGS, 2, 8);
            }
            add(PduType.CAPSULE_RESPONSE, PduField.HEADER_DIGEST, PduField.ENTRY, PduField.DATA_OFFSET);
            add(PduType.READY_TO_TRANSFER, PduField.DATA_OFFSET);
        }
        if (hasDataDigest)
        {
            add(PduType.H2C_DATA, PduField.DATA, PduField.DATA_DIGEST);
            add(PduType.C2H_DATA, PduField.DATA, PduField.DATA_DIGEST);
        }
        return all;
    }

    private void capsule(final boolean hasData)
    {
        addCapsule(hasData, PduField.TYPE, random.nextInt(BITS));
        addCapsule(hasData, PduField.HEADER_LENGTH, random.nextInt(BITS));
        addCapsule(hasData, PduField.FLAGS, 0);
        if (!hasData)
        {
            addCapsule(false, PduField.PDU_LENGTH, SHORT_BIT);
        }
        addCapsule(hasData, PduField.PDU_LENGTH,
            random.nextInt(hasData && !hasHeaderDigest ? LENGTH_BIT_MIN : 0, Integer.SIZE));
        if (hasData)
        {
            addCapsule(true, PduField.FLAGS, 1);
            addCapsule(true, PduField.DATA_OFFSET, random.nextInt(7));
        }
        if (hasHeaderDigest)
        {
            addCapsule(hasData, PduField.HEADER_DIGEST, random.nextInt(BITS));
            addCapsule(hasData, PduField.ENTRY, random.nextInt(BITS));
            addCapsule(hasData, PduField.COMMAND_ID, random.nextInt(BITS));
        }
        if (hasData && hasDataDigest)
        {
            addCapsule(true, PduField.DATA, random.nextInt(BITS));
            addCapsule(true, PduField.DATA_DIGEST, random.nextInt(BITS));
        }
    }

    private void addCapsule(final boolean hasData, final PduField field, final int bit)
    {
        all.add(new Corruption(PduType.CAPSULE_COMMAND, hasData, 0, field, bit));
    }

    private void add(final int pduType, final PduField... fields)
    {
        for (final PduField field : fields)
        {
            addOne(pduType, 0, field, random.nextInt(BITS));
        }
        if (PduType.H2C_DATA == pduType)
        {
            // The second of a command's.
            addOne(pduType, 1, fields[0], random.nextInt(BITS));
            addOne(pduType, 1, fields[fields.length - 1], random.nextInt(BITS));
        }
    }

    private void addOne(final int pduType, final int skipped, final PduField field, final int bit)
    {
        all.add(new Corruption(pduType, false, skipped, field, bit));
    }

    private void add(final int pduType, final PduField field, final int bitMin, final int bitLimit)
    {
        for (int bit = bitMin; bit < bitLimit; bit++)
        {
            addOne(pduType, 0, field, bit);
        }
    }

    /**
     * {@return faults of ICReq and ICResp}
     *
     * @param random that chooses the bits.
     */
    public static List<Corruption> ofGreetings(final Random random)
    {
        return new Corruptions(random, false, false).ofGreetings();
    }

    private List<Corruption> ofGreetings()
    {
        for (final int type : new int[]{PduType.IC_REQ, PduType.IC_RESP})
        {
            add(type, PduField.TYPE, 0, Byte.SIZE);
            add(type, PduField.HEADER_LENGTH, PduField.PDU_LENGTH, PduField.FORMAT_VERSION);
            add(type, PduField.DATA_ALIGNMENT, ALIGNMENT_BIT_MIN, Byte.SIZE);
            add(type, PduField.DIGESTS, 0, 2);
        }
        add(PduType.IC_REQ, PduField.DATA_ALIGNMENT, 0, ALIGNMENT_BIT_MIN);
        add(PduType.IC_REQ, PduField.DIGESTS, 2, Byte.SIZE);
        add(PduType.IC_REQ, PduField.MAXIMUM);
        add(PduType.IC_RESP, PduField.DIGESTS, 2, Byte.SIZE);
        add(PduType.IC_RESP, PduField.MAXIMUM, 0, 2);
        return all;
    }
}
