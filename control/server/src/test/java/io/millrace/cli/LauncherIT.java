package io.millrace.cli;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a user meets: the launcher and the processes it starts, from the jars that were packaged.
 */
@Timeout(180)
class LauncherIT
{
    /** A process that hangs takes longer; one that stops takes a fraction of a second on a quiet machine. */
    private static final long STOP_SECONDS_MAX = 30;
    private static final long RESIDENT_BYTES_MAX = 200L << 20;
    private static final int NOBODY = 65534;
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";

    @TempDir
    private Path directory;

    private Path config;

    @BeforeEach
    void writeConfig() throws IOException
    {
        config = config(0, "vol");
    }

    private Path config(final int port, final String volume) throws IOException
    {
        return Files.writeString(directory.resolve("test.yaml"), """
            devices:
              - {name: file0, type: file, path: %s/%s.img, size: 16MiB}
            subsystems:
              - nqn: nqn.2026-11.io.millrace:vol0
                allow-any-host: true
                namespaces: [{nsid: 1, device: file0}]
            listeners:
              - {transport: tcp, address: 127.0.0.1, port: %d}
            discovery: false
            """.formatted(directory, volume, port));
    }

    private MillraceProcess serve() throws IOException
    {
        return MillraceProcess.start("serve", "--config", config.toString());
    }

    @Test
    void shouldTellVersionAndUsage() throws IOException, InterruptedException
    {
        try (MillraceProcess version = MillraceProcess.start("--version");
            MillraceProcess unknown = MillraceProcess.start("srve"))
        {
            assertEquals(ExitCode.OK, version.exitCode());
            assertTrue(version.output().startsWith("millrace 0."), version.output());
            assertEquals(1, version.output().lines().count(), version.output());
            assertEquals(ExitCode.USAGE, unknown.exitCode());
            assertEquals("millrace: unknown command 'srve'; did you mean serve?\nTry 'millrace --help'.",
                unknown.output());
        }
    }

    @Test
    void shouldSayPlainlyWhenJavaIsMissing() throws IOException, InterruptedException
    {
        final List<String> command = List.of(MillraceProcess.ROOT.resolve("millrace").toString(), "--version");
        try (MillraceProcess process = MillraceProcess.start(command, Map.of("MILLRACE_JAVA", "/bin/false")))
        {
            assertEquals(ExitCode.FAILURE, process.exitCode());
            assertEquals("millrace: MILLRACE_JAVA=/bin/false is no Java 25 or newer", process.output());
        }
    }

    @Test
    void shouldSayInOneLineThatAnotherSystemIsNotServed() throws IOException, InterruptedException
    {
        final Path uname = Files.writeString(Files.createDirectory(directory.resolve("bin")).resolve("uname"),
            "#!/bin/sh\necho Darwin\n");
        Files.setPosixFilePermissions(uname, PosixFilePermissions.fromString("rwxr-xr-x"));
        final List<String> command = List.of(MillraceProcess.ROOT.resolve("millrace").toString(), "quickstart");
        try (MillraceProcess process = MillraceProcess.start(command,
            Map.of("PATH", uname.getParent() + ":" + System.getenv("PATH"))))
        {
            assertEquals(ExitCode.FAILURE, process.exitCode());
            assertEquals("millrace: runs on Linux only, this is Darwin", process.output());
        }
    }

    @Test
    void shouldStopCleanlyWhenAskedTo() throws IOException, InterruptedException
    {
        for (final String signal : List.of("TERM", "INT"))
        {
            try (MillraceProcess process = serve())
            {
                final int port = process.port();
                process.await("^ready after \\d+\\.\\d+ s; ");
                try (Socket host = new Socket(InetAddress.getLoopbackAddress(), port))
                {
                    assertTrue(process.residentBytes() < RESIDENT_BYTES_MAX, process.residentBytes() + " bytes");
                    process.signal(signal);
                    assertEquals(ExitCode.OK, process.exitCode(STOP_SECONDS_MAX), signal);
                    assertEquals(-1, host.getInputStream().read());
                }
                assertTrue(process.output().endsWith("\nstopping"), process.output());
            }
        }
    }

