package io.millrace.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressFilterTest
{
    @ParameterizedTest
    @CsvSource({
        "192.0.2.7, 192.0.2.7, true",
        "192.0.2.7, 192.0.2.6, false",
        "192.0.2.0/24, 192.0.2.255, true",
        "192.0.2.0/24, 192.0.3.0, false",
        "192.0.2.128/25, 192.0.2.127, false",
        "192.0.2.130/25, 192.0.2.129, true",
        "0.0.0.0/0, 203.0.113.9, true",
        "0.0.0.0/0, fd00::1, false",
        "fd00::/8, fdff::1, true",
        "fd00::/8, fe00::1, false",
        "fd00::7, fd00::7, true",
        "::ffff:192.0.2.7, 192.0.2.7, true",
    })
    void shouldAllowWhatAnEntryHolds(final String entry, final String address, final boolean isAllowed)
    {
        assertEquals(isAllowed, new AddressFilter(List.of(entry)).test(InetAddress.ofLiteral(address)));
    }

    @Test
    void shouldAllowAllWithoutEntriesAndWhatAnyEntryHolds()
    {
        assertTrue(new AddressFilter(List.of()).test(InetAddress.ofLiteral("fd00::1")));
        assertTrue(new AddressFilter(List.of("192.0.2.7", "fd00::/8")).test(InetAddress.ofLiteral("fd00::1")));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "host", "192.0.2", "192.0.2.0/", "192.0.2.0/33", "192.0.2.0/-1", "fd00::/129", "/8", "192.0.2.0/8/8"})
    void shouldRefuseWhatIsNoAddress(final String text)
    {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> new AddressFilter(List.of(text))).getMessage()
            .startsWith("allowed address " + text + ": must be an address or a prefix"));
    }
}
