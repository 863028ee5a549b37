package io.millrace.control.message;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.ArrayOperation;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.State;
import io.millrace.control.codec.Transport;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Commands to a data plane or manager. Commands are values: they compare by content, and say in {@code toString} what
 * they do. Their texts have at most 4096 bytes in UTF-8 and no control characters; a command that breaks this cannot be
 * sent.
 */
public sealed interface Command
{
    /**
     * {@return the lowest role that may send it}
     */
    default Role role()
    {
        return switch (this)
        {
            case List _, Subscribe _, AddDocumentPart _ -> Role.READ;
            case ReplaceState command -> command.isDryRun() ? Role.READ : Role.ADMIN;
            case ModifyDevice _, Disconnect _, SetAnaState _, SetQos _ -> Role.OPERATOR;
            case OperateArray command ->
                ArrayOperation.ERASE_DEVICE == command.operation() ? Role.ADMIN : Role.OPERATOR;
            case SetState command -> State.STOPPING == command.state() ? Role.ADMIN : Role.OPERATOR;
            default -> Role.ADMIN;
        };
    }

    /**
     * {@return whether it changes the data plane, so that its id is remembered}
     */
    default boolean changes()
    {
        return !(this instanceof List || this instanceof Subscribe);
    }

    /**
     * Creates a device.
     *
     * @param device       to create.
     * @param existingOnly whether a file that is missing is not made, but refused: the device had it before, and hosts
     *                     would find an empty volume under the identity of theirs. Of no account to other types.
     */
    record CreateDevice(DeviceSpec device, boolean existingOnly) implements Command
    {
        /**
         * Rejects null.
         */
        public CreateDevice
        {
            Objects.requireNonNull(device, "device");
        }

        /**
         * Creates a device, and its file when it is missing.
         *
         * @param device to create.
         */
        public CreateDevice(final DeviceSpec device)
        {
            this(device, false);
        }
    }

    /**
     * Deletes a device that nothing depends on. What it holds in memory is lost, files stay.
     *
     * @param name of the device.
     */
    record DeleteDevice(String name) implements Command
    {
        /**
         * Rejects null.
         */
        public DeleteDevice
        {
            Objects.requireNonNull(name, "name");
        }
    }

    /**
     * Grows a device; hosts are notified.
     *
     * @param name      of the device.
     * @param sizeBytes new size, a multiple of the block size.
     */
    record ResizeDevice(String name, long sizeBytes) implements Command
    {
        /**
         * Rejects null.
         */
        public ResizeDevice
        {
            Objects.requireNonNull(name, "name");
        }
    }

    /**
     * Gives an array another name while it serves; its namespaces stay as they are for hosts.
     *
     * @param name    of the device.
     * @param newName that no device has.
     */
    record RenameDevice(String name, String newName) implements Command
    {
        /**
         * Rejects null.
         */
        public RenameDevice
        {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(newName, "newName");
        }
    }

    /**
     * Applies settings of a device while it serves.
     *
     * @param name       of the device.
     * @param properties texts by key of setting, for those that change; an empty text restores the default.
     */
    record ModifyDevice(String name, Map<String, String> properties) implements Command
    {
        /**
         * Copies the map; rejects null.
         */
        public ModifyDevice
        {
            Objects.requireNonNull(name, "name");
            properties = Collections.unmodifiableMap(new TreeMap<>(properties));
        }
    }

    /**
     * Creates a subsystem.
     *
     * @param subsystem to create.
     */
    record CreateSubsystem(SubsystemSpec subsystem) implements Command
    {
        /**
         * Rejects null.
         */
        public CreateSubsystem
        {
            Objects.requireNonNull(subsystem, "subsystem");
        }
    }

    /**
     * Deletes a subsystem; its hosts are disconnected.
     *
     * @param nqn its name.
     */
    record DeleteSubsystem(String nqn) implements Command
    {
        /**
         * Rejects null.
         */
        public DeleteSubsystem
        {
            Objects.requireNonNull(nqn, "nqn");
        }
    }