    @Test
    void shouldServeTheSameVolumeOnTheSamePortAfterKill() throws IOException, InterruptedException
    {
        final int port;
        try (MillraceProcess process = serve())
        {
            port = process.port();
            process.await("^ready");
            perf(port, "--pattern", "randwrite", "--verify", "--region", "8MiB", "--duration", "300ms");
            process.await("^\\S+Z connected: nqn\\.\\S+ from tcp://127\\.0\\.0\\.1:\\d+, controller 1 of " + NQN + "$");
            process.await("^\\S+Z disconnected: nqn\\.\\S+ from tcp://127\\.0\\.0\\.1:\\d+, controller 1 of " + NQN +
                ": (shut down by the host|host )");
            process.signal("KILL");
            assertEquals(128 + 9, process.exitCode(STOP_SECONDS_MAX));
        }
        config = config(port, "vol");
        try (MillraceProcess process = serve())
        {
            process.await("^ready");
            perf(port, "--pattern", "randread", "--duration", "300ms");
        }
    }

    @Test
    void shouldNotServeAnEmptyFileInPlaceOfALostOne() throws IOException, InterruptedException
    {
        final Path image = directory.resolve("vol.img");
        for (int i = 0; i < 2; i++)
        {
            try (MillraceProcess process = serve())
            {
                process.await("^ready");
                process.signal("TERM");
                assertEquals(ExitCode.OK, process.exitCode(STOP_SECONDS_MAX));
            }
        }
        Files.delete(image);
        try (MillraceProcess process = serve())
        {
            assertEquals(ExitCode.USAGE, process.exitCode(), process::outputOrReason);
            assertTrue(process.output().matches("millrace serve: \\S+/test.yaml:2: \\S.*path " + image +
                " does not exist, though device file0 had it since \\S+Z: mount its file system or restore the file; " +
                "to begin with an empty one make it with 'touch'"), process.output());
        }
        assertFalse(Files.exists(image));
    }

    @Test
    void shouldPrintWhatWasMeasuredUntilCtrlC() throws IOException, InterruptedException
    {
        try (MillraceProcess target = serve())
        {
            final int port = target.port();
            target.await("^ready");
            try (MillraceProcess process = MillraceProcess.start("perf", "tcp://127.0.0.1:" + port +
                "/nqn.2026-11.io.millrace:vol0", "--warmup", "0ms", "--duration", "10m"))
            {
                process.await("^measuring  [1-9]");
                process.signal("INT");
                assertEquals(130, process.exitCode(), process::outputOrReason);
                assertTrue(process.output().matches("(?s).*\nread( +[\\d,.]+){9}\n.*"), process.output());
                assertFalse(process.output().contains("\u001b"), process.output());
            }
        }
    }

    private static void perf(final int port, final String... options) throws IOException, InterruptedException
    {
        final List<String> args = new ArrayList<>(List.of("perf", "tcp://127.0.0.1:" + port +
            "/nqn.2026-11.io.millrace:vol0", "--warmup", "0ms"));
        args.addAll(List.of(options));
        try (MillraceProcess process = MillraceProcess.start(args.toArray(String[]::new)))
        {
            assertEquals(ExitCode.OK, process.exitCode(), process::outputOrReason);
        }
    }

    @Test
    void shouldRefuseWithOneLineWhenPortIsTaken() throws IOException, InterruptedException
    {
        try (MillraceProcess first = serve())
        {
            final int port = first.port();
            config = config(port, "other");
            try (MillraceProcess second = serve())
            {
                assertEquals(ExitCode.USAGE, second.exitCode());
                assertTrue(second.output().matches("millrace serve: \\S+/test.yaml:\\d: \\S+ = .*"), second.output());
            }
        }
    }

    @Test
    void shouldServeTwoDataPlanesOfOneUserUnderTwoNames() throws IOException, InterruptedException
    {
        try (MillraceProcess first = serve())
        {
            first.await("^ready");
            final String text = Files.readString(config(0, "other"));
            config = Files.writeString(directory.resolve("second.yaml"), text);
            try (MillraceProcess second = serve())
            {
                assertEquals(ExitCode.USAGE, second.exitCode(), second::outputOrReason);
                assertTrue(second.output().matches("millrace serve: \\S+/second.yaml: control.name = millrace: a " +
                    "data plane of this user with this name runs already, process " + first.pid() +
                    " \\(java\\) of \\S+; stop that one, or give this one a name of its own"), second.output());
            }
            Files.writeString(config, text + "control: {name: rack-7}\n");
            try (MillraceProcess second = serve())
            {
                second.await("^ready");
                assertEquals("millrace", dataPlane());
                assertEquals("rack-7", dataPlane("--data-plane", "rack-7"));
                first.signal("TERM");
                assertEquals(ExitCode.OK, first.exitCode(STOP_SECONDS_MAX));
                assertEquals("rack-7", dataPlane());
            }
        }
    }

