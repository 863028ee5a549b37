package io.millrace.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code millrace completion}: prints a script that completes commands and options in a shell.
 */
@Command(
    name = "completion",
    description = "Print a shell's completion script.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  source <(millrace completion bash)             for this shell",
        "  millrace completion bash > ~/.local/share/bash-completion/completions/millrace",
        "  source <(millrace completion zsh)              in ~/.zshrc"})
final class CompletionCommand implements Runnable
{
    /** Shells that are known. */
    enum Shell
    {
        /** GNU Bash. */
        bash,
        /** Z shell, through its bash emulation. */
        zsh
    }

    @Parameters(index = "0", paramLabel = "bash|zsh", description = "Shell to complete in.")
    private Shell shell;

    @Spec
    private CommandSpec spec;

    @Override
    public void run()
    {
        final String script = AutoComplete.bash("millrace", spec.root().commandLine());
        spec.commandLine().getOut().println(Shell.zsh == shell ?
            "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" + script : script);
    }
}
