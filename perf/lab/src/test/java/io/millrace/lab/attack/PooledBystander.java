package io.millrace.lab.attack;

import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.IOException;
import java.util.Arrays;

/**
 * A well-behaved host beside an attack on buffers: all of its I/O needs some. The target asks for the data of its
 * writes, in as many parts as it likes.
 */
final class PooledBystander extends BackgroundHost
{
    private static final int ASIDE_BYTES = 4096;
    private static final int DEPTH = 128;
    private static final int COMMAND_ID = 1;
    private static final int ASIDE_ID_FIRST = 16;

    private final long firstLba;
    private final int blockBytes;
    private volatile int asideNsid;

    /**
     * Connects and begins.
     *
     * @param port       of the target.
     * @param source     loopback address that it comes from.
     * @param nqn        of the subsystem, whose namespace 1 has blocks of 512 bytes.
     * @param firstLba   of blocks that nobody else touches.
     * @param blockBytes of each of its 64 blocks.
     */
    PooledBystander(
        final int port, final String source, final String nqn, final long firstLba, final int blockBytes)
        throws IOException
    {
        super(port, source, nqn, DEPTH, blockBytes);
        this.firstLba = firstLba;
        this.blockBytes = blockBytes;
        start();
    }

    /** Sends reads of another namespace too, over the same connection, before it goes on. */
    void readAside(final int nsid)
    {
        asideNsid = nsid;
    }

    @Override
    void writeAndRead(final long index, final byte[] block) throws IOException
    {
        if (0 != asideNsid)
        {
            sendAside(asideNsid);
            asideNsid = 0;
        }
        final int blocks = blockBytes / BufferAttackTest.BLOCK;
        final long lba = firstLba + index * blocks;
        write(lba, block);
        io.send(AttackHost.capsule(AttackHost.read(COMMAND_ID, lba, blocks, blockBytes), AttackHost.NOTHING));
        compare(block);
    }

    private void sendAside(final int nsid) throws IOException
    {
        for (int id = ASIDE_ID_FIRST; id < DEPTH - 2; id++)
        {
            final int opcode = 0 == (id & 1) ? IoOpcode.READ : IoOpcode.WRITE;
            io.send(AttackHost.capsule(BufferAttackTest.command(opcode, id, nsid, SglDescriptor.TRANSPORT_DATA_BLOCK,
                ASIDE_BYTES), AttackHost.NOTHING));
        }
    }

    private void write(final long lba, final byte[] data) throws IOException
    {
        io.send(AttackHost.capsule(
            AttackHost.write(COMMAND_ID, lba, blockBytes / BufferAttackTest.BLOCK, blockBytes), AttackHost.NOTHING));
        AttackPdu pdu = io.receive();
        // Data of writes aside is sent as it is asked for.
        while (PduType.READY_TO_TRANSFER == pdu.type())
        {
            sendData(pdu, data);
            pdu = io.receive();
        }
        if (PduType.CAPSULE_RESPONSE != pdu.type() || COMMAND_ID != pdu.commandId() || 0 != pdu.status())
        {
            throw new IOException("write was answered with " + Arrays.toString(pdu.bytes()));
        }
    }

    private void sendData(final AttackPdu asked, final byte[] data) throws IOException
    {
        io.send(AttackHost.h2cData(
            asked.commandId(), asked.transferTag(), data, asked.offsetBytes(), asked.lengthBytes()));
    }

    private void compare(final byte[] expected) throws IOException
    {
        int compared = 0;
        while (true)
        {
            final AttackPdu pdu = io.receive();
            if (PduType.READY_TO_TRANSFER == pdu.type())
            {
                sendData(pdu, expected);
                continue;
            }
            if (PduType.C2H_DATA != pdu.type())
            {
                throw new IOException("read was answered with type " + pdu.type() + " and status " + pdu.status());
            }
            final byte[] bytes = pdu.bytes();
            if (compared != pdu.offsetBytes() || !Arrays.equals(expected, compared, compared + pdu.lengthBytes(),
                bytes, DataPdu.SIZE_BYTES, DataPdu.SIZE_BYTES + pdu.lengthBytes()))
            {
                throw new IOException("the bystander read something else than it had written");
            }
            compared += pdu.lengthBytes();
            if (blockBytes == compared)
            {
                if (!pdu.isSuccess())
                {
                    io.expectSuccess(COMMAND_ID);
                }
                return;
            }
        }
    }
}
