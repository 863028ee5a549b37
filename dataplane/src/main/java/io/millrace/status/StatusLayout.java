package io.millrace.status;

/**
 * The format of a status file, version 1; little-endian, every number aligned to its size. Fields marked release are
 * stored after the fields that they publish; counters are single stores.
 * <pre>
 * header, 4096 bytes
 *      0  int64  magic, release        8  int32  version              12  int32  header bytes
 *     16  int64  process id           24  int64  start, epoch ms      32  int64  end of a clean stop, epoch ms; 0: none
 *     40  int64  errors offset        48  int64  errors bytes         56  int64  parts offset
 *     64  int64  bytes of a part      72  int32  parts                76  int32  buckets of a histogram
 *     80  int32  log2 of the buckets in a power of two                84  int32  unit of the buckets, ns
 *     88  int32  bytes of the program text                            92  the text, UTF-8
 * errors: records of Agrona's DistinctErrorLog
 * part, one for each reactor, 64 bytes and its records
 *      0  int32  index                 8  int64  last written, epoch ms     16  int64  the same by the monotonic clock
 *     24  int64  used bytes, release  32  int64  records that did not fit
 * record, a multiple of 64 bytes
 *      0  int32  bytes                 4  int32  state, release: 1 live, 2 free     8  int32  type
 *     12  int32  generation, changed by each use                      16  int64  since, epoch ms
 *     24  int32  number 0             28  int32  number 1             32  int32  bytes of text 0
 *     36  int32  bytes of text 1      40  int32  offset of the texts, 256 bytes each
 *     44  int32  offset of the values 48  int32  values               52  int32  offset of the histograms
 *     56  int32  histograms
 * value: int64
 * histogram, 64 bytes and its buckets, an int64 each
 *      0  int64  bytes                 8  int64  errors               16  int64  sum, ns     24  int64  longest, ns
 * </pre>
 * A part is read up to its used bytes. A record whose generation or state changed while it was read was reused and is
 * skipped. The contents of each type of record are in {@link RecordType}.
 */
public final class StatusLayout
{
    /** {@code MILLSTAT} as it stands in the file. */
    public static final long MAGIC = 0x5441_5453_4C4C_494DL;
    /** Of the format. */
    public static final int VERSION = 1;
    /** Bytes of the header. */
    public static final int HEADER_BYTES = 4096;
    /** Bytes for distinct errors. */
    public static final int ERRORS_BYTES = 64 << 10;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = 8;
    static final int HEADER_BYTES_OFFSET = 12;
    static final int PROCESS_ID_OFFSET = 16;
    static final int START_OFFSET = 24;
    static final int STOP_OFFSET = 32;
    static final int ERRORS_OFFSET_OFFSET = 40;
    static final int ERRORS_BYTES_OFFSET = 48;
    static final int PARTS_OFFSET_OFFSET = 56;
    static final int PART_BYTES_OFFSET = 64;
    static final int PARTS_OFFSET = 72;
    static final int BUCKETS_OFFSET = 76;
    static final int SUB_BUCKET_BITS_OFFSET = 80;
    static final int UNIT_OFFSET = 84;
    static final int PROGRAM_BYTES_OFFSET = 88;
    static final int PROGRAM_OFFSET = 92;
    static final int PROGRAM_BYTES_MAX = 256;

    static final int PART_HEADER_BYTES = 64;
    static final int PART_INDEX_OFFSET = 0;
    static final int PART_WRITTEN_OFFSET = 8;
    static final int PART_CLOCK_OFFSET = 16;
    static final int PART_USED_OFFSET = 24;
    static final int PART_LOST_OFFSET = 32;

    static final int RECORD_HEADER_BYTES = 64;
    static final int RECORD_ALIGNMENT = 64;
    static final int RECORD_BYTES_OFFSET = 0;
    static final int RECORD_STATE_OFFSET = 4;
    static final int RECORD_TYPE_OFFSET = 8;
    static final int RECORD_GENERATION_OFFSET = 12;
    static final int RECORD_SINCE_OFFSET = 16;
    static final int RECORD_NUMBER_0_OFFSET = 24;
    static final int RECORD_NUMBER_1_OFFSET = 28;
    static final int RECORD_TEXT_0_BYTES_OFFSET = 32;
    static final int RECORD_TEXT_1_BYTES_OFFSET = 36;
    static final int RECORD_TEXTS_OFFSET = 40;
    static final int RECORD_VALUES_OFFSET = 44;
    static final int RECORD_VALUE_COUNT_OFFSET = 48;
    static final int RECORD_HISTOGRAMS_OFFSET = 52;
    static final int RECORD_HISTOGRAM_COUNT_OFFSET = 56;

    static final int STATE_LIVE = 1;
    static final int STATE_FREE = 2;

    /** Room of a text: the longest NQN has 223 bytes. */
    static final int TEXT_BYTES_MAX = 256;

    static final int HISTOGRAM_HEADER_BYTES = 64;
    static final int HISTOGRAM_BYTES_OFFSET = 0;
    static final int HISTOGRAM_ERRORS_OFFSET = 8;
    static final int HISTOGRAM_SUM_OFFSET = 16;
    static final int HISTOGRAM_LONGEST_OFFSET = 24;
    static final int HISTOGRAM_BYTES = HISTOGRAM_HEADER_BYTES + LatencyBuckets.COUNT * Long.BYTES;

    private StatusLayout()
    {
    }
}
