package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockGeometry;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.Flyweight;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyController;
import io.millrace.nvme.identify.IdentifyControllerAdmin;
import io.millrace.nvme.identify.IdentifyControllerFabrics;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvme.identify.IdentifyNamespace;
import io.millrace.nvme.identify.IdentifyNamespaceWriteUnits;
import io.millrace.nvme.identify.IndependentNamespace;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.namespace.Namespace;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IdentifyTest
{
    private final TestTarget target = new TestTarget(1, MemoryDevice.create("mem0", 1 << 22, 512),
        new SubsystemConfig(TestTarget.NQN, true, Set.of(), "SERIAL-1", "Model One"));
    private final TestHost host = target.admin();

    @AfterEach
    void close()
    {
        target.close();
    }

    private Completion identify(final int cns, final int nsid)
    {
        return identify(host, cns, nsid);
    }

    private static Completion identify(final TestHost host, final int cns, final int nsid)
    {
        return host.execute((entry) ->
            entry.opcode(AdminOpcode.IDENTIFY).namespaceId(nsid).cdw10(cns).sglLength(IdentifyCns.DATA_BYTES));
    }

    private static byte[] good(final Completion completion)
    {
        assertEquals(NvmeStatus.SUCCESS, completion.status());
        assertEquals(IdentifyCns.DATA_BYTES, completion.data().length);
        return completion.data();
    }

    private static <T extends Flyweight> T view(final T flyweight, final Completion completion)
    {
        good(completion);
        flyweight.wrap(completion.buffer(), 0);
        return flyweight;
    }

    private IdentifyControllerIo ioAttributes()
    {
        return view(new IdentifyControllerIo(), identify(IdentifyCns.CONTROLLER, 0));
    }

    @Test
    void shouldDescribeTheController()
    {
        final Completion completion = identify(IdentifyCns.CONTROLLER, 0);
        final IdentifyController data = view(new IdentifyController(), completion);
        final IdentifyControllerAdmin admin = view(new IdentifyControllerAdmin(), completion);
        final IdentifyControllerIo io = view(new IdentifyControllerIo(), completion);
        final IdentifyControllerFabrics fabrics = view(new IdentifyControllerFabrics(), completion);
        assertEquals("SERIAL-1", data.serialNumber());
        assertEquals("Model One", data.modelNumber());
        assertEquals(TestTarget.NQN, data.subsystemNqn());
        assertEquals(host.queuePair().association().id(), data.controllerId());
        assertEquals(8, data.maxDataTransferSize());
        assertEquals(0x20000, data.version());
        assertEquals(IdentifyController.TYPE_IO, data.controllerType());
        assertEquals(1 << 8 | 1 << 11, data.optionalAsyncEvents());
        assertEquals(0x41, data.controllerAttributes());
        assertEquals(10, admin.keepAliveSupport());
        assertEquals(1024, io.maxCommands());
        assertEquals(0x66, io.submissionEntrySize());
        assertEquals(0x44, io.completionEntrySize());
        assertEquals(Namespace.NSID_MAX, io.namespaces());
        assertEquals(Namespace.NSID_MAX, io.maxNamespaces());
        assertEquals(1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 8, io.optionalNvmCommands());
        assertEquals(1, io.copyFormats());
        assertEquals(6, io.volatileWriteCache());
        assertEquals(1 | 1 << 20 | 1 << 21, io.sglSupport());
        assertEquals((64 + TestHost.IN_CAPSULE_BYTES) / 16, fabrics.ioCommandCapsuleSize());
        assertEquals(1, fabrics.ioResponseCapsuleSize());
        assertEquals(0, fabrics.inCapsuleDataOffset());
        assertEquals(0, fabrics.fabricsControllerAttributes());
        assertEquals(1, fabrics.maxSglDescriptors());
        assertEquals(1 | 1 << 1 | 1 << 3, data.multiPathCapabilities());
        assertEquals(10, admin.anaTransitionTime());
        assertEquals(0x1F | 1 << 6, admin.anaCapabilities());
        assertEquals(128, admin.anaGroupIdMax());
        assertEquals(128, admin.anaGroups());
        assertEquals(63, admin.errorLogPageEntries());
        assertEquals(3, admin.asyncEventRequestLimit());
        assertEquals(3, admin.abortCommandLimit());
        assertEquals(0, io.fusedOperations());
    }

    @Test
    void shouldTellOfAVolatileCacheWhenAnyDeviceHasOne()
    {
        target.subsystem().addNamespace(new Namespace(7, target.owned(ManualDevice.create(1)), UUID.randomUUID()));
        assertEquals(7, ioAttributes().volatileWriteCache());
    }

    @Test
    void shouldOfferWhatIsEmulatedForADeviceThatOnlyReadsAndWrites()
    {
        target.subsystem().addNamespace(new Namespace(7, target.owned(new ManualDevice(BlockGeometry.builder(512, 8)
            .build(), 1)), UUID.randomUUID()));
        final int emulated =
            IdentifyControllerIo.NVM_COMPARE | IdentifyControllerIo.NVM_WRITE_ZEROES | IdentifyControllerIo.NVM_VERIFY;
        assertEquals(emulated, ioAttributes().optionalNvmCommands() & emulated);
    }

    @Test
    void shouldNotOfferCopyWhenADeviceCannot()
    {
        target.subsystem().addNamespace(new Namespace(7, target.owned(new ManualDevice(BlockGeometry.builder(512, 8)
            .volatileWriteCache(true)
            .supportsWriteZeroes(true)
            .supportsVerify(true)
            .supportsDeallocate(true)
            .build(), 1)), UUID.randomUUID()));
        final IdentifyControllerIo data = ioAttributes();
        assertEquals(0, data.optionalNvmCommands() & IdentifyControllerIo.NVM_COPY);
        assertEquals(0, data.copyFormats());
        final IdentifyNamespace namespace = new IdentifyNamespace();
        namespace.wrap(identify(IdentifyCns.NAMESPACE, 7).buffer(), 0);
        assertEquals(0, namespace.copyRangeLimit());
        assertEquals(0, namespace.copyLimit());
        assertEquals(0, namespace.copyRangesLimit());
    }

    @Test
    void shouldDescribeANamespace()
    {
        final Completion completion = identify(IdentifyCns.NAMESPACE, 1);
        good(completion);
        final IdentifyNamespace data = new IdentifyNamespace();
        data.wrap(completion.buffer(), 0);
        assertEquals(8192, data.size());
        assertEquals(8192, data.capacity());
        assertEquals(8192, data.utilization());
        assertEquals(9 << 16, data.format0());
        assertEquals(0, data.formats());
        assertEquals(0, data.formattedSize());
        assertEquals(9, data.deallocateFeatures());
        assertEquals(1, data.multiPathCapabilities());
        assertEquals(1, data.anaGroupId());
        assertEquals(0, data.attributes());
        assertEquals(2048, data.copyRangeLimit());
        assertEquals(4 * 2048, data.copyLimit());
        assertEquals(15, data.copyRangesLimit());
        final byte[] nguid = new byte[16];
        data.nguid(nguid);
        assertArrayEquals(uuid(), nguid);
    }

    private Completion identifyWithWriteSizes(final int optimalBytes, final int atomicBytes)
    {
        target.subsystem().addNamespace(new Namespace(7, target.owned(new ManualDevice(BlockGeometry.builder(512, 8)
            .optimalWriteBytes(optimalBytes)
            .atomicWriteBytes(atomicBytes)
            .build(), 1)), UUID.randomUUID()));
        return identify(IdentifyCns.NAMESPACE, 7);
    }

    @Test
    void shouldNotDescribeWriteSizesThatADeviceDoesNotHave()
    {
        final Completion completion = identifyWithWriteSizes(512, 512);
        final IdentifyNamespaceWriteUnits data = view(new IdentifyNamespaceWriteUnits(), completion);
        assertEquals(0, view(new IdentifyNamespace(), completion).features());
        assertEquals(0, data.optimalWriteSize());
        assertEquals(0, data.preferredWriteGranularity());
        assertEquals(0, data.atomicWriteUnit());
        assertEquals(0, data.atomicWriteUnitPowerFail());
    }

    @Test
    void shouldDescribeTheWidthOfAStripeAsTheOptimalWriteSize()
    {
        final Completion completion = identifyWithWriteSizes(3 << 16, 512);
        final IdentifyNamespaceWriteUnits data = view(new IdentifyNamespaceWriteUnits(), completion);
        assertEquals(1 << 4, view(new IdentifyNamespace(), completion).features());
        assertEquals(383, data.optimalWriteSize());
        assertEquals(127, data.preferredWriteGranularity());
        assertEquals(127, data.preferredWriteAlignment());
        assertEquals(0, data.atomicWriteUnitPowerFail());
    }

    @Test
    void shouldDescribeTheAtomicWriteUnitUpToWhatIsNeverMovedInParts()
    {
        final Completion completion = identifyWithWriteSizes(512, 4096);
        final IdentifyNamespaceWriteUnits data = view(new IdentifyNamespaceWriteUnits(), completion);
        assertEquals(1 << 1, view(new IdentifyNamespace(), completion).features());
        assertEquals(7, data.atomicWriteUnit());
        assertEquals(7, data.atomicWriteUnitPowerFail());
        target.subsystem().removeNamespace(7);
        assertEquals(63, view(new IdentifyNamespaceWriteUnits(), identifyWithWriteSizes(512, 1 << 20))
            .atomicWriteUnitPowerFail());
    }

    private byte[] uuid()
    {
        final UUID uuid = target.subsystem().namespace(1).uuid();
        return ByteBuffer.allocate(16).putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits())
            .array();
    }

    @Test
    void shouldAnswerZeroesForInactiveNamespacesAndRefuseImpossibleOnes()
    {
        for (final int cns : new int[]{IdentifyCns.NAMESPACE, IdentifyCns.ALLOCATED_NAMESPACE,
            IdentifyCns.NAMESPACE_INDEPENDENT, IdentifyCns.NAMESPACE_COMMAND_SET})
        {
            assertArrayEquals(new byte[4096], good(identify(cns, 2)), "CNS " + cns);
            for (final int nsid : new int[]{0, Namespace.NSID_MAX + 1, -1})
            {
                assertEquals(NvmeStatus.INVALID_NAMESPACE, identify(cns, nsid).code(), "CNS " + cns);
            }
        }
    }

    @Test
    void shouldListActiveNamespaces()
    {
        target.subsystem().addNamespace(new Namespace(1024, target.subsystem().namespace(1).device(),
            UUID.randomUUID()));
        target.subsystem().addNamespace(new Namespace(3, target.subsystem().namespace(1).device(), UUID.randomUUID()));
        for (final int cns : new int[]{IdentifyCns.ACTIVE_NAMESPACES, IdentifyCns.ALLOCATED_NAMESPACES,
            IdentifyCns.ACTIVE_NAMESPACES_COMMAND_SET})
        {
            final Completion all = identify(cns, 0);
            good(all);
            assertEquals(1, all.dword(0));
            assertEquals(3, all.dword(1));
            assertEquals(1024, all.dword(2));
            assertEquals(0, all.dword(3));
            final Completion rest = identify(cns, 3);
            assertEquals(1024, rest.dword(0));
            assertEquals(0, rest.dword(1));
            assertEquals(0, identify(cns, 1024).dword(0));
            assertEquals(NvmeStatus.INVALID_NAMESPACE, identify(cns, -1).code());
            assertEquals(NvmeStatus.INVALID_NAMESPACE, identify(cns, -2).code());
        }
    }

    @Test
    void shouldDescribeWhatIdentifiesANamespace()
    {
        final byte[] data = good(identify(IdentifyCns.NAMESPACE_DESCRIPTORS, 1));
        final ByteBuffer expected = ByteBuffer.allocate(4096);
        expected.put(new byte[]{2, 16, 0, 0}).put(uuid());
        expected.put(new byte[]{3, 16, 0, 0}).put(uuid());
        expected.put(new byte[]{4, 1, 0, 0, 0});
        assertArrayEquals(expected.array(), data);
        assertEquals(NvmeStatus.INVALID_NAMESPACE, identify(IdentifyCns.NAMESPACE_DESCRIPTORS, 2).code());
    }

    @Test
    void shouldDescribeANamespaceWhateverItsCommandSet()
    {
        final Completion completion = identify(IdentifyCns.NAMESPACE_INDEPENDENT, 1);
        good(completion);
        final IndependentNamespace data = new IndependentNamespace();
        data.wrap(completion.buffer(), 0);
        assertEquals(IndependentNamespace.STATUS_READY, data.status());
        assertEquals(IndependentNamespace.FEATURE_NO_VOLATILE_CACHE, data.features());
        assertEquals(1, data.multiPathCapabilities());
    }

    @Test
    void shouldNotDenyTheVolatileCacheOfANamespaceThatHasOne()
    {
        target.subsystem().addNamespace(new Namespace(7, target.owned(ManualDevice.create(1)), UUID.randomUUID()));
        final Completion completion = identify(IdentifyCns.NAMESPACE_INDEPENDENT, 7);
        good(completion);
        final IndependentNamespace data = new IndependentNamespace();
        data.wrap(completion.buffer(), 0);
        assertEquals(IndependentNamespace.STATUS_READY, data.status());
        assertEquals(0, data.features());
    }

    @Test
    void shouldAnswerForTheNvmCommandSetOnly()
    {
        assertArrayEquals(new byte[4096], good(identify(IdentifyCns.CONTROLLER_COMMAND_SET, 0)));
        for (final int cns : new int[]{IdentifyCns.NAMESPACE_COMMAND_SET, IdentifyCns.CONTROLLER_COMMAND_SET,
            IdentifyCns.ACTIVE_NAMESPACES_COMMAND_SET})
        {
            assertEquals(NvmeStatus.INVALID_FIELD, host.execute((entry) -> entry.opcode(AdminOpcode.IDENTIFY)
                .namespaceId(1).cdw10(cns).cdw11(2 << 24).sglLength(4096)).code());
        }
        final Completion sets = host.execute((entry) -> entry.opcode(AdminOpcode.IDENTIFY)
            .cdw10(IdentifyCns.COMMAND_SETS | 0xFFFF << 16).sglLength(4096));
        assertEquals(1, sets.dword(0));
        assertEquals(0, sets.dword(2));
        assertEquals(NvmeStatus.INVALID_FIELD, host.execute((entry) -> entry.opcode(AdminOpcode.IDENTIFY)
            .cdw10(IdentifyCns.COMMAND_SETS | 0xFFF0 << 16).sglLength(4096)).code());
    }

    @Test
    void shouldListControllers()
    {
        final TestHost second = target.admin();
        final int first = host.queuePair().association().id();
        final byte[] all = good(identify(IdentifyCns.SUBSYSTEM_CONTROLLERS, 0));
        assertEquals(2, all[0]);
        assertEquals(first, all[2]);
        assertEquals(second.queuePair().association().id(), all[4]);
        final byte[] rest = good(host.execute((entry) -> entry.opcode(AdminOpcode.IDENTIFY).namespaceId(1)
            .cdw10(IdentifyCns.NAMESPACE_CONTROLLERS | first + 1 << 16).sglLength(4096)));
        assertEquals(1, rest[0]);
        assertEquals(second.queuePair().association().id(), rest[2]);
        assertEquals(NvmeStatus.INVALID_FIELD, identify(IdentifyCns.NAMESPACE_CONTROLLERS, 9).code());
    }

    @Test
    void shouldRefuseWhatItDoesNotKnow()
    {
        for (final int cns : new int[]{0x04, 0x09, 0x0A, 0x14, 0x15, 0x16, 0x17, 0x18, 0x1A, 0x1B, 0x20, 0xFF})
        {
            final Completion refused = identify(cns, 1);
            assertEquals(NvmeStatus.INVALID_FIELD, refused.code(), "CNS " + cns);
            assertFalse(refused.isRetryable());
        }
    }

    @Test
    void shouldRefuseBadDataPointers()
    {
        for (final int length : new int[]{0, 4095, 4100, -1})
        {
            assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID, host.execute((entry) ->
                entry.opcode(AdminOpcode.IDENTIFY).cdw10(1).sglLength(length)).code());
        }
        assertEquals(NvmeStatus.SGL_DESCRIPTOR_TYPE_INVALID, host.execute((entry) ->
            entry.opcode(AdminOpcode.IDENTIFY).cdw10(1).sglLength(4096).sglType(1)).code());
        assertEquals(NvmeStatus.INVALID_FIELD, host.execute((entry) ->
            entry.opcode(AdminOpcode.IDENTIFY).cdw10(1).sglLength(4096).flags(0)).code());
    }

    @Test
    void shouldDescribeADiscoveryController()
    {
        final TestHost discovery = target.admin(Nqn.DISCOVERY);
        final Completion completion = identify(discovery, IdentifyCns.CONTROLLER, 0);
        final IdentifyController data = view(new IdentifyController(), completion);
        final IdentifyControllerIo io = view(new IdentifyControllerIo(), completion);
        assertEquals(IdentifyController.TYPE_DISCOVERY, data.controllerType());
        assertEquals(Nqn.DISCOVERY, data.subsystemNqn());
        assertEquals(AsyncEvent.ENABLE_DISCOVERY_NOTICES, data.optionalAsyncEvents());
        assertEquals(0, io.namespaces());
        assertTrue(0 != io.maxCommands());
        assertEquals(NvmeStatus.INVALID_FIELD, identify(discovery, IdentifyCns.NAMESPACE, 1).code());
        assertEquals(NvmeStatus.INVALID_FIELD, identify(discovery, IdentifyCns.ACTIVE_NAMESPACES, 0).code());
    }
}
