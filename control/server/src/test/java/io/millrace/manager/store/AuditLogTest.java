package io.millrace.manager.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest
{
    @TempDir
    private Path directory;

    private static AuditEntry entry(final String command)
    {
        return new AuditEntry(0, Instant.parse("2026-11-21T10:11:12Z"), "dp0", "alice", "ops", Role.ADMIN, command,
            42, Code.OK, "");
    }

    @Test
    void shouldWriteALineForEach() throws IOException
    {
        final AuditLog log = AuditLog.open(FileDisk.of(directory));
        log.append(List.of(entry("create device mem0"), entry("delete device \"mem0\"")));
        assertEquals("""
            {"sequence": 1, "time": "2026-11-21T10:11:12Z", "data-plane": "dp0", "client": "alice", "key": "ops", \
            "role": "admin", "command": "create device mem0", "version": 42, "result": "ok", "message": ""}
            {"sequence": 2, "time": "2026-11-21T10:11:12Z", "data-plane": "dp0", "client": "alice", "key": "ops", \
            "role": "admin", "command": "delete device \\"mem0\\"", "version": 42, "result": "ok", "message": ""}
            """, Files.readString(directory.resolve("audit.jsonl")));
    }

    @Test
    void shouldGoOnWhereItWasWhenALineWasCut() throws IOException
    {
        final AuditLog log = AuditLog.open(FileDisk.of(directory));
        log.append(List.of(entry("one"), entry("two")));
        Files.writeString(directory.resolve("audit.jsonl"), "{\"sequence\": 3, \"ti", StandardOpenOption.APPEND);
        final AuditLog again = AuditLog.open(FileDisk.of(directory));
        assertEquals(0, log.unreadCount());
        assertEquals(1, again.unreadCount());
        assertEquals(List.of("one", "two"), again.recent().stream().map(AuditEntry::command).toList());
        again.append(List.of(entry("three")));
        assertEquals(3, again.recent().getLast().sequence());
        assertEquals(4, Files.readAllLines(directory.resolve("audit.jsonl")).size());
    }

    @Test
    void shouldBeginAnotherFileWhenOneIsLong() throws IOException
    {
        final AuditLog log = AuditLog.open(FileDisk.of(directory), 1000);
        for (int i = 1; i <= 100; i++)
        {
            log.append(List.of(entry("command " + i)));
        }
        assertTrue(Files.size(directory.resolve("audit.jsonl")) < 1500);
        assertTrue(Files.exists(directory.resolve("audit.7.jsonl")));
        assertFalse(Files.exists(directory.resolve("audit.8.jsonl")));
        final AuditLog again = AuditLog.open(FileDisk.of(directory), 1000);
        assertEquals(100, again.recent().getLast().sequence());
        for (int i = 0; i < AuditLog.RECENT_MAX; i++)
        {
            again.append(List.of(entry("more")));
        }
        assertEquals(AuditLog.RECENT_MAX, again.recent().size());
        assertEquals(101, again.recent().getFirst().sequence());
    }

    @Property(tries = 500)
    void shouldReadAnyEntryAsItWasWritten(@ForAll final String command, @ForAll final String text)
    {
        final AuditEntry entry = new AuditEntry(7, Instant.EPOCH, "", text, command, Role.READ, command, 0,
            Code.STALE_TERM, text);
        assertFalse(entry.line().contains("\n"));
        assertEquals(entry, AuditEntry.parse(entry.line()));
        assertNull(AuditEntry.parse(entry.line().substring(1)));
    }
}
