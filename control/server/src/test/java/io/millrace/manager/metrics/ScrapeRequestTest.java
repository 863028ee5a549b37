package io.millrace.manager.metrics;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScrapeRequestTest
{
    private static ScrapeRequest read(final String lines) throws IOException
    {
        return ScrapeRequest.read(new ByteArrayInputStream((lines + "\r\n\r\n").getBytes(ISO_8859_1)));
    }

    @Test
    void shouldTakeTheHeadersOfAScrape() throws IOException
    {
        final ScrapeRequest request = read("GET /metrics?x HTTP/1.1\r\nHost: a:1\r\nX-Empty:\r\n" +
            "Accept:\ttext/plain\r\naccept-encoding: br, gzip\r\nUser-Agent: a\u00E9b\u0085");
        assertEquals(new ScrapeRequest("GET", "/metrics", "text/plain", true), request);
        assertEquals(new ScrapeRequest("GET", "/", "", false), read("GET / HTTP/1.0"));
    }

    /** RFC 9112, section 3.2.2. */
    @Test
    void shouldTakeTheTargetThatProxiesAreSent() throws IOException
    {
        for (final String host : new String[]{"http://a:9464", "HTTP://[2001:db8::1]:9464", "http://a"})
        {
            assertEquals("/metrics", read("GET " + host + "/metrics?x=/y HTTP/1.1\r\nHost: a:9464").path());
            assertEquals("/", read("GET " + host + " HTTP/1.1").path());
            assertEquals("/", read("GET " + host + "?/metrics HTTP/1.1").path());
        }
        for (final String target : new String[]{"http:///metrics", "http://", "https://a/metrics", "a:9464", "*", ""})
        {
            assertRefused("400 Bad Request", "", "the first line is not 'GET /PATH HTTP/1.1'",
                "GET " + target + " HTTP/1.1");
        }
    }

    /** RFC 9112, section 2.2. */
    @Test
    void shouldIgnoreOneEmptyLineBeforeTheRequest() throws IOException
    {
        assertEquals("/metrics", read("\r\nGET /metrics HTTP/1.1\r\nHost: a").path());
        assertRefused("400 Bad Request", "", "the first line is not 'GET /PATH HTTP/1.1'",
            "\r\n\r\nGET /metrics HTTP/1.1");
        assertNull(ScrapeRequest.read(new ByteArrayInputStream("\r\n".getBytes(ISO_8859_1))));
    }

    /** RFC 9112 has these refused, as who is in between may have read them otherwise. */
    @ParameterizedTest
    @ValueSource(strings = {"Host", "Host : a", " Host: a", ": a", "Ho st: a", "Host: a\0b", "Ho\0st: a",
        "Host: a\nb: c", "Host: a\rb", "Host: a\u007F", "Host: a\r\n folded"})
    void shouldRefuseALineThatIsNoHeader(final String line)
    {
        assertEquals("400 Bad Request", assertThrows(ScrapeRequest.Refused.class,
            () -> read("GET /metrics HTTP/1.1\r\n" + line + "\r\nAccept: text/plain")).status());
        assertThrows(ScrapeRequest.Refused.class, () -> read("GET /met\0rics HTTP/1.1"));
    }

    private static void assertRefused(
        final String status,
        final String headers,
        final String problem,
        final String lines)
    {
        final ScrapeRequest.Refused refused = assertThrows(ScrapeRequest.Refused.class, () -> read(lines));
        assertEquals(status, refused.status());
        assertEquals(headers, refused.headers());
        assertEquals(problem, refused.getMessage());
    }

    @Test
    void shouldSayWhatIsWrong()
    {
        final String bad = "400 Bad Request";
        assertRefused(bad, "", "the first line is not 'GET /PATH HTTP/1.1'", "GET /metrics");
        assertRefused(bad, "", "a line has a control character", "GET /met\0rics HTTP/1.1");
        assertRefused(bad, "", "header line 2 is not 'NAME: VALUE'", "GET / HTTP/1.1\r\nA: b\r\nHost");
        assertRefused("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "the method is neither GET nor HEAD",
            "POST / HTTP/1.1");
        assertRefused("431 Request Header Fields Too Large", "",
            "the head is longer than 8192 bytes: send fewer headers", "GET / HTTP/1.1\r\nA: " + "b".repeat(8192));
    }
}
