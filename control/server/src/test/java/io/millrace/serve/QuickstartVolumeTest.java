package io.millrace.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuickstartVolumeTest
{
    @TempDir
    private Path directory;

    private Path located(final Map<String, String> environment)
    {
        final QuickstartVolume volume = QuickstartVolume.locate(null, null, environment);
        assertTrue(Files.isDirectory(volume.path().getParent()));
        assertTrue(volume.isFresh());
        assertEquals(QuickstartVolume.SIZE_BYTES_DEFAULT, volume.sizeBytes());
        return volume.path();
    }

    @Test
    void shouldKeepTheVolumeWithTheUsersData()
    {
        final String home = directory.resolve("home").toString();
        final String data = directory.resolve("data").toString();
        assertEquals(Path.of(data, "millrace/quickstart.img"), located(Map.of("HOME", home, "XDG_DATA_HOME", data)));
        assertEquals(Path.of(home, ".local/share/millrace/quickstart.img"), located(Map.of("HOME", home)));
        assertEquals(Path.of(home, ".local/share/millrace/quickstart.img"),
            located(Map.of("HOME", home, "XDG_DATA_HOME", "relative")));
    }

    @Test
    void shouldTakeAVolumeThatIsThereAsItIs() throws IOException
    {
        final Path file = Files.write(directory.resolve("vol.img"), new byte[4096]);
        final QuickstartVolume volume = QuickstartVolume.locate(file, null, Map.of());
        assertFalse(volume.isFresh());
        assertEquals(0, volume.sizeBytes());
    }
}
