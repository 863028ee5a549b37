package io.millrace.control.wire;

import io.millrace.control.codec.Kind;
import io.millrace.control.codec.SessionOpenedDecoder;
import io.millrace.control.message.PeerInfo;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Encoding of a peer's capabilities in SessionOpened: a bit for each kind, and names of device types. Unknown ones of
 * later versions are skipped. Stateless.
 */
final class PeerInfoCodec
{
    private static final String BLANK = " ";

    private PeerInfoCodec()
    {
    }

    static long kinds(final PeerInfo peer)
    {
        long bits = 0;
        for (final Kind each : peer.kinds())
        {
            bits |= 1L << each.value();
        }
        return bits;
    }

    static String deviceTypes(final PeerInfo peer)
    {
        return peer.deviceTypes().stream().sorted().collect(Collectors.joining(BLANK));
    }

    /** Reads it; programVersion and device types are the texts that come next. */
    static PeerInfo peer(final SessionOpenedDecoder message)
    {
        final Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        for (final Kind each : Kind.values())
        {
            if (Kind.NULL_VAL != each && Kind.SBE_UNKNOWN != each && 0 != (message.kinds() & 1L << each.value()))
            {
                kinds.add(each);
            }
        }
        final String programVersion = message.programVersion();
        return new PeerInfo(message.schemaVersion(), message.peerType(), kinds,
            Set.copyOf(Arrays.asList(message.deviceTypes().split(BLANK))), programVersion);
    }
}
