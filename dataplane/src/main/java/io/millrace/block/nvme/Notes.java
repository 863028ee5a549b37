package io.millrace.block.nvme;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The newest notes for the operator about a drive, distinct sentences. Any thread.
 */
final class Notes
{
    private static final int COUNT_MAX = 64;

    private final String address;
    private final NvmeListener listener;
    private final Set<String> sentences = new LinkedHashSet<>();

    /**
     * None yet.
     *
     * @param address  of the drive.
     * @param listener notified of each, again too.
     */
    Notes(final String address, final NvmeListener listener)
    {
        this.address = address;
        this.listener = listener;
    }

    /**
     * Adds one.
     *
     * @param what goes on after the drive's name.
     */
    void add(final String what)
    {
        final String sentence = sentence(what);
        synchronized (sentences)
        {
            sentences.remove(sentence);
            sentences.add(sentence);
            if (sentences.size() > COUNT_MAX)
            {
                sentences.remove(sentences.iterator().next());
            }
        }
        listener.onEvent(address, sentence);
    }

    /**
     * {@return the whole sentence}
     *
     * @param what goes on after the drive's name.
     */
    String sentence(final String what)
    {
        return "drive " + address + " " + what;
    }

    /**
     * {@return a copy, oldest first}
     */
    List<String> all()
    {
        synchronized (sentences)
        {
            return new ArrayList<>(sentences);
        }
    }
}
