package io.millrace.control.wire;

import io.millrace.control.codec.AbandonChangeDecoder;
import io.millrace.control.codec.AddDocumentPartDecoder;
import io.millrace.control.codec.AddListenerDecoder;
import io.millrace.control.codec.AddNamespaceDecoder;
import io.millrace.control.codec.AliveDecoder;
import io.millrace.control.codec.AllowHostDecoder;
import io.millrace.control.codec.AnaRecordDecoder;
import io.millrace.control.codec.AnswerDecoder;
import io.millrace.control.codec.ApplyVersionDecoder;
import io.millrace.control.codec.AssignControllerIdsDecoder;
import io.millrace.control.codec.AuditRecordDecoder;
import io.millrace.control.codec.BeginChangeDecoder;
import io.millrace.control.codec.ChallengeDecoder;
import io.millrace.control.codec.CloseSessionDecoder;
import io.millrace.control.codec.CommitChangeDecoder;
import io.millrace.control.codec.ControllerRecordDecoder;
import io.millrace.control.codec.CounterRecordDecoder;
import io.millrace.control.codec.CreateDeviceDecoder;
import io.millrace.control.codec.CreateSubsystemDecoder;
import io.millrace.control.codec.DataPlaneRecordDecoder;
import io.millrace.control.codec.DeleteDeviceDecoder;
import io.millrace.control.codec.DeleteSubsystemDecoder;
import io.millrace.control.codec.DenyHostDecoder;
import io.millrace.control.codec.DeviceErrorRecordDecoder;
import io.millrace.control.codec.DeviceRecordDecoder;
import io.millrace.control.codec.DisconnectDecoder;
import io.millrace.control.codec.DriftRecordDecoder;
import io.millrace.control.codec.EventDecoder;
import io.millrace.control.codec.HostRecordDecoder;
import io.millrace.control.codec.KeepAliveDecoder;
import io.millrace.control.codec.LatencyRecordDecoder;
import io.millrace.control.codec.LeadershipRecordDecoder;
import io.millrace.control.codec.ListDecoder;
import io.millrace.control.codec.ListenerRecordDecoder;
import io.millrace.control.codec.ManagedRecordDecoder;
import io.millrace.control.codec.ModifyDeviceDecoder;
import io.millrace.control.codec.NamespaceRecordDecoder;
import io.millrace.control.codec.OpenSessionDecoder;
import io.millrace.control.codec.PlanStepRecordDecoder;
import io.millrace.control.codec.ProveIdentityDecoder;
import io.millrace.control.codec.QosRecordDecoder;
import io.millrace.control.codec.QueuePairRecordDecoder;
import io.millrace.control.codec.ReactorRecordDecoder;
import io.millrace.control.codec.ReconcileDecoder;
import io.millrace.control.codec.RemoveListenerDecoder;
import io.millrace.control.codec.RemoveNamespaceDecoder;
import io.millrace.control.codec.ReplaceStateDecoder;
import io.millrace.control.codec.ResizeDeviceDecoder;
import io.millrace.control.codec.RollbackDecoder;
import io.millrace.control.codec.SessionOpenedDecoder;
import io.millrace.control.codec.SetAllowAnyHostDecoder;
import io.millrace.control.codec.SetAnaStateDecoder;
import io.millrace.control.codec.SetQosDecoder;
import io.millrace.control.codec.SetStateDecoder;
import io.millrace.control.codec.SubscribeDecoder;
import io.millrace.control.codec.SubsystemRecordDecoder;
import io.millrace.control.codec.TakeTermDecoder;
import io.millrace.control.codec.VersionRecordDecoder;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * What parts a message has, to check its lengths before anything of it is read.
 */
