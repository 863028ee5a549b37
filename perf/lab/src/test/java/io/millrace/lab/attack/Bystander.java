package io.millrace.lab.attack;

import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.IOException;
import java.util.Arrays;

/** A well-behaved host beside an attack whose blocks come in the capsules of its writes. */
final class Bystander extends BackgroundHost
{
    private static final int BLOCK_BYTES = 4096;
    private static final int DEPTH = 32;

    private final long firstLba;

    /**
     * Connects and begins.
     *
     * @param port     of the target.
     * @param nqn      of the subsystem, whose namespace 1 has blocks of 4 KiB.
     * @param firstLba of 64 blocks that nobody else touches.
     */
    Bystander(final int port, final String nqn, final long firstLba) throws IOException
    {
        super(port, "127.0.0.99", nqn, DEPTH, BLOCK_BYTES);
        this.firstLba = firstLba;
        start();
    }

    @Override
    void writeAndRead(final long index, final byte[] block) throws IOException
    {
        final long lba = firstLba + index;
        io.send(AttackHost.capsule(AttackHost.writeInCapsule(1, lba, 1, BLOCK_BYTES), block));
        io.expectSuccess(1);
        io.send(AttackHost.capsule(AttackHost.read(2, lba, 1, BLOCK_BYTES), AttackHost.NOTHING));
        compare(block);
    }

    private void compare(final byte[] expected) throws IOException
    {
        final AttackPdu pdu = io.receive();
        if (PduType.C2H_DATA != pdu.type())
        {
            throw new IOException("read was answered with type " + pdu.type() + " and status " + pdu.status());
        }
        if (!pdu.isSuccess())
        {
            io.expectSuccess(2);
        }
        final byte[] bytes = pdu.bytes();
        if (!Arrays.equals(expected, 0, BLOCK_BYTES, bytes, DataPdu.SIZE_BYTES, DataPdu.SIZE_BYTES + BLOCK_BYTES))
        {
            throw new IOException("the bystander read something else than it had written");
        }
    }
}
