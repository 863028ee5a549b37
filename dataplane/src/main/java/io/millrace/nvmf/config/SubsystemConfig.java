package io.millrace.nvmf.config;

import io.millrace.nvmf.Subsystem;
import io.millrace.validation.ResourceValidation;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * Configuration of a subsystem. Immutable.
 *
 * @param nqn          its name.
 * @param allowAnyHost every host may connect, at first: {@link Subsystem#allowAnyHost}.
 * @param hostNqns     hosts that may connect when not every host may, at first: {@link Subsystem#allowHost}.
 * @param serialNumber ASCII, 1 to 20 characters.
 * @param modelNumber  ASCII, 1 to 40 characters.
 */
public record SubsystemConfig(
    String nqn,
    boolean allowAnyHost,
    Set<String> hostNqns,
    String serialNumber,
    String modelNumber)
{
    /** Default of {@link #modelNumber()}. */
    public static final String MODEL_NUMBER_DEFAULT = "Millrace";

    /**
     * Checks everything.
     */
    public SubsystemConfig
    {
        Nqn.check("subsystem", nqn);
        hostNqns = Set.copyOf(hostNqns);
        for (final String hostNqn : hostNqns)
        {
            Nqn.check("subsystem " + nqn + ": host", hostNqn);
        }
        check(nqn, "serial-number", serialNumber, ResourceValidation.ofSerial(serialNumber));
        check(nqn, "model-number", modelNumber, ResourceValidation.ofModel(modelNumber));
    }

    /**
     * A subsystem for every host, with a serial number derived from its name.
     *
     * @param nqn its name.
     * @return its settings.
     */
    public static SubsystemConfig open(final String nqn)
    {
        return new SubsystemConfig(nqn, true, Set.of(), serialNumberOf(nqn), MODEL_NUMBER_DEFAULT);
    }

    /**
     * A serial number that stays the same as long as the name does: 20 hexadecimal digits.
     *
     * @param nqn of the subsystem.
     * @return its serial number.
     */
    public static String serialNumberOf(final String nqn)
    {
        return java.util.UUID.nameUUIDFromBytes(("serial-number of " + nqn).getBytes(StandardCharsets.UTF_8))
            .toString().replace("-", "").substring(0, 20);
    }

    private static void check(
        final String nqn, final String what, final String value, final ResourceValidation.Problem problem)
    {
        if (null != problem)
        {
            throw new IllegalArgumentException("subsystem " + nqn + ": " + what + " '" + value + "' is " +
                problem.bound() + ": " + problem.remedy());
        }
    }
}
