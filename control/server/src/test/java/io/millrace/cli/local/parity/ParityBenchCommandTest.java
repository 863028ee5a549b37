package io.millrace.cli.local.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.Json;
import io.millrace.parity.ParityEngineType;
import io.millrace.parity.ParityMeasurement.Operation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is printed of a measurement. */
class ParityBenchCommandTest
{
    private static final ParityBenchCommand.Shape SMALL = new ParityBenchCommand.Shape(8, 4 << 10);
    private static final ParityBenchCommand.Shape LARGE = new ParityBenchCommand.Shape(8, 8 << 20);
    private static final List<ParityBenchCommand.Result> RESULTS = List.of(
        new ParityBenchCommand.Result(SMALL, Operation.PQ, ParityEngineType.VECTOR, 60e9),
        new ParityBenchCommand.Result(LARGE, Operation.PQ, ParityEngineType.VECTOR, 15e9),
        new ParityBenchCommand.Result(SMALL, Operation.PQ, ParityEngineType.ISAL, 30e9));

    @Test
    void shouldPrintABarForEachEngineByShape()
    {
        assertEquals(List.of(
            "8+2 x 4KiB    P+Q         vector    60.0 GB/s  " + "#".repeat(40),
            "8+2 x 4KiB    P+Q         isa-l     30.0 GB/s  " + "#".repeat(20),
            "8+2 x 8MiB    P+Q         vector    15.0 GB/s  " + "#".repeat(10)),
            ParityBenchCommand.lines(RESULTS));
    }

    @Test
    void shouldPrintJson()
    {
        final String json = Json.write(ParityBenchCommand.json(RESULTS)).replaceAll("\\s+", "");
        assertTrue(json.startsWith("{\"results\":[{\"data\":8,\"strip-bytes\":4096,\"operation\":\"P+Q\"," +
            "\"engine\":\"vector\",\"bytes-per-second\":60000000000},"), json);
        assertTrue(json.contains("\"unavailable\":["), json);
    }
}
