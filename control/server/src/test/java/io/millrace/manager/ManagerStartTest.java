package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.service.ControlSettings;
import io.millrace.control.setting.InvalidSettingException;
import io.millrace.lock.LockFile;
import io.millrace.manager.config.HookConfig;
import io.millrace.manager.config.ManagerConfig;
import io.millrace.manager.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A manager that cannot start leaves its state directory to the next one. */
class ManagerStartTest
{
    @TempDir
    private Path directory;

    private Manager start(final String channel)
    {
        final ManagerConfig config = new ManagerConfig("test", state(), 50,
            new ControlSettings(directory.resolve("aeron-manager"), channel, 4420, null, "test"), null,
            List.of(TestPlane.stopped(directory, "a").config("dp0")), HookConfig.NONE);
        return Manager.start(config, Map.of(), (line) ->
        {
        });
    }

    private Path state()
    {
        return directory.resolve("state");
    }

    private void checkIsReleased() throws IOException
    {
        final Path lock = state().resolve("lock");
        assertFalse(LockFile.isHeld(lock), "the failed start holds the lock");
        try (Manager _ = start(ControlSettings.IPC_CHANNEL))
        {
            assertTrue(LockFile.isHeld(lock));
        }
        assertFalse(LockFile.isHeld(lock));
    }

    @Test
    void shouldReleaseItsStateWhenItsControlCannotBeStarted() throws IOException
    {
        // Without keys nothing is taken over UDP: found when all else was started.
        final InvalidSettingException e = assertThrows(InvalidSettingException.class,
            () -> start("aeron:udp?endpoint=127.0.0.1:0").close());
        assertEquals("control.secrets", e.key());
        checkIsReleased();
    }

    @Test
    void shouldReleaseItsStateWhenItCannotBeRead() throws IOException
    {
        final Path obstacle = Files.createFile(Files.createDirectory(state()).resolve("data-planes"));
        final StoreException e = assertThrows(StoreException.class, () -> start(ControlSettings.IPC_CHANNEL).close());
        assertTrue(e.getMessage().startsWith(state() + ": cannot be read or written: "), e.getMessage());
        Files.delete(obstacle);
        checkIsReleased();
    }
}
