package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceProperties;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.validation.ResourceValidation;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Devices over another one, with injected faults: to rehearse failures.
 */
final class FaultFactory implements DeviceFactory
{
    @Override
    public String type()
    {
        return "fault";
    }

    @Override
    public String description(final DeviceProperties properties)
    {
        return "fault over " + properties.text(FaultPlan.BASE);
    }

    @Override
    public List<String> bases(final DeviceProperties properties)
    {
        return List.of(properties.text(FaultPlan.BASE));
    }

    @Override
    public Problem problem(final DeviceProperties properties)
    {
        final int count = properties.groups(FaultPlan.RULES).size();
        final ResourceValidation.Problem problem = ResourceValidation.ofFaultRules(count);
        return null == problem ? null : new Problem(FaultPlan.RULES, count, problem.bound(), problem.remedy());
    }

    @Override
    public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        return FaultDevice.wrapBorrowed(name, dependencies.bases().getFirst(), FaultPlan.of(properties),
            properties.number(FaultDevice.WRITE_CACHE_SIZE, 0));
    }

    @Override
    public CompletableFuture<Void> apply(
        final BlockDevice device,
        final DeviceProperties was,
        final DeviceProperties properties,
        final DeviceDependencies dependencies)
    {
        return ((FaultDevice)device).plan(FaultPlan.of(properties));
    }
}
