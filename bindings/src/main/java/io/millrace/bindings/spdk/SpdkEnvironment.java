package io.millrace.bindings.spdk;

import io.millrace.bindings.Native;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.generated.spdk.spdk_env_opts;
import io.millrace.bindings.generated.spdk.spdk_h;
import io.millrace.bindings.generated.spdk.spdk_pci_addr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * SPDK's environment, which is DPDK's: memory and PCI functions. There is one a process. Set-up only.
 */
public final class SpdkEnvironment
{
    /**
     * What the environment has.
     *
     * @param name       of the program, in DPDK's messages.
     * @param lcoreMap   DPDK's {@code --lcores}: the CPUs that its one lcore, the calling thread, may run on.
     * @param memoryMib  memory in MiB.
     * @param hugepages  whether the memory is in hugepages; else in ordinary pages, which no drive can access without
     *                   an IOMMU.
     * @param pciAllowed PCI addresses of the functions that SPDK may use; others are not looked at. Empty: none at all.
     */
    public record Options(
        String name, String lcoreMap, int memoryMib, boolean hugepages, List<String> pciAllowed)
    {
        /** Copies the list. */
        public Options
        {
            pciAllowed = List.copyOf(pciAllowed);
        }
    }

    private SpdkEnvironment()
    {
    }

    /**
     * {@code spdk_env_init}: once a process. The calling thread becomes DPDK's main lcore and may be set to other CPUs,
     * so it is one that ends soon.
     *
     * @param options of the environment.
     * @throws NativeException          with the errno that DPDK gives; its messages say more.
     * @throws IllegalArgumentException when a PCI address is invalid.
     */
    public static void start(final Options options)
    {
        // SPDK keeps the addresses of texts.
        final Arena arena = Arena.global();
        final MemorySegment opts = arena.allocate(spdk_env_opts.layout());
        spdk_env_opts.opts_size(opts, spdk_env_opts.layout().byteSize());
        call(Handles.OPTS_INIT, opts);
        spdk_env_opts.name(opts, arena.allocateFrom(options.name()));
        spdk_env_opts.core_mask(opts, MemorySegment.NULL);
        spdk_env_opts.lcore_map(opts, arena.allocateFrom(options.lcoreMap()));
        spdk_env_opts.shm_id(opts, -1);
        spdk_env_opts.mem_size(opts, options.memoryMib());
        spdk_env_opts.no_huge(opts, !options.hugepages());
        spdk_env_opts.unlink_hugepage(opts, options.hugepages());
        spdk_env_opts.no_pci(opts, options.pciAllowed().isEmpty());
        if (!options.pciAllowed().isEmpty())
        {
            spdk_env_opts.num_pci_addr(opts, options.pciAllowed().size());
            spdk_env_opts.pci_allowed(opts, addresses(options.pciAllowed(), arena));
        }
        final int result;
        try
        {
            result = (int)Handles.INIT.invokeExact(opts);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
        if (0 != result)
        {
            throw new NativeException("spdk_env_init", Math.abs(result));
        }
    }

    private static MemorySegment addresses(final List<String> texts, final Arena arena)
    {
        final MemorySegment array = arena.allocate(spdk_pci_addr.layout(), texts.size());
        for (int i = 0; i < texts.size(); i++)
        {
            final int result;
            try
            {
                result = (int)Handles.PCI_PARSE.invokeExact(
                    array.asSlice(i * spdk_pci_addr.layout().byteSize(), spdk_pci_addr.layout()),
                    arena.allocateFrom(texts.get(i)));
            }
            catch (final Throwable t)
            {
                throw Native.broken(t);
            }
            if (0 != result)
            {
                throw new IllegalArgumentException(
                    "PCI address " + texts.get(i) + " is not of the form 0000:01:00.0: use one that lspci -D prints");
            }
        }
        return array;
    }

    /**
     * {@code spdk_mem_register}: drives of SPDK may access the memory.
     *
     * @param address     a multiple of 4096.
     * @param lengthBytes a multiple of 4096.
     * @return 0 or a negated errno.
     */
    public static int register(final long address, final long lengthBytes)
    {
        return memoryCall(Handles.REGISTER, address, lengthBytes);
    }

    /**
     * {@code spdk_mem_unregister}: ends what {@link #register} began.
     *
     * @param address     as it was registered.
     * @param lengthBytes as it was registered.
     * @return 0 or a negated errno.
     */
    public static int unregister(final long address, final long lengthBytes)
    {
        return memoryCall(Handles.UNREGISTER, address, lengthBytes);
    }

    private static int memoryCall(final MethodHandle handle, final long address, final long lengthBytes)
    {
        try
        {
            return (int)handle.invokeExact(MemorySegment.ofAddress(address), lengthBytes);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static void call(final MethodHandle handle, final MemorySegment argument)
    {
        try
        {
            handle.invokeExact(argument);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static final class Handles
    {
        private static final MethodHandle OPTS_INIT =
            SpdkLibrary.link("spdk_env_opts_init", spdk_h.spdk_env_opts_init$descriptor());
        private static final MethodHandle INIT = SpdkLibrary.link("spdk_env_init", spdk_h.spdk_env_init$descriptor());
        private static final MethodHandle PCI_PARSE =
            SpdkLibrary.link("spdk_pci_addr_parse", spdk_h.spdk_pci_addr_parse$descriptor());
        private static final MethodHandle REGISTER =
            SpdkLibrary.link("spdk_mem_register", spdk_h.spdk_mem_register$descriptor());
        private static final MethodHandle UNREGISTER =
            SpdkLibrary.link("spdk_mem_unregister", spdk_h.spdk_mem_unregister$descriptor());
    }
}
