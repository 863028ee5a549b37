package io.millrace.control.agent;

import io.millrace.block.BlockGeometry;
import io.millrace.block.DeviceStatus;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.dataplane.snapshot.DeviceState;
import java.util.List;

/** Both ways between the protocol and a data plane, without one. */
public final class DeviceConversions
{
    private DeviceConversions()
    {
    }

    public static DeviceConfig config(final DeviceSpec spec)
    {
        return Commands.device(spec);
    }

    public static DeviceInfo info(final DeviceConfig config, final BlockGeometry geometry)
    {
        return Lists.device(new DeviceSnapshot(config, config.type(), geometry, null,
            DeviceState.AVAILABLE, DeviceStatus.ONLINE, List.of()));
    }
}