    /**
     * Adds a namespace; connected hosts are notified.
     *
     * @param namespace to add.
     */
    record AddNamespace(NamespaceSpec namespace) implements Command
    {
        /**
         * Rejects null.
         */
        public AddNamespace
        {
            Objects.requireNonNull(namespace, "namespace");
        }
    }

    /**
     * Removes a namespace. Answered when no reactor uses its device for it any more.
     *
     * @param nqn  of the subsystem.
     * @param nsid of the namespace.
     */
    record RemoveNamespace(String nqn, int nsid) implements Command
    {
        /**
         * Rejects null.
         */
        public RemoveNamespace
        {
            Objects.requireNonNull(nqn, "nqn");
        }
    }

    /**
     * Allows a host.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     */
    record AllowHost(String nqn, String hostNqn) implements Command
    {
        /**
         * Rejects null.
         */
        public AllowHost
        {
            Objects.requireNonNull(nqn, "nqn");
            Objects.requireNonNull(hostNqn, "hostNqn");
        }
    }

    /**
     * Revokes the access of a host and disconnects it.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     */
    record DenyHost(String nqn, String hostNqn) implements Command
    {
        /**
         * Rejects null.
         */
        public DenyHost
        {
            Objects.requireNonNull(nqn, "nqn");
            Objects.requireNonNull(hostNqn, "hostNqn");
        }
    }

    /**
     * Sets whether any host may connect; if not, hosts that are not allowed are disconnected.
     *
     * @param nqn          of the subsystem.
     * @param allowAnyHost whether any host may connect.
     */
    record SetAllowAnyHost(String nqn, boolean allowAnyHost) implements Command
    {
        /**
         * Rejects null.
         */
        public SetAllowAnyHost
        {
            Objects.requireNonNull(nqn, "nqn");
        }
    }

    /**
     * Listens on an address. The value of the answer is the port.
     *
     * @param listener to add.
     */
    record AddListener(ListenerSpec listener) implements Command
    {
        /**
         * Rejects null.
         */
        public AddListener
        {
            Objects.requireNonNull(listener, "listener");
        }
    }

    /**
     * Stops listening on an address; connections stay.
     *
     * @param transport of NVMe-oF.
     * @param address   IPv4 or IPv6, numeric.
     * @param port      1 to 65535.
     */
    record RemoveListener(Transport transport, String address, int port) implements Command
    {
        /**
         * Rejects null.
         */
        public RemoveListener
        {
            Objects.requireNonNull(transport, "transport");
            Objects.requireNonNull(address, "address");
        }
    }

    /**
     * Drains, pauses, resumes or stops the data plane.
     *
     * @param state wanted.
     */
    record SetState(State state) implements Command
    {
        /**
         * Rejects null.
         */
        public SetState
        {
            Objects.requireNonNull(state, "state");
        }
    }

    /**
     * Begins or ends something that an array does on its own.
     *
     * @param name      of the device.
     * @param operation what to do.
     * @param member    device that {@link ArrayOperation#FAIL_MEMBER} is about; what
     *                  {@link ArrayOperation#ERASE_DEVICE} expects to be on it; bytes of data on each member, or
     *                  {@link #SIZE_MAX}, of {@link ArrayOperation#RESIZE_MEMBERS}; else empty.
     */
    record OperateArray(String name, ArrayOperation operation, String member) implements Command
    {
        /** As much data as all members have room for. */
        public static final String SIZE_MAX = "max";

        /**
         * Rejects null.
         */
        public OperateArray
        {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(operation, "operation");
            Objects.requireNonNull(member, "member");
        }
    }

    /**
     * Disconnects a controller; the host may reconnect.
     *
     * @param nqn          of the subsystem.
     * @param controllerId of {@link ControllerInfo}.
     */
    record Disconnect(String nqn, int controllerId) implements Command
    {
        /**
         * Rejects null.
         */
        public Disconnect
        {
            Objects.requireNonNull(nqn, "nqn");
        }
    }

