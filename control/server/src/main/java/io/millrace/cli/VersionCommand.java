package io.millrace.cli;

import io.millrace.console.Terminal;
import io.millrace.console.Version;
import picocli.CommandLine.Command;

/**
 * {@code millrace version}: the version of the program, as {@code --version} prints it.
 */
@Command(
    name = "version",
    description = "Print the versions of Millrace, Java and the kernel.",
    footerHeading = "%nExamples:%n",
    footer = "  millrace version")
final class VersionCommand implements Runnable
{
    @Override
    public void run()
    {
        Terminal.standard().line(Version.line());
    }
}
