package io.millrace.control.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

class SchemaTest
{
    private static final String NOW = "src/main/sbe/millrace-control.xml";
    private static final String VERSION_0 = "src/test/sbe/millrace-control-0.xml";
    private static final String VERSION_1 = "src/test/sbe/millrace-control-1.xml";
    private static final String VERSION_2 = "src/test/sbe/millrace-control-2.xml";
    private static final String SINCE = "sinceVersion";

    private static Element read(final String path) throws Exception
    {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new File(path)).getDocumentElement();
    }

    private static List<Element> all(final Element root, final String... names)
    {
        final List<Element> found = new ArrayList<>();
        for (final String name : names)
        {
            final NodeList nodes = root.getElementsByTagName(name);
            for (int i = 0; i < nodes.getLength(); i++)
            {
                found.add((Element)nodes.item(i));
            }
        }
        return found;
    }

    private static List<Element> children(final Element parent)
    {
        final List<Element> found = new ArrayList<>();
        for (Node node = parent.getFirstChild(); null != node; node = node.getNextSibling())
        {
            if (node instanceof final Element element)
            {
                found.add(element);
            }
        }
        return found;
    }

    @Test
    void shouldDescribeEveryPart() throws Exception
    {
        final List<Element> parts =
            all(read(NOW), "composite", "type", "enum", "set", "sbe:message", "field", "group", "data");
        assertTrue(parts.size() > 200, "only " + parts.size() + " parts");
        for (final Element part : parts)
        {
            assertTrue(part.getAttribute("description").length() > 3,
                part.getParentNode().getNodeName() + " " + part.getAttribute("name"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {NOW, VERSION_0, VERSION_1, VERSION_2})
    void shouldUseEveryIdOnce(final String path) throws Exception
    {
        final Map<String, String> templates = new HashMap<>();
        for (final Element message : all(read(path), "sbe:message"))
        {
            final String name = message.getAttribute("name");
            assertNull(templates.put(message.getAttribute("id"), name), name);
            final Map<String, String> fields = new HashMap<>();
            for (final Element field : all(message, "field", "group", "data"))
            {
                assertNull(fields.put(field.getAttribute("id"), field.getAttribute("name")),
                    name + "." + field.getAttribute("name"));
            }
        }
        for (final Element set : all(read(path), "enum", "set"))
        {
            final Map<String, String> values = new HashMap<>();
            for (final Element value : children(set))
            {
                assertNull(values.put(value.getTextContent(), ""), set.getAttribute("name"));
            }
        }
    }

    /** What was there keeps id, name and type, and its place; what is new comes after it and says since when. */
    @ParameterizedTest
    @ValueSource(strings = {VERSION_0, VERSION_1, VERSION_2})
    void shouldOnlyHaveBeenAppendedTo(final String path) throws Exception
    {
        final Map<String, Element> now = new HashMap<>();
        all(read(NOW), "sbe:message", "enum", "set", "composite").forEach(e -> now.put(key(e), e));
        final Element frozen = read(path);
        final int version = Integer.parseInt(frozen.getAttribute("version"));
        for (final Element before : all(frozen, "sbe:message", "enum", "set", "composite"))
        {
            assertAppended(before, now.remove(key(before)), version);
        }
        now.values().forEach(added -> assertTrue(sinceVersion(added) > version, key(added)));
    }

    /** Nothing says that it came with a version that is still to come. */
    @Test
    void shouldBeOfTheLatestVersionThatAPartNames() throws Exception
    {
        final Element now = read(NOW);
        final int latest = all(now, "sbe:message", "enum", "set", "composite", "field", "group", "data", "validValue",
            "choice", "type").stream().mapToInt(SchemaTest::sinceVersion).max().orElseThrow();
        assertTrue(latest <= Integer.parseInt(now.getAttribute("version")), latest + "");
    }

    private static int sinceVersion(final Element element)
    {
        return element.hasAttribute(SINCE) ? Integer.parseInt(element.getAttribute(SINCE)) : 0;
    }

    private static void assertAppended(final Element before, final Element after, final int version)
    {
        assertTrue(null != after, "gone: " + key(before));
        assertEquals(before.getAttribute("id"), after.getAttribute("id"), key(before));
        assertEquals(before.getAttribute(SINCE), after.getAttribute(SINCE), key(before));
        for (final String kind : List.of("field", "group", "data", "validValue", "choice", "type"))
        {
            final List<Element> old = children(before).stream().filter(e -> kind.equals(e.getTagName())).toList();
            final List<Element> current = children(after).stream().filter(e -> kind.equals(e.getTagName())).toList();
            for (int i = 0; i < current.size(); i++)
            {
                final Element element = current.get(i);
                final String what = key(after) + " " + element.getAttribute("name");
                if (i >= old.size())
                {
                    assertTrue(sinceVersion(element) > version, what);
                    continue;
                }
                for (final String attribute : List.of("name", "id", "type", "primitiveType", "length", SINCE))
                {
                    assertEquals(old.get(i).getAttribute(attribute), element.getAttribute(attribute), what);
                }
                if ("group".equals(kind))
                {
                    assertAppended(old.get(i), element, version);
                }
            }
            assertTrue(current.size() >= old.size(), key(after));
        }
    }

    private static String key(final Element element)
    {
        return element.getTagName() + " " + element.getAttribute("name");
    }
}