    /** Name of the data plane that commands come to. */
    private static String dataPlane(final String... options) throws IOException, InterruptedException
    {
        final List<String> args = new ArrayList<>(List.of("get", "dataplanes", "-o", "json"));
        args.addAll(List.of(options));
        try (MillraceProcess process = MillraceProcess.start(args.toArray(String[]::new)))
        {
            assertEquals(ExitCode.OK, process.exitCode(), process::outputOrReason);
            final Matcher matcher = Pattern.compile("\"name\": \"([^\"]+)\"").matcher(process.output());
            assertTrue(matcher.find(), process.output());
            return matcher.group(1);
        }
    }

    @Test
    void shouldGoThroughQuickstartAsAnOrdinaryUser() throws IOException, InterruptedException
    {
        // Whoever runs the tests may keep the tree to himself: another user gets a copy.
        final Path copy = copyOfBuild();
        final List<String> command = new ArrayList<>();
        if (0 == (Integer)Files.getAttribute(copy, "unix:uid"))
        {
            require(canNobodyRun(System.getProperty("java.home") + "/bin/java"), "java is root's alone",
                "install it where all users may run it");
            command.addAll(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
        }
        command.addAll(List.of(copy.resolve("millrace").toString(), "quickstart", "--exit", "--round", "200",
            "--size", "96MiB", "--port", "0", "--discovery-port", "0"));
        final Map<String, String> environment = Map.of("MILLRACE_NO_BUILD", "1", "MILLRACE_JAVA",
            System.getProperty("java.home") + "/bin/java", "XDG_DATA_HOME", copy.resolve("data").toString());
        try (MillraceProcess process = MillraceProcess.start(command, environment))
        {
            assertEquals(ExitCode.OK, process.exitCode(), process::outputOrReason);
            final String output = process.output();
            assertTrue(output.contains("nvme connect -t tcp -a 127.0.0.1 -s "), output);
            assertTrue(output.matches("(?s).*\nto run it, managed by process \\d+, from .*"), output);
            assertTrue(output.matches("(?s).*random read 4KiB, depth 32( +[\\d,.]+){7}\n.*"), output);
            assertTrue(output.matches("(?s).*verified \\d+ blocks: .*"), output);
            assertFalse(output.contains("\u001b"), "colours though nobody reads along");
        }
        final Path volume = copy.resolve("data/millrace/quickstart.img");
        assertEquals(96 << 20, Files.size(volume));
        // What was there before is measured by reading alone, and JSON is all that standard output gets.
        command.add("--json");
        try (MillraceProcess process = MillraceProcess.start(command, environment))
        {
            assertEquals(ExitCode.OK, process.exitCode(), process::outputOrReason);
            assertTrue(process.output().contains("the volume exists"), process.output());
            assertTrue(process.output().contains("\"passed\": true"), process.output());
            assertFalse(process.output().contains("\"randwrite\""), process.output());
        }
    }

    @Test
    void shouldGoOnWithWhatWasMadeInAQuickstart() throws IOException, InterruptedException
    {
        final String[] args = {"quickstart", "--no-measure", "--path", directory.resolve("quick.img").toString(),
            "--size", "16MiB", "--port", "0", "--discovery-port", "0"};
        final String control;
        try (MillraceProcess process = MillraceProcess.start(args))
        {
            process.await("^serving ");
            control = MillraceProcess.RUNTIME.resolve("millrace/manager").toString();
            command("device", "create", "scratch", "--type", "memory", "--size", "1MiB", "--control", control);
            // The manager has the change, and the data plane, which may persist it later.
            awaitPersisted("scratch");
            process.signal("KILL");
            assertEquals(128 + 9, process.exitCode(STOP_SECONDS_MAX));
        }
        try (MillraceProcess process = MillraceProcess.start(args))
        {
            process.await("^state: 2 devices, 1 subsystem, 1 namespace, 2 listeners, from ");
            final String manager = process.await("managed by process (\\d+),").group(1);
            process.await("^serving ");
            ProcessHandle.of(Long.parseLong(manager)).orElseThrow().destroyForcibly();
            process.await("the manager, process " + manager + ", ended with exit code 137.*; it is started again");
            process.await("the manager runs again, as process ");
            command("device", "delete", "scratch", "--yes", "--control", control);
            process.signal("TERM");
            assertEquals(ExitCode.OK, process.exitCode(STOP_SECONDS_MAX));
        }
        assertFalse(Files.exists(Path.of(control)), "left behind");
        try (MillraceProcess process = MillraceProcess.start(args))
        {
            process.await("^state: 1 device, ");
            process.signal("TERM");
            assertEquals(ExitCode.OK, process.exitCode(STOP_SECONDS_MAX));
        }
    }

    private void awaitPersisted(final String device) throws IOException, InterruptedException
    {
        final Path applied = directory.resolve("quick.img.state/data-plane/applied-state.yaml");
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_SECONDS_MAX);
        while (!Files.exists(applied) || !Files.readString(applied).contains(device))
        {
            assertTrue(System.nanoTime() < deadlineNs, applied::toString);
            Thread.sleep(20);
        }
    }

