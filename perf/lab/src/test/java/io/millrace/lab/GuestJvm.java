package io.millrace.lab;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Command lines of JVMs in a machine, on the classes under test. A JVM starts tens of times slower in emulation, so
 * they get what the launcher gives: jars, and an AOT cache that is made of them on the host. Both are made by the
 * first test that asks after a build, and lie in {@code target/lab/jvm}.
 */
final class GuestJvm
{
    private static final long TRAINING_LIMIT_S = 300;

    private GuestJvm()
    {
    }

    /**
     * {@return a command to which a main class and its arguments are appended}
     *
     * @param options of the JVM.
     */
    static List<String> command(final String... options) throws IOException, InterruptedException
    {
        final Path directory = Lab.directory("jvm");
        final Path cache = directory.resolve("millrace.aot");
        final String classPath;
        try (FileChannel others = FileChannel.open(
            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE))
        {
            others.lock();
            classPath = classPath(directory);
            if (isOlder(cache, classPath))
            {
                train(cache, classPath);
            }
        }
        final List<String> command = TargetProcess.java();
        // See the module's README for the small compiler alone, and for what it may leave to the interpreter.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=20", "-XX:+UseSerialGC",
            "-XX:AOTCache=" + cache));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classPath));
        return command;
    }

    /**
     * {@return the {@code millrace} command}
     *
     * @param options of the JVM.
     */
    static List<String> millrace(final String... options) throws IOException, InterruptedException
    {
        final List<String> command = command(options);
        command.add("io.millrace.cli.Millrace");
        return command;
    }

    /** An AOT cache is made of jars alone. */
    private static String classPath(final Path directory) throws IOException
    {
        final List<String> entries = new ArrayList<>();
        for (final String entry :
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")).split(":"))
        {
            final Path path = Path.of(entry);
            if (!Files.isDirectory(path))
            {
                // A module of tests has no folder of main classes, though it is on the path.
                if (Files.exists(path))
                {
                    entries.add(entry);
                }
                continue;
            }
            final Path jar = directory.resolve(Lab.root().relativize(path).toString().replace('/', '-') + ".jar");
            if (isOlder(jar, entry))
            {
                pack(path, jar);
            }
            entries.add(jar.toString());
        }
        return String.join(":", entries);
    }

    private static boolean isOlder(final Path made, final String sources) throws IOException
    {
        if (!Files.exists(made))
        {
            return true;
        }
        final long madeMs = Files.getLastModifiedTime(made).toMillis();
        for (final String source : sources.split(":"))
        {
            try (Stream<Path> files = Files.walk(Path.of(source)))
            {
                if (files.anyMatch((file) -> file.toFile().lastModified() > madeMs))
                {
                    return true;
                }
            }
        }
        return false;
    }

    private static void pack(final Path classes, final Path jar) throws IOException
    {
        final Path fresh = jar.resolveSibling(jar.getFileName() + ".new");
        final int status = ToolProvider.findFirst("jar").orElseThrow()
            .run(System.out, System.err, "--create", "--file", fresh.toString(), "-C", classes.toString(), ".");
        if (0 != status)
        {
            throw new IOException("cannot pack " + classes + " into " + jar);
        }
        Files.move(fresh, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void train(final Path cache, final String classPath) throws IOException, InterruptedException
    {
        final Path fresh = cache.resolveSibling("fresh.aot");
        final Path log = cache.resolveSibling("train.log");
        final List<String> command = TargetProcess.java();
        // Machine code in it would be of this host's processor, which the machine does not have.
        command.addAll(List.of("-XX:+UseSerialGC", "-Xmx128m", "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-AOTAdapterCaching", "-XX:AOTCacheOutput=" + fresh, "-cp", classPath, "io.millrace.cli.Millrace",
            "train"));
        final Process training =
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        if (!training.waitFor(TRAINING_LIMIT_S, TimeUnit.SECONDS) || 0 != training.exitValue() || !Files.exists(fresh))
        {
            training.destroyForcibly();
            throw new IOException("no AOT cache was made, see " + log);
        }
        Files.move(fresh, cache, StandardCopyOption.REPLACE_EXISTING);
    }
}
