package io.millrace.bindings.spdk;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Native;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeLibrary;
import io.millrace.bindings.generated.spdk.spdk_env_opts;
import io.millrace.bindings.generated.spdk.spdk_h;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The library of {@code native/spdk}, through which SPDK's own libraries are loaded. Looked for once a process, where
 * {@link #PROPERTY} or {@link #VARIABLE} says, else where the dynamic loader looks. Any thread.
 */
public final class SpdkLibrary
{
    /** System property with the path of the library. */
    public static final String PROPERTY = "millrace.spdk.library";
    /** Environment variable with the path of the library, where the property is not set. */
    public static final String VARIABLE = "MILLRACE_SPDK_LIBRARY";
    private static final String NAME = "SPDK";
    private static final String FILE = "libmillrace_spdk.so";
    private static final String REMEDY = "install SPDK with shared libraries (./configure --with-shared), then " +
        "make -C native/spdk SPDK_DIR=PREFIX, and name the library in " + VARIABLE + " (docs/spdk.md)";
    private static final String REBUILD = "build the library again: make -C native/spdk clean all SPDK_DIR=PREFIX";
    private static final int TEXT_BYTES_MAX = 256;
    private static final int SIGBUS = 7;
    /** More than {@code struct sigaction} has on any architecture. */
    private static final int SIGACTION_BYTES_MAX = 256;
    private static final List<String> FUNCTIONS = List.of(
        "millrace_spdk_interface", "millrace_spdk_version", "millrace_spdk_env_opts_opts_size_offset",
        "millrace_spdk_signals_chain", "millrace_spdk_log_open", "millrace_spdk_log_read",
        "millrace_spdk_threads_start",
        "millrace_spdk_reactor_create", "millrace_spdk_reactor_queues", "millrace_spdk_reactor_poll",
        "millrace_spdk_reactor_idle_ns",
        "millrace_spdk_reactor_threads", "millrace_spdk_reactor_exit", "millrace_spdk_reactor_ended",
        "millrace_spdk_reactor_free", "millrace_spdk_subsystems_start", "millrace_spdk_subsystems_stop",
        "millrace_spdk_pools_divide", "millrace_spdk_configuration_check",
        "millrace_spdk_call",
        "millrace_spdk_rpc_listen", "millrace_spdk_rpc_close", "millrace_spdk_bdev_open", "millrace_spdk_bdev_get",
        "millrace_spdk_bdev_close", "millrace_spdk_export_add", "millrace_spdk_export_resize",
        "millrace_spdk_export_remove", "millrace_spdk_configure", "millrace_spdk_memory",
        "spdk_env_opts_init", "spdk_env_init", "spdk_pci_addr_parse",
        "spdk_mem_register", "spdk_mem_unregister", "spdk_bdev_get_product_name", "spdk_bdev_get_block_size",
        "spdk_bdev_get_num_blocks", "spdk_bdev_get_md_size", "spdk_bdev_get_buf_align",
        "spdk_bdev_get_write_unit_size", "spdk_bdev_has_write_cache",
        "spdk_bdev_is_zoned", "spdk_bdev_io_type_supported");

    private SpdkLibrary()
    {
    }

    /**
     * {@return whether SPDK can be used, with its version, or what to do when not} Loads it on the first call.
     */
    public static Capability capability()
    {
        return Loaded.CAPABILITY;
    }

    /**
     * {@return the version of SPDK that the library was built for, such as {@code SPDK v26.05}; only when it can be
     * used}
     */
    public static String version()
    {
        return text("millrace_spdk_version", spdk_h.millrace_spdk_version$descriptor());
    }

    static MethodHandle link(final String function, final FunctionDescriptor descriptor)
    {
        return Loaded.LIBRARY.link(function, descriptor);
    }

    @SuppressWarnings("restricted")
    private static String text(final String function, final FunctionDescriptor descriptor)
    {
        try
        {
            return ((MemorySegment)Loaded.LIBRARY.link(function, descriptor).invokeExact())
                .reinterpret(TEXT_BYTES_MAX).getString(0);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static int number(final String function, final FunctionDescriptor descriptor)
    {
        try
        {
            return (int)Loaded.LIBRARY.link(function, descriptor).invokeExact();
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /** SPDK's constructors replace the handler of SIGBUS, which the JVM needs for mapped files that are truncated. */
    private static NativeLibrary load()
    {
        final MemorySegment before = Arena.global().allocate(SIGACTION_BYTES_MAX, Long.BYTES);
        try
        {
            final int result = (int)Native.link("sigaction", FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS))
                .invokeExact(SIGBUS, MemorySegment.NULL, before);
            final NativeLibrary library = NativeLibrary.probe(NAME, REMEDY, candidates(), FUNCTIONS);
            if (0 == result && library.capability().isAvailable())
            {
                final int chained = (int)library.link("millrace_spdk_signals_chain",
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS)).invokeExact(before);
                if (0 != chained)
                {
                    throw new NativeException("sigaction", -chained);
                }
            }
            return library;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /** A library of another interface, or built for an SPDK whose structures differ, is worse than none. */
    private static Capability check()
    {
        final Capability loaded = Loaded.LIBRARY.capability();
        if (!loaded.isAvailable())
        {
            return loaded;
        }
        final int found = number("millrace_spdk_interface", spdk_h.millrace_spdk_interface$descriptor());
        if (spdk_h.MILLRACE_SPDK_INTERFACE() != found)
        {
            return Capability.off(NAME, loaded.reason() + " has interface " + found + ", needed is " +
                spdk_h.MILLRACE_SPDK_INTERFACE(), REBUILD);
        }
        final int offset = number("millrace_spdk_env_opts_opts_size_offset",
            spdk_h.millrace_spdk_env_opts_opts_size_offset$descriptor());
        if (spdk_env_opts.opts_size$offset() != offset)
        {
            return Capability.off(NAME, loaded.reason() + " was built for " + version() +
                ", whose struct spdk_env_opts has opts_size at " + offset + " where the bindings have " +
                spdk_env_opts.opts_size$offset(), "use an SPDK release that docs/spdk.md lists");
        }
        return Capability.on(NAME, version() + " through " + loaded.reason());
    }

    private static List<String> candidates()
    {
        final String property = System.getProperty(PROPERTY, "");
        final String variable = System.getenv(VARIABLE);
        final List<String> candidates = new ArrayList<>();
        if (!property.isEmpty())
        {
            candidates.add(property);
        }
        else if (null != variable && !variable.isEmpty())
        {
            candidates.add(variable);
        }
        else
        {
            candidates.add(FILE);
        }
        return candidates;
    }

    private static final class Loaded
    {
        private static final NativeLibrary LIBRARY = load();
        private static final Capability CAPABILITY = check();
    }
}