    /**
     * Sets the ANA state of a group at a listener. It holds until it is said otherwise, whether something listens there
     * or not. Answered when no command that came before uses a namespace any more to which commands are refused now.
     *
     * @param nqn       of the subsystem.
     * @param transport of the listener.
     * @param address   of the listener, IPv4 or IPv6, numeric; a wildcard is for every address with the port; empty:
     *                  all listeners.
     * @param port      of the listener, 1 to 65535; 0 with an empty address.
     * @param group     1 to 128; 0: all groups.
     * @param state     wanted.
     */
    record SetAnaState(String nqn, Transport transport, String address, int port, int group, AnaState state)
        implements Command
    {
        /**
         * Rejects null.
         */
        public SetAnaState
        {
            Objects.requireNonNull(nqn, "nqn");
            Objects.requireNonNull(transport, "transport");
            Objects.requireNonNull(address, "address");
            Objects.requireNonNull(state, "state");
        }
    }

    /**
     * Sets or removes the limits of a namespace or a host. Answered when every reactor applies them.
     *
     * @param qos limits; none to remove them.
     */
    record SetQos(QosSpec qos) implements Command
    {
        /**
         * Rejects null.
         */
        public SetQos
        {
            Objects.requireNonNull(qos, "qos");
        }
    }

    /**
     * Sets the ids that new controllers of every subsystem get. Over UDP it needs a key of role {@code manager}.
     *
     * @param firstId from 1.
     * @param lastId  up to 65519.
     */
    record AssignControllerIds(int firstId, int lastId) implements Command
    {
    }

    /**
     * Lists resources of a kind. The value of the answer is their number.
     *
     * @param kind    of the resources.
     * @param name    of one device or one subsystem; empty: all.
     * @param version {@link #ACTUAL}: what the data plane has; to a manager also {@link #DESIRED}: of the desired state
     *                now, or a number of {@link VersionInfo}: of the desired state in that version.
     * @param atOnce  whether it does not wait for commands of the session that are not answered.
     */
    record List(Kind kind, String name, long version, boolean atOnce) implements Command
    {
        /** Of the data plane as it is. */
        public static final long ACTUAL = -1;
        /** Of the desired state. */
        public static final long DESIRED = 0;

        /**
         * Lists what the data plane has.
         *
         * @param kind of the resources.
         * @param name of one device or one subsystem; empty: all.
         */
        public List(final Kind kind, final String name)
        {
            this(kind, name, ACTUAL);
        }

        /**
         * Lists after the commands of the session that were sent before.
         *
         * @param kind    of the resources.
         * @param name    of one device or one subsystem; empty: all.
         * @param version {@link #ACTUAL}, {@link #DESIRED}, or a number.
         */
        public List(final Kind kind, final String name, final long version)
        {
            this(kind, name, version, false);
        }

        /** {@return the same list, which does not wait for commands of the session that are not answered} */
        public List now()
        {
            return new List(kind, name, version, true);
        }

        /**
         * Rejects null.
         */
        public List
        {
            Objects.requireNonNull(kind, "kind");
            Objects.requireNonNull(name, "name");
        }
    }

    /**
     * Asks for events until the session ends.
     */
    record Subscribe() implements Command
    {
    }

    /**
     * Tells a manager that what follows in this session is one change: commands are only checked until {@link
     * CommitChange}. The end of the session abandons it. A data plane does not support it.
     *
     * @param comment kept with the version; may be empty.
     */
    record BeginChange(String comment) implements Command
    {
        /**
         * Rejects null.
         */
        public BeginChange
        {
            Objects.requireNonNull(comment, "comment");
        }
    }

    /**
     * Makes one version of all that followed {@link BeginChange}, and carries it out, or does nothing. The value of the
     * answer is the version.
     */
    record CommitChange() implements Command
    {
    }

