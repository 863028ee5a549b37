package io.millrace.parity;

import io.millrace.bindings.Capability;
import io.millrace.bindings.isal.IsalCalls;
import java.util.ArrayList;
import java.util.List;

/**
 * The engines of this machine. Set-up only; any thread.
 */
public final class ParityEngines
{
    private static final String VECTOR_MODULE = "jdk.incubator.vector";
    private static final String VECTOR_NAME = "Vector API";

    private ParityEngines()
    {
    }

    /**
     * Whether an engine can be used, and why.
     *
     * @param type of the engine.
     * @return with the reason and the remedy when it cannot.
     */
    public static Capability capability(final ParityEngineType type)
    {
        return switch (type)
        {
            case SCALAR -> Capability.on("scalar engine", "Java");
            case VECTOR -> vectorCapability();
            case ISAL -> IsalCalls.capability();
        };
    }

    private static Capability vectorCapability()
    {
        if (ModuleLayer.boot().findModule(VECTOR_MODULE).isEmpty())
        {
            return Capability.off(VECTOR_NAME, "module " + VECTOR_MODULE + " is not loaded",
                "start Java with --add-modules " + VECTOR_MODULE);
        }
        return VectorKernels.isWideEnough() ?
            Capability.on(VECTOR_NAME, VectorKernels.bits() + " bits") :
            Capability.off(VECTOR_NAME, "vectors of " + VectorKernels.bits() + " bits",
                "use a CPU with vectors of 128 bits or more");
    }

    /**
     * {@return the engines that can be used, in the order of their declaration}
     */
    public static List<ParityEngineType> available()
    {
        final List<ParityEngineType> available = new ArrayList<>();
        for (final ParityEngineType type : ParityEngineType.values())
        {
            if (capability(type).isAvailable())
            {
                available.add(type);
            }
        }
        return List.copyOf(available);
    }

    /**
     * Makes an engine for one thread.
     *
     * @param type of the engine.
     * @return an engine to close.
     * @throws IllegalStateException when it cannot be used, with the remedy.
     */
    public static ParityEngine create(final ParityEngineType type)
    {
        final Capability capability = capability(type);
        if (!capability.isAvailable())
        {
            throw new IllegalStateException(capability.toString());
        }
        return switch (type)
        {
            case SCALAR -> new ParityEngine(type, new ScalarKernels());
            case VECTOR -> new ParityEngine(type, new VectorKernels());
            case ISAL -> new ParityEngine(type, new IsalKernels());
        };
    }
}
