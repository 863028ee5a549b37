package io.millrace.nvme.identify;

import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.Locale;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Identifiers of a namespace that are the same on every host and after every start (NVM Express Base 2.0, sections
 * 4.5.1 and 5.17.2.3). Each is in hexadecimal digits as it lies in memory, empty when the controller reports none or
 * zeroes. Immutable.
 *
 * @param eui64 IEEE extended unique identifier, 8 bytes.
 * @param nguid globally unique identifier, 16 bytes.
 * @param uuid  with hyphens, as people write it.
 */
public record NamespaceIdentity(String eui64, String nguid, String uuid)
{
    private static final int EUI64_BYTES = 8;
    private static final int NGUID_BYTES = 16;
    private static final int UUID_BYTES = 16;
    private static final int LIST_BYTES = 4096;
    /** Where a UUID has hyphens in its digits, from the last. */
    private static final int[] HYPHENS = {20, 16, 12, 8};

    /**
     * Reads what a controller reports. An invalid descriptor ends the list.
     *
     * @param identify    Identify Namespace data, which have two of the identifiers.
     * @param descriptors list of Namespace Identification Descriptors; null where the controller has none, as those
     *                    before 1.3.
     * @return identifiers.
     */
    public static NamespaceIdentity of(final IdentifyNamespace identify, final DirectBuffer descriptors)
    {
        final byte[] data = new byte[NGUID_BYTES];
        identify.nguid(data);
        String nguid = hex(data);
        final UnsafeBuffer eui64Data = new UnsafeBuffer(new byte[EUI64_BYTES]);
        eui64Data.putLong(0, identify.eui64(), ByteOrder.LITTLE_ENDIAN);
        String eui64 = hex(eui64Data.byteArray());
        String uuid = "";
        final NamespaceDescriptor descriptor = new NamespaceDescriptor();
        final int listBytes = null == descriptors ? 0 : Math.min(LIST_BYTES, descriptors.capacity());
        final UnsafeBuffer list = new UnsafeBuffer(0, 0);
        if (listBytes > 0)
        {
            list.wrap(descriptors, 0, listBytes);
        }
        int offset = 0;
        while (offset <= listBytes - NamespaceDescriptor.HEADER_BYTES)
        {
            descriptor.wrap(list, offset);
            final int type = descriptor.type();
            final int lengthBytes = descriptor.length();
            offset += NamespaceDescriptor.HEADER_BYTES;
            if (0 == type || 0 == lengthBytes || offset + lengthBytes > listBytes)
            {
                break;
            }
            final byte[] value = new byte[lengthBytes];
            list.getBytes(offset, value);
            if (NamespaceDescriptor.TYPE_EUI64 == type && EUI64_BYTES == lengthBytes)
            {
                eui64 = hex(value);
            }
            else if (NamespaceDescriptor.TYPE_NGUID == type && NGUID_BYTES == lengthBytes)
            {
                nguid = hex(value);
            }
            else if (NamespaceDescriptor.TYPE_UUID == type && UUID_BYTES == lengthBytes)
            {
                uuid = withHyphens(hex(value));
            }
            offset += lengthBytes;
        }
        return new NamespaceIdentity(eui64, nguid, uuid);
    }

    /** Zeroes are no identifier. */
    private static String hex(final byte[] value)
    {
        for (final byte each : value)
        {
            if (0 != each)
            {
                return HexFormat.of().formatHex(value);
            }
        }
        return "";
    }

    private static String withHyphens(final String digits)
    {
        final StringBuilder text = new StringBuilder(digits);
        for (int i = 0; i < HYPHENS.length && !digits.isEmpty(); i++)
        {
            text.insert(HYPHENS[i], '-');
        }
        return text.toString();
    }

    /**
     * {@return whether two states of a namespace id can be of the same namespace, by the identifiers that both have}
     *
     * @param other state.
     */
    public boolean mayBe(final NamespaceIdentity other)
    {
        return agree(eui64, other.eui64) && agree(nguid, other.nguid) && agree(uuid, other.uuid);
    }

    private static boolean agree(final String one, final String other)
    {
        return one.isEmpty() || other.isEmpty() || one.equals(other);
    }

    /**
     * {@return whether one of its identifiers is a configured one}
     *
     * @param id UUID or NGUID, with or without hyphens, in any case.
     */
    public boolean has(final String id)
    {
        final String digits = digits(id);
        return digits.equals(digits(uuid)) || digits.equals(nguid);
    }

    private static String digits(final String id)
    {
        return id.replace("-", "").toLowerCase(Locale.ROOT);
    }

    /**
     * {@return the most specific identifier with its kind, for messages; empty when there is none}
     */
    public String text()
    {
        return !uuid.isEmpty() ? "uuid " + uuid : !nguid.isEmpty() ? "nguid " + nguid :
            eui64.isEmpty() ? "" : "eui64 " + eui64;
    }
}
