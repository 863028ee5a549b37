package io.millrace.bindings.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Architecture;
import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_port_attr;
import io.millrace.bindings.generated.verbs.verbs_h;
import io.millrace.testing.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Calls through the tables of a context, with a context of our own whose functions are here.
 */
class VerbsCallsTest
{
    private static final long ABI_COMPAT = Architecture.current().verbsContextAbiCompatOffset();
    private static final int STATE = 4;

    private final Arena arena = Arena.ofConfined();
    private final long context = arena.allocate(4096, Long.BYTES).address() + 2048;
    private final long attributes = arena.allocate(4096, Long.BYTES).address();

    private int answer;
    private long[] arguments;

    @BeforeEach
    @SuppressWarnings("restricted")
    void makeContext() throws ReflectiveOperationException
    {
        final MethodHandle function = MethodHandles.lookup().bind(this, "query",
            MethodType.methodType(int.class, long.class, long.class, long.class, long.class));
        final long pointer = Linker.nativeLinker().upcallStub(
            function, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG), arena).address();
        NativeMemory.putLong(context + ABI_COMPAT, -1L);
        size(verbs_h.VERBS_CONTEXT_QUERY_PORT());
        NativeMemory.putLong(context - verbs_h.VERBS_CONTEXT_QUERY_PORT(), pointer);
        NativeMemory.putLong(context - verbs_h.VERBS_CONTEXT_QUERY_DEVICE_EX(), pointer);
    }

    @AfterEach
    void free()
    {
        arena.close();
    }

    /** As the library counts it: from the first field that it has to the end of the context. */
    private void size(final long bytesBeforeContext)
    {
        NativeMemory.putLong(context - verbs_h.VERBS_CONTEXT_SZ(), bytesBeforeContext + ABI_COMPAT + Long.BYTES);
    }

    @SuppressWarnings("unused")
    private int query(final long first, final long second, final long third, final long fourth)
    {
        arguments = new long[]{first, second, third, fourth};
        NativeMemory.putInt(third + ibv_port_attr.state$offset(), STATE);
        return answer;
    }

    @Test
    void shouldAskForThePortOfTheContextAndForAllOfItsAttributes()
    {
        NativeMemory.fill(attributes, PortAttributes.SIZE_BYTES, (byte)0xFF);

        assertEquals(0, VerbsCalls.queryPort(context, 2, attributes));

        assertEquals(context, arguments[0]);
        assertEquals(2, arguments[1]);
        assertEquals(attributes, arguments[2]);
        assertEquals(PortAttributes.SIZE_BYTES, arguments[3]);
        assertEquals(STATE, PortAttributes.state(attributes));
        assertEquals(0, PortAttributes.lid(attributes), "what is not filled is 0");
    }

    @Test
    void shouldAnswerNegatedErrorNumberWhenFunctionAnswersIt()
    {
        answer = Errno.EINVAL;
        assertEquals(-Errno.EINVAL, VerbsCalls.queryPort(context, 9, attributes));
        answer = -Errno.ENODEV;
        assertEquals(-Errno.ENODEV, VerbsCalls.queryPort(context, 9, attributes));
    }

    @Test
    void shouldNotCallWhatAnOlderLibraryDoesNotHave()
    {
        size(verbs_h.VERBS_CONTEXT_QUERY_PORT() - Long.BYTES);
        assertEquals(-Errno.EOPNOTSUPP, VerbsCalls.queryPort(context, 1, attributes));

        makeOld();
        assertEquals(-Errno.EOPNOTSUPP, VerbsCalls.queryPort(context, 1, attributes));
    }

    private void makeOld()
    {
        size(verbs_h.VERBS_CONTEXT_QUERY_PORT());
        NativeMemory.putLong(context + ABI_COMPAT, 0L);
    }

    @Test
    void shouldNotCallWhatAProviderDoesNotHave()
    {
        NativeMemory.putLong(context - verbs_h.VERBS_CONTEXT_QUERY_PORT(), 0L);

        assertEquals(-Errno.EOPNOTSUPP, VerbsCalls.queryPort(context, 1, attributes));
    }

    @Test
    void shouldAskForExtendedAttributesOfTheDevice()
    {
        requireLibrary();

        assertEquals(0, VerbsCalls.queryDevice(context, attributes));

        assertEquals(0, arguments[1], "no input");
        assertEquals(DeviceAttributes.SIZE_BYTES, arguments[3]);
    }

    @Test
    void shouldListDevicesOrSayWhyNot()
    {
        requireLibrary();
        final long count = arena.allocate(Integer.BYTES, Integer.BYTES).address();

        final long list = VerbsCalls.getDeviceList(count);

        if (list < 0)
        {
            assertEquals(-Errno.ENOSYS, list, "the kernel has no ib_uverbs");
            return;
        }
        for (int i = 0; i < NativeMemory.getInt(count); i++)
        {
            assertTrue(VerbsDevice.fileName(NativeMemory.getLong(list + (long)i * Long.BYTES)).startsWith("uverbs"));
        }
        VerbsCalls.freeDeviceList(list);
    }

    private static void requireLibrary()
    {
        final Capability verbs = VerbsCalls.capability();
        Requirement.require(verbs.isAvailable(), verbs.reason(), verbs.remedy());
    }
}
