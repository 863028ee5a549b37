package io.millrace.control.wire;

import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.MessageHeaderEncoder;
import io.millrace.control.codec.OperationsDecoder;
import io.millrace.control.codec.OperationsEncoder;
import io.millrace.control.codec.SetFaultRulesDecoder;
import io.millrace.control.codec.SetFaultRulesEncoder;
import io.millrace.control.message.BlockOperation;
import io.millrace.control.message.FaultRuleSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Encodes and decodes fault rules: as the group of a SetFaultRules message, and as such a message within another, since
 * a group cannot be appended to a message. Belongs to one thread; keeps nothing between calls.
 */
final class FaultRuleCodec
{
    /** Type and code have 11 bits. */
    private static final int STATUS_MAX = 0x7FF;
    /** Ids, rules at their most, and an empty name. */
    private static final int LENGTH_MAX = MessageHeaderEncoder.ENCODED_LENGTH + SetFaultRulesEncoder.BLOCK_LENGTH +
        SetFaultRulesEncoder.RulesEncoder.HEADER_SIZE +
        MessageCheck.GROUP_MAX * SetFaultRulesEncoder.RulesEncoder.sbeBlockLength() + Integer.BYTES;

    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final SetFaultRulesEncoder encoder = new SetFaultRulesEncoder();
    private final MessageHeaderDecoder headerDecoder = new MessageHeaderDecoder();
    private final SetFaultRulesDecoder decoder = new SetFaultRulesDecoder();
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[LENGTH_MAX]);

    /** Throws IllegalArgumentException when the rules of a device cannot be sent. */
    static void write(final SetFaultRulesEncoder message, final String device, final List<FaultRuleSpec> specs)
    {
        if (specs.size() > MessageCheck.GROUP_MAX)
        {
            throw new IllegalArgumentException(specs.size() + " fault rules for " + device +
                " are more than " + MessageCheck.GROUP_MAX + ": join some");
        }
        final SetFaultRulesEncoder.RulesEncoder rules = message.rulesCount(specs.size());
        for (final FaultRuleSpec rule : specs)
        {
            if (rule.status() < 0 || rule.status() > STATUS_MAX)
            {
                throw new IllegalArgumentException("fault status " + rule.status() + " for " + device +
                    " is outside 0 to " + STATUS_MAX + ": give code type and code of NVMe");
            }
            rules.next()
                .action(rule.action())
                .firstBlock(rule.firstBlock())
                .blocks(rule.blocks())
                .probability(rule.probability())
                .limit(rule.limit())
                .delayNs(rule.delayNs())
                .status(rule.status())
                .every(rule.every());
            final OperationsEncoder operations = rules.operations().clear();
            operations.read(rule.operations().contains(BlockOperation.READ));
            operations.write(rule.operations().contains(BlockOperation.WRITE));
            operations.flush(rule.operations().contains(BlockOperation.FLUSH));
            operations.writeZeroes(rule.operations().contains(BlockOperation.WRITE_ZEROES));
            operations.deallocate(rule.operations().contains(BlockOperation.DEALLOCATE));
            operations.compare(rule.operations().contains(BlockOperation.COMPARE));
            operations.verifyBlocks(rule.operations().contains(BlockOperation.VERIFY));
            operations.copyBlocks(rule.operations().contains(BlockOperation.COPY));
        }
    }

    static List<FaultRuleSpec> read(final SetFaultRulesDecoder message)
    {
        final List<FaultRuleSpec> rules = new ArrayList<>();
        for (final SetFaultRulesDecoder.RulesDecoder rule : message.rules())
        {
            rules.add(new FaultRuleSpec(
                rule.action(), operations(rule.operations()), rule.firstBlock(), rule.blocks(), rule.probability(),
                rule.limit(), rule.delayNs(), rule.status(),
                SetFaultRulesDecoder.RulesDecoder.everyNullValue() == rule.every() ? 0 : rule.every()));
        }
        return rules;
    }

    private static Set<BlockOperation> operations(final OperationsDecoder set)
    {
        final EnumSet<BlockOperation> result = EnumSet.noneOf(BlockOperation.class);
        for (final BlockOperation operation : BlockOperation.values())
        {
            if (0 != (set.getRaw() >>> operation.ordinal() & 1))
            {
                result.add(operation);
            }
        }
        return result;
    }

    /** Encodes a message of the rules alone into {@link #buffer()}; answers its length, 0 without rules. */
    int encode(final String device, final List<FaultRuleSpec> rules)
    {
        if (rules.isEmpty())
        {
            return 0;
        }
        encoder.wrapAndApplyHeader(buffer, 0, header);
        encoder.command().sessionId(0).correlationId(0).commandIdHigh(0).commandIdLow(0).term(0);
        write(encoder, device, rules);
        encoder.name("");
        return MessageHeaderEncoder.ENCODED_LENGTH + encoder.encodedLength();
    }

    DirectBuffer buffer()
    {
        return buffer;
    }

    /** Decodes a message of rules that was found sound; of no bytes: no rules. */
    List<FaultRuleSpec> decode(final DirectBuffer message)
    {
        return 0 == message.capacity() ? List.of() :
            read(decoder.wrapAndApplyHeader(message, 0, headerDecoder));
    }
}
