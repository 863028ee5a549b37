package io.millrace.control.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.control.codec.Role;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControlClientContextTest
{
    private static final String UDP = "aeron:udp?endpoint=127.0.0.1:4421";

    private static String error(final ControlClientContext context)
    {
        return assertThrows(ControlSettingException.class, context::conclude).getMessage();
    }

    @Test
    void shouldHaveDefaultsForAClientOnTheSameMachine()
    {
        final ControlClientContext context = new ControlClientContext().conclude();
        assertEquals("aeron:ipc", context.requestChannel());
        assertEquals("aeron:ipc", context.responseChannel());
        assertEquals(Role.READ, context.role());
    }

    @Test
    void shouldBeConcludedOnce()
    {
        final ControlClientContext context = new ControlClientContext().conclude();
        assertThrows(IllegalStateException.class, context::conclude);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "connectTimeoutNs | 0 | must be from 1000000 to 86400000000000",
        "callTimeoutNs | 999999 | must be from 1000000 to 86400000000000",
        "livenessTimeoutNs | -1 | must be from 1000000 to 86400000000000",
        "reconnectDelayNs | -1 | must be from 0 to 86400000000000",
        "commandsMax | 0 | must be from 1 to 65536",
        "term | -2 | must be from -1 to 1000000000000"})
    void shouldNameSettingValueBoundAndRemedy(final String setting, final long value, final String bound)
    {
        final ControlClientContext context = new ControlClientContext();
        switch (setting)
        {
            case "connectTimeoutNs" -> context.connectTimeoutNs(value);
            case "callTimeoutNs" -> context.callTimeoutNs(value);
            case "livenessTimeoutNs" -> context.livenessTimeoutNs(value);
            case "reconnectDelayNs" -> context.reconnectDelayNs(value);
            case "commandsMax" -> context.commandsMax((int)value);
            default -> context.term(value);
        }
        assertEquals(setting + " = " + value + ": " + bound + "; choose a value between", error(context));
    }

    @Test
    void shouldRefuseWhatDoesNotGoTogether()
    {
        assertEquals("requestChannel = udp: is no Aeron channel; use aeron:ipc or aeron:udp?endpoint=ADDRESS:PORT",
            error(new ControlClientContext().requestChannel("udp")));
        assertEquals("responseChannel = null: must be given when requests go over UDP; use " +
            "aeron:udp?endpoint=ADDRESS:0 with an address of this machine that the data plane reaches",
            error(new ControlClientContext().requestChannel(UDP)));
        assertEquals("responseChannel = " + UDP + ": must be of the same medium as requestChannel = aeron:ipc; " +
            "use IPC or UDP for both", error(new ControlClientContext().responseChannel(UDP)));
        assertEquals("secret = null: must be given when requests go over UDP; read one with SharedSecret.read(file)",
            error(new ControlClientContext().requestChannel(UDP).responseChannel(UDP)));
        assertEquals("keyName = \"\": must name the secret; give both, secret and name, or none",
            error(new ControlClientContext().secret(ControlFixture.SECRET)));
        assertEquals("keyName = \"k\": names a secret that was not given; give both, secret and name, or none",
            error(new ControlClientContext().keyName("k")));
        assertEquals("clientName = \"\": must not be empty; name program and user",
            error(new ControlClientContext().clientName("")));
        assertEquals("clientName = (not printable): has a character at index 1 that cannot be sent; use letters and " +
            "digits", error(new ControlClientContext().clientName("a\n")));
        assertEquals("role = NULL_VAL: is invalid; use READ, OPERATOR or ADMIN",
            error(new ControlClientContext().role(Role.NULL_VAL)));
    }
}
