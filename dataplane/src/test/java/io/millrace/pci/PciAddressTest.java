package io.millrace.pci;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PciAddressTest
{
    @ParameterizedTest
    @CsvSource({
        "0000:01:00.0, 0000:01:00.0", "01:00.0, 0000:01:00.0", "10000:E1:1f.7, 10000:e1:1f.7",
        "ffff:ff:1f.7, ffff:ff:1f.7"})
    void shouldReadWhatTheKernelWrites(final String text, final String address)
    {
        assertEquals(address, PciAddress.parse(text).toString());
        assertEquals(PciAddress.parse(text), PciAddress.parse(address));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "nvme0", "0000:01:00", "0000:01:00.8", "0000:01:20.0", "000:01:00.0", "0000:1:00.0", "0000:01:00.0 ",
        "0000:g1:00.0", "12345678:01:00.0"})
    void shouldRefuseWhatIsNoAddress(final String text)
    {
        final PciException thrown = assertThrows(PciException.class, () -> PciAddress.parse(text));

        assertTrue(thrown.getMessage().startsWith("'" + text + "' is not a PCI address"), thrown.getMessage());
    }

    @Test
    void shouldOrderAsTheKernelDoes()
    {
        assertTrue(PciAddress.parse("10000:00:00.0").compareTo(PciAddress.parse("ffff:ff:1f.7")) > 0);
        assertTrue(PciAddress.parse("0000:02:00.0").compareTo(PciAddress.parse("0000:10:00.0")) < 0);
        assertTrue(PciAddress.parse("0000:02:01.0").compareTo(PciAddress.parse("0000:02:00.7")) > 0);
    }
}
