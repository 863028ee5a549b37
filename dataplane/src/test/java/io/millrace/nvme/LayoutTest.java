package io.millrace.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.identify.IdentifyController;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every field of every flyweight lies where the specification has it. The table is written from the specification,
 * class and size first, then field, offset and width in bytes.
 */
class LayoutTest
{
    private static final String TABLE = """
        SubmissionQueueEntry 64
            opcode 0 1
            flags 1 1
            commandId 2 2
            namespaceId 4 4
            cdw2 8 4
            cdw3 12 4
            metadataPointer 16 8
            sglAddress 24 8
            sglLength 32 4
            sglKey 35 4
            sglKeyedLength 32 3
            sglType 39 1
            cdw10 40 4
            cdw11 44 4
            cdw12 48 4
            cdw13 52 4
            cdw14 56 4
            cdw15 60 4
            startingLba 40 8
        CompletionQueueEntry 16
            result0 0 4
            result1 4 4
            sqHead 8 2
            sqId 10 2
            commandId 12 2
            statusField 14 2
        identify.IdentifyController 4096
            vendorId 0 2
            serialNumber 4 20
            modelNumber 24 40
            firmwareRevision 64 8
            multiPathCapabilities 76 1
            maxDataTransferSize 77 1
            controllerId 78 2
            version 80 4
            entryLatencyUs 88 4
            optionalAsyncEvents 92 4
            controllerAttributes 96 4
            controllerType 111 1
            subsystemNqn 768 256
        identify.IdentifyControllerAdmin 4096
            optionalAdminCommands 256 2
            abortCommandLimit 258 1
            asyncEventRequestLimit 259 1
            firmwareUpdates 260 1
            logPageAttributes 261 1
            errorLogPageEntries 262 1
            warningTemperature 266 2
            criticalTemperature 268 2
            keepAliveSupport 320 2
            anaTransitionTime 342 1
            anaCapabilities 343 1
            anaGroupIdMax 344 4
            anaGroups 348 4
            commandQuiesceTimeMs 386 2
        identify.IdentifyControllerIo 4096
            submissionEntrySize 512 1
            completionEntrySize 513 1
            maxCommands 514 2
            namespaces 516 4
            optionalNvmCommands 520 2
            fusedOperations 522 2
            volatileWriteCache 525 1
            atomicWriteUnit 526 2
            atomicWriteUnitPowerFail 528 2
            copyFormats 534 2
            sglSupport 536 4
            maxNamespaces 540 4
        identify.IdentifyControllerFabrics 4096
            ioCommandCapsuleSize 1792 4
            ioResponseCapsuleSize 1796 4
            inCapsuleDataOffset 1800 2
            fabricsControllerAttributes 1802 1
            maxSglDescriptors 1803 1
            optionalFabricsCommands 1804 2
        identify.IdentifyNamespace 4096
            size 0 8
            capacity 8 8
            utilization 16 8
            features 24 1
            formats 25 1
            formattedSize 26 1
            protectionSettings 29 1
            multiPathCapabilities 30 1
            deallocateFeatures 33 1
            capacityBytes 48 8
            copyRangeLimit 74 2
            copyLimit 76 4
            copyRangesLimit 80 1
            anaGroupId 92 4
            attributes 99 1
            nguid 104 16
            eui64 120 8
            format0 128 4
        identify.IdentifyNamespaceWriteUnits 4096
            atomicWriteUnit 34 2
            atomicWriteUnitPowerFail 36 2
            atomicBoundary 40 2
            atomicBoundaryPowerFail 44 2
            optimalIoBoundary 46 2
            preferredWriteGranularity 64 2
            preferredWriteAlignment 66 2
            optimalWriteSize 72 2
        identify.IndependentNamespace 4096
            features 0 1
            multiPathCapabilities 1 1
            anaGroupId 4 4
            attributes 8 1
            status 14 1
        identify.IdentifyNvmController 4096
            verifySizeLimit 0 1
            writeZeroesSizeLimit 1 1
            datasetRangeSizeLimit 4 4
            datasetSizeLimit 8 8
        SmartLog 512
            criticalWarning 0 1
            compositeTemperature 1 2
            availableSpare 3 1
            availableSpareThreshold 4 1
            percentageUsed 5 1
            dataUnitsRead 32 8
            dataUnitsWritten 48 8
            hostReadCommands 64 8
            hostWriteCommands 80 8
            controllerBusyTime 96 8
            powerCycles 112 8
            powerOnHours 128 8
            unsafeShutdowns 144 8
            mediaErrors 160 8
            errorLogEntries 176 8
        ErrorLogEntry 64
            errorCount 0 8
            sqId 8 2
            commandId 10 2
            statusField 12 2
            parameterLocation 14 2
            lba 16 8
            namespaceId 24 4
            transportType 29 1
            commandSpecific 32 8
        AnaLogHeader 16
            changeCount 0 8
            groups 8 2
        AnaGroupDescriptor 32
            groupId 0 4
            namespaces 4 4
            changeCount 8 8
            state 16 1
        FirmwareSlotLog 512
            activeFirmware 0 1
            revision1 8 8
        DiscoveryLogHeader 1024
            generation 0 8
            records 8 8
            recordFormat 16 2
        DiscoveryLogEntry 1024
            transportType 0 1
            addressFamily 1 1
            subsystemType 2 1
            transportRequirements 3 1
            portId 4 2
            controllerId 6 2
            adminQueueSizeMax 8 2
            flags 10 2
            serviceId 32 32
            subsystemNqn 256 256
            address 512 256
            securityType 768 1
            queuePairType 768 1
            rdmaProvider 769 1
            rdmaConnectionManager 770 1
        ConnectData 1024
            hostId 0 16
            controllerId 16 2
            subsystemNqn 256 256
            hostNqn 512 256
        ConnectCommand 64
            fabricsType 4 1
            recordFormat 40 2
            queueId 42 2
            queueSize 44 2
            attributes 46 1
            keepAliveTimeoutMs 48 4
        PropertyCommand 64
            fabricsType 4 1
            attributes 40 1
            propertyOffset 44 4
            value 48 8
        DatasetRange 16
            attributes 0 4
            blocks 4 4
            startingLba 8 8
        CopyRange 32
            startingLba 8 8
            blocks 16 2
        identify.NamespaceDescriptor 4
            type 0 1
            length 1 1
        """;

