package io.millrace.lab.guest;

import io.millrace.pci.DmaMap;
import io.millrace.pci.MappedBar;
import io.millrace.pci.PciFunction;
import java.util.function.LongUnaryOperator;

/**
 * A PCI function whose driver is told wrong addresses: what the drive is sent to is not what was mapped for it.
 */
final class AstrayFunction implements PciFunction
{
    private final PciFunction function;
    private final long ledAstray;
    private final LongUnaryOperator wrong;

    /**
     * Over a function that tells the truth.
     *
     * @param function  that does everything.
     * @param ledAstray address of the memory whose mapping is told wrong.
     * @param wrong     what is told instead of its I/O virtual address.
     */
    AstrayFunction(final PciFunction function, final long ledAstray, final LongUnaryOperator wrong)
    {
        this.function = function;
        this.ledAstray = ledAstray;
        this.wrong = wrong;
    }

    @Override
    public String address()
    {
        return function.address();
    }

    @Override
    public MappedBar bar0()
    {
        return function.bar0();
    }

    @Override
    public DmaMap dma()
    {
        final DmaMap dma = function.dma();
        return new DmaMap()
        {
            @Override
            public long map(final long address, final long lengthBytes)
            {
                final long iova = dma.map(address, lengthBytes);
                return address == ledAstray ? wrong.applyAsLong(iova) : iova;
            }

            @Override
            public void unmap(final long iova, final long lengthBytes)
            {
                dma.unmap(iova, lengthBytes);
            }

            @Override
            public long pageBytes()
            {
                return dma.pageBytes();
            }
        };
    }

    @Override
    public void enableBusMaster(final boolean enabled)
    {
        function.enableBusMaster(enabled);
    }

    @Override
    public boolean reset()
    {
        return function.reset();
    }

    @Override
    public int interruptFd(final int vector)
    {
        return function.interruptFd(vector);
    }

    @Override
    public boolean isGone()
    {
        return function.isGone();
    }

    @Override
    public void close()
    {
        function.close();
    }
}
