package io.millrace.nvme.identify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * Identifiers of namespaces out of lists that make sense, and out of others.
 */
class NamespaceIdentityPropertyTest
{
    private static IdentifyNamespace identify(final long eui64, final byte nguid)
    {
        final IdentifyNamespace identify = new IdentifyNamespace();
        identify.wrap(new UnsafeBuffer(new byte[IdentifyNamespace.SIZE_BYTES]), 0);
        final byte[] bytes = new byte[16];
        bytes[15] = nguid;
        return identify.eui64(eui64).setNguid(bytes);
    }

    private static NamespaceIdentity of(final IdentifyNamespace identify, final byte... list)
    {
        final byte[] data = new byte[IdentifyCns.DATA_BYTES];
        System.arraycopy(list, 0, data, 0, list.length);
        return NamespaceIdentity.of(identify, new UnsafeBuffer(data));
    }

    @Test
    void shouldReadWhatIdentifyNamespaceHas()
    {
        final NamespaceIdentity identity = of(identify(0x0807_0605_0403_0201L, (byte)0x2A));
        assertEquals(new NamespaceIdentity("0102030405060708", "0000000000000000000000000000002a", ""), identity);
        assertEquals("nguid 0000000000000000000000000000002a", identity.text());
        assertEquals("", of(identify(0, (byte)0)).text());
    }

    @Test
    void shouldReadDescriptorsAndPassOverOthers()
    {
        final NamespaceIdentity identity = of(identify(0, (byte)0),
            (byte)9, (byte)2, (byte)0, (byte)0, (byte)1, (byte)1,
            (byte)4, (byte)1, (byte)0, (byte)0, (byte)0,
            (byte)3, (byte)16, (byte)0, (byte)0,
            (byte)0x4e, (byte)0xe8, (byte)0xee, (byte)0xbf, (byte)0xbb, (byte)0x25, (byte)0x4a, (byte)0x4e,
            (byte)0x9c, (byte)0x5a, (byte)0x9d, (byte)0x4d, (byte)0x0f, (byte)0xbc, (byte)0x1d, (byte)0x0e,
            (byte)1, (byte)8, (byte)0, (byte)0, (byte)0, (byte)0, (byte)0, (byte)0, (byte)0, (byte)0, (byte)0, (byte)7);
        assertEquals(new NamespaceIdentity("0000000000000007", "", "4ee8eebf-bb25-4a4e-9c5a-9d4d0fbc1d0e"), identity);
    }

    @Test
    void shouldTellNamespacesApartByWhatBothSay()
    {
        final NamespaceIdentity one = new NamespaceIdentity("01", "", "a");
        assertTrue(one.mayBe(new NamespaceIdentity("", "02", "a")));
        assertTrue(one.mayBe(new NamespaceIdentity("", "", "")));
        assertFalse(one.mayBe(new NamespaceIdentity("01", "", "b")));
    }

    @Test
    void shouldTakeAListOfAnyLengthAndNone()
    {
        final byte[] whole = {1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7};
        for (int length = 0; length <= whole.length; length++)
        {
            final NamespaceIdentity identity = NamespaceIdentity.of(
                identify(0, (byte)0), new UnsafeBuffer(Arrays.copyOf(whole, length)));
            assertEquals(whole.length == length ? "0000000000000007" : "", identity.eui64());
        }
        assertEquals("", NamespaceIdentity.of(identify(0, (byte)0), null).eui64());
    }

    @Test
    void shouldFindAConfiguredIdentifier()
    {
        final NamespaceIdentity identity = new NamespaceIdentity(
            "", "0102030405060708090a0b0c0d0e0f10", "4ee8eebf-bb25-4a4e-9c5a-9d4d0fbc1d0e");
        assertTrue(identity.has("4EE8EEBFBB254A4E9C5A9D4D0FBC1D0E"));
        assertTrue(identity.has("01020304-0506-0708-090A-0B0C0D0E0F10"));
        assertFalse(identity.has("4ee8eebf-bb25-4a4e-9c5a-9d4d0fbc1d0f"));
        assertFalse(new NamespaceIdentity("", "", "").has("0102030405060708090a0b0c0d0e0f10"));
    }

    @Property(tries = 300)
    void shouldReadAnyBytes(@ForAll final long seed, @ForAll @IntRange(max = 40) final int longest)
    {
        final byte[] list = new byte[IdentifyCns.DATA_BYTES];
        final Random random = TestSeeds.fixed(seed);
        random.nextBytes(list);
        for (int i = 0; i < list.length; i += 1 + random.nextInt(longest + 1))
        {
            list[i] = (byte)random.nextInt(5);
        }
        final NamespaceIdentity identity = of(identify(seed, (byte)0), list);
        assertTrue(identity.uuid().isEmpty() || 36 == identity.uuid().length(), identity::uuid);
        assertTrue(identity.nguid().isEmpty() || 32 == identity.nguid().length(), identity::nguid);
        assertTrue(identity.eui64().isEmpty() || 16 == identity.eui64().length(), identity::eui64);
    }
}
