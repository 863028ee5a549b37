package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.config.SpdkSettings;
import io.millrace.reactor.ReactorConfig;
import io.millrace.spdk.SpdkConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** SPDK that cannot start, whether it is installed or not: its configuration is missing. */
class SpdkSettingsTest
{
    private static final SpdkConfig MISSING = new SpdkConfig(Path.of("/nonexistent/spdk.json"),
        SpdkConfig.MEMORY_MIB_DEFAULT, false, List.of(), null);

    private static DataPlaneConfig config(final boolean atStart)
    {
        final DataPlaneConfig empty = DataPlaneConfig.managed(List.of(ReactorConfig.of("r0", -1)), 16 << 20);
        return new DataPlaneConfig(empty.reactors(), empty.memoryBytes(), List.of(), List.of(), List.of(),
            empty.discoveryPort(), empty.limits(), empty.transports(), true, empty.status(),
            new SpdkSettings(MISSING, atStart, List.of(), null));
    }

    @Test
    void shouldNotStartWithoutSpdkThatIsConfigured()
    {
        final SettingException e = assertThrows(SettingException.class, () -> DataPlane.start(config(true)));
        assertEquals("spdk", e.key());
        assertTrue(e.getMessage().startsWith("spdk: "), e.getMessage());
        assertEquals(e.getMessage().indexOf("spdk: "), e.getMessage().lastIndexOf("spdk: "), e.getMessage());
    }

    @Test
    void shouldRefuseABdevAndGoOn()
    {
        try (DataPlane dataPlane = DataPlane.start(config(false)))
        {
            final Devices devices = dataPlane.devices();
            final OperationException e = assertThrows(OperationException.class,
                () -> devices.create(DeviceConfig.of("s", "spdk-bdev", Map.of("bdev", "Malloc0"))));
            assertEquals(OperationException.Reason.FAILED, e.reason());
            assertTrue(e.getMessage().startsWith("device s: spdk: "), e.getMessage());
            devices.create(DeviceConfig.memory("m", 1 << 20, 4096));
            assertEquals(List.of("m"), devices.list().stream().map((each) -> each.name()).toList());
            // The place of the refused one is free.
            assertThrows(OperationException.class,
                () -> devices.create(DeviceConfig.of("t", "spdk-bdev", Map.of("bdev", "Malloc0"))));
        }
    }
}
