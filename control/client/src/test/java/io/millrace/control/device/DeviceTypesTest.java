package io.millrace.control.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.setting.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class DeviceTypesTest
{
    private static Stream<DeviceType> types()
    {
        return DeviceTypes.all().stream();
    }

    /** {@code key=value; key=value}, whose values may have commas. */
    private static Map<String, String> properties(final String text)
    {
        final Map<String, String> properties = new TreeMap<>();
        Arrays.stream(text.split("; ")).filter((each) -> !each.isEmpty()).forEach((each) ->
            properties.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1)));
        return properties;
    }

    @ParameterizedTest
    @MethodSource("types")
    void shouldDeclareEachSettingWhole(final DeviceType type)
    {
        final List<String> keys = new ArrayList<>();
        for (final DeviceSetting<?> each : type.settings())
        {
            keys.add(each.key());
            assertTrue(each.key().matches("[a-z]+(-[a-z]+)*"), each.key());
            assertFalse(List.of("name", "type", "incarnation").contains(each.key()), each.key());
            assertTrue(each.description().endsWith("."), each.description());
            if (null != each.def())
            {
                assertEquals(each.def(), each.format(each.value(each.def())), "the default in its canonical form");
            }
            assertFalse(each.required() && null != each.def(), each.key());
        }
        assertEquals(keys.size(), new HashSet<>(keys).size(), keys::toString);
        assertTrue(type.description().endsWith("."), type.description());
        assertEquals(type, DeviceTypes.of(type.name()));
    }

    @Test
    void shouldFillInDefaults()
    {
        assertEquals(Map.of("size", 1L << 20, "block-size", 4096L, "shared-spare", false),
            DeviceTypes.of("memory").values(Map.of("size", "1MiB")));
        assertEquals(Map.of("path", "/f", "block-size", 4096L, "read-only", false, "preallocate", true,
            "queue-depth", 256L, "polling", "auto", "shared-spare", false),
            DeviceTypes.of("file").values(Map.of("path", "/f")));
        assertEquals(Map.of("address", "0000:01:00.0", "nsid", 1L, "queue-depth", 256L, "command-timeout",
            30_000_000_000L, "interrupts", false, "unsafe-noiommu", false, "shared-spare", false),
            DeviceTypes.of("nvme").values(Map.of("address", "01:00.0")));
        assertEquals(Map.of("base", "d", "seed", 0L, "write-cache-size", 0L, "rules", List.of(), "shared-spare", false),
            DeviceTypes.of("fault").values(Map.of("base", "d")));
        assertEquals(Map.ofEntries(Map.entry("level", "1"), Map.entry("members", List.of("a", "b")),
            Map.entry("spares", List.of()), Map.entry("strip-size", 65_536L), Map.entry("assume-clean", false),
            Map.entry("wipe-signatures", false), Map.entry("force-start", false),
            Map.entry("sync-rate-min", 16L << 20), Map.entry("sync-rate-max", 1L << 30),
            Map.entry("scrub-interval", 0L), Map.entry("journal", "degraded"),
            Map.entry("hedge-reads", 0L), Map.entry("checksums", false)),
            DeviceTypes.of("raid").values(Map.of("level", "1", "members", "a b")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "memory | size=1048576; block-size=4096 | size=1MiB",
        "discard | size=1024k; block-size=512 | block-size=512; size=1MiB",
        "file | path=/a/../b; size=4096; polling=auto; preallocate=true | path=/b; size=4KiB",
        "nvme | address=0A:1F.7; command-timeout=30000ms; nsid=1 | address=0000:0a:1f.7",
        "nvme | address=01:00.0; command-timeout=1500ms | address=0000:01:00.0; command-timeout=1500ms",
        "remote | addresses=tcp://a:1 tcp://[::1]:4420; subsystem=nqn.a; nsid=1; queue-depth=128; " +
            "uuid=11111111-2222-4333-8444-55555555AAAA; controller-loss-timeout=600s | " +
            "addresses=tcp://a:1 tcp://[::1]:4420; subsystem=nqn.a; nsid=1; uuid=11111111-2222-4333-8444-55555555aaaa",
        "fault | base=d; seed=0; rules= | base=d",
        "fault | base=d; rules=count=3,effect=error,operations=compare+read,every=1 hang=0 | !",
        "fault | base=d; rules=count=3,effect=error,operations=compare+read,every=1 effect=hang | " +
            "base=d; rules=effect=error,operations=read+compare,count=3 effect=hang",
        "fault | base=d; rules=effect=error,status=media-error,first-block=0,last-block=9223372036854775807 | " +
            "base=d; rules=effect=error",
        "fault | base=d; rules=effect=delay,delay=1000us,status=aborted,probability=0.50 | " +
            "base=d; rules=effect=delay,delay=1ms,probability=0.5",
        "spdk-bdev | bdev=lvs0/vol 0 | bdev=lvs0/vol 0",
        "spdk-lvol | lvol=lvs0/vol0; size=1024MiB; thin=true; delete-data=false | lvol=lvs0/vol0; size=1GiB; thin=true",
        "spdk-lvol | lvol=l.v_s-0/vol0; snapshot-of=v | lvol=l.v_s-0/vol0; snapshot-of=v",
        "spdk-nvme | controller=02:00.1; nsid=1; controller-loss-timeout=600s | controller=0000:02:00.1",
        "spdk-nvme | controller=nqn.a; addresses=tcp://h:1 rdma://[::1]:2; nsid=3; controller-loss-timeout=60000ms | " +
            "controller=nqn.a; addresses=tcp://h:1 rdma://[::1]:2; nsid=3; controller-loss-timeout=60s",
        "raid | level=5; members=c a b; spares=; strip-size=65536; wipe-signatures=false | level=5; members=c a b",
        "raid | level=6; members=a b c d; journal=degraded | level=6; members=a b c d",
        "raid | level=5; members=a b c; journal=always | level=5; members=a b c; journal=always",
        "raid | level=10; members=a b; spares=d  c; strip-size=1024k; assume-clean=true | " +
            "level=10; members=a b; spares=d c; strip-size=1MiB; assume-clean=true"})
    void shouldBringPropertiesIntoOneForm(final String type, final String given, final String wanted)
    {
        if ("!".equals(wanted))
        {
            assertThrows(InvalidSettingException.class, () -> DeviceTypes.of(type).canonical(properties(given)));
            return;
        }
        final Map<String, String> canonical = DeviceTypes.of(type).canonical(properties(given));
        assertEquals(properties(wanted), canonical);
        assertEquals(canonical, DeviceTypes.of(type).canonical(canonical));
        assertEquals(List.of(), DeviceTypes.of(type).differences(canonical, properties(wanted)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "memory | '' | size: missing; add it: size of the device, a multiple of block-size",
        "memory | size=511 | size = 511: out of range 512 to 8PiB; use a value in the range",
        "memory | size=8193TiB | size = 8193TiB: out of range 512 to 8PiB; use a value in the range",
        "memory | size=5000 | size = 5000: not a positive multiple of block-size 4096; use 4096 or 8192",
        "memory | size=512 | size = 512: not a positive multiple of block-size 4096; use 4096",
        "memory | size=1MiB; block-size=1024 | block-size = 1024: neither 512 nor 4096; use one of them",
        "memory | size=1MiB; siez=2MiB | siez: no setting of type memory; did you mean size? " +
            "its settings are size, block-size, shared-spare",
        "memory | size=1MiB; path=/f | path: no setting of type memory; its settings are size, block-size, " +
            "shared-spare",
        "file | path=f | path = f: not absolute; begin it with /",
        "file | path=/f; queue-depth=0 | queue-depth = 0: out of range 1 to 4096; use a value in the range",
        "file | path=/f; queue-depth=4097 | queue-depth = 4097: out of range 1 to 4096; use a value in the range",
        "file | path=/f; polling=maybe | polling = maybe: not one of auto, on, off; use one of them",
        "file | path=/f; read-only=yes | read-only = yes: neither true nor false; write true or false",
        "nvme | address=here | address = here: no PCI address; write one such as 0000:01:00.0, which 'millrace drive " +
            "list' shows",
        "nvme | address=01:00.0; nsid=0 | nsid = 0: out of range 1 to 2147483647; use a value in the range",
        "nvme | address=01:00.0; queue-depth=1024 | queue-depth = 1024: out of range 1 to 1023; use a value in the " +
            "range",
        "nvme | address=01:00.0; command-timeout=999us | command-timeout = 999us: out of range 1ms to 3600s; use a " +
            "value in the range",
        "nvme | address=01:00.0; timeout=5s | timeout: no setting of type nvme; " +
            "its settings are address, nsid, queue-depth, " +
            "command-timeout, interrupts, unsafe-noiommu, shared-spare",
        "remote | subsystem=nqn.a; nsid=1 | addresses: missing; add it: listeners of the subsystem, each a path to " +
            "the namespace; of equally good paths the first is used",
        "remote | addresses=a:4420; subsystem=nqn.a; nsid=1 | addresses[0] = a:4420: no address of a listener; " +
            "write tcp://HOST:PORT or rdma://HOST:PORT, such as tcp://192.0.2.1:4420 or tcp://[2001:db8::1]:4420",
        "remote | addresses=tcp://a:1; subsystem=a; nsid=1 | subsystem = a: no NVMe qualified name; write one such " +
            "as nqn.2026-11.io.millrace:vol0",
        "remote | addresses=tcp://a:1; subsystem=nqn.a | nsid: missing; give nsid or uuid of the namespace",
        "remote | addresses=tcp://a:1; subsystem=nqn.a; nsid=1; reconnect-delay=20s | reconnect-delay-max: less than " +
            "reconnect-delay; give at least that",
        "fault | seed=1 | base: missing; add it: name of the device below this one, declared before it",
        "fault | base=a b | base = a b: not a name; use 1 to 64 letters, digits, '.', '_' or '-', a letter or digit " +
            "first",
        "fault | base=d; rules=effect=error effect=burn | rules[1].effect = burn: not one of error, delay, " +
            "torn-write, lost-write, hang, power-loss; use one of them",
        "fault | base=d; rules=operations=read | rules[0].effect: missing; add it: what happens",
        "fault | base=d; rules=effect=delay | rules[0].delay: missing; add how long effect delay holds a request",
        "fault | base=d; rules=effect=hang,delay=1s | rules[0].delay = 1s: does not go with effect hang; remove it, " +
            "or use effect delay",
        "fault | base=d; rules=effect=hang,effect=hang | rules[0].effect: given twice; keep one",
        "fault | base=d; rules=effect=hang,evry=2 | rules[0].evry: unknown key; did you mean every? write KEY=VALUE " +
            "with keys of effect, operations, first-block, last-block, status, delay, every, probability, count",
        "fault | base=d; rules=effect=hang,operations=read+read | rules[0].operations = read: listed twice; keep one",
        "fault | base=d; rules=effect=hang,first-block=9,last-block=8 | rules[0].last-block = 8: below first-block " +
            "9; swap them",
        "fault | base=d; rules=effect=hang,probability=0 | rules[0].probability = 0: not above 0; use a larger one, " +
            "or leave the rule out",
        "fault | base=d; write-cache-size=65MiB | write-cache-size = 65MiB: out of range 0 to 64MiB; use a value in " +
            "the range",
        "fault | base=d; rules=effect=power-loss,status=success | rules[0].status = success: no error; choose " +
            "another status",
        "spdk-bdev | '' | bdev: missing; add it: name or alias of the bdev, such as Malloc0; 'millrace spdk status' " +
            "lists them",
        "spdk-lvol | size=1GiB | lvol: missing; add it: logical volume as STORE/NAME; it is made when it is missing " +
            "and no device ever had it",
        "spdk-lvol | lvol=vol0 | lvol = vol0: not STORE/NAME; write one such as lvs0/vol0, each part 1 to 63 " +
            "letters, digits, '.', '_' or '-', a letter or digit first",
        "spdk-lvol | lvol=a/b; clone-of=a/c | clone-of = a/c: not a name in a store; use 1 to 63 letters, digits, " +
            "'.', '_' or '-', a letter or digit first",
        "spdk-lvol | lvol=a/b; clone-of=c; snapshot-of=c | clone-of: does not go with snapshot-of; keep one of them",
        "spdk-lvol | lvol=a/b; clone-of=c; thin=true | thin: does not go with clone-of: such a volume takes space " +
            "when it is written anyway; remove it",
        "spdk-lvol | lvol=a/b; size=1536KiB | size = 1572864: not a multiple of 1MiB; use 2MiB",
        "spdk-nvme | controller=nvme0 | controller = nvme0: neither a PCI address nor an NVMe qualified name; write " +
            "one such as 0000:01:00.0, which 'millrace drive list' shows, or the NQN of a target's subsystem",
        "spdk-nvme | controller=0000:01:00.0; addresses=tcp://h:1 | addresses: does not go with the PCI address of a " +
            "drive; remove it, or give the NQN of a subsystem",
        "spdk-nvme | controller=0000:01:00.0; host-nqn=nqn.a | host-nqn: does not go with the PCI address of a " +
            "drive; remove it",
        "spdk-nvme | controller=nqn.a | addresses: missing; give the listeners of the subsystem",
        "spdk-nvme | controller=nqn.a; addresses=tcp://h:1; controller-loss-timeout=1500ms | " +
            "controller-loss-timeout: not whole seconds; use 2s",
        "raid | members=a b c | level: missing; add it: RAID level, or ec: an erasure code",
        "raid | level=4; members=a b c | level = 4: not one of 0, 1, 5, 6, 10, ec; use one of them",
        "raid | level=5; spares=a | members: missing; add it: names of the devices of the array, declared before it; " +
            "where they hold an array already, it is assembled of them",
        "raid | level=5; members=a b | members: 2 members, RAID 5 needs at least 3; list more",
        "raid | level=6; members=a b c | members: 3 members, RAID 6 needs at least 4; list more",
        "raid | level=10; members=a | members: 1 member, RAID 10 needs at least 2; list more",
        "raid | level=ec; members=a b c d | parity-strips: missing; give the number of members that may fail, 1 to 8",
        "raid | level=ec; parity-strips=9; members=a b c d | parity-strips = 9: out of range 1 to 8; use a value in " +
            "the range",
        "raid | level=6; parity-strips=2; members=a b c d | parity-strips = 2: not allowed: RAID 6 has a fixed count " +
            "of parity strips; remove it, or choose level ec",
        "raid | level=ec; parity-strips=3; members=a b c d | members: 4 members, level ec with 3 parity strips needs " +
            "at least 5; list more",
        "raid | level=ec; parity-strips=1; members=a b | members: 2 members, level ec with 1 parity strip needs at " +
            "least 3; list more",
        "raid | level=0; members=a b; journal=always | journal = always: not allowed: RAID 0 has no parity that a " +
            "crash could leave wrong; remove it, or choose level 5, 6 or ec",
        "raid | level=1; members=a b; journal-device=c | journal-device = c: not allowed: RAID 1 has no parity that " +
            "a crash could leave wrong; remove it, or choose level 5, 6 or ec",
        "raid | level=5; members=a b c; journal-device=b | journal-device = b: also listed in members or spares; " +
            "name another device",
        "raid | level=5; members=a b c; spares=d; journal-device=d | journal-device = d: also listed in members or " +
            "spares; name another device",
        "raid | level=1; members=a b a | members = a: listed twice; keep one",
        "raid | level=1; members=a b; spares=b | spares = b: also listed in members; list it once",
        "raid | level=0; members=a b; spares=c | spares: not allowed: RAID 0 cannot rebuild onto a " +
            "spare; remove them, or choose another level",
        "raid | level=1; members=a b; strip-size=48KiB | strip-size = 49152: not a power of two; use 32768",
        "raid | level=1; members=a b; strip-size=2KiB | strip-size = 2KiB: out of range 4KiB to 1MiB; use a value in " +
            "the range",
        "fault | base=d; rules=effect=error,status=success | rules[0].status = success: no error; choose another " +
            "status"})
    void shouldSayWhatIsWrong(final String type, final String given, final String message)
    {
        assertEquals(message, assertThrows(InvalidSettingException.class,
            () -> DeviceTypes.of(type).canonical(properties(given))).getMessage());
    }

    @Test
    void shouldBoundTheMembersOfAnErasureCode()
    {
        final DeviceType raid = DeviceTypes.of("raid");
        final List<String> names = IntStream.range(0, 36).mapToObj((i) -> "d" + i).toList();
        final Map<String, Object> values = raid.values(
            Map.of("level", "ec", "parity-strips", "3", "members", String.join(" ", names.subList(0, 35)), "journal",
            "always"));
        assertEquals(3L, values.get("parity-strips"));
        assertEquals("members: 36 members, level ec with 3 parity strips has at most 35; list fewer",
            assertThrows(InvalidSettingException.class, () -> raid.values(
            Map.of("level", "ec", "parity-strips", "3", "members", String.join(" ", names)))).getMessage());
    }

    @Test
    void shouldBoundTheRules()
    {
        final DeviceType fault = DeviceTypes.of("fault");
        final String rule = "effect=hang ";
        assertEquals(128, ((List<?>)fault.values(Map.of("base", "d", "rules", rule.repeat(128))).get("rules")).size());
        assertEquals("rules = 129: more than 128 of them; join some", assertThrows(InvalidSettingException.class,
            () -> fault.values(Map.of("base", "d", "rules", rule.repeat(129)))).getMessage());
        final String longRule = "effect=torn-write,operations=read+write+flush+write-zeroes+deallocate+compare," +
            "first-block=1000000000000,last-block=2000000000000 ";
        final String tooLong = assertThrows(InvalidSettingException.class,
            () -> fault.values(Map.of("base", "d", "rules", longRule.repeat(128)))).getMessage();
        assertTrue(tooLong.matches("settings: [0-9]+ bytes together, more than 8192; shorten or join some"), tooLong);
    }

    @Test
    void shouldBoundTheDevicesOfAnArray()
    {
        final DeviceType raid = DeviceTypes.of("raid");
        final String most = IntStream.range(0, 63).mapToObj((i) -> "m" + i).collect(Collectors.joining(" "));
        assertEquals(63, ((List<?>)raid.values(Map.of("level", "6", "members", most, "spares", "s")).get("members"))
            .size());
        assertEquals("settings: more than 64 devices below this one; use fewer",
            assertThrows(InvalidSettingException.class,
                () -> raid.values(Map.of("level", "6", "members", most, "spares", "s t"))).getMessage());
    }

    @Test
    void shouldKnowWhatDependsOnWhat()
    {
        assertEquals(List.of("d"), DeviceTypes.of("fault").bases(Map.of("base", "d")));
        assertEquals(List.of("a", "b", "c"), DeviceTypes.of("raid").bases(Map.of("members", "a b", "spares", "c")));
        assertEquals("path /f", DeviceTypes.of("file").location(Map.of("path", "/f")));
        assertEquals("address 0000:01:00.0 nsid 1", DeviceTypes.of("nvme").location(Map.of("address", "0000:01:00.0")));
        assertEquals("", DeviceTypes.of("memory").location(Map.of("size", "1MiB")));
        assertNotNull(DeviceTypes.of("file").growable());
        assertNull(DeviceTypes.of("fault").growable());
        assertTrue(DeviceTypes.of("discard").hasIncarnation());
        assertFalse(DeviceTypes.of("file").hasIncarnation());
    }

    @Test
    void shouldApplyMembersAndSparesOfAnArrayWhileItServes()
    {
        final Map<String, String> was = Map.of("level", "1", "members", "a b");
        assertEquals(Map.of("level", "1", "members", "a c", "spares", "d"),
            DeviceTypes.of("raid").applied(was, Map.of("members", "a c", "spares", "d")));
        final Map<String, String> raid5 = Map.of("level", "5", "members", "a b c");
        assertEquals(Map.of("level", "6", "members", "a b c d"),
            DeviceTypes.of("raid").applied(raid5, Map.of("level", "6", "members", "a b c d")));
        assertEquals("journal = always: does not change while the device serves; delete it and create it again",
            assertThrows(InvalidSettingException.class,
                () -> DeviceTypes.of("raid").applied(raid5, Map.of("journal", "always"))).getMessage());
        assertEquals("checksums = true: is fixed at creation, as the devices that it is made of hold it; create " +
            "another one of other devices, and copy the data",
            assertThrows(InvalidSettingException.class,
                () -> DeviceTypes.of("raid").applied(raid5, Map.of("checksums", "true"))).getMessage());
    }

    @Test
    void shouldNameTheTypesThatThereAre()
    {
        assertEquals("type = disk: not one of " + String.join(", ", DeviceTypes.names()) + "; use one of them",
            assertThrows(InvalidSettingException.class, () -> DeviceTypes.of("disk")).getMessage());
        assertEquals("type = null: no type any more; write discard, its name now",
            assertThrows(InvalidSettingException.class, () -> DeviceTypes.of("null")).getMessage());
        assertNull(DeviceTypes.find("disk"));
    }
}
