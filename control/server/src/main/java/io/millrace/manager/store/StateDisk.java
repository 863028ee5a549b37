package io.millrace.manager.store;

import java.io.IOException;
import java.util.List;

/**
 * What the store of a data plane's state asks of a directory: each call is one step that a crash may come before or
 * after. Names are those of files in the directory. One thread at a time.
 */
public interface StateDisk
{
    /**
     * {@return names of all files}
     *
     * @throws IOException when the directory cannot be read.
     */
    List<String> list() throws IOException;

    /**
     * Reads a file.
     *
     * @param name of it.
     * @return its content.
     * @throws IOException when it cannot be read.
     */
    byte[] read(String name) throws IOException;

    /**
     * Reads the end of a file.
     *
     * @param name           of it.
     * @param lengthMaxBytes of what is read.
     * @return its last bytes; all when it has no more.
     * @throws IOException when it cannot be read.
     */
    byte[] readEnd(String name, int lengthMaxBytes) throws IOException;

    /**
     * {@return bytes of a file}
     *
     * @param name of it.
     * @throws IOException when it cannot be read, such as when it is not there.
     */
    long lengthBytes(String name) throws IOException;

    /**
     * Adds to the end of a file, and makes it when it is not there. A crash may lose any of what was added, and keeps
     * what had been brought to stable storage before.
     *
     * @param name    of it.
     * @param content to add.
     * @throws IOException when it cannot be written; part of it may be there.
     */
    void append(String name, byte[] content) throws IOException;

    /**
     * Makes or replaces a file. A crash may lose any of it.
     *
     * @param name    of it.
     * @param content of it.
     * @throws IOException when it cannot be written; part of it may be there.
     */
    void write(String name, byte[] content) throws IOException;

    /**
     * Brings the content of a file to stable storage; its name may still be lost.
     *
     * @param name of it.
     * @throws IOException when that fails.
     */
    void sync(String name) throws IOException;

    /**
     * Gives a file another name, in place of whatever had it. A crash may undo it, and never leaves something between.
     *
     * @param from its name.
     * @param to   its new one.
     * @throws IOException when that fails.
     */
    void rename(String from, String to) throws IOException;

    /**
     * Removes a file. A crash may undo it.
     *
     * @param name of it.
     * @throws IOException when that fails.
     */
    void delete(String name) throws IOException;

    /**
     * Brings all names to stable storage.
     *
     * @throws IOException when that fails.
     */
    void syncDirectory() throws IOException;

    /**
     * {@return where a file is, for messages}
     *
     * @param name of it.
     */
    String where(String name);
}
