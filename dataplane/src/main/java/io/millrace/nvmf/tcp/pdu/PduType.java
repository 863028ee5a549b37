package io.millrace.nvmf.tcp.pdu;

/**
 * Numbers of the PDU types (NVMe/TCP Transport 1.0, figure 10). Bit 0 is the direction: 0 from host to controller.
 */
public final class PduType
{
    /** ICReq: the host opens the connection. */
    public static final int IC_REQ = 0x00;
    /** ICResp: the controller accepts. */
    public static final int IC_RESP = 0x01;
    /** H2CTermReq: the host met a fatal error. */
    public static final int H2C_TERM_REQ = 0x02;
    /** C2HTermReq: the controller met a fatal error. */
    public static final int C2H_TERM_REQ = 0x03;
    /** CapsuleCmd: a command, with data or without. */
    public static final int CAPSULE_COMMAND = 0x04;
    /** CapsuleResp: a completion. */
    public static final int CAPSULE_RESPONSE = 0x05;
    /** H2CData: data that an R2T asked for. */
    public static final int H2C_DATA = 0x06;
    /** C2HData: data of a read. */
    public static final int C2H_DATA = 0x07;
    /** R2T: the controller asks for data. */
    public static final int READY_TO_TRANSFER = 0x09;

    private PduType()
    {
    }
}
