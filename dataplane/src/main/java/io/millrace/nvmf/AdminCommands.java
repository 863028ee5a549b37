package io.millrace.nvmf;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvmf.queue.CommandHandler;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.request.PayloadBuffers;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPayload;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Commands of admin queues (NVM Express Base 2.0, section 5): dispatches each to its handler. One instance a reactor,
 * used on its thread alone; what hosts ask for here is rare, so it may allocate.
 */
final class AdminCommands implements CommandHandler
{
    /** Concurrent Abort commands that a controller takes. */
    static final int ABORTS_MAX = 4;

    private static final int SCOPE_CONTROLLER = LogPageId.EFFECT_SUPPORTED | LogPageId.EFFECT_SCOPE_CONTROLLER;
    private static final int SCOPE_BOTH = SCOPE_CONTROLLER | LogPageId.EFFECT_SCOPE_NAMESPACE;
    private static final int NOT_ABORTED = 1;

    private final IdentifyData identify;
    private final Features features = new Features();
    private final LogPages logPages;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final Command[] commands = Command.table(
        new Command(AdminOpcode.GET_LOG_PAGE, SCOPE_BOTH, true, this::getLogPage),
        new Command(AdminOpcode.IDENTIFY, SCOPE_BOTH, true, this::identify),
        new Command(AdminOpcode.ABORT, SCOPE_CONTROLLER, false, this::abort),
        new Command(AdminOpcode.SET_FEATURES, SCOPE_BOTH, true, features::set),
        new Command(AdminOpcode.GET_FEATURES, SCOPE_BOTH, true, features::get),
        new Command(AdminOpcode.ASYNC_EVENT_REQUEST, SCOPE_CONTROLLER, true,
            (queuePair, request) -> Controller.of(queuePair).asyncEvents().add(request)),
        new Command(AdminOpcode.KEEP_ALIVE, SCOPE_CONTROLLER, true,
            // Its arrival alone restarts the keep alive timer.
            (queuePair, request) -> queuePair.complete(request, NvmeStatus.SUCCESS)));

    /**
     * Serves the admin queues of a target on a reactor.
     *
     * @param target that is served.
     * @param io     commands of I/O queues, for the log page of supported commands.
     */
    AdminCommands(final Target target, final IoCommands io)
    {
        identify = new IdentifyData(target);
        logPages = new LogPages(target, commands, io.commands(), features);
    }

    @Override
    public void execute(final QueuePair queuePair, final Request request)
    {
        final SubmissionQueueEntry entry = request.entry();
        final Controller controller = Controller.of(queuePair);
        final Command command = commands[entry.opcode()];
        if (null == command || controller.subsystem().isDiscovery() && !command.onDiscovery())
        {
            queuePair.complete(request, NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY);
        }
        else if (!controller.acceptsCommands())
        {
            queuePair.complete(request, NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY);
        }
        else if (0 != (entry.flags() & SglDescriptor.FLAGS_FUSED_MASK))
        {
            queuePair.complete(request, NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY);
        }
        else
        {
            command.handler().execute(queuePair, request);
        }
    }

    private void identify(final QueuePair queuePair, final Request request)
    {
        final int length = IdentifyCns.DATA_BYTES;
        int status = request.dataPointer().checkToHost(length);
        final byte[] data = new byte[length];
        if (NvmeStatus.SUCCESS == status)
        {
            status = identify.write(Controller.of(queuePair), request.entry(), new UnsafeBuffer(data));
        }
        if (NvmeStatus.SUCCESS != status)
        {
            queuePair.complete(request, status);
        }
        else if (queuePair.resources().payloads().acquire(request, length))
        {
            answer(queuePair, request, PageContent.of(data), 0, length, length);
        }
    }

