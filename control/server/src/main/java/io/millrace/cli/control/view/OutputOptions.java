package io.millrace.cli.control.view;

import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.console.Yaml;
import io.millrace.control.message.Resource;
import java.util.List;
import picocli.CommandLine.Option;

/**
 * Output options of a command.
 */
public final class OutputOptions
{
    @Option(names = {"-o", "--output"}, paramLabel = "FORMAT",
        description = "Print as ${COMPLETION-CANDIDATES}. Default: table.")
    private Format format;

    @Option(names = "--json", description = "Print JSON: short for --output json.")
    private boolean json;

    /**
     * Called by picocli.
     */
    OutputOptions()
    {
    }

    /**
     * {@return the chosen format; a table if none was}
     */
    public Format format()
    {
        return json ? Format.json : null == format ? Format.table : format;
    }

    /**
     * {@return whether a format was chosen}
     */
    public boolean isGiven()
    {
        return json || null != format;
    }

    /**
     * Prints records.
     *
     * @param view      of their kind.
     * @param resources to print.
     * @param <T>       kind of resource.
     * @return exit code.
     */
    public <T extends Resource> int print(final View<T> view, final List<T> resources)
    {
        final Terminal terminal = Terminal.standard();
        switch (format())
        {
            case table ->
            {
                view.table(resources).print(terminal, "");
                if (resources.isEmpty())
                {
                    terminal.line("no " + view.plural());
                }
            }
            case json -> terminal.line(Json.write(view.maps(resources)));
            case yaml -> terminal.text(Yaml.write(view.maps(resources)));
        }
        return ExitCode.OK;
    }

    /**
     * Prints one record, over several lines for people.
     *
     * @param view     of its kind.
     * @param resource to print.
     * @param <T>      kind of resource.
     * @return exit code.
     */
    public <T extends Resource> int printOne(final View<T> view, final T resource)
    {
        final Terminal terminal = Terminal.standard();
        switch (format())
        {
            case table -> view.lines(resource).forEach(terminal::line);
            case json -> terminal.line(Json.write(view.map(resource)));
            case yaml -> terminal.text(Yaml.write(view.map(resource)));
        }
        return ExitCode.OK;
    }
}
