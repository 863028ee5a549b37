package io.millrace.control;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest
{
    private final JavaClasses classes = new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests())
        .importPackages("io.millrace.control");

    @Test
    void shouldDependOnAeronAgronaAndItsCodecsAlone()
    {
        classes().that().resideInAPackage("io.millrace.control..")
            .should().onlyDependOnClassesThat().resideInAnyPackage(
                "java..", "javax.crypto..", "io.aeron..", "org.agrona..", "io.millrace.control..")
            .check(classes);
        noClasses().should().dependOnClassesThat().resideInAnyPackage("io.aeron.driver..", "uk.co.real_logic..")
            .check(classes);
    }

    @Test
    void shouldKeepDirections()
    {
        noClasses().that().resideInAPackage("io.millrace.control.message..")
            .should().dependOnClassesThat().resideInAnyPackage(
                "io.millrace.control.wire..", "io.millrace.control.session..", "io.millrace.control.client..")
            .check(classes);
        noClasses().that().resideInAnyPackage("io.millrace.control.wire..", "io.millrace.control.session..")
            .should().dependOnClassesThat().resideInAPackage("io.millrace.control.client..")
            .check(classes);
        slices().matching("io.millrace.control.(**)").should().beFreeOfCycles().check(classes);
    }

    @Test
    void shouldReadTheClockItWasGiven()
    {
        noClasses().should().callMethod(System.class, "nanoTime")
            .orShould().callMethod(System.class, "currentTimeMillis")
            .orShould().callMethod(Thread.class, "sleep", long.class)
            .check(classes);
    }
}
