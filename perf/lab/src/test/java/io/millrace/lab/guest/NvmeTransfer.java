package io.millrace.lab.guest;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.nvme.ControllerSettings;
import io.millrace.block.nvme.NvmeController;
import io.millrace.block.nvme.NvmeDevice;
import io.millrace.block.nvme.NvmeDeviceConfig;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.SmartLog;
import io.millrace.pci.IommuMode;
import io.millrace.pci.PciFunction;
import io.millrace.pci.VfioFunction;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Copies between files and namespaces of a drive that is driven from here. Lines begin with TRANSFER.
 */
public final class NvmeTransfer
{
    private static final int PIECE_BYTES = 128 << 10;
    private static final int COMPLETION_TIMEOUT_SECONDS = 60;
    private static final byte PAINT = 0x5A;

    private final Reactor reactor = new Reactor(ReactorConfig.of("transfer", -1));
    private final NvmeController controller;
    private final DmaMemory memory;

    private NvmeTransfer(final NvmeController controller, final DmaMemory memory)
    {
        this.controller = controller;
        this.memory = memory;
        reactor.start();
    }

    /**
     * Does what it is told.
     *
     * @param args the drive's address, then any number of {@code write=NSID=FILE}, {@code read=NSID=FILE=BYTES}, {@code
     *             smart}, {@code reset}; or {@code beside=NSID} at the end, which is done by a controller of its own.
     * @throws Exception when something fails.
     */
    public static void main(final String[] args) throws Exception
    {
        final boolean goesBeside = args[args.length - 1].startsWith("beside=");
        final int count = goesBeside ? args.length - 1 : args.length;
        try (DmaMemory memory = DmaMemory.map(PIECE_BYTES);
            NvmeController controller = start(VfioFunction.open(args[0], IommuMode.REQUIRED), memory))
        {
            say("drive " + controller.description());
            final NvmeTransfer transfer = new NvmeTransfer(controller, memory);
            for (int i = 1; i < count; i++)
            {
                transfer.run(args[i].split("="));
            }
            transfer.reactor.close();
        }
        if (goesBeside)
        {
            beside(args[0], Integer.parseInt(args[count].split("=")[1]));
        }
        say("end");
    }

    private static NvmeController start(final PciFunction function, final DmaMemory memory)
    {
        return NvmeController.start(function, MemoryRegistry.of(memory), ControllerSettings.defaults(),
            (address, note) -> say("note " + note));
    }

    /** Has the drive read and write where nothing is mapped: what payload there is stays as it was. */
    private static void beside(final String address, final int nsid) throws Exception
    {
        try (DmaMemory memory = DmaMemory.map(PIECE_BYTES);
            NvmeController controller = start(new AstrayFunction(VfioFunction.open(address, IommuMode.REQUIRED),
                memory.address(), NvmeTransfer::astray), memory);
            NvmeDevice device = NvmeDevice.open(NvmeDeviceConfig.of("astray", address, nsid), controller))
        {
            NativeMemory.fill(memory.address(), PIECE_BYTES, PAINT);
            final NvmeTransfer transfer = new NvmeTransfer(controller, memory);
            final BlockChannel channel = transfer.open(device);
            say("beside read " + transfer.result(device, channel, BlockOperation.READ, 0));
            for (int i = 0; i < PIECE_BYTES; i++)
            {
                if (PAINT != NativeMemory.getByte(memory.address() + i))
                {
                    throw new IllegalStateException("byte " + i + " was written");
                }
            }
            say("beside unchanged, resets " + controller.resets());
            transfer.close(channel);
            transfer.reactor.close();
        }
    }

    private static long astray(final long iova)
    {
        final long wrong = iova + (1L << 32);
        say("beside 0x" + Long.toHexString(wrong));
        return wrong;
    }

    private void run(final String[] words) throws Exception
    {
        switch (words[0])
        {
            case "smart" -> say("smart " + controller.logPage(LogPageId.SMART, SmartLog.SIZE_BYTES).length);
            case "reset" ->
            {
                controller.reset();
                say("resets " + controller.resets());
            }
            case "write" -> write(Integer.parseInt(words[1]), Files.readAllBytes(Path.of(words[2])));
            case "read" -> Files.write(
                Path.of(words[2]), read(Integer.parseInt(words[1]), Integer.parseInt(words[3])));
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private void write(final int nsid, final byte[] bytes) throws Exception
    {
        try (NvmeDevice device = NvmeDevice.open(
            NvmeDeviceConfig.of("ns" + nsid, controller.address(), nsid), controller))
        {
            say("namespace " + nsid + " " + device.geometry());
            final BlockChannel channel = open(device);
            for (int done = 0; done < bytes.length; done += PIECE_BYTES)
            {
                NativeMemory.asByteBuffer(memory.address(), PIECE_BYTES).put(0, bytes, done, PIECE_BYTES);
                submit(device, channel, BlockOperation.WRITE, done);
            }
            close(channel);
        }
    }

    private byte[] read(final int nsid, final int lengthBytes) throws Exception
    {
        final byte[] bytes = new byte[lengthBytes];
        try (NvmeDevice device = NvmeDevice.open(
            NvmeDeviceConfig.of("ns" + nsid, controller.address(), nsid), controller))
        {
            final BlockChannel channel = open(device);
            for (int done = 0; done < bytes.length; done += PIECE_BYTES)
            {
                submit(device, channel, BlockOperation.READ, done);
                NativeMemory.asByteBuffer(memory.address(), PIECE_BYTES).get(0, bytes, done, PIECE_BYTES);
            }
            close(channel);
        }
        return bytes;
    }

    private BlockChannel open(final NvmeDevice device) throws Exception
    {
        final CompletableFuture<BlockChannel> opened = new CompletableFuture<>();
        reactor.execute(() -> device.open(ReactorContext.of(reactor), new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                reactor.addPoller(channel);
                opened.complete(channel);
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                opened.completeExceptionally(reason);
            }
        }));
        return opened.get(COMPLETION_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    private void close(final BlockChannel channel) throws Exception
    {
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        reactor.execute(() ->
        {
            reactor.removePoller(channel);
            channel.close((gone) -> closed.complete(null));
        });
        closed.get(COMPLETION_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    private void submit(
        final NvmeDevice device, final BlockChannel channel, final BlockOperation operation, final long offset)
        throws Exception
    {
        final BlockStatus status = result(device, channel, operation, offset);
        if (BlockStatus.SUCCESS != status)
        {
            throw new IllegalStateException(operation + " at " + offset + ": " + status);
        }
    }

    private BlockStatus result(
        final NvmeDevice device, final BlockChannel channel, final BlockOperation operation, final long offset)
        throws Exception
    {
        final int blockBytes = device.geometry().blockSizeBytes();
        final CompletableFuture<BlockStatus> result = new CompletableFuture<>();
        final BlockRequest request = new BlockRequest(this, (done) -> result.complete(done.status()));
        request.reset(operation, offset / blockBytes, PIECE_BYTES / blockBytes)
            .addSegment(memory.address(), PIECE_BYTES);
        final boolean isTaken =
            reactor.call(() -> channel.submit(request)).get(COMPLETION_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        if (!isTaken)
        {
            throw new IllegalStateException(operation + " at " + offset + " was not taken");
        }
        return result.get(COMPLETION_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    private static void say(final String line)
    {
        System.out.println("TRANSFER " + line);
    }
}
