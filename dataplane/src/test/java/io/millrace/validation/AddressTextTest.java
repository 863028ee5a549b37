package io.millrace.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AddressTextTest
{
    /** The examples of RFC 5952, sections 1, 2 and 4. */
    @ParameterizedTest
    @CsvSource({
        "2001:db8::1, 2001:db8:0:0:0:0:0:1", "2001:db8::1, 2001:0db8:0:0:0:0:0:1", "2001:db8::1, 2001:db8::0:1",
        "2001:db8::1:0:0:1, 2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1, 2001:0DB8:0:0:1::1",
        "2001:db8::1:0:0:1, 2001:db8::0:1:0:0:1", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:1, " +
            "2001:db8:aaaa:bbbb:cccc:dddd:eeee:0001", "2001:db8:aaaa:bbbb:cccc:dddd:0:1, " +
            "2001:db8:aaaa:bbbb:cccc:dddd::1", "2001:db8:0:1:1:1:1:1, 2001:db8::1:1:1:1:1",
        "2001:db8::2:1, 2001:db8::0:2:1", "2001:0:0:1::1, 2001:0:0:1:0:0:0:1",
        "2001:db8:0:0:1::, 2001:db8:0:0:1:0:0:0", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:aaaa, " +
            "2001:db8:AAAA:bbbb:cccc:dddd:EEEE:aAaA", "::, 0:0:0:0:0:0:0:0", "::1, 0:0:0:0:0:0:0:1",
        "1::, 1:0:0:0:0:0:0:0", "fe80::1, fe80:0:0:0:0:0:0:1", "192.0.2.1, ::ffff:192.0.2.1", "192.0.2.1, 192.0.2.1"})
    void shouldWriteAddressesAsRfc5952Says(final String canonical, final String text)
    {
        assertEquals(canonical, AddressText.of(InetAddress.ofLiteral(text)));
        assertEquals(canonical, AddressText.of(InetAddress.ofLiteral(canonical)));
    }

    @Test
    void shouldLeaveOutTheScope()
    {
        final InetAddress local = InetAddress.ofLiteral("fe80::1%1");
        assertEquals(List.of("fe80:0:0:0:0:0:0:1%1", "fe80::1"),
            List.of(local.getHostAddress(), AddressText.of(local)));
    }
}
