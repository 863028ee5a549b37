package io.millrace.manager.store;

import io.millrace.control.message.CommandId;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.Terms;
import io.millrace.control.state.DesiredState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The versions of the desired state of one data plane, one file each, and the term of its manager. Writing a version is
 * atomic: it is written to a temporary file, synced and renamed, and the directory is synced. {@link #history()} may be
 * asked by any thread, all else is for one thread at a time.
 */
public final class StateStore
{
    private static final Pattern NAME = Pattern.compile("state-(\\d{8,18})\\.yaml");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final String TEMPORARY = ".tmp";
    private static final String DAMAGED = ".damaged";
    private static final String TERM = "term";
    private static final String SERVED_FILES = "served-files";

    private final StateDisk disk;
    private final RetainedVersions kept;
    private volatile List<VersionHeader> history = List.of();
    private final List<String> warnings = new ArrayList<>();
    /** First version with a change that the next one reverts; MAX_VALUE: none. */
    private long revertedFrom = Long.MAX_VALUE;
    private Version latest;
    private UUID lineage = UUID.randomUUID();
    /** Version of a data plane that the next one has to come after. */
    private long before;
    private long term;
    private Map<String, String> servedFiles = Map.of();

    private StateStore(final StateDisk disk, final int keep)
    {
        this.disk = disk;
        kept = new RetainedVersions(keep);
    }

    /**
     * Reads what is kept.
     *
     * @param disk       that it is kept on.
     * @param keep       most versions, without those that were taken back.
     * @param useVersion to go on with instead of later ones, which are put aside; 0: the last.
     * @param option     how that is asked for on the command line, for messages: {@code --use-version VERSION}.
     * @return the store.
     * @throws IOException    when something cannot be read.
     * @throws StoreException when the version to go on with is damaged or not there; says which other there is.
     */
    public static StateStore open(
        final StateDisk disk, final int keep, final long useVersion, final String option) throws IOException
    {
        final StateStore store = new StateStore(disk, keep);
        store.load(useVersion, option);
        return store;
    }

    private void load(final long useVersion, final String option) throws IOException
    {
        final NavigableMap<Long, String> files = new TreeMap<>();
        for (final String name : disk.list())
        {
            final Matcher matcher = NAME.matcher(name);
            if (matcher.matches())
            {
                files.put(Long.parseLong(matcher.group(1)), name);
            }
            else if (name.endsWith(TEMPORARY))
            {
                disk.delete(name);
            }
        }
        readTerm();
        if (0 != useVersion && !files.containsKey(useVersion))
        {
            throw new StoreException(disk.where(name(useVersion)) + ": there is no version " + useVersion +
                (files.isEmpty() ? "" : "; there are " + files.firstKey() + " to " + files.lastKey()));
        }
        final long chosen = 0 != useVersion ? useVersion : files.isEmpty() ? 0 : files.lastKey();
        if (0 == chosen)
        {
            return;
        }
        final Version version = read(files, chosen, option);
        files.headMap(chosen, false).forEach(this::readHeader);
        kept.put(chosen, version.header());
        latest = version;
        term = Math.max(term, version.header().term());
        final boolean hasLineage = version.header().position().isKnown();
        lineage = hasLineage ? version.header().lineage() : lineage;
        if (chosen != files.lastKey())
        {
            putAside(files.tailMap(chosen, false));
        }
        else if (!hasLineage)
        {
            // At once: a data plane is told of it, and a lineage that was made again would be another.
            append(Instant.now(), "manager", "lineage of versions before", List.of(), List.of(), latest.state());
        }
        publish();
        readServedFiles();
    }

    private void readServedFiles() throws IOException
    {
        final Map<String, String> found = new HashMap<>();
        if (disk.list().contains(SERVED_FILES))
        {
            new String(disk.read(SERVED_FILES), StandardCharsets.UTF_8).lines()
                .map((line) -> line.split("\t", 2)).filter((each) -> 2 == each.length)
                .forEach((each) -> found.put(each[0], each[1]));
        }
        else
        {
            // Kept by a version before this one: of what was desired nearly all was carried out.
            latest.state().devices().values().stream().filter((each) -> !each.place().isEmpty())
                .forEach((each) -> found.put(each.name(), each.place()));
        }
        servedFiles = Map.copyOf(found);
    }

    /**
     * {@return files that devices of the data plane had, by name of the device}
     */
    public Map<String, String> servedFiles()
    {
        return servedFiles;
    }

    /**
     * Keeps which files devices had.
     *
     * @param value paths by name of the device.
     * @throws IOException when they cannot be kept.
     */
    public void servedFiles(final Map<String, String> value) throws IOException
    {
        final StringBuilder text = new StringBuilder();
        new TreeMap<>(value).forEach((name, path) -> text.append(name).append('\t').append(path).append('\n'));
        replace(SERVED_FILES, text.toString().getBytes(StandardCharsets.UTF_8));
        disk.syncDirectory();
        servedFiles = Map.copyOf(value);
    }

    private Version read(final NavigableMap<Long, String> files, final long number, final String option)
        throws IOException
    {
        final String where = disk.where(files.get(number));
        try
        {
            final Version version = VersionFile.read(where, disk.read(files.get(number)));
            if (version.number() != number)
            {
                throw new StoreException(where + ":2: version is " + version.number() + ", the file's name says " +
                    number + ": the file was renamed");
            }
            return version;
        }
        catch (final StoreException e)
        {
            for (final Map.Entry<Long, String> each : files.headMap(number, false).descendingMap().entrySet())
            {
                final VersionHeader before = readableHeader(each.getValue());
                if (null != before)
                {
                    throw new StoreException(e.getMessage() + "; restore it, or go on with version " + each.getKey() +
                        " of " + before.time() + ": start with " +
                        option.replace("VERSION", Long.toString(each.getKey())), e);
                }
            }
            throw new StoreException(e.getMessage() + "; restore it: no version before it is sound", e);
        }
    }

    /** Null when the file is damaged. */
    private VersionHeader readableHeader(final String name) throws IOException
    {
        try
        {
            return VersionFile.read(disk.where(name), disk.read(name)).header();
        }
        catch (final StoreException e)
        {
            return null;
        }
    }

    private void readHeader(final long number, final String name)
    {
        VersionHeader header;
        try
        {
            header = VersionFile.readHeader(disk.where(name), disk.read(name));
        }
        catch (final StoreException | IOException e)
        {
            header = new VersionHeader(number, StatePosition.NO_LINEAGE, 0, Instant.EPOCH, "", "cannot be read: " +
                e.getMessage(),
                new VersionHeader.Counts(0, 0, 0, 0, 0), List.of(), List.of());
        }
        kept.put(number, header);
    }

    /** Their numbers are not given again: what follows comes after them. */
    private void putAside(final NavigableMap<Long, String> files) throws IOException
    {
        final long before = latest.number();
        final Long last = files.lowerKey(StatePosition.VERSION_MAX);
        checkNext(new StatePosition(lineage, term, before));
        append((null == last ? before : last) + 1, Instant.now(), "manager",
            "version " + before + " used again, by the command line", List.of(), List.of(), latest.state());
        for (final String name : files.values())
        {
            disk.rename(name, name + DAMAGED);
        }
        disk.syncDirectory();
    }

    private void readTerm() throws IOException
    {
        if (!disk.list().contains(TERM))
        {
            return;
        }
        final String text = new String(disk.read(TERM), StandardCharsets.UTF_8).strip();
        if (NUMBER.matcher(text).matches() && Long.parseLong(text) <= Terms.MAX)
        {
            term = Long.parseLong(text);
            return;
        }
        // Not needed: terms are ordered by what data planes hold. It must not keep the manager from starting for good.
        disk.rename(TERM, TERM + DAMAGED);
        disk.syncDirectory();
        warnings.add(disk.where(TERM) + ":1: is no term from 0 to " + Terms.MAX + ", and was renamed to " + TERM +
            DAMAGED + "; the manager takes a term above the one that the data plane holds");
    }

    /**
     * {@return what was found damaged and put aside when the store was opened, a line each}
     */
    public List<String> warnings()
    {
        return List.copyOf(warnings);
    }

    /**
     * {@return the last version, or null when there is none}
     */
    public Version latest()
    {
        return latest;
    }

    /**
     * {@return what is kept, the oldest first; any thread}
     */
    public List<VersionHeader> history()
    {
        return history;
    }

    /**
     * {@return the term that this manager took last; 0: none}
     */
    public long term()
    {
        return term;
    }

    /**
     * Reads a version.
     *
     * @param number of it.
     * @return the version.
     * @throws IOException    when it cannot be read.
     * @throws StoreException when it is damaged.
     */
    public Version read(final long number) throws IOException
    {
        return VersionFile.read(disk.where(name(number)), disk.read(name(number)));
    }

    /**
     * Goes on behind a version that a data plane has, in its lineage: what is appended next is newer than that.
     *
     * @param held by the data plane.
     * @throws IOException when no version can follow; nothing was changed.
     */
    public void continueAfter(final StatePosition held) throws IOException
    {
        checkNext(held);
        lineage = held.lineage();
        before = Math.max(before, held.version());
        term = Math.max(term, held.term());
    }

    private static void checkNext(final StatePosition last) throws IOException
    {
        if (!last.isWithinBounds() || last.version() >= StatePosition.VERSION_MAX)
        {
            throw new IOException("no version can follow " + last + ": versions are at most " +
                StatePosition.VERSION_MAX + ", their terms at most " + Terms.MAX);
        }
    }

    /**
     * Versions from one on have a change that was refused, and the next that is appended has not: they leave their
     * places among those kept to others, and so does that one when it is as the last one before them. As many of them
     * as of the others are kept besides.
     *
     * @param first of them.
     */
    public void revertFrom(final long first)
    {
        revertedFrom = Math.min(revertedFrom, first);
    }

    /**
     * Keeps another version. When this returns nothing loses it any more; when it throws, it is as if it had not been
     * called, even after the next start.
     *
     * @param time     when it was made.
     * @param author      made it.
     * @param comment  of who made it, or empty.
     * @param commands ids of the commands that made it.
     * @param refused  commands before it that are not in it.
     * @param state    that should be.
     * @return the version.
     * @throws IOException when it cannot be kept, such as when the disk is full, or no version can follow the last.
     */
    public Version append(
        final Instant time,
        final String author,
        final String comment,
        final List<CommandId> commands,
        final List<Refusal> refused,
        final DesiredState state) throws IOException
    {
        final long last = Math.max(before, null == latest ? 0 : latest.number());
        checkNext(new StatePosition(lineage, term, last));
        return append(last + 1, time, author, comment, commands, refused, state);
    }

    private Version append(
        final long number,
        final Instant time,
        final String author,
        final String comment,
        final List<CommandId> commands,
        final List<Refusal> refused,
        final DesiredState state) throws IOException
    {
        final VersionHeader plain = new VersionHeader(
            number, lineage, term, time, author, comment, VersionHeader.Counts.of(state), commands, refused);
        final VersionHeader header = plain.reverting(revertedBy(plain, state));
        final String name = name(number);
        replace(name, VersionFile.write(header, state));
        try
        {
            disk.syncDirectory();
        }
        catch (final IOException e)
        {
            // It has its name already, and would be found at the next start.
            discard(name, e);
            throw e;
        }
        latest = new Version(header, state);
        kept.put(number, header);
        revertedFrom = Long.MAX_VALUE;
        removeOldest();
        publish();
        return latest;
    }

    private List<Long> revertedBy(final VersionHeader header, final DesiredState state)
    {
        final List<Long> found = kept.from(revertedFrom);
        final long before = kept.before(revertedFrom);
        if (!found.isEmpty() && 0 != before && isSameState(before, VersionFile.write(header, state)))
        {
            found.add(header.version());
        }
        return found;
    }

    private boolean isSameState(final long number, final byte[] content)
    {
        try
        {
            return VersionFile.isSameState(content, disk.read(name(number)));
        }
        catch (final IOException e)
        {
            return false;
        }
    }

    private void replace(final String name, final byte[] content) throws IOException
    {
        final String temporary = name + TEMPORARY;
        try
        {
            disk.write(temporary, content);
            disk.sync(temporary);
            disk.rename(temporary, name);
        }
        catch (final IOException e)
        {
            discard(temporary, e);
            throw e;
        }
    }

    private void discard(final String name, final IOException cause)
    {
        try
        {
            disk.delete(name);
        }
        catch (final IOException e)
        {
            cause.addSuppressed(e);
        }
    }

    /** What cannot be removed now is tried again with the next version. */
    private void removeOldest()
    {
        for (long number = kept.superfluous(); 0 != number; number = kept.superfluous())
        {
            try
            {
                disk.delete(name(number));
            }
            catch (final IOException e)
            {
                return;
            }
            kept.remove(number);
        }
    }

    /**
     * Keeps a term. When this returns nothing loses it any more.
     *
     * @param value of the manager, at most {@link Terms#MAX}.
     * @throws IOException when it cannot be kept.
     */
    public void term(final long value) throws IOException
    {
        if (!Terms.isTerm(value))
        {
            throw new IOException("term " + value + " is not within 1 to " + Terms.MAX);
        }
        replace(TERM, (value + "\n").getBytes(StandardCharsets.UTF_8));
        disk.syncDirectory();
        term = value;
    }

    private void publish()
    {
        history = Collections.unmodifiableList(kept.list());
    }

    private static String name(final long number)
    {
        return String.format(Locale.ROOT, "state-%08d.yaml", number);
    }
}
