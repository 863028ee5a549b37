package io.millrace.dataplane;

import io.millrace.block.BlockDeviceException;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.device.DeviceFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Creates the devices of a configuration when a data plane starts. One that cannot be opened ends the start, unless it
 * is a shared spare, or a device above it can do without. Set-up thread.
 */
final class DeclaredDevices
{
    private final List<DeviceConfig> declared;
    private final Devices devices;
    private final Consumer<String> onWarning;
    /** Sentences on what is missing, by the device that is started without it. */
    private final Map<String, List<String>> missing = new HashMap<>();

    /**
     * @param declared  devices, each behind those below it.
     * @param devices   of the data plane.
     * @param onWarning takes a sentence for each device that is missing.
     */
    DeclaredDevices(final List<DeviceConfig> declared, final Devices devices, final Consumer<String> onWarning)
    {
        this.declared = declared;
        this.devices = devices;
        this.onWarning = onWarning;
    }

    /**
     * Creates them in their order.
     *
     * @throws SettingException naming the device that cannot be opened and is needed.
     */
    void create()
    {
        for (final int i : order())
        {
            try
            {
                devices.create(declared.get(i));
            }
            catch (final OperationException e)
            {
                if (isUnavailable(e) && declared.get(i).isSharedSpare())
                {
                    onWarning.accept("device " + declared.get(i).name() + ", a shared spare, is missing: " +
                        e.problem() + (e.remedy().isEmpty() ? "" : "; " + e.remedy()));
                    continue;
                }
                final DeviceConfig user = isUnavailable(e) ? tolerantUser(declared.get(i)) : null;
                if (null == user)
                {
                    throw refused(i, e);
                }
                final String reason = e.problem() + (e.remedy().isEmpty() ? "" : "; " + e.remedy());
                missing.computeIfAbsent(user.name(), (_) -> new ArrayList<>())
                    .add("device " + declared.get(i).name() + " is missing: " + reason);
                onWarning.accept("device " + declared.get(i).name() + " is missing, and device " + user.name() +
                    " is started without it: " + reason);
            }
        }
    }

    /** Indices as declared, those last that may use devices which they do not name, and what is made of them. */
    private List<Integer> order()
    {
        final List<Integer> first = new ArrayList<>();
        final List<Integer> last = new ArrayList<>();
        final Set<String> late = new HashSet<>();
        for (int i = 0; i < declared.size(); i++)
        {
            final DeviceConfig each = declared.get(i);
            final DeviceFactory factory = devices.factory(each);
            if (factory.mayUseUnnamed() || factory.bases(each.properties()).stream().anyMatch(late::contains))
            {
                late.add(each.name());
                last.add(i);
            }
            else
            {
                first.add(i);
            }
        }
        first.addAll(last);
        return first;
    }

    /** Whether the device or one below it cannot be opened; invalid settings are refused in any case. */
    private static boolean isUnavailable(final OperationException e)
    {
        return e.getCause() instanceof BlockDeviceException || OperationException.Reason.NOT_FOUND == e.reason();
    }

    /** {@return the device above that can do without it; null: there is none} */
    private DeviceConfig tolerantUser(final DeviceConfig device)
    {
        for (final DeviceConfig each : declared)
        {
            final DeviceFactory factory = devices.factory(each);
            if (factory.bases(each.properties()).contains(device.name()))
            {
                return factory.toleratesMissingBases(each.properties()) ? each : tolerantUser(each);
            }
        }
        return null;
    }

    private SettingException refused(final int index, final OperationException e)
    {
        final String key = "devices[" + index + "]";
        final String problem = e.problem();
        // Messages of devices begin with the setting.
        final String first = problem.substring(0, Math.max(0, problem.indexOf(' ')));
        return new SettingException(
            declared.get(index).properties().values().containsKey(first) ? key + "." + first : key, null, problem,
            remedy(declared.get(index), e), e.getCause() instanceof BlockDeviceException ? e.getCause() : e);
    }

    /** With what is missing below it, which explains the refusal, and is in no log when nothing has started. */
    private String remedy(final DeviceConfig device, final OperationException e)
    {
        final List<String> below = missing.getOrDefault(device.name(), List.of());
        final StringBuilder remedy = new StringBuilder(e.remedy());
        if (!below.isEmpty())
        {
            remedy.append(remedy.isEmpty() ? "" : "; ").append(below.getFirst());
        }
        if (below.size() > 1)
        {
            remedy.append("; and ").append(below.size() - 1).append(" more missing");
        }
        return remedy.toString();
    }
}
