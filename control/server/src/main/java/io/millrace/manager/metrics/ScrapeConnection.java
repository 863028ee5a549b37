package io.millrace.manager.metrics;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.agrona.concurrent.NanoClock;

/**
 * A connection of a client: one request, one answer, then it is closed. Runs on a thread of its own, which others end
 * by {@link #end(ScrapeResult)}.
 */
final class ScrapeConnection implements Runnable
{
    /** From the connection until the request is there. */
    private static final long REQUEST_MAX_NS = TimeUnit.SECONDS.toNanos(5);
    /** Until data planes have answered. */
    private static final long COLLECT_MAX_NS = TimeUnit.SECONDS.toNanos(15);
    /** Until the answer has left. */
    private static final long ANSWER_MAX_NS = TimeUnit.SECONDS.toNanos(10);
    /** Until a client that was refused has sent the rest. */
    private static final long DRAIN_MAX_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int DRAIN_READS_MAX = 64;

    private final Socket socket;
    private final MetricsPages pages;
    private final Probes probes;
    private final ScrapeCounts counts;
    private final NanoClock clock;
    private final Consumer<ScrapeConnection> onClosed;
    private final AtomicReference<ScrapeResult> result = new AtomicReference<>();
    private volatile long deadlineNs;
    /** Of the page that is sent; 0: none. */
    private volatile long generation;

    ScrapeConnection(
        final Socket socket,
        final MetricsPages pages,
        final Probes probes,
        final ScrapeCounts counts,
        final NanoClock clock,
        final Consumer<ScrapeConnection> onClosed)
    {
        this.socket = socket;
        this.pages = pages;
        this.probes = probes;
        this.counts = counts;
        this.clock = clock;
        this.onClosed = onClosed;
        deadlineNs = clock.nanoTime() + REQUEST_MAX_NS;
    }

    InetAddress client()
    {
        return socket.getInetAddress();
    }

    boolean isOverdue(final long nowNs)
    {
        return nowNs - deadlineNs >= 0;
    }

    /** Of the page that is sent now; 0: none. */
    long generation()
    {
        return generation;
    }

    /** Closes it, unless it has ended. Any thread. */
    void end(final ScrapeResult reason)
    {
        result.compareAndSet(null, reason);
        CloseHelper.quietClose(socket);
    }

    @Override
    public void run()
    {
        String reason = null;
        try
        {
            serve();
        }
        catch (final IOException e)
        {
            result.compareAndSet(null, ScrapeResult.ABORTED);
        }
        catch (final RuntimeException e)
        {
            result.compareAndSet(null, ScrapeResult.FAILED);
            reason = e.toString();
        }
        finally
        {
            CloseHelper.quietClose(socket);
            if (null != result.get())
            {
                counts.add(result.get(), client(), reason);
            }
            onClosed.accept(this);
        }
    }

    private void serve() throws IOException
    {
        final ScrapeRequest request;
        try
        {
            request = ScrapeRequest.read(socket.getInputStream());
        }
        catch (final ScrapeRequest.Refused e)
        {
            refuse(e.status(), e.headers(), e.getMessage(), false);
            return;
        }
        if (null == request)
        {
            // Somebody looked whether the port is open.
            return;
        }
        switch (request.path())
        {
            case "/metrics" -> answer(request);
            case "/health" -> answer(probes.health(), request.isHead());
            case "/ready" -> answer(probes.ready(), request.isHead());
            default -> refuse("404 Not Found", "", "there are /metrics, /health and /ready", request.isHead());
        }
        result.compareAndSet(null, ScrapeResult.ANSWERED);
    }

    private void answer(final ScrapeRequest request) throws IOException
    {
        deadlineNs = clock.nanoTime() + COLLECT_MAX_NS;
        final MetricsPages.Page page;
        try
        {
            page = pages.page(request.accept(), request.isGzip());
        }
        catch (final RuntimeException e)
        {
            send("500 Internal Server Error", "text/plain", "", bytes("see the log\n"), request.isHead());
            throw e;
        }
        generation = page.generation();
        send("200 OK", page.contentType(), page.isGzip() ? "Content-Encoding: gzip\r\n" : "", page.bytes(),
            request.isHead());
    }

    private void answer(final Probes.Answer answer, final boolean isHead) throws IOException
    {
        send(answer.isOk() ? "200 OK" : "503 Service Unavailable", "text/plain", "", bytes(answer.text() + '\n'),
            isHead);
    }

    private void refuse(final String status, final String headers, final String problem, final boolean isHead)
        throws IOException
    {
        send(status, "text/plain", headers, bytes(status + ": " + problem + '\n'), isHead);
        result.compareAndSet(null, ScrapeResult.REFUSED);
        // A socket that is closed before all was read is reset, which takes the answer from the client.
        deadlineNs = clock.nanoTime() + DRAIN_MAX_NS;
        final InputStream in = socket.getInputStream();
        final byte[] rest = new byte[ScrapeRequest.LENGTH_MAX_BYTES];
        for (int i = 0; i < DRAIN_READS_MAX && in.read(rest) >= 0; i++)
        {
            Thread.onSpinWait();
        }
    }

    private void send(
        final String status,
        final String contentType,
        final String headers,
        final byte[] content,
        final boolean isHead) throws IOException
    {
        deadlineNs = clock.nanoTime() + ANSWER_MAX_NS;
        final OutputStream out = socket.getOutputStream();
        out.write(bytes("HTTP/1.1 " + status + "\r\nContent-Type: " + contentType + "\r\n" + headers +
            "Content-Length: " + content.length +
            "\r\nConnection: close\r\n\r\n"));
        if (!isHead)
        {
            out.write(content);
        }
        socket.shutdownOutput();
    }

    private static byte[] bytes(final String text)
    {
        return text.getBytes(ISO_8859_1);
    }
}
