package io.millrace.nvmf.request;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.FailureCause;
import io.millrace.nvmf.config.DeviceError;

/**
 * The distinct errors of one device on one reactor: {@link #DISTINCT_MAX}, the last of which stands for all that come
 * after. Only a distinct error that is new allocates; the others are counted where they are. When the reactor has
 * {@link DeviceChannels#ERRORS_MAX}, a device that has none gets none: its failed commands are counted with their
 * namespaces. Single-threaded.
 */
public final class DeviceErrors
{
    /** Distinct errors of a device. */
    public static final int DISTINCT_MAX = 16;

    private final DeviceChannels owner;
    private final BlockDevice device;
    private final DeviceError[] errors = new DeviceError[DISTINCT_MAX];
    private int count;

    /**
     * Creates an empty instance.
     *
     * @param owner  of the device's channel.
     * @param device of the errors.
     */
    DeviceErrors(final DeviceChannels owner, final BlockDevice device)
    {
        this.owner = owner;
        this.device = device;
    }

    /**
     * A request has failed. That compared data differ is no error of the device, nor is a host that is gone.
     *
     * @param request with its status.
     */
    void onFailed(final BlockRequest request)
    {
        if (BlockStatus.COMPARE_FAILURE == request.status() || FailureCause.CANCELLED == request.cause())
        {
            return;
        }
        final BlockDevice failed = null == request.failedDevice() ? device : request.failedDevice();
        for (int i = 0; i < count; i++)
        {
            if (errors[i].isOf(request, failed))
            {
                errors[i].add(request);
                return;
            }
        }
        if (DISTINCT_MAX == count)
        {
            errors[DISTINCT_MAX - 1].add(request);
        }
        else if (owner.mayAddError())
        {
            final DeviceError error = DISTINCT_MAX - 1 == count ?
                DeviceError.others(device, owner.status()) : DeviceError.of(request, failed, owner.status());
            errors[count++] = error;
            error.add(request);
            owner.onError(error);
        }
    }

    /** The device is no longer used on this reactor. */
    void release()
    {
        for (int i = 0; i < count; i++)
        {
            owner.onErrorRemoved(errors[i]);
            errors[i].release();
            errors[i] = null;
        }
        count = 0;
    }
}
