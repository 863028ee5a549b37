package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class QemuMonitorTest
{
    @Test
    void shouldTellAnswersFromEvents()
    {
        assertTrue(QemuMonitor.hasKey("{\"return\": {}}", "return"));
        assertTrue(QemuMonitor.hasKey("{\"id\": [1, {\"a\": 2}], \"error\" : {}}", "error"));
        assertFalse(QemuMonitor.hasKey("{\"event\": \"X\", \"data\": {\"error\": 1, \"return\": 2}}", "error"));
        assertFalse(QemuMonitor.hasKey("{\"event\": \"return\"}", "return"));
        assertFalse(QemuMonitor.hasKey("{\"desc\": \"a \\\"return\\\": b\"}", "return"));
        assertFalse(QemuMonitor.hasKey("{\"cut off", "return"));
    }
}