    private static void command(final String... args) throws IOException, InterruptedException
    {
        try (MillraceProcess process = MillraceProcess.start(args))
        {
            assertEquals(ExitCode.OK, process.exitCode(), process::outputOrReason);
        }
    }

    @Test
    void shouldStartFromTheClassCacheThatTheFirstRunMakes() throws IOException, InterruptedException
    {
        final Path copy = copyOfBuild();
        final String java = System.getProperty("java.home") + "/bin/java";
        final String millrace = copy.resolve("millrace").toString();
        try (MillraceProcess first = MillraceProcess.start(List.of(millrace, "--version"),
            Map.of("MILLRACE_NO_BUILD", "1", "MILLRACE_JAVA", java)))
        {
            assertEquals(ExitCode.OK, first.exitCode(), first::outputOrReason);
        }
        final Path classes = directory.resolve("classes.txt");
        // With this mode a JVM that cannot use its cache ends with an error.
        try (MillraceProcess second = MillraceProcess.start(List.of(millrace, "serve", "--config", config.toString()),
            Map.of("MILLRACE_NO_BUILD", "1", "MILLRACE_JAVA", java, "MILLRACE_JAVA_OPTS",
                "-XX:AOTMode=on -Xlog:class+load:file=" + classes)))
        {
            second.await("^ready after ");
            second.signal("TERM");
            assertEquals(ExitCode.OK, second.exitCode(STOP_SECONDS_MAX), second::outputOrReason);
        }
        final List<String> loaded = Files.readAllLines(classes);
        final List<String> ours = loaded.stream().filter((line) -> line.contains(" io.millrace.")).toList();
        final long cached = ours.stream().filter((line) -> line.contains("source: shared objects file")).count();
        assertTrue(cached > 0.9 * ours.size(), cached + " of " + ours.size() + " classes came from the cache");
        assertTrue(loaded.stream().noneMatch((line) -> line.contains("picocli.CommandLine$Interpreter ")),
            "a service's start goes through the parser of command lines, which is in no cache");
    }

    /** The JVM does not check whether machine code in the cache is for this processor. */
    @Test
    void shouldKeepNoMachineCodeInTheClassCache() throws IOException, InterruptedException
    {
        final String millrace = copyOfBuild().resolve("millrace").toString();
        final Path log = directory.resolve("code.txt");
        try (MillraceProcess process = MillraceProcess.start(List.of(millrace, "--version"),
            Map.of("MILLRACE_NO_BUILD", "1", "MILLRACE_JAVA", System.getProperty("java.home") + "/bin/java",
                "MILLRACE_JAVA_OPTS", "-XX:AOTMode=on -Xlog:aot+codecache*=info:file=" + log)))
        {
            assertEquals(ExitCode.OK, process.exitCode(), process::outputOrReason);
        }
        final String codeCache = Files.readString(log);
        assertTrue(codeCache.contains("AOT Code Cache is empty"), codeCache);
    }

