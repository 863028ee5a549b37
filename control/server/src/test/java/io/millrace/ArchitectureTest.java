package io.millrace;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.millrace.bindings.NativeMemory;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Holds the directions that docs/architecture.md gives to modules and packages, and keeps what allocates, blocks or
 * logs off the data path.
 */
class ArchitectureTest
{
    private static final String BINDINGS = "io.millrace.bindings..";
    private static final String[] DATA_PATH = {
        "io.millrace.reactor..", "io.millrace.memory..", "io.millrace.block..", "io.millrace.nvme..",
        "io.millrace.nvmf..", "io.millrace.parity..", "io.millrace.rdma..", "io.millrace.remote..",
        "io.millrace.spdk..", "io.millrace.export..", "io.millrace.status..",
        "io.millrace.jfr.."};
    private static final String[] DATA_PLANE_MODULE = {
        "io.millrace.reactor..", "io.millrace.memory..", "io.millrace.pci..", "io.millrace.block..",
        "io.millrace.nvme..",
        "io.millrace.nvmf..", "io.millrace.parity..", "io.millrace.rdma..", "io.millrace.remote..",
        "io.millrace.spdk..", "io.millrace.export..", "io.millrace.status..",
        "io.millrace.jfr..", "io.millrace.lock..",
        "io.millrace.validation..",
        "io.millrace.dataplane.."};

    private static JavaClasses classes;