enum MessageLayout
{
    OPEN_SESSION(OpenSessionDecoder.TEMPLATE_ID, OpenSessionDecoder.BLOCK_LENGTH, "TTTTB"),
    PROVE_IDENTITY(ProveIdentityDecoder.TEMPLATE_ID, ProveIdentityDecoder.BLOCK_LENGTH, "BB"),
    CLOSE_SESSION(CloseSessionDecoder.TEMPLATE_ID, CloseSessionDecoder.BLOCK_LENGTH, ""),
    KEEP_ALIVE(KeepAliveDecoder.TEMPLATE_ID, KeepAliveDecoder.BLOCK_LENGTH, ""),
    CHALLENGE(ChallengeDecoder.TEMPLATE_ID, ChallengeDecoder.BLOCK_LENGTH, "BB"),
    SESSION_OPENED(SessionOpenedDecoder.TEMPLATE_ID, SessionOpenedDecoder.BLOCK_LENGTH, "TBTT"),
    ANSWER(AnswerDecoder.TEMPLATE_ID, AnswerDecoder.BLOCK_LENGTH, "T"),
    ALIVE(AliveDecoder.TEMPLATE_ID, AliveDecoder.BLOCK_LENGTH, ""),
    CREATE_DEVICE(CreateDeviceDecoder.TEMPLATE_ID, CreateDeviceDecoder.BLOCK_LENGTH, "PTT"),
    DELETE_DEVICE(DeleteDeviceDecoder.TEMPLATE_ID, DeleteDeviceDecoder.BLOCK_LENGTH, "T"),
    RESIZE_DEVICE(ResizeDeviceDecoder.TEMPLATE_ID, ResizeDeviceDecoder.BLOCK_LENGTH, "T"),
    MODIFY_DEVICE(ModifyDeviceDecoder.TEMPLATE_ID, ModifyDeviceDecoder.BLOCK_LENGTH, "PT"),
    CREATE_SUBSYSTEM(CreateSubsystemDecoder.TEMPLATE_ID, CreateSubsystemDecoder.BLOCK_LENGTH, "TTT"),
    DELETE_SUBSYSTEM(DeleteSubsystemDecoder.TEMPLATE_ID, DeleteSubsystemDecoder.BLOCK_LENGTH, "T"),
    ADD_NAMESPACE(AddNamespaceDecoder.TEMPLATE_ID, AddNamespaceDecoder.BLOCK_LENGTH, "TT"),
    REMOVE_NAMESPACE(RemoveNamespaceDecoder.TEMPLATE_ID, RemoveNamespaceDecoder.BLOCK_LENGTH, "T"),
    ALLOW_HOST(AllowHostDecoder.TEMPLATE_ID, AllowHostDecoder.BLOCK_LENGTH, "TT"),
    DENY_HOST(DenyHostDecoder.TEMPLATE_ID, DenyHostDecoder.BLOCK_LENGTH, "TT"),
    SET_ALLOW_ANY_HOST(SetAllowAnyHostDecoder.TEMPLATE_ID, SetAllowAnyHostDecoder.BLOCK_LENGTH, "T"),
    ADD_LISTENER(AddListenerDecoder.TEMPLATE_ID, AddListenerDecoder.BLOCK_LENGTH, "T"),
    REMOVE_LISTENER(RemoveListenerDecoder.TEMPLATE_ID, RemoveListenerDecoder.BLOCK_LENGTH, "T"),
    SET_QOS(SetQosDecoder.TEMPLATE_ID, SetQosDecoder.BLOCK_LENGTH, "TT"),
    ASSIGN_CONTROLLER_IDS(AssignControllerIdsDecoder.TEMPLATE_ID, AssignControllerIdsDecoder.BLOCK_LENGTH, ""),
    SET_STATE(SetStateDecoder.TEMPLATE_ID, SetStateDecoder.BLOCK_LENGTH, ""),
    DISCONNECT(DisconnectDecoder.TEMPLATE_ID, DisconnectDecoder.BLOCK_LENGTH, "T"),
    SET_ANA_STATE(SetAnaStateDecoder.TEMPLATE_ID, SetAnaStateDecoder.BLOCK_LENGTH, "TT"),
    LIST(ListDecoder.TEMPLATE_ID, ListDecoder.BLOCK_LENGTH, "T"),
    ADD_DOCUMENT_PART(AddDocumentPartDecoder.TEMPLATE_ID, AddDocumentPartDecoder.BLOCK_LENGTH, "B"),
    REPLACE_STATE(ReplaceStateDecoder.TEMPLATE_ID, ReplaceStateDecoder.BLOCK_LENGTH, "TT"),
    PLAN_STEP_RECORD(PlanStepRecordDecoder.TEMPLATE_ID, PlanStepRecordDecoder.BLOCK_LENGTH, "T"),
    COUNTER_RECORD(CounterRecordDecoder.TEMPLATE_ID, CounterRecordDecoder.BLOCK_LENGTH, "TTTT"),
    DEVICE_ERROR_RECORD(DeviceErrorRecordDecoder.TEMPLATE_ID, DeviceErrorRecordDecoder.BLOCK_LENGTH, "TTTT"),
    SUBSCRIBE(SubscribeDecoder.TEMPLATE_ID, SubscribeDecoder.BLOCK_LENGTH, ""),
    BEGIN_CHANGE(BeginChangeDecoder.TEMPLATE_ID, BeginChangeDecoder.BLOCK_LENGTH, "T"),
    COMMIT_CHANGE(CommitChangeDecoder.TEMPLATE_ID, CommitChangeDecoder.BLOCK_LENGTH, ""),
    ABANDON_CHANGE(AbandonChangeDecoder.TEMPLATE_ID, AbandonChangeDecoder.BLOCK_LENGTH, ""),
    ROLLBACK(RollbackDecoder.TEMPLATE_ID, RollbackDecoder.BLOCK_LENGTH, ""),
    APPLY_VERSION(ApplyVersionDecoder.TEMPLATE_ID, ApplyVersionDecoder.BLOCK_LENGTH, ""),
    TAKE_TERM(TakeTermDecoder.TEMPLATE_ID, TakeTermDecoder.BLOCK_LENGTH, "TT"),
    RECONCILE(ReconcileDecoder.TEMPLATE_ID, ReconcileDecoder.BLOCK_LENGTH, ""),
    LEADERSHIP_RECORD(LeadershipRecordDecoder.TEMPLATE_ID, LeadershipRecordDecoder.BLOCK_LENGTH, "TT"),
    DRIFT_RECORD(DriftRecordDecoder.TEMPLATE_ID, DriftRecordDecoder.BLOCK_LENGTH, "TTT"),
    DATA_PLANE_RECORD(DataPlaneRecordDecoder.TEMPLATE_ID, DataPlaneRecordDecoder.BLOCK_LENGTH, "TTT"),
    REACTOR_RECORD(ReactorRecordDecoder.TEMPLATE_ID, ReactorRecordDecoder.BLOCK_LENGTH, "T"),
    DEVICE_RECORD(DeviceRecordDecoder.TEMPLATE_ID, DeviceRecordDecoder.BLOCK_LENGTH, "PNTTTT"),
    SUBSYSTEM_RECORD(SubsystemRecordDecoder.TEMPLATE_ID, SubsystemRecordDecoder.BLOCK_LENGTH, "TTT"),
    NAMESPACE_RECORD(NamespaceRecordDecoder.TEMPLATE_ID, NamespaceRecordDecoder.BLOCK_LENGTH, "TT"),
    HOST_RECORD(HostRecordDecoder.TEMPLATE_ID, HostRecordDecoder.BLOCK_LENGTH, "TT"),
    LISTENER_RECORD(ListenerRecordDecoder.TEMPLATE_ID, ListenerRecordDecoder.BLOCK_LENGTH, "T"),
    CONTROLLER_RECORD(ControllerRecordDecoder.TEMPLATE_ID, ControllerRecordDecoder.BLOCK_LENGTH, "TTT"),
    VERSION_RECORD(VersionRecordDecoder.TEMPLATE_ID, VersionRecordDecoder.BLOCK_LENGTH, "TTT"),
    AUDIT_RECORD(AuditRecordDecoder.TEMPLATE_ID, AuditRecordDecoder.BLOCK_LENGTH, "TTTT"),
    ANA_RECORD(AnaRecordDecoder.TEMPLATE_ID, AnaRecordDecoder.BLOCK_LENGTH, "TT"),
    LATENCY_RECORD(LatencyRecordDecoder.TEMPLATE_ID, LatencyRecordDecoder.BLOCK_LENGTH, "GT"),
    MANAGED_RECORD(ManagedRecordDecoder.TEMPLATE_ID, ManagedRecordDecoder.BLOCK_LENGTH, "TTTT"),
    QOS_RECORD(QosRecordDecoder.TEMPLATE_ID, QosRecordDecoder.BLOCK_LENGTH, "TT"),
    QUEUE_PAIR_RECORD(QueuePairRecordDecoder.TEMPLATE_ID, QueuePairRecordDecoder.BLOCK_LENGTH, "TTT"),
    EVENT(EventDecoder.TEMPLATE_ID, EventDecoder.BLOCK_LENGTH, "TT");

    /** Entries of one length. */
    static final char GROUP = 'G';
    /** Entries of a key and a value, no key twice. */
    static final char PROPERTIES = 'P';
    /** Entries of a name. */
    static final char NAMES = 'N';
    static final char TEXT = 'T';

    private static final Int2ObjectHashMap<MessageLayout> BY_TEMPLATE = new Int2ObjectHashMap<>();

    static
    {
        for (final MessageLayout layout : values())
        {
            BY_TEMPLATE.put(layout.templateId, layout);
        }
    }

    private final int templateId;
    private final int blockLength;
    private final String variable;

    /** Variable parts are groups (G: of one length, P: properties, N: names), T: text, B: bytes. */
    MessageLayout(final int templateId, final int blockLength, final String variable)
    {
        this.templateId = templateId;
        this.blockLength = blockLength;
        this.variable = variable;
    }

    static MessageLayout of(final int templateId)
    {
        return BY_TEMPLATE.get(templateId);
    }

    int templateId()
    {
        return templateId;
    }

    int blockLengthMin()
    {
        return blockLength;
    }

    String variable()
    {
        return variable;
    }
}
