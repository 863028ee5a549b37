package io.millrace.manager.store;

import java.io.IOException;
import java.util.List;

/** A disk that may be full: nothing can be written then. */
public final class FullDisk implements StateDisk
{
    private final StateDisk disk;
    private volatile boolean isFull;
    private volatile int failures;

    public FullDisk(final StateDisk disk)
    {
        this.disk = disk;
    }

    /** How often something could not be written. */
    public int failures()
    {
        return failures;
    }

    public void isFull(final boolean value)
    {
        isFull = value;
    }

    @Override
    public List<String> list() throws IOException
    {
        return disk.list();
    }

    @Override
    public byte[] read(final String name) throws IOException
    {
        return disk.read(name);
    }

    @Override
    public byte[] readEnd(final String name, final int lengthMaxBytes) throws IOException
    {
        return disk.readEnd(name, lengthMaxBytes);
    }

    @Override
    public long lengthBytes(final String name) throws IOException
    {
        return disk.lengthBytes(name);
    }

    @Override
    public void append(final String name, final byte[] content) throws IOException
    {
        if (isFull)
        {
            failures++;
            throw new IOException("No space left on device");
        }
        disk.append(name, content);
    }

    @Override
    public void write(final String name, final byte[] content) throws IOException
    {
        if (isFull)
        {
            failures++;
            throw new IOException("No space left on device");
        }
        disk.write(name, content);
    }

    @Override
    public void sync(final String name) throws IOException
    {
        disk.sync(name);
    }

    @Override
    public void rename(final String from, final String to) throws IOException
    {
        disk.rename(from, to);
    }

    @Override
    public void delete(final String name) throws IOException
    {
        disk.delete(name);
    }

    @Override
    public void syncDirectory() throws IOException
    {
        disk.syncDirectory();
    }

    @Override
    public String where(final String name)
    {
        return disk.where(name);
    }
}
