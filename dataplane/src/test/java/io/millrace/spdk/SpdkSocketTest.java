package io.millrace.spdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpdkSocketTest
{
    @TempDir
    private Path directory;

    private static String mode(final Path path) throws IOException
    {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void shouldMakeItsDirectoryForThisUserAlone() throws IOException
    {
        final Path socket = directory.resolve("a/b/spdk.sock");
        SpdkSocket.prepare(socket);
        assertEquals("rwx------", mode(socket.getParent()));
        SpdkSocket.prepare(socket);
    }

    @Test
    void shouldCloseTheSocketToOthersAndTakeAnOldOne() throws IOException
    {
        final Path socket = directory.resolve("spdk.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX))
        {
            server.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rwxrwxrwx"));
            SpdkSocket.restrict(socket);
            assertEquals("rw-------", mode(socket));
        }
        SpdkSocket.prepare(socket);
    }

    /** SPDK deletes what is there. */
    @Test
    void shouldRefuseAFileAndALink() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("file"), "x");
        assertThrows(IOException.class, () -> SpdkSocket.prepare(file));
        final Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        assertThrows(IOException.class, () -> SpdkSocket.prepare(link));
    }
}
