package io.millrace.bench;

/**
 * JVM arguments of forked benchmarks, for annotations.
 */
final class JvmFlags
{
    /** Agrona reads memory through it. */
    static final String OPEN_UNSAFE = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";
    /** The CRC32C intrinsic on raw addresses is reached through it. */
    static final String OPEN_ZIP = "--add-opens=java.base/java.util.zip=ALL-UNNAMED";
    /** The bindings are native access. */
    static final String NATIVE = "--enable-native-access=ALL-UNNAMED";
    /** The collector that the launcher chooses: what a store of a reference costs depends on it. */
    static final String COLLECTOR = "-XX:+UseSerialGC";

    private JvmFlags()
    {
    }
}
