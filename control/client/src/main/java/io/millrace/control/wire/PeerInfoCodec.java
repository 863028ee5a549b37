package io.millrace.control.wire;

import io.millrace.control.codec.DeviceType;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.SessionOpenedDecoder;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.Property;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Encoding of a peer's capabilities in SessionOpened: a bit for each enum value, and property names. Unknown ones of
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

    static long deviceTypes(final PeerInfo peer)
    {
        long bits = 0;
        for (final DeviceType each : peer.deviceTypes())
        {
            bits |= 1L << each.value();
        }
        return bits;
    }

    static String properties(final PeerInfo peer)
    {
        return peer.properties().stream().map(Property::word).sorted().collect(Collectors.joining(BLANK));
    }

    /** Reads it; programVersion and properties are the texts that come next. */
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
        final Set<DeviceType> deviceTypes = EnumSet.noneOf(DeviceType.class);
        for (final DeviceType each : DeviceType.values())
        {
            if (DeviceType.NULL_VAL != each && DeviceType.SBE_UNKNOWN != each &&
                0 != (message.deviceTypes() & 1L << each.value()))
            {
                deviceTypes.add(each);
            }
        }
        final String programVersion = message.programVersion();
        final Set<String> words = Set.copyOf(Arrays.asList(message.properties().split(BLANK)));
        final Set<Property> properties = EnumSet.noneOf(Property.class);
        for (final Property each : Property.values())
        {
            if (words.contains(each.word()))
            {
                properties.add(each);
            }
        }
        return new PeerInfo(
            message.schemaVersion(), message.peerType(), kinds, deviceTypes, properties, programVersion);
    }
}