    private void getLogPage(final QueuePair queuePair, final Request request)
    {
        final SubmissionQueueEntry entry = request.entry();
        final long wantedBytes = LogPages.lengthBytes(entry);
        if (wantedBytes > queuePair.resources().maxTransferBytes())
        {
            queuePair.complete(request, NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY);
            return;
        }
        final int length = (int)wantedBytes;
        if (0 != request.partOffset())
        {
            answerZeroes(queuePair, request, length);
            return;
        }
        int status = request.dataPointer().checkToHost(length);
        if (NvmeStatus.SUCCESS == status)
        {
            status = logPages.check(Controller.of(queuePair), entry);
        }
        if (NvmeStatus.SUCCESS != status)
        {
            queuePair.complete(request, status);
            return;
        }
        final PageContent page = logPages.page(queuePair, entry);
        final long offset = LogPages.offset(entry);
        if (offset < 0 || offset > logPages.endBytes(entry, page.lengthBytes()))
        {
            queuePair.complete(request, NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY);
            return;
        }
        // Bounded by the length of the page, whatever the host asks for; a multiple of 4, as parts must be.
        final int there =
            Math.clamp(page.lengthBytes() - offset, Integer.BYTES, length) + Integer.BYTES - 1 & -Integer.BYTES;
        final PayloadBuffers payloads = queuePair.resources().payloads();
        if (0 != request.bufferAddress() && request.pooledLength() < there)
        {
            // The page has grown while this command waited.
            PayloadBuffers.release(request);
            request.payload(RequestPayload.NONE);
        }
        if (payloads.acquire(request, there))
        {
            if (0 == (entry.cdw10() & LogPageId.RETAIN_ASYNC_EVENT))
            {
                Controller.of(queuePair).asyncEvents().onLogPageRead(entry.cdw10() & 0xFF);
            }
            answer(queuePair, request, page, offset, there, length);
        }
    }

    /**
     * Sends the data; bytes that a host requests beyond its end are zero.
     */
    private void answer(
        final QueuePair queuePair,
        final Request request,
        final PageContent data,
        final long offset,
        final int bufferLength,
        final int length)
    {
        final int there = Math.clamp(data.lengthBytes() - offset, 0, bufferLength);
        view.wrap(request.bufferAddress(), bufferLength);
        data.write(offset, view, there);
        view.setMemory(there, bufferLength - there, (byte)0);
        request.beginPart(request.bufferAddress(), bufferLength, length);
        sendPart(queuePair, request);
    }

    private void answerZeroes(final QueuePair queuePair, final Request request, final int length)
    {
        final PayloadBuffers payloads = queuePair.resources().payloads();
        if (0 != request.bufferAddress())
        {
            PayloadBuffers.release(request);
        }
        request.beginPart(payloads.zeroes(), PayloadBuffers.ZEROES_BYTES, length);
        sendPart(queuePair, request);
    }

    private static void sendPart(final QueuePair queuePair, final Request request)
    {
        if (request.isLastPart())
        {
            request.sendsData(true);
            queuePair.complete(request, NvmeStatus.SUCCESS);
        }
        else
        {
            queuePair.sendPart(request);
        }
    }

    private void abort(final QueuePair queuePair, final Request request)
    {
        final Controller controller = Controller.of(queuePair);
        if (ABORTS_MAX == controller.aborts())
        {
            queuePair.complete(request, NvmeStatus.ABORT_LIMIT_EXCEEDED);
            return;
        }
        final int queueId = request.entry().cdw10() & 0xFFFF;
        final int commandId = request.entry().cdw10() >>> 16;
        if (0 == queueId)
        {
            answerAbort(queuePair, request, queuePair.abort(commandId));
            return;
        }
        final QueuePair other = controller.ioQueuePair(queueId);
        if (null == other)
        {
            answerAbort(queuePair, request, false);
            return;
        }
        controller.aborts(controller.aborts() + 1);
        final int serial = request.serial();
        other.execute(() ->
        {
            final boolean aborted = other.abort(commandId);
            queuePair.resources().reactor().execute(() ->
            {
                controller.aborts(controller.aborts() - 1);
                // The connection may have gone, and the slot be another command's.
                if (serial == request.serial())
                {
                    answerAbort(queuePair, request, aborted);
                }
            });
        });
    }

    private static void answerAbort(final QueuePair queuePair, final Request request, final boolean aborted)
    {
        request.result(aborted ? 0 : NOT_ABORTED, 0);
        queuePair.complete(request, NvmeStatus.SUCCESS);
    }
}
