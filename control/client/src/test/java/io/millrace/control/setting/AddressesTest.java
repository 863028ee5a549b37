package io.millrace.control.setting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressesTest
{
    @Test
    void shouldTakeAddressesAndNames()
    {
        assertEquals(InetAddress.ofLiteral("192.0.2.7"), Addresses.resolve("192.0.2.7"));
        assertEquals(InetAddress.ofLiteral("2001:db8::7"), Addresses.resolve("2001:db8::7"));
        assertEquals(InetAddress.ofLiteral("2001:db8::7"), Addresses.resolve("[2001:db8::7]"));
        assertTrue(Addresses.resolve("localhost").isLoopbackAddress());
    }

    @Test
    void shouldSayThatANameIsUnknown()
    {
        final SettingType.BadValue e = assertThrows(SettingType.BadValue.class,
            () -> Addresses.resolve("no-such-host.invalid"));
        assertEquals("an unknown host name", e.bound());
        assertEquals("write an IP address, or a name that this machine resolves ('getent hosts no-such-host.invalid' " +
            "shows it)", e.remedy());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "999.1.2.3", "1.2.3.4.5", "[localhost]", "[192.0.2", "a b", "a..b", "-a", "host:4420",
        "tcp://a", "a/24"})
    void shouldRefuseWhatIsNeither(final String text)
    {
        assertEquals("neither an IP address nor a host name",
            assertThrows(SettingType.BadValue.class, () -> Addresses.resolve(text)).bound());
    }
}
