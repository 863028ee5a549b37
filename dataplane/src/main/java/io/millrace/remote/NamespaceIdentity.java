package io.millrace.remote;

import io.millrace.nvmf.initiator.NamespaceInfo;
import java.util.Locale;

/**
 * Identifiers that a namespace keeps for its life (NVM Express Base 2.0, section 4.5.1), and its block size. Immutable.
 *
 * @param uuid           empty when it has none.
 * @param nguid          in hexadecimal; empty when it has none.
 * @param eui64          in hexadecimal; empty when it has none.
 * @param blockSizeBytes of a block's data.
 */
record NamespaceIdentity(String uuid, String nguid, String eui64, int blockSizeBytes)
{
    /**
     * {@return identity of a namespace}
     *
     * @param namespace as it was reported.
     */
    static NamespaceIdentity of(final NamespaceInfo namespace)
    {
        return new NamespaceIdentity(
            namespace.uuid(), namespace.nguid(), namespace.eui64(), namespace.blockSizeBytes());
    }

    /**
     * {@return whether it can be told from another namespace}
     */
    boolean isUnique()
    {
        return !uuid.isEmpty() || !nguid.isEmpty() || !eui64.isEmpty();
    }

    /**
     * {@return whether one of its identifiers is a configured one}
     *
     * @param id UUID or NGUID, with or without hyphens, in any case.
     */
    boolean has(final String id)
    {
        final String plain = plain(id);
        return plain.equals(plain(uuid)) || plain.equals(nguid);
    }

    private static String plain(final String id)
    {
        return id.replace("-", "").toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString()
    {
        return (!uuid.isEmpty() ? "UUID " + uuid : !nguid.isEmpty() ? "NGUID " + nguid :
            !eui64.isEmpty() ? "EUI-64 " + eui64 : "no identifier") + " and blocks of " + blockSizeBytes + " bytes";
    }
}
