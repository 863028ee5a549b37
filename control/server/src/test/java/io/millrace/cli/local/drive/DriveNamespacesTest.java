package io.millrace.cli.local.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyNamespace;
import io.millrace.pci.PciException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * What is printed of namespaces, of which one may have invalid Identify data.
 */
class DriveNamespacesTest
{
    private static final int BLOCK_SHIFT_OFFSET = 128 + 2;
    private static final String INVALID = "drive has namespace 2 with 8 blocks of 2^3 bytes, of which 2^9 to 2^24 " +
        "and less than 2^63 in all are possible: its Identify data are invalid";

    /** A drive of three namespaces with 8 blocks each, without descriptors. */
    private record Blocks(int... shifts) implements DriveAdmin
    {
        @Override
        public byte[] identify(final int cns, final int nsid)
        {
            final byte[] data = new byte[IdentifyCns.DATA_BYTES];
            final UnsafeBuffer buffer = new UnsafeBuffer(data);
            switch (cns)
            {
                case IdentifyCns.ACTIVE_NAMESPACES ->
                {
                    for (int i = 0; i < shifts.length; i++)
                    {
                        buffer.putInt(i * Integer.BYTES, i + 1, ByteOrder.LITTLE_ENDIAN);
                    }
                }
                case IdentifyCns.NAMESPACE ->
                {
                    final IdentifyNamespace identify = new IdentifyNamespace();
                    identify.wrap(buffer, 0);
                    identify.size(8).capacity(8).utilization(8);
                    buffer.putByte(BLOCK_SHIFT_OFFSET, (byte)shifts[nsid - 1]);
                }
                default -> throw new PciException("it has no descriptors");
            }
            return data;
        }

        @Override
        public byte[] logPage(final int page, final int lengthBytes)
        {
            throw new AssertionError("the command needs only Identify data");
        }

        @Override
        public void reset()
        {
            throw new AssertionError("the command needs only Identify data");
        }

        @Override
        public void close()
        {
            // Nothing is open.
        }
    }

    private static String printed(final DriveNamespaces namespaces)
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        namespaces.print(new Terminal(new PrintStream(out, true, StandardCharsets.UTF_8), false, false));
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldShowTheOthersBesideOneThatIsInvalid()
    {
        final DriveNamespaces namespaces = new DriveNamespaces(new Blocks(9, 3, 12));
        assertFalse(namespaces.areValid());
        assertEquals("""
            NSID    SIZE  BLOCKS  BLOCK  METADATA  PROTECTION  IDENTITY  MESSAGE
               1   4 KiB       8    512         0  -           -
               2       -       -      -         -  -           -         %s
               3  32 KiB       8   4096         0  -           -
            """.formatted(INVALID), printed(namespaces));
        assertEquals("{\"nsid\": 2, \"message\": \"" + INVALID + "\"}", Json.line(namespaces.json().get(1)));
        assertEquals(3, namespaces.json().size());
    }

    @Test
    void shouldBeValidWhereAllAre()
    {
        assertTrue(new DriveNamespaces(new Blocks(9, 12)).areValid());
        final DriveNamespaces none = new DriveNamespaces(new Blocks());
        assertTrue(none.areValid());
        assertEquals("no active namespaces\n", printed(none));
    }
}
