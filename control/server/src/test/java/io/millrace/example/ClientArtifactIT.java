package io.millrace.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.agent.AgentFixture;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Maven project elsewhere that depends on the client's artifact alone compiles and runs the example. Its repository
 * has the artifact as {@code mvn install} would put it there, and of this machine's repository all but Millrace.
 */
class ClientArtifactIT
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root"));
    private static final String VERSION = System.getProperty("millrace.version");
    private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
    private static final String CLIENT = "millrace-control-client";
    private static final long TIMEOUT_S = 120;
    private static final String POM = """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
            <modelVersion>4.0.0</modelVersion>
            <groupId>io.example</groupId>
            <artifactId>service</artifactId>
            <version>1</version>
            <properties>
                <maven.compiler.release>25</maven.compiler.release>
                <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
            </properties>
            <dependencies>
                <dependency>
                    <groupId>io.millrace</groupId>
                    <artifactId>millrace-control-client</artifactId>
                    <version>%s</version>
                </dependency>
            </dependencies>
            <build>
                <pluginManagement>
                    <plugins>
                        <plugin><artifactId>maven-resources-plugin</artifactId><version>3.5.0</version></plugin>
                        <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.14.1</version></plugin>
                        <plugin><artifactId>maven-dependency-plugin</artifactId><version>3.9.0</version></plugin>
                    </plugins>
                </pluginManagement>
            </build>
        </project>
        """;

    @TempDir
    private Path directory;
    private Path project;
    private Path repository;

    @BeforeEach
    void install() throws IOException
    {
        repository = Files.createDirectories(directory.resolve("repository"));
        final Path machine = Path.of(System.getProperty("millrace.repository"));
        final Path groups = Files.createDirectories(repository.resolve("io"));
        link(machine, repository, "io");
        link(machine.resolve("io"), groups, "millrace");
        final Path parent = Files.createDirectories(groups.resolve("millrace/millrace").resolve(VERSION));
        Files.copy(ROOT.resolve("pom.xml"), parent.resolve("millrace-" + VERSION + ".pom"));
        final Path client = Files.createDirectories(groups.resolve("millrace").resolve(CLIENT).resolve(VERSION));
        final String file = CLIENT + '-' + VERSION;
        Files.copy(ROOT.resolve("control/client/pom.xml"), client.resolve(file + ".pom"));
        Files.copy(ROOT.resolve("control/client/target/" + file + ".jar"), client.resolve(file + ".jar"));
        project = Files.createDirectories(directory.resolve("service"));
        Files.writeString(project.resolve("pom.xml"), POM.formatted(VERSION));
        final Path sources = Files.createDirectories(project.resolve("src/main/java/io/millrace/example"));
        Files.copy(ROOT.resolve("control/server/src/test/java/io/millrace/example/ClientExample.java"),
            sources.resolve("ClientExample.java"));
    }

    private static void link(final Path from, final Path to, final String except) throws IOException
    {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(from))
        {
            for (final Path child : children)
            {
                if (!child.getFileName().toString().equals(except))
                {
                    Files.createSymbolicLink(to.resolve(child.getFileName()), child);
                }
            }
        }
    }

    private String run(final String... command) throws IOException, InterruptedException
    {
        final Path output = project.resolve("output");
        final ProcessBuilder builder = new ProcessBuilder(command).directory(project.toFile())
            .redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", JAVA_HOME.toString());
        final Process process = builder.start();
        try
        {
            assertTrue(process.waitFor(TIMEOUT_S, TimeUnit.SECONDS), () -> "runs: " + List.of(command));
        }
        finally
        {
            process.destroyForcibly();
        }
        final String text = Files.readString(output);
        assertEquals(0, process.exitValue(), text);
        return text;
    }

    @Test
    @Timeout(300)
    void shouldBeAllThatAServiceDependsOn() throws IOException, InterruptedException
    {
        run("mvn", "-o", "-B", "-q", "-Dmaven.repo.local=" + repository, "compile", "dependency:copy-dependencies",
            "-DincludeScope=runtime", "-DoutputDirectory=" + project.resolve("lib"));
        final Set<String> jars = new TreeSet<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(project.resolve("lib")))
        {
            found.forEach((each) -> jars.add(each.getFileName().toString().replaceAll("-[0-9].*", "")));
        }
        // Aeron's annotations come with its client.
        assertEquals(Set.of("aeron-annotations", "aeron-client", "agrona", CLIENT), jars);
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final String printed = run(JAVA_HOME.resolve("bin/java").toString(),
                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", "target/classes:lib/*",
                ClientExample.class.getName(), fixture.settings().directory().toString());
            assertTrue(printed.contains("serving [NamespaceInfo[nqn=nqn.2026-11.io.example:volume, nsid=1,"), printed);
        }
    }
}
