package io.millrace.nvme;

/**
 * Offsets of the controller properties that fabrics have (NVM Express Base 2.0, section 3.1.3).
 */
public final class ControllerProperty
{
    /** Controller capabilities (CAP), 8 bytes; see {@link ControllerCapabilities}. */
    public static final int CAPABILITIES = 0x00;
    /** Version (VS), 4 bytes. */
    public static final int VERSION = 0x08;
    /** Controller configuration (CC), 4 bytes; see {@link ControllerConfiguration}. */
    public static final int CONFIGURATION = 0x14;
    /** Controller status (CSTS), 4 bytes; see {@link ControllerStatus}. */
    public static final int STATUS = 0x1C;
    /**
     * Controller ready timeouts (CRTO), 4 bytes: with media in bits 15:0, without in bits 31:16, in units of 500 ms.
     */
    public static final int READY_TIMEOUTS = 0x68;

    /** Version 2.0.0 as the version property has it: major in bits 31:16, minor in bits 15:8, tertiary in bits 7:0. */
    public static final int VERSION_2_0 = 2 << 16;

    private ControllerProperty()
    {
    }
}