    record Layout(String name, int sizeBytes, Map<String, int[]> fields)
    {
        @Override
        public String toString()
        {
            return name;
        }
    }

    static List<Layout> layouts()
    {
        final List<Layout> layouts = new ArrayList<>();
        for (final String line : TABLE.lines().toList())
        {
            final String[] words = line.trim().split(" ");
            if (2 == words.length)
            {
                layouts.add(new Layout(words[0], Integer.parseInt(words[1]), new LinkedHashMap<>()));
            }
            else
            {
                layouts.getLast().fields().put(words[0],
                    new int[]{Integer.parseInt(words[1]), Integer.parseInt(words[2])});
            }
        }
        return layouts;
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void shouldWriteExactlyTheBytesOfEachFieldAndReadThemBack(final Layout layout) throws Exception
    {
        final Class<?> type = Class.forName("io.millrace.nvme." + layout.name());
        for (final Map.Entry<String, int[]> field : layout.fields().entrySet())
        {
            final int offset = field.getValue()[0];
            final int width = field.getValue()[1];
            final byte[] bytes = new byte[layout.sizeBytes() + 32];
            final Flyweight flyweight = (Flyweight)type.getConstructor().newInstance();
            flyweight.wrap(new UnsafeBuffer(bytes), 16);
            final Method setter = setter(type, field.getKey());
            final Class<?> valueType = setter.getParameterTypes()[0];
            final Object value = ones(valueType, width);

            setter.invoke(flyweight, value);

            for (int i = 0; i < bytes.length; i++)
            {
                assertEquals(i >= 16 + offset && i < 16 + offset + width, 0 != bytes[i],
                    layout.name() + "." + field.getKey() + " byte " + (i - 16));
            }
            if (byte[].class == valueType)
            {
                final byte[] copy = new byte[width];
                type.getMethod(field.getKey(), byte[].class).invoke(flyweight, (Object)copy);
                assertTrue(Arrays.equals((byte[])value, copy));
            }
            else
            {
                final Object read = type.getMethod(field.getKey()).invoke(flyweight);
                assertEquals(int.class == valueType && width < 4 ? (Object)((1 << 8 * width) - 1) : value, read,
                    layout.name() + "." + field.getKey());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void shouldNameEveryFieldAndTheSize(final Layout layout) throws Exception
    {
        final Class<?> type = Class.forName("io.millrace.nvme." + layout.name());
        final TreeSet<String> setters = new TreeSet<>();
        for (final Method method : type.getDeclaredMethods())
        {
            if (type == method.getReturnType())
            {
                final String name = method.getName();
                setters.add(byte[].class == method.getParameterTypes()[0] ?
                    Character.toLowerCase(name.charAt(3)) + name.substring(4) : name);
            }
        }
        assertEquals(new TreeSet<>(layout.fields().keySet()), setters);
        final String size = "identify.NamespaceDescriptor".equals(layout.name()) ? "HEADER_BYTES" : "SIZE_BYTES";
        assertEquals(layout.sizeBytes(), type.getField(size).getInt(null));
    }

    @Test
    void shouldPadAndTrimText()
    {
        final byte[] bytes = new byte[IdentifyController.SIZE_BYTES];
        final IdentifyController controller = new IdentifyController();
        controller.wrap(new UnsafeBuffer(bytes), 0);
        controller.serialNumber("S1").subsystemNqn("nqn.2026-11.io.example:a");
        assertEquals('S', bytes[4]);
        assertEquals(' ', bytes[4 + 19]);
        assertEquals(0, bytes[768 + 255]);
        assertEquals("S1", controller.serialNumber());
        assertEquals("nqn.2026-11.io.example:a", controller.subsystemNqn());
    }

    private static Method setter(final Class<?> type, final String field) throws NoSuchMethodException
    {
        for (final Method method : type.getDeclaredMethods())
        {
            final String name = method.getName();
            if (type == method.getReturnType() &&
                (name.equals(field) ||
                name.equals("set" + Character.toUpperCase(field.charAt(0)) + field.substring(1))))
            {
                return method;
            }
        }
        throw new NoSuchMethodException(type + "." + field);
    }

    private static Object ones(final Class<?> type, final int width)
    {
        if (int.class == type)
        {
            return -1;
        }
        if (long.class == type)
        {
            return -1L;
        }
        if (String.class == type)
        {
            return "x".repeat(width);
        }
        final byte[] bytes = new byte[width];
        Arrays.fill(bytes, (byte)0xFF);
        return bytes;
    }
}
