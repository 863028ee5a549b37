package io.millrace.bindings.isal;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Native;
import io.millrace.bindings.NativeLibrary;
import io.millrace.bindings.generated.isal.isal_h;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * Calls of libisal. They compute and never block, and no safepoint can happen while one runs: callers bound the bytes
 * of a call. Any thread. Callers make sure that {@link #capability} is available; otherwise calls throw
 * {@link IllegalStateException}. Addresses are not checked.
 */
public final class IsalCalls
{
    private IsalCalls()
    {
    }

    /**
     * {@return whether libisal can be used, and which package to install when not} Loads it on the first call.
     */
    public static Capability capability()
    {
        return Library.ISAL.capability();
    }

    /**
     * {@code xor_gen}: the last strip becomes the XOR of the others.
     *
     * @param strips      with the result; at least 3.
     * @param lengthBytes of each; a multiple of 32.
     * @param array       address of the addresses of the strips, which are aligned to the widest vector, 64 bytes.
     * @return 0, or another number when an argument is refused.
     */
    public static int xorGen(final int strips, final int lengthBytes, final long array)
    {
        return call(Handles.XOR_GEN, strips, lengthBytes, array);
    }

    /**
     * {@code pq_gen}: the last two strips become P and Q of the others.
     *
     * @param strips      with P and Q; at least 4.
     * @param lengthBytes of each; a multiple of 32.
     * @param array       address of the addresses of the strips, which are aligned to the widest vector, 64 bytes.
     * @return 0, or another number when an argument is refused.
     */
    public static int pqGen(final int strips, final int lengthBytes, final long array)
    {
        return call(Handles.PQ_GEN, strips, lengthBytes, array);
    }

    /**
     * {@code xor_check}: whether the XOR of all strips is 0.
     *
     * @param strips      at least 2.
     * @param lengthBytes of each; a multiple of 16.
     * @param array       address of the addresses of the strips, which are aligned to 16 bytes.
     * @return 0 when it is.
     */
    public static int xorCheck(final int strips, final int lengthBytes, final long array)
    {
        return call(Handles.XOR_CHECK, strips, lengthBytes, array);
    }

    /**
     * {@code pq_check}: whether the last two strips are P and Q of the others.
     *
     * @param strips      with P and Q; at least 4.
     * @param lengthBytes of each; a multiple of 16.
     * @param array       address of the addresses of the strips, which are aligned to 16 bytes.
     * @return 0 when they are.
     */
    public static int pqCheck(final int strips, final int lengthBytes, final long array)
    {
        return call(Handles.PQ_CHECK, strips, lengthBytes, array);
    }

    private static int call(final MethodHandle handle, final int strips, final int lengthBytes, final long array)
    {
        try
        {
            return (int)(long)handle.invokeExact((long)strips, (long)lengthBytes, array);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * {@code ec_init_tables}: tables of the coefficients of a matrix, for {@link #encodeData}.
     *
     * @param sources      columns of the matrix.
     * @param outputs      rows of the matrix.
     * @param coefficients address of the coefficients, a byte each, row by row.
     * @param tables       address of 32 bytes a coefficient.
     */
    public static void initTables(final int sources, final int outputs, final long coefficients, final long tables)
    {
        try
        {
            final long ignored = (long)Handles.EC_INIT_TABLES.invokeExact(
                (long)sources, (long)outputs, coefficients, tables);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * {@code ec_encode_data}: outputs are the product of a matrix with sources.
     *
     * @param lengthBytes of each source and output; any.
     * @param sources     columns of the matrix.
     * @param outputs     rows of the matrix.
     * @param tables      address of what {@link #initTables} made.
     * @param sourceArray address of the addresses of the sources.
     * @param outputArray address of the addresses of the outputs.
     */
    public static void encodeData(
        final int lengthBytes,
        final int sources,
        final int outputs,
        final long tables,
        final long sourceArray,
        final long outputArray)
    {
        try
        {
            final long ignored = (long)Handles.EC_ENCODE_DATA.invokeExact(
                (long)lengthBytes, (long)sources, (long)outputs, tables, sourceArray, outputArray);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * {@code gf_gen_cauchy1_matrix}: a matrix of which the first rows are the identity and the others a Cauchy matrix.
     *
     * @param matrix  address of a byte a coefficient, row by row.
     * @param rows    sources and outputs together.
     * @param sources columns of the matrix.
     */
    public static void cauchyMatrix(final long matrix, final int rows, final int sources)
    {
        try
        {
            final long ignored = (long)Handles.GF_GEN_CAUCHY1_MATRIX.invokeExact(matrix, (long)rows, (long)sources);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static final class Library
    {
        private static final NativeLibrary ISAL = NativeLibrary.probe("ISA-L",
            "install libisal2 (Debian) or isa-l (Fedora)", List.of("libisal.so.2"), List.of(
                "xor_gen", "pq_gen", "xor_check", "pq_check", "ec_init_tables", "ec_encode_data",
                "gf_gen_cauchy1_matrix"));
    }

    private static final class Handles
    {
        private static final MethodHandle XOR_GEN = link("xor_gen", isal_h.xor_gen$descriptor());
        private static final MethodHandle PQ_GEN = link("pq_gen", isal_h.pq_gen$descriptor());
        private static final MethodHandle XOR_CHECK = link("xor_check", isal_h.xor_check$descriptor());
        private static final MethodHandle PQ_CHECK = link("pq_check", isal_h.pq_check$descriptor());
        private static final MethodHandle EC_INIT_TABLES = link("ec_init_tables", isal_h.ec_init_tables$descriptor());
        private static final MethodHandle EC_ENCODE_DATA = link("ec_encode_data", isal_h.ec_encode_data$descriptor());
        private static final MethodHandle GF_GEN_CAUCHY1_MATRIX =
            link("gf_gen_cauchy1_matrix", isal_h.gf_gen_cauchy1_matrix$descriptor());

        private static MethodHandle link(final String function, final FunctionDescriptor descriptor)
        {
            return Library.ISAL.linkCritical(function, descriptor);
        }
    }
}
