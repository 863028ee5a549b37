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

    private static final int CHOICE_DATA = 8;
    private static final int CHOICE_STRIP_BYTES = 16 << 10;
    private static final int CHOICE_ROUNDS = 4;

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
     * Measures the engines in turn and takes the one that generates P and Q and recovers two strips in the least time.
     * The reference is taken only when it is alone. The Vector engine is slow until its loops are compiled, so a short
     * measurement in a young process prefers ISA-L.
     *
     * @param ns to measure, all engines together.
     * @return the fastest engine.
     */
    public static ParityEngineType choose(final long ns)
    {
        final List<ParityEngineType> candidates = new ArrayList<>(available());
        if (candidates.size() > 1)
        {
            candidates.remove(ParityEngineType.SCALAR);
        }
        if (1 == candidates.size())
        {
            return candidates.getFirst();
        }
        final ParityMeasurement.Operation[] operations = ParityMeasurement.Operation.values();
        final double[][] best = new double[candidates.size()][operations.length];
        final long each = ns / (CHOICE_ROUNDS * candidates.size() * operations.length);
        try (ParityMeasurement measurement = new ParityMeasurement(CHOICE_DATA, CHOICE_STRIP_BYTES))
        {
            for (int round = 0; round < CHOICE_ROUNDS * candidates.size(); round++)
            {
                final int candidate = round % candidates.size();
                try (ParityEngine engine = create(candidates.get(candidate)))
                {
                    for (int i = 0; i < operations.length; i++)
                    {
                        best[candidate][i] = Math.max(
                            best[candidate][i], measurement.bytesPerSecond(engine, operations[i], each));
                    }
                }
            }
        }
        int fastest = 0;
        for (int i = 1; i < best.length; i++)
        {
            fastest = timeOf(best[i]) < timeOf(best[fastest]) ? i : fastest;
        }
        return candidates.get(fastest);
    }

    private static double timeOf(final double[] rates)
    {
        double time = 0;
        for (final double rate : rates)
        {
            time += 1 / rate;
        }
        return time;
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
