package io.millrace.control.codec;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

class SchemaTest
{
    private static final String NOW = "src/main/sbe/millrace-control.xml";
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

    @Test
    void shouldUseEveryIdOnce() throws Exception
    {
        final Map<String, String> templates = new HashMap<>();
        for (final Element message : all(read(NOW), "sbe:message"))
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
        for (final Element set : all(read(NOW), "enum", "set"))
        {
            final Map<String, String> values = new HashMap<>();
            for (final Element value : children(set))
            {
                assertNull(values.put(value.getTextContent(), ""), set.getAttribute("name"));
            }
        }
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
}
