package io.millrace.manager.metrics;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The head of an HTTP request, as far as a scrape needs it. Immutable.
 *
 * @param method   such as {@code GET}.
 * @param path     without a query.
 * @param accept   header {@code Accept}; empty: none.
 * @param isGzip   whether the client takes a compressed answer.
 */
record ScrapeRequest(String method, String path, String accept, boolean isGzip)
{
    /** Longest head. */
    static final int LENGTH_MAX_BYTES = 8 * 1024;
    /** A token of RFC 9110, with nothing before the colon. */
    private static final Pattern FIELD_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final char DELETE = 0x7F;
    private static final Pattern ABSOLUTE_FORM = Pattern.compile("(?i:http)://[^/?#]+(.*)");

    /** A request that is answered with an error. */
    static final class Refused extends IOException
    {
        private static final long serialVersionUID = 1L;

        /** Status line of the answer. */
        private final String status;
        /** Header lines of the answer, each with its end. */
        private final String headers;

        Refused(final String status, final String headers, final String problem)
        {
            super(problem, null);
            this.status = status;
            this.headers = headers;
        }

        String status()
        {
            return status;
        }

        String headers()
        {
            return headers;
        }

        private static Refused bad(final String problem)
        {
            return new Refused("400 Bad Request", "", problem);
        }
    }

    /**
     * Reads the head of a request.
     *
     * @param in of the connection.
     * @return the request; null when the client closed the connection without one.
     * @throws IOException when the connection fails, {@link Refused} when the request is none.
     */
    static ScrapeRequest read(final InputStream in) throws IOException
    {
        final byte[] bytes = new byte[LENGTH_MAX_BYTES];
        int length = 0;
        int start = 0;
        int end = -1;
        while (end < 0)
        {
            if (bytes.length == length)
            {
                throw new Refused("431 Request Header Fields Too Large", "",
                    "the head is longer than " + LENGTH_MAX_BYTES + " bytes: send fewer headers");
            }
            final int count = in.read(bytes, length, bytes.length - length);
            if (count < 0)
            {
                if (start == length)
                {
                    return null;
                }
                throw new IOException("closed within its request");
            }
            length += count;
            start = startOfHead(bytes, length);
            end = endOfHead(bytes, start, length);
        }
        return parse(new String(bytes, start, end - start, ISO_8859_1));
    }

    /** Index of the first line: RFC 9112, section 2.2, has one empty line before it ignored. */
    private static int startOfHead(final byte[] bytes, final int length)
    {
        return length > 1 && '\r' == bytes[0] && '\n' == bytes[1] ? 2 : 0;
    }

    /** Index behind the last line, or -1. */
    private static int endOfHead(final byte[] bytes, final int start, final int length)
    {
        for (int i = start + 3; i < length; i++)
        {
            if ('\n' == bytes[i] && '\r' == bytes[i - 1] && '\n' == bytes[i - 2] && '\r' == bytes[i - 3])
            {
                return i - 3;
            }
        }
        return -1;
    }

    private static ScrapeRequest parse(final String head) throws Refused
    {
        final String[] lines = head.split("\r\n", -1);
        for (final String each : lines)
        {
            if (each.chars().anyMatch((c) -> '\t' != c && Character.isISOControl(c) && c <= DELETE))
            {
                throw Refused.bad("a line has a control character");
            }
        }
        final String[] first = lines[0].split(" ", -1);
        final String target = 3 == first.length ? originForm(first[1]) : "";
        if (!target.startsWith("/") || !first[2].matches("HTTP/1\\.[01]"))
        {
            throw Refused.bad("the first line is not 'GET /PATH HTTP/1.1'");
        }
        if (!"GET".equals(first[0]) && !"HEAD".equals(first[0]))
        {
            throw new Refused("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "the method is neither GET nor HEAD");
        }
        String accept = "";
        boolean isGzip = false;
        for (int i = 1; i < lines.length; i++)
        {
            final int colon = lines[i].indexOf(':');
            if (colon < 0 || !FIELD_NAME.matcher(lines[i].substring(0, colon)).matches())
            {
                throw Refused.bad("header line " + i + " is not 'NAME: VALUE'");
            }
            final String name = lines[i].substring(0, colon).toLowerCase(Locale.ROOT);
            if ("accept".equals(name))
            {
                accept = lines[i].substring(colon + 1).strip();
            }
            else if ("accept-encoding".equals(name))
            {
                isGzip = acceptsGzip(lines[i].substring(colon + 1));
            }
        }
        return new ScrapeRequest(first[0], target.split("\\?", 2)[0], accept, isGzip);
    }

    /** What a proxy is asked for, {@code http://HOST/PATH}, without the host: RFC 9112, section 3.2.2. */
    private static String originForm(final String target)
    {
        final Matcher absolute = ABSOLUTE_FORM.matcher(target);
        if (!absolute.matches())
        {
            return target;
        }
        return absolute.group(1).startsWith("/") ? absolute.group(1) : '/' + absolute.group(1);
    }

    private static boolean acceptsGzip(final String codings)
    {
        for (final String each : codings.split(","))
        {
            // Of a coding without a name, the name is empty.
            final String[] parts = each.strip().toLowerCase(Locale.ROOT).split("\\s*;\\s*", -1);
            if ("gzip".equals(parts[0]))
            {
                return parts.length < 2 || !parts[1].matches("q=0(\\.0*)?");
            }
        }
        return false;
    }

    boolean isHead()
    {
        return "HEAD".equals(method);
    }
}
