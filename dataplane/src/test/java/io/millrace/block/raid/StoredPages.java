package io.millrace.block.raid;

import io.millrace.block.raid.format.ChecksumPage;
import java.util.Random;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/** Pages of checksums as members have them, for tests. */
final class StoredPages
{
    private StoredPages()
    {
    }

    /** {@return a valid page of checksums that are those of no block} */
    static byte[] random(final Random random, final UUID member, final int number)
    {
        final byte[] page = new byte[ChecksumPage.BYTES];
        random.nextBytes(page);
        seal(page, member, number);
        return page;
    }

    static void seal(final byte[] page, final UUID member, final int number)
    {
        new ChecksumPage().wrap(new UnsafeBuffer(page), 0).seal(member, number);
    }
}