    /** A build writes jars in place, and a JVM reads classes when it first needs them, some as it stops. */
    @Test
    void shouldRunOnFromItsJarsWhenThereIsABuild() throws IOException, InterruptedException
    {
        final Path copy = copyOfBuild();
        final Path copies = copy.resolve(".run");
        final String millrace = copy.resolve("millrace").toString();
        final Path manager = Files.writeString(directory.resolve("manager.yaml"), """
            state: {directory: %s/manager}
            control: {directory: %1$s/manager-control}
            data-planes: [{name: millrace, directory: %1$s/control}]
            """.formatted(directory));
        Files.writeString(config, Files.readString(config) + "control: {directory: " + directory + "/control}\n" +
            "state: {directory: " + directory + "/state}\n");
        final Map<String, String> built = Map.of("MILLRACE_NO_BUILD", "1", "MILLRACE_JAVA",
            System.getProperty("java.home") + "/bin/java");
        // Makes the class cache, once.
        version(millrace, built);
        try (MillraceProcess plane = MillraceProcess.start(
            List.of(millrace, "serve", "--config", config.toString()), built);
            MillraceProcess managing = MillraceProcess.start(
                List.of(millrace, "manager", "--config", manager.toString()), built))
        {
            plane.await("^ready after ");
            managing.await("^ready");
            final Path before = onlyEntry(copies);
            build(copy);
            assertEquals(2, entries(copies).size(), "copies while the first is in use: " + entries(copies));
            for (final MillraceProcess each : List.of(managing, plane))
            {
                each.signal("TERM");
                assertEquals(ExitCode.OK, each.exitCode(STOP_SECONDS_MAX), each::outputOrReason);
                assertTrue(each.output().matches("(?s).*\n(\\S+Z )?stopping"), each.output());
                assertFalse(each.output().contains("Error"), each.output());
            }
            version(millrace, built);
            assertFalse(Files.exists(before), before + " is kept though nobody runs from it");
        }
    }

    /** Containers that share a tree have launchers of the same process number. */
    @Test
    void shouldLeaveTheCopyAloneThatAnotherLauncherMakes() throws IOException, InterruptedException
    {
        final Path copy = copyOfBuild();
        final String other = copy.resolve(".run/new.") + "$$";
        final List<String> command = List.of("sh", "-c", "mkdir -p " + other + "/lib && : > " + other +
            "/lib/begun.jar && exec 7> " + other + "/lock && flock -s 7 && exec " + copy.resolve("millrace") +
            " --version");
        try (MillraceProcess process = MillraceProcess.start(command, Map.of("MILLRACE_NO_BUILD", "1", "MILLRACE_JAVA",
            System.getProperty("java.home") + "/bin/java")))
        {
            assertEquals(ExitCode.OK, process.exitCode(), process::outputOrReason);
        }
        final List<Path> begun = entries(copy.resolve(".run")).stream()
            .filter((each) -> Files.exists(each.resolve("lib/begun.jar"))).toList();
        assertEquals(1, begun.size(), begun::toString);
        assertTrue(begun.getFirst().getFileName().toString().startsWith("new."), begun::toString);
        assertEquals(2, entries(begun.getFirst()).size(), "something was copied into it");
    }