    /**
     * Forgets what followed {@link BeginChange}.
     */
    record AbandonChange() implements Command
    {
    }

    /**
     * Makes a version with the content of an earlier one, and carries it out, or does nothing. The value of the answer
     * is the version that was made.
     *
     * @param version of {@link VersionInfo}.
     */
    record Rollback(long version) implements Command
    {
    }

    /**
     * Sends a manager a part of a document, for {@link ReplaceState} in the same session. A part of a lost session is
     * refused in another.
     *
     * @param position in bytes: how much of it the session sent before; 0 begins another document.
     * @param content  of at most {@value #CONTENT_MAX_BYTES} bytes in UTF-8, cut between characters.
     */
    record AddDocumentPart(long position, String content) implements Command
    {
        /** Longest content, in bytes. */
        public static final int CONTENT_MAX_BYTES = 4096;

        /**
         * Rejects null.
         */
        public AddDocumentPart
        {
            Objects.requireNonNull(content, "content");
        }
    }

    /**
     * Replaces the desired state of a manager, whether its data plane is connected or not. The value of the answer is
     * the version that has it; of a dry run the version that it was planned on. {@link List} of {@link Kind#PLAN} tells
     * the steps then.
     *
     * @param fromVersion    whose content it gets; 0: that of the document sent in this session.
     * @param ifVersion      refused unless this is the version of the desired state; 0: any.
     * @param isDryRun       change nothing.
     * @param allowsDestroy  whether steps that lose data, or give hosts something else, are carried out.
     * @param prunes         whether what the document does not name is removed.
     * @param name           of the document, for messages; may be empty.
     * @param comment        kept with the version; may be empty.
     */
    record ReplaceState(
        long fromVersion,
        long ifVersion,
        boolean isDryRun,
        boolean allowsDestroy,
        boolean prunes,
        String name,
        String comment) implements Command
    {
        /**
         * Rejects null.
         */
        public ReplaceState
        {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(comment, "comment");
        }
    }

    /**
     * Tells a data plane which version of the desired state the commands behind this lead to, or that it was found to
     * be there as a whole. Taken only with the term that the data plane holds, and over UDP with a key of role {@code
     * manager}. Answered when the data plane has it on stable storage.
     *
     * @param position      of the version, from 1 to {@link StatePosition#VERSION_MAX}.
     * @param inSync        whether the actual state was found to be this version.
     * @param directChanges how many changes had been made past the manager when that was found.
     */
    record ApplyVersion(StatePosition position, boolean inSync, long directChanges) implements Command
    {
        /**
         * Rejects null.
         */
        public ApplyVersion
        {
            Objects.requireNonNull(position, "position");
        }
    }

    /**
     * Puts a manager in charge of a data plane. Over UDP it needs a key of role {@code manager}. Answered when the data
     * plane has the term on stable storage.
     *
     * @param newTerm        above the one that the data plane holds, by at most {@link Terms#STEP_MAX}; or that one
     *                       again, from the same manager.
     * @param managerId      new at each start of the manager.
     * @param managerName    as configured.
     * @param managerAddress where the manager takes commands: directory or channel.
     */
    record TakeTerm(long newTerm, UUID managerId, String managerName, String managerAddress) implements Command
    {
        /**
         * Rejects null.
         */
        public TakeTerm
        {
            Objects.requireNonNull(managerId, "managerId");
            Objects.requireNonNull(managerName, "managerName");
            Objects.requireNonNull(managerAddress, "managerAddress");
        }
    }

    /**
     * Has a manager compare a data plane now, and settle differences as a person decided. A data plane does not support
     * it.
     *
     * @param mode what it may do.
     */
    record Reconcile(ReconcileMode mode) implements Command
    {
        /**
         * Rejects null.
         */
        public Reconcile
        {
            Objects.requireNonNull(mode, "mode");
        }
    }
}
