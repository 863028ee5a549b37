package io.millrace.nvme;

/**
 * Offsets of the controller properties (NVM Express Base 2.0, section 3.1.3). Over PCIe they are registers behind BAR0;
 * fabrics have some of them.
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
     * Admin queue attributes (AQA), 4 bytes: entries less one of the submission queue in bits 11:0, of the completion
     * queue in bits 27:16. PCIe only.
     */
    public static final int ADMIN_QUEUE_ATTRIBUTES = 0x24;
    /** Admin submission queue base address (ASQ), 8 bytes. PCIe only. */
    public static final int ADMIN_SUBMISSION_QUEUE = 0x28;
    /** Admin completion queue base address (ACQ), 8 bytes. PCIe only. */
    public static final int ADMIN_COMPLETION_QUEUE = 0x30;
    /** First doorbell, of the admin submission queue (NVMe over PCIe 1.0, section 3.1.2.1). PCIe only. */
    public static final int DOORBELLS = 0x1000;
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
