package io.millrace.manager.metrics;

import java.util.Locale;

/**
 * How a scrape ended.
 */
enum ScrapeResult
{
    /** Answered as a whole. */
    ANSWERED,
    /** Answered with an error: no request that is understood, or no metrics at that path. */
    REFUSED,
    /** The client closed or reset the connection before it had all of the answer. */
    ABORTED,
    /** The client took too long to send its request or to take the answer. */
    TIMED_OUT,
    /** Closed in favour of a later connection: there were as many as are served at once. */
    DISPLACED,
    /** An error of this program. */
    FAILED;

    String label()
    {
        return name().toLowerCase(Locale.ROOT);
    }
}
