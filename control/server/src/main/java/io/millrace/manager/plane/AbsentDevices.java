package io.millrace.manager.plane;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.service.Reply;
import io.millrace.manager.change.Ledger;

/**
 * Devices of the desired state that the data plane could not create, such as an array that lacks members. The data
 * plane knows only that they do not exist; this says why. The manager's thread.
 */
final class AbsentDevices
{
    private final Ledger ledger;
    private final SyncStatus syncStatus;

    AbsentDevices(final Ledger ledger, final SyncStatus syncStatus)
    {
        this.ledger = ledger;
        this.syncStatus = syncStatus;
    }

    /** {@return whether a data plane answered that it lacks this device, not one which the command names besides} */
    static boolean isAbsent(final String device, final Code code, final String text)
    {
        return Code.NOT_FOUND == code && text.startsWith(prefix(device));
    }

    /**
     * {@return the device that a command changes and the data plane lacks, by the name that it has then; null: none}
     *
     * @param command that was refused.
     * @param code    of the refusal.
     * @param text    of the refusal.
     */
    static String absent(final Command command, final Code code, final String text)
    {
        return switch (command)
        {
            case final Command.ModifyDevice modify when isAbsent(modify.name(), code, text) -> modify.name();
            case final Command.RenameDevice rename when isAbsent(rename.name(), code, text) -> rename.newName();
            default -> null;
        };
    }

    /** {@return a sentence on a device that was not started} */
    static String sentence(final String device, final String refusal)
    {
        return "device " + device + " is not started: " +
            (refusal.startsWith(prefix(device)) ? refusal.substring(prefix(device).length()) : refusal);
    }

    private static String prefix(final String device)
    {
        return "device " + device + ": ";
    }

    /** {@return the reply to a command, with the reason when its array was not started} */
    Reply explained(final Command command, final Reply reply)
    {
        return command instanceof final Command.OperateArray operate ?
            new Reply(reply.code(), reply.value(), explained(operate.name(), reply.code(), reply.text())) : reply;
    }

    /** {@return the failure of a list, with the reason when the device that was asked for was not started} */
    Throwable explained(final Command.List list, final Throwable failure)
    {
        return failure instanceof final ControlException e && (Kind.ARRAY == list.kind() ||
            Kind.DEVICE == list.kind()) ?
            new ControlException(e.code(), explained(list.name(), e.code(), e.getMessage())) : failure;
    }

    private String explained(final String device, final Code code, final String text)
    {
        if (!isAbsent(device, code, text) || !ledger.isKnown() || !ledger.keptState().devices().containsKey(device))
        {
            return text;
        }
        return syncStatus.refusal().startsWith(prefix(device)) ? sentence(device, syncStatus.refusal()) :
            sentence(device, "'millrace dataplane drift' says why");
    }
}
