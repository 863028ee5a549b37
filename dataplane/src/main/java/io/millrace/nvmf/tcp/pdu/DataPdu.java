package io.millrace.nvmf.tcp.pdu;

/**
 * H2CData and C2HData: a header, then data (NVMe/TCP Transport 1.0, sections 3.6.2.8 and 3.6.2.9, figures 26 and 27).
 */
public final class DataPdu extends TransferPdu
{
    /**
     * Creates a flyweight that wraps nothing.
     */
    public DataPdu()
    {
    }
}
