package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Compares the pages of documentation with the sources: classes, methods and tests in backticks exist, here or in the
 * JDK, and so does the target of each link.
 */
class DocumentationReferencesTest
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root")).toAbsolutePath().normalize();
    private static final Path MESSAGES = ROOT.resolve("control/client/src/main/sbe/millrace-control.xml");
    private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```$");
    private static final Pattern CODE = Pattern.compile("`([^`\n]*)`");
    private static final Pattern TYPE =
        Pattern.compile("(?:[a-z]+\\.)*([A-Z]\\w*[a-z]\\w*)(?:[.#]([a-z]\\w*))?(?:\\(.*\\))?");
    private static final Pattern WORDS = Pattern.compile("[A-Z][A-Z0-9]*[a-z0-9]+[A-Z]\\w*");
    private static final Pattern DECLARATION = Pattern.compile("\\b(?:class|interface|enum|record) ([A-Z]\\w*)");
    private static final Pattern MESSAGE = Pattern.compile("name=\"(\\w+)\"");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");
    /** Words of others that look like names of classes: systemd, udev, the lab's host tools. */
    private static final Set<String> FOREIGN = Set.of("LimitMEMLOCK");

    /** Sources of the types of each name; messages of the control protocol have none. */
    private static final Map<String, List<String>> TYPES = new HashMap<>();
    private static final List<Path> PAGES = new ArrayList<>();

    @BeforeAll
    static void readSources() throws IOException
    {
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>()
        {
            @Override
            public FileVisitResult preVisitDirectory(final Path directory, final BasicFileAttributes attributes)
            {
                final String name = directory.getFileName().toString();
                return "target".equals(name) || name.startsWith(".") && !directory.equals(ROOT) ?
                    FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) throws IOException
            {
                final String name = file.getFileName().toString();
                if (name.endsWith(".java"))
                {
                    declare(Files.readString(file));
                }
                else if (name.endsWith(".md"))
                {
                    PAGES.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            /** A directory that others made and this user may not read is none of the sources. */
            @Override
            public FileVisitResult visitFileFailed(final Path file, final IOException exception) throws IOException
            {
                final String name = file.getFileName().toString();
                if (name.endsWith(".java") || name.endsWith(".md"))
                {
                    throw exception;
                }
                return FileVisitResult.CONTINUE;
            }
        });
        MESSAGE.matcher(Files.readString(MESSAGES)).results()
            .forEach((each) -> TYPES.computeIfAbsent(each.group(1), (name) -> new ArrayList<>()));
        assertTrue(PAGES.contains(ROOT.resolve("docs/architecture.md")), PAGES::toString);
    }

    private static void declare(final String source)
    {
        final Matcher matcher = DECLARATION.matcher(source);
        while (matcher.find())
        {
            TYPES.computeIfAbsent(matcher.group(1), (name) -> new ArrayList<>()).add(source);
        }
    }

    @Test
    void shouldNameClassesMethodsAndTestsThatExist() throws IOException
    {
        final List<String> unknown = new ArrayList<>();
        int known = 0;
        for (final Path page : PAGES)
        {
            if (page.endsWith("CHANGELOG.md"))
            {
                // It names what was there before.
                continue;
            }
            for (final String code : CODE.matcher(text(page)).results().map((each) -> each.group(1)).toList())
            {
                final Matcher matcher = TYPE.matcher(code);
                if (matcher.matches() && (null != matcher.group(2) || WORDS.matcher(matcher.group(1)).matches()) &&
                    !FOREIGN.contains(matcher.group(1)))
                {
                    if (exists(matcher.group(1), matcher.group(2)))
                    {
                        known++;
                    }
                    else
                    {
                        unknown.add(ROOT.relativize(page) + ": " + code);
                    }
                }
            }
        }
        assertEquals(List.of(), unknown, "neither a class, a method of it, nor a message of the control protocol");
        assertTrue(known > 100, () -> "too few names found: " + TYPES.size() + " types");
    }

    private static boolean exists(final String type, final String member)
    {
        final List<String> sources = TYPES.get(type);
        return null == sources ? isOfJdk(type, member) : null == member ||
            sources.stream().anyMatch((each) -> Pattern.compile("\\b" + member + "\\b").matcher(each).find());
    }

    private static boolean isOfJdk(final String type, final String member)
    {
        for (final String jdkPackage : List.of("java.lang.", "java.util.concurrent."))
        {
            try
            {
                final Class<?> found = Class.forName(jdkPackage + type);
                return null == member ||
                    Arrays.stream(found.getMethods()).anyMatch((each) -> each.getName().equals(member));
            }
            catch (final ClassNotFoundException _)
            {
                // Perhaps in the next.
                continue;
            }
        }
        return false;
    }

    @Test
    void shouldLinkToFilesAndHeadingsThatExist() throws IOException
    {
        final List<String> broken = new ArrayList<>();
        for (final Path page : PAGES)
        {
            for (final String link : LINK.matcher(text(page)).results().map((each) -> each.group(1)).toList())
            {
                if (!link.contains("://"))
                {
                    final String[] parts = link.split("#", 2);
                    final Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
                    if (!Files.exists(file) || 2 == parts.length && !anchors(file).contains(parts[1]))
                    {
                        broken.add(ROOT.relativize(page) + ": " + link);
                    }
                }
            }
        }
        assertEquals(List.of(), broken);
    }

    /** Text of a page without its fenced blocks. */
    private static String text(final Path page) throws IOException
    {
        return FENCED.matcher(Files.readString(page)).replaceAll("");
    }

    /** Anchors of the headings of a page, as GitHub makes them. */
    private static Set<String> anchors(final Path page) throws IOException
    {
        final Set<String> anchors = new HashSet<>();
        HEADING.matcher(text(page)).results().forEach((each) -> anchors.add(each.group(1).toLowerCase(Locale.ROOT)
            .replaceAll("[^\\w\\- ]", "").replace(' ', '-')));
        return anchors;
    }
}
