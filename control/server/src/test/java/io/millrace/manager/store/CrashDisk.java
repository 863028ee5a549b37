package io.millrace.manager.store;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A directory as a machine sees it that may lose its power: what was not brought to stable storage may be there or not,
 * names each for itself, contents in part. At a given step it crashes, or fails once.
 */
public final class CrashDisk implements StateDisk
{
    /** The power went. */
    public static final class Crash extends Error
    {
        private static final long serialVersionUID = 1L;
    }

    private static final class Content
    {
        private byte[] now = new byte[0];
        private byte[] safe;
        /** What a crash leaves as it is: all that was safe, as long as it was only added to. */
        private int keptBytes;
    }

    /** A change of names: those of a rename are both. */
    private record NameChange(String removed, String added, Content content)
    {
    }

    private final Map<String, Content> names = new LinkedHashMap<>();
    private final Map<String, Content> safeNames = new LinkedHashMap<>();
    private final List<NameChange> unsafe = new ArrayList<>();
    private int stepsToCrash = Integer.MAX_VALUE;
    private int stepsToFailure = Integer.MAX_VALUE;
    private int steps;

    /**
     * Loses power.
     *
     * @param value steps before it.
     */
    public void crashIn(final int value)
    {
        stepsToCrash = value;
    }

    /** The step after so many more, alone. */
    void failIn(final int value)
    {
        stepsToFailure = value;
    }

    int steps()
    {
        return steps;
    }

    private void step() throws IOException
    {
        if (0 == stepsToCrash--)
        {
            throw new Crash();
        }
        steps++;
        if (0 == stepsToFailure--)
        {
            throw new IOException("No space left on device");
        }
    }

    /**
     * Loses power now.
     *
     * @param random of what was not on stable storage: whether it is there.
     * @return what is found when the power is back.
     */
    public CrashDisk afterCrash(final Random random)
    {
        final Map<String, Content> found = new LinkedHashMap<>(safeNames);
        for (final NameChange change : unsafe)
        {
            if (random.nextBoolean())
            {
                apply(change, found);
            }
        }
        final CrashDisk disk = new CrashDisk();
        found.forEach((name, content) ->
        {
            final Content copy = new Content();
            copy.now = Arrays.equals(content.safe, content.now) || random.nextBoolean() && null != content.safe ?
                content.safe : torn(content.now, content.keptBytes, random);
            copy.safe = copy.now;
            copy.keptBytes = copy.now.length;
            disk.names.put(name, copy);
            disk.safeNames.put(name, copy);
        });
        return disk;
    }

    private static byte[] torn(final byte[] content, final int keptBytes, final Random random)
    {
        final byte[] torn = Arrays.copyOf(content, keptBytes + random.nextInt(content.length - keptBytes + 1));
        if (torn.length > keptBytes && random.nextBoolean())
        {
            // Blocks that were never written.
            Arrays.fill(torn, keptBytes + random.nextInt(torn.length - keptBytes), torn.length, (byte)0);
        }
        return torn;
    }

    private static void apply(final NameChange change, final Map<String, Content> map)
    {
        if (null != change.removed())
        {
            map.remove(change.removed());
        }
        if (null != change.added())
        {
            map.put(change.added(), change.content());
        }
    }

    private void change(final NameChange change)
    {
        apply(change, names);
        unsafe.add(change);
    }

    private Content content(final String name) throws IOException
    {
        final Content content = names.get(name);
        if (null == content)
        {
            throw new NoSuchFileException(name);
        }
        return content;
    }

    @Override
    public List<String> list()
    {
        return List.copyOf(names.keySet());
    }

    @Override
    public byte[] read(final String name) throws IOException
    {
        return content(name).now;
    }

    void damage(final String name, final byte[] content) throws IOException
    {
        content(name).now = content;
        content(name).safe = content;
    }

    @Override
    public byte[] readEnd(final String name, final int lengthMaxBytes) throws IOException
    {
        final byte[] all = content(name).now;
        return Arrays.copyOfRange(all, Math.max(0, all.length - lengthMaxBytes), all.length);
    }

    @Override
    public long lengthBytes(final String name) throws IOException
    {
        return content(name).now.length;
    }

    @Override
    public void append(final String name, final byte[] content) throws IOException
    {
        if (!names.containsKey(name))
        {
            change(new NameChange(null, name, new Content()));
        }
        final byte[] before = content(name).now;
        content(name).now = joined(before, content, content.length / 2);
        step();
        content(name).now = joined(before, content, content.length);
    }

    private static byte[] joined(final byte[] before, final byte[] added, final int lengthBytes)
    {
        final byte[] joined = Arrays.copyOf(before, before.length + lengthBytes);
        System.arraycopy(added, 0, joined, before.length, lengthBytes);
        return joined;
    }

    @Override
    public void write(final String name, final byte[] content) throws IOException
    {
        if (!names.containsKey(name))
        {
            change(new NameChange(null, name, new Content()));
        }
        // A part of it already exists.
        content(name).keptBytes = 0;
        content(name).now = Arrays.copyOf(content, content.length / 2);
        step();
        content(name).now = content;
    }

    @Override
    public void sync(final String name) throws IOException
    {
        step();
        content(name).safe = content(name).now;
        content(name).keptBytes = content(name).now.length;
    }

    @Override
    public void rename(final String from, final String to) throws IOException
    {
        step();
        change(new NameChange(from, to, content(from)));
    }

    @Override
    public void delete(final String name) throws IOException
    {
        step();
        if (names.containsKey(name))
        {
            change(new NameChange(name, null, null));
        }
    }

    @Override
    public void syncDirectory() throws IOException
    {
        step();
        safeNames.clear();
        safeNames.putAll(names);
        unsafe.clear();
    }

    @Override
    public String where(final String name)
    {
        return "disk/" + name;
    }
}
