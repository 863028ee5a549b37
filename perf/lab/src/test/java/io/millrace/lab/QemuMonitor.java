package io.millrace.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Speaks QEMU's machine protocol (QMP) over its Unix socket: one command, one answer. Needs nothing but the JDK: the
 * lab script runs this very file.
 */
public final class QemuMonitor implements AutoCloseable
{
    private final SocketChannel channel;
    private final BufferedReader reader;
    private final List<String> events = new ArrayList<>();

    private QemuMonitor(final SocketChannel channel)
    {
        this.channel = channel;
        reader = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
    }

    /**
     * {@return a connection that is ready for commands}
     *
     * @param socket path of the monitor's socket.
     * @throws IOException when it cannot be reached or does not speak the protocol.
     */
    public static QemuMonitor connect(final Path socket) throws IOException
    {
        final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try
        {
            channel.connect(UnixDomainSocketAddress.of(socket));
            final QemuMonitor monitor = new QemuMonitor(channel);
            final String greeting = monitor.readLine();
            if (!hasKey(greeting, "QMP"))
            {
                throw new IOException(socket + " is no QEMU monitor, it said: " + greeting);
            }
            monitor.execute("qmp_capabilities", "{}");
            return monitor;
        }
        catch (final IOException ex)
        {
            channel.close();
            throw ex;
        }
    }

    /**
     * Runs a command. Events that arrive before its answer are kept.
     *
     * @param command   its name, such as {@code device_add}.
     * @param arguments a JSON object.
     * @return the answer's line of JSON.
     * @throws IOException when the connection is lost, or the command was refused: the message holds QEMU's own words.
     */
    public String execute(final String command, final String arguments) throws IOException
    {
        final String line = "{\"execute\": \"" + command + "\", \"arguments\": " + arguments + "}\n";
        final ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining())
        {
            channel.write(bytes);
        }
        while (true)
        {
            final String answer = readLine();
            if (hasKey(answer, "return"))
            {
                return answer;
            }
            if (hasKey(answer, "error"))
            {
                throw new IOException(command + " " + arguments + " was refused: " + answer);
            }
            events.add(answer);
        }
    }

    /**
     * Pulls or plugs the cable of the machine's network device.
     *
     * @param up whether there is a link from now on.
     * @throws IOException when the command failed.
     */
    public void link(final boolean up) throws IOException
    {
        execute("set_link", "{\"name\": \"nic0\", \"up\": " + up + "}");
    }

    /**
     * Plugs an NVMe drive into a running machine.
     *
     * @param id    a name of its own; also its serial number.
     * @param image a raw image on the host.
     * @param slot  one of the machine's four hot-plug slots, 0 to 3.
     * @throws IOException when the command failed.
     */
    public void plugDrive(final String id, final Path image, final int slot) throws IOException
    {
        execute("blockdev-add", "{\"driver\": \"raw\", \"node-name\": \"" + id + "-image\", \"file\": " +
            "{\"driver\": \"file\", \"filename\": \"" + image + "\"}}");
        execute("device_add", "{\"driver\": \"nvme\", \"id\": \"" + id + "\", \"serial\": \"" + id +
            "\", \"drive\": \"" + id + "-image\", \"bus\": \"hotplug" + slot + "\"}");
    }

    /**
     * Waits until a device that was asked for has been let go, so that its slot is free.
     *
     * @param id the device's name.
     * @throws IOException when the machine ended before.
     */
    public void awaitUnplugged(final String id) throws IOException
    {
        while (events.stream().noneMatch((event) ->
            event.contains("\"DEVICE_DELETED\"") && event.contains("\"device\": \"" + id + '"')))
        {
            events.add(readLine());
        }
    }

    /**
     * Asks the machine to let go of a device; it is gone when the machine's kernel has done so.
     *
     * @param id the device's name.
     * @throws IOException when the command failed.
     */
    public void unplug(final String id) throws IOException
    {
        execute("device_del", "{\"id\": \"" + id + "\"}");
    }

    /**
     * {@return the events seen so far, each a line of JSON}
     */
    public List<String> events()
    {
        return List.copyOf(events);
    }

    @Override
    public void close() throws IOException
    {
        channel.close();
    }

    /**
     * Runs one command.
     *
     * @param args the socket's path, the command's name and, if it takes any, its arguments as a JSON object.
     */
    public static void main(final String[] args)
    {
        try (QemuMonitor monitor = connect(Path.of(args[0])))
        {
            System.out.println(monitor.execute(args[1], args.length > 2 ? args[2] : "{}"));
        }
        catch (final IOException ex)
        {
            System.err.println("lab: " + ex.getMessage());
            System.exit(1);
        }
    }

    private String readLine() throws IOException
    {
        final String line = reader.readLine();
        if (null == line)
        {
            throw new IOException("the machine closed its monitor");
        }
        return line;
    }

    /** Whether a JSON object has a key at its top level: a key of that name further in is another thing. */
    static boolean hasKey(final String json, final String key)
    {
        final String quoted = '"' + key + '"';
        int depth = 0;
        int i = 0;
        while (i < json.length())
        {
            final char c = json.charAt(i);
            if ('"' == c)
            {
                final int end = endOfString(json, i);
                if (1 == depth && json.startsWith(quoted, i) && json.substring(end).stripLeading().startsWith(":"))
                {
                    return true;
                }
                i = end;
                continue;
            }
            depth += '{' == c || '[' == c ? 1 : '}' == c || ']' == c ? -1 : 0;
            i++;
        }
        return false;
    }

    private static int endOfString(final String json, final int start)
    {
        int i = start + 1;
        while (i < json.length() && '"' != json.charAt(i))
        {
            i += '\\' == json.charAt(i) ? 2 : 1;
        }
        return Math.min(i + 1, json.length());
    }
}