    /** A service has a user of its own, and its tree an owner who may want files to be private. */
    @Test
    void shouldRunForAnotherUserWhateverTheOwnersUmaskIs() throws IOException, InterruptedException
    {
        final Path copy = copyOfBuild();
        final Path copies = copy.resolve(".run");
        final String java = System.getProperty("java.home") + "/bin/java";
        final Map<String, String> built = Map.of("MILLRACE_NO_BUILD", "1", "MILLRACE_JAVA", java);
        final String millrace = copy.resolve("millrace").toString();
        final List<String> command = new ArrayList<>();
        final boolean isRoot = 0 == (Integer)Files.getAttribute(copy, "unix:uid");
        if (isRoot)
        {
            require(canNobodyRun(java), "java is root's alone", "install it where all users may run it");
            command.addAll(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
        }
        command.addAll(List.of(millrace, "--version"));
        try (MillraceProcess owner =
            MillraceProcess.start(List.of("sh", "-c", "umask 077 && exec " + millrace + " --version"), built))
        {
            assertEquals(ExitCode.OK, owner.exitCode(), owner::outputOrReason);
        }
        final Path made = onlyEntry(copies);
        for (final Path each : List.of(copies, made, made.resolve("lib")))
        {
            assertEquals(
                "rwxr-xr-x", PosixFilePermissions.toString(Files.getPosixFilePermissions(each)), each::toString);
        }
        assertEquals("rw-r--r--",
            PosixFilePermissions.toString(Files.getPosixFilePermissions(made.resolve("lock"))));
        // Copies that another user keeps private: it runs from what Maven has built.
        Files.setPosixFilePermissions(copies, PosixFilePermissions.fromString(isRoot ? "rwx------" : "---------"));
        try (MillraceProcess process = MillraceProcess.start(command, built))
        {
            assertEquals(ExitCode.OK, process.exitCode(), process::outputOrReason);
            assertTrue(process.output().startsWith("millrace 0."), process.output());
        }
        finally
        {
            Files.setPosixFilePermissions(copies, PosixFilePermissions.fromString("rwx------"));
        }
    }

    /** Has the launcher build, by a Maven that writes the jars anew, with another entry before the classes. */
    private void build(final Path copy) throws IOException, InterruptedException
    {
        final Path target = copy.resolve("control/server/target");
        final Path next = Files.createDirectories(directory.resolve("next"));
        Files.createDirectories(next.resolve("lib"));
        final List<Path> jars = new ArrayList<>(entries(target.resolve("lib")));
        jars.add(target.resolve("millrace-server.jar"));
        for (final Path jar : jars)
        {
            try (JarFile from = new JarFile(jar.toFile());
                JarOutputStream to = new JarOutputStream(Files.newOutputStream(next.resolve(target.relativize(jar))),
                    from.getManifest()))
            {
                to.putNextEntry(new JarEntry("change"));
                to.write(new byte[1000]);
                for (final JarEntry entry : Collections.list(from.entries()))
                {
                    if (!JarFile.MANIFEST_NAME.equals(entry.getName()))
                    {
                        to.putNextEntry(new JarEntry(entry.getName()));
                        from.getInputStream(entry).transferTo(to);
                    }
                }
            }
        }
        final Path maven = Files.writeString(Files.createDirectory(directory.resolve("bin")).resolve("mvn"), """
            #!/bin/sh
            cd %s && for jar in *.jar lib/*.jar; do cat $jar > %s/$jar; done
            """.formatted(next, target));
        Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(copy.resolve("pom.xml"), "changed");
        final String output = version(copy.resolve("millrace").toString(), Map.of("MILLRACE_JAVA",
            System.getProperty("java.home") + "/bin/java", "PATH", maven.getParent() + ":" + System.getenv("PATH")));
        assertTrue(output.startsWith("building Millrace (sources have changed) ..."), output);
    }

    private static String version(final String millrace, final Map<String, String> environment)
        throws IOException, InterruptedException
    {
        try (MillraceProcess process = MillraceProcess.start(List.of(millrace, "--version"), environment))
        {
            assertEquals(ExitCode.OK, process.exitCode(), process::outputOrReason);
            return process.output();
        }
    }

    private static Path onlyEntry(final Path folder) throws IOException
    {
        final List<Path> entries = entries(folder);
        assertEquals(1, entries.size(), entries::toString);
        return entries.getFirst();
    }

    private static List<Path> entries(final Path folder) throws IOException
    {
        try (var entries = Files.list(folder))
        {
            return entries.toList();
        }
    }

    private Path copyOfBuild() throws IOException
    {
        final Path copy = directory.resolve("copy");
        final Path target = MillraceProcess.ROOT.resolve("control/server/target");
        final Path newTarget = Files.createDirectories(copy.resolve("control/server/target/lib")).getParent();
        Files.copy(MillraceProcess.ROOT.resolve("millrace"), copy.resolve("millrace"));
        Files.copy(target.resolve("millrace-server.jar"), newTarget.resolve("millrace-server.jar"));
        try (var jars = Files.newDirectoryStream(target.resolve("lib")))
        {
            for (final Path jar : jars)
            {
                Files.copy(jar, newTarget.resolve("lib").resolve(jar.getFileName()));
            }
        }
        Files.setPosixFilePermissions(Files.createDirectory(copy.resolve("data")),
            PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.walkFileTree(copy.resolve("control"), new SimpleFileVisitor<>()
        {
            @Override
            public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) throws IOException
            {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
                return FileVisitResult.CONTINUE;
            }
        });
        return copy;
    }

    private static boolean canNobodyRun(final String java) throws IOException, InterruptedException
    {
        return 0 == new ProcessBuilder("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "test",
            "-x", java).start().waitFor();
    }
}