    @BeforeAll
    static void readClasses()
    {
        classes = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption((location) -> !location.contains("testing/") && !location.contains("-testing-"))
            .importPackages("io.millrace");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "io.millrace.bindings", "io.millrace.bindings.linux", "io.millrace.bindings.verbs",
        "io.millrace.reactor", "io.millrace.memory",
        "io.millrace.pci",
        "io.millrace.block", "io.millrace.block.memory", "io.millrace.block.file", "io.millrace.block.nvme",
        "io.millrace.block.nvme.queue",
        "io.millrace.nvme", "io.millrace.nvme.identify",
        "io.millrace.nvmf", "io.millrace.nvmf.transport", "io.millrace.nvmf.qos", "io.millrace.nvmf.ana",
        "io.millrace.nvmf.namespace", "io.millrace.nvmf.config", "io.millrace.nvmf.request", "io.millrace.nvmf.queue",
        "io.millrace.nvmf.tcp", "io.millrace.nvmf.tcp.pdu", "io.millrace.nvmf.initiator",
        "io.millrace.nvmf.initiator.tcp", "io.millrace.parity", "io.millrace.rdma", "io.millrace.rdma.endpoint",
        "io.millrace.remote", "io.millrace.spdk", "io.millrace.block.spdk", "io.millrace.export",
        "io.millrace.status", "io.millrace.jfr",
        "io.millrace.dataplane", "io.millrace.serve.config",
        "io.millrace.settings", "io.millrace.console", "io.millrace.rpc",
        "io.millrace.cli", "io.millrace.cli.control", "io.millrace.cli.control.top", "io.millrace.cli.control.view",
        "io.millrace.control.service", "io.millrace.control.agent", "io.millrace.control.state", "io.millrace.manager",
        "io.millrace.manager.plane", "io.millrace.manager.change", "io.millrace.manager.hook",
        "io.millrace.manager.store", "io.millrace.manager.config"})
    void shouldSeeThePackagesItSpeaksOf(final String name)
    {
        assertFalse(classes.that(resideInAnyPackage(name)).isEmpty(), name);
    }

    @Test
    void shouldTouchTheLinkerInBindingsOnly()
    {
        noClasses().that().resideOutsideOfPackage(BINDINGS)
            .should().dependOnClassesThat().areAssignableTo(Linker.class)
            .orShould().dependOnClassesThat().areAssignableTo(SymbolLookup.class)
            .check(classes);
    }

    /** What accesses memory by address takes Agrona's way, which the compiler inlines. */
    @Test
    void shouldKeepBindingsOnTheJdkAlone()
    {
        classes().that().resideInAPackage(BINDINGS)
            .should().onlyDependOnClassesThat(
                resideInAnyPackage(BINDINGS, "java..").or(type(UnsafeApi.class)))
            .check(classes);
        noClasses().that().resideInAPackage(BINDINGS).and().doNotBelongToAnyOf(NativeMemory.class)
            .should().dependOnClassesThat().areAssignableTo(UnsafeApi.class)
            .check(classes);
    }

    @Test
    void shouldKeepTheDataPlaneOnFewLibraries()
    {
        final List<String> allowed = new ArrayList<>(List.of(DATA_PLANE_MODULE));
        allowed.addAll(List.of("java..", BINDINGS, "org.agrona..", "org.jctools..", "jdk.internal.misc..",
            "jdk.jfr..", "jdk.incubator.vector.."));
        // The recorder is known in one place, and so is a module that Java does not load by itself.
        noClasses().that().resideOutsideOfPackage("io.millrace.parity..")
            .should().dependOnClassesThat().resideInAnyPackage("jdk.incubator.vector..")
            .check(classes);
        noClasses().that().resideOutsideOfPackage("io.millrace.jfr..")
            .should().dependOnClassesThat().resideInAnyPackage("jdk.jfr..")
            .check(classes);
        classes().that().resideInAnyPackage(DATA_PLANE_MODULE)
            .should().onlyDependOnClassesThat().resideInAnyPackage(allowed.toArray(String[]::new))
            .check(classes);
    }

    /** Each row: a package, and those it must not know. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "io.millrace.jfr.. | io.millrace.bindings.., io.millrace.status.., io.millrace.reactor.., " +
            "io.millrace.memory.., io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., " +
            "io.millrace.dataplane..",
        "io.millrace.status.. | io.millrace.reactor.., io.millrace.memory.., io.millrace.block.., " +
            "io.millrace.nvme.., io.millrace.nvmf.., io.millrace.dataplane..",
        "io.millrace.reactor.. | io.millrace.memory.., io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., " +
            "io.millrace.dataplane..",
        "io.millrace.memory.. | io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., io.millrace.dataplane..",
        "io.millrace.pci.. | io.millrace.reactor.., io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., " +
            "io.millrace.dataplane..",
        "io.millrace.parity.. | io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., io.millrace.remote.., " +
            "io.millrace.reactor.., io.millrace.rdma..",
        "io.millrace.rdma.. | io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., io.millrace.remote.., " +
            "io.millrace.status.., io.millrace.dataplane..",
        "io.millrace.spdk.. | io.millrace.memory.., io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., " +
            "io.millrace.remote.., io.millrace.export.., io.millrace.dataplane..",
        "io.millrace.export.. | io.millrace.block.spdk.., io.millrace.nvmf.tcp.., io.millrace.nvmf.rdma.., " +
            "io.millrace.remote.., io.millrace.dataplane..",
        "io.millrace.block.. | io.millrace.export..",
        "io.millrace.nvmf.. | io.millrace.export..",
        "io.millrace.block.spdk.. | io.millrace.block.memory.., io.millrace.block.file.., io.millrace.block.nvme.., " +
            "io.millrace.pci..",
        "io.millrace.block.. | io.millrace.nvmf.., io.millrace.remote.., io.millrace.dataplane..",
        "io.millrace.nvmf.. | io.millrace.remote..",
        "io.millrace.remote.. | io.millrace.nvmf, io.millrace.nvmf.tcp.., io.millrace.nvmf.initiator.tcp.., " +
            "io.millrace.block.memory.., io.millrace.block.discard.., io.millrace.block.file.., " +
            "io.millrace.block.fault.., io.millrace.block.nvme.., io.millrace.dataplane..",
        "io.millrace.block.status.. | io.millrace.block.memory.., io.millrace.block.discard.., " +
            "io.millrace.block.file.., io.millrace.block.fault.., io.millrace.block.nvme.., io.millrace.pci..",
        "io.millrace.block | io.millrace.block.memory.., io.millrace.block.discard.., io.millrace.block.file.., " +
            "io.millrace.block.fault.., io.millrace.block.nvme.., io.millrace.nvme.., io.millrace.pci..",
        "io.millrace.block.memory.. | io.millrace.nvme.., io.millrace.pci..",
        "io.millrace.block.discard.. | io.millrace.nvme.., io.millrace.pci..",
        "io.millrace.block.file.. | io.millrace.nvme.., io.millrace.pci..",
        "io.millrace.block.fault.. | io.millrace.nvme.., io.millrace.pci..",
        "io.millrace.block.nvme.. | io.millrace.block.memory.., io.millrace.block.discard.., " +
            "io.millrace.block.file.., io.millrace.block.fault..",
        "io.millrace.nvme | io.millrace.nvme.identify..",
        "io.millrace.nvme.. | io.millrace.reactor.., io.millrace.memory.., io.millrace.block.., io.millrace.nvmf.., " +
            "io.millrace.dataplane..",
        "io.millrace.nvmf | io.millrace.nvmf.tcp.., io.millrace.nvmf.rdma.., io.millrace.nvmf.initiator.., " +
            "io.millrace.dataplane..",
        "io.millrace.nvmf.request | io.millrace.nvmf, io.millrace.nvmf.queue.., io.millrace.nvmf.tcp.., " +
            "io.millrace.nvmf.rdma.., io.millrace.nvmf.initiator.., io.millrace.dataplane..",
        "io.millrace.nvmf.queue | io.millrace.nvmf, io.millrace.nvmf.tcp.., io.millrace.nvmf.rdma.., " +
            "io.millrace.nvmf.initiator.., io.millrace.dataplane..",
        "io.millrace.nvmf.transport.. | io.millrace.reactor.., io.millrace.memory.., io.millrace.block.., " +
            "io.millrace.nvmf, io.millrace.nvmf.tcp.., io.millrace.nvmf.initiator..",
        "io.millrace.nvmf.tcp.pdu.. | io.millrace.reactor.., io.millrace.block.., " +
            "io.millrace.nvmf, io.millrace.nvmf.tcp",
        "io.millrace.nvmf.tcp.. | io.millrace.nvmf.rdma.., io.millrace.nvmf.initiator.., io.millrace.dataplane..",
        "io.millrace.cli | io.millrace.bindings.., io.millrace.reactor.., io.millrace.memory.., " +
            "io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., io.millrace.dataplane..",
        "io.millrace.cli.control.. | io.millrace.bindings.., io.millrace.reactor.., io.millrace.memory.., " +
            "io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., io.millrace.dataplane..",
        "io.millrace.cli.control | io.millrace.cli.control.top..",
        "io.millrace.cli.control.view.. | io.millrace.cli.control, io.millrace.cli.control.top.., " +
            "io.millrace.control.client.., io.millrace.control.session..",
        "io.millrace.control.service.. | io.millrace.control.agent.., io.millrace.bindings.., io.millrace.reactor.., " +
            "io.millrace.memory.., io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., " +
            "io.millrace.dataplane.., io.millrace.serve.., io.millrace.cli..",
        "io.millrace.manager.. | io.millrace.control.agent.., io.millrace.bindings.., io.millrace.reactor.., " +
            "io.millrace.memory.., io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., " +
            "io.millrace.dataplane.., io.millrace.serve.., io.millrace.cli..",
        "io.millrace.rpc.. | io.millrace.cli.., io.millrace.serve.., io.millrace.dataplane.., io.millrace.spdk.., " +
            "io.millrace.manager.., io.millrace.control..",
        "io.millrace.console.. | io.millrace.cli.., io.millrace.serve.., io.millrace.dataplane.., io.millrace.nvmf..",
        "io.millrace.control.state.. | io.millrace.cli.., io.millrace.serve.., io.millrace.control.agent.., " +
            "io.millrace.control.service.., io.millrace.control.client.., io.millrace.manager.., " +
            "io.millrace.dataplane.., io.millrace.nvmf.., io.millrace.block..",
        "io.millrace.lock.. | io.millrace.bindings.., io.millrace.reactor.., io.millrace.memory.., " +
            "io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., io.millrace.status.., " +
            "io.millrace.dataplane..",
        "io.millrace.validation.. | io.millrace.bindings.., io.millrace.reactor.., io.millrace.memory.., " +
            "io.millrace.block.., io.millrace.nvme.., io.millrace.nvmf.., io.millrace.status.., io.millrace.lock.., " +
            "io.millrace.dataplane..",
        "io.millrace.settings.. | io.millrace.cli.., io.millrace.serve.., io.millrace.control.client.., " +
            "io.millrace.control.message.., io.millrace.control.wire.., io.millrace.control.session.., " +
            "io.millrace.control.service.., io.millrace.control.agent.., io.millrace.control.state.., " +
            "io.millrace.nvmf..",
    })
    void shouldKeepDirections(final String from, final String to)
    {
        noClasses().that().resideInAPackage(from)
            .should().dependOnClassesThat().resideInAnyPackage(to.split(",\\s*"))
            .check(classes);
    }

    @Test
    void shouldKnowDevicesThroughTheirInterfaceInProtocolPackages()
    {
        noClasses().that().resideInAnyPackage("io.millrace.nvmf..")
            .should().dependOnClassesThat(resideInAnyPackage("io.millrace.block..")
                .and(resideOutsideOfPackages("io.millrace.block")))
            .check(classes);
    }

    /** Settings of a transport are made by whoever reads a configuration; the transport itself in one place. */
    @Test
    void shouldKnowTransportsThroughTheirInterface()
    {
        noClasses().that().resideOutsideOfPackage("io.millrace.nvmf.tcp..")
            .and().doNotHaveFullyQualifiedName("io.millrace.dataplane.Transports")
            .should().dependOnClassesThat(resideInAnyPackage("io.millrace.nvmf.tcp")
                .and(not(name("io.millrace.nvmf.tcp.TcpTransportConfig"))))
            .check(classes);
        // What both sides of a connection share.
        noClasses().that().resideOutsideOfPackages("io.millrace.nvmf.tcp..", "io.millrace.nvmf.initiator.tcp..")
            .should().dependOnClassesThat().resideInAnyPackage("io.millrace.nvmf.tcp.pdu..")
            .check(classes);
        noClasses().that().resideOutsideOfPackage("io.millrace.nvmf.initiator.tcp..")
            .and().doNotHaveFullyQualifiedName("io.millrace.dataplane.HostTransports")
            .should().dependOnClassesThat().resideInAnyPackage("io.millrace.nvmf.initiator.tcp..")
            .check(classes);
    }

    @Test
    void shouldHaveNoCyclesBetweenPackages()
    {
        slices().matching("io.millrace.(**)").should().beFreeOfCycles().check(classes);
    }

    @Test
    void shouldNotAllocateUnseenBlockOrPrintOnTheDataPath()
    {
        // Prints why the process ends, and ends it.
        noClasses().that().resideInAnyPackage(DATA_PATH).and().doNotHaveSimpleName("HaltingErrorHandler")
            .should().callMethod(Arena.class, "ofAuto")
            .orShould().callMethod(String.class, "format", String.class, Object[].class)
            .orShould().callMethod(String.class, "format", Locale.class, String.class, Object[].class)
            .orShould().callMethod(String.class, "formatted", Object[].class)
            .orShould().callMethod(Thread.class, "sleep", long.class)
            .orShould().accessField(System.class, "out")
            .orShould().accessField(System.class, "err")
            .orShould().dependOnClassesThat().areAssignableTo(PrintStream.class)
            .orShould().dependOnClassesThat().resideInAnyPackage("java.util.logging..")
            .check(classes);
    }

    /** What waits says so to a guard that refuses on a reactor's thread, so no reactor can ever wait. */
    @Test
    void shouldRefuseToBlockAReactorWhereverTheDataPlaneWaits()
    {
        // Locks are taken at the start of a process, by a package that knows of no reactors.
        codeUnits().that().areDeclaredInClassesThat().resideInAnyPackage(DATA_PLANE_MODULE)
            .and().areDeclaredInClassesThat().doNotHaveSimpleName("LockFile")
            .should(new ArchCondition<>("call Reactor.checkMayBlock where they wait")
            {
                @Override
                public void check(final JavaCodeUnit unit, final ConditionEvents events)
                {
                    final Set<JavaMethodCall> calls = unit.getMethodCallsFromSelf();
                    if (calls.stream().noneMatch((call) -> "checkMayBlock".equals(call.getName())))
                    {
                        calls.stream().filter(ArchitectureTest::waits).forEach((call) ->
                            events.add(SimpleConditionEvent.violated(unit, call.getDescription())));
                    }
                }
            })
            .check(classes);
    }

    private static boolean waits(final JavaMethodCall call)
    {
        final JavaClass owner = call.getTargetOwner();
        return owner.isEquivalentTo(LockSupport.class) && call.getName().startsWith("park") ||
            owner.isAssignableTo(Future.class) && Set.of("get", "join").contains(call.getName()) ||
            owner.isAssignableTo(Thread.class) && Set.of("join", "sleep").contains(call.getName()) ||
            owner.isEquivalentTo(TimeUnit.class) && "sleep".equals(call.getName()) ||
            owner.isEquivalentTo(Object.class) && "wait".equals(call.getName()) ||
            owner.isAssignableTo(CountDownLatch.class) && "await".equals(call.getName());
    }

    @Test
    void shouldReadTheClockInReactorsAndMeasurementsOnly()
    {
        // Admin commands of the specification: the Timestamp feature is a wall clock, the SMART log tells time since
        // start. Operations on a data plane run off its reactors, their events carry the time of day. A drive's
        // controller is waited for on a thread of its own.
        noClasses()
            .that().resideOutsideOfPackages("io.millrace.reactor..", "io.millrace.perf..", "io.millrace.dataplane..",
                "io.millrace.status..", "io.millrace.lock..", "io.millrace.cli.local.stat..")
            .and().doNotHaveFullyQualifiedName("io.millrace.nvmf.Target")
            .and().doNotHaveFullyQualifiedName("io.millrace.nvmf.LogPages")
            .and().doNotHaveFullyQualifiedName("io.millrace.nvmf.FeatureValues")
            .and().doNotHaveFullyQualifiedName("io.millrace.block.nvme.Deadline")
            .and().doNotHaveFullyQualifiedName("io.millrace.parity.ParityMeasurement")
            .should().callMethod(System.class, "nanoTime")
            .orShould().callMethod(System.class, "currentTimeMillis")
            .check(classes);
    }
}
