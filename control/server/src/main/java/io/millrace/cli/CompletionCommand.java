package io.millrace.cli;

import io.millrace.cli.control.LiveNames;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;
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
    /** Supported shells. */
    enum Shell
    {
        /** GNU Bash. */
        bash,
        /** Z shell, through its bash emulation. */
        zsh
    }

    /** Completes options statically, then names by asking the running process. */
    private static final String LIVE = """

        # Names of devices, subsystems, hosts ... of the data plane or manager that runs: asked for when nothing else
        # completes the word, for a second at most. None where nothing runs.
        function _complete_millrace_live() {
          COMPREPLY=()
          _complete_millrace
          local result=$?
          local word="${COMP_WORDS[COMP_CWORD]}"
          local found="${COMPREPLY[*]}"
          # Two quotes are all that is left of a list without words.
          if [[ -n "${found#\\'\\'}" || "${word}" == -* && "${word}" != --*=* ]]; then
            return ${result}
          fi
          COMPREPLY=()
          case "${COMP_WORDS[1]}" in
            %s)
              local IFS=$'\\n'
              local seconds="${MILLRACE_COMPLETION_TIMEOUT:-1}"
              COMPREPLY=( $(MILLRACE_NO_BUILD=1 MILLRACE_COMPLETION_TIMEOUT="${seconds}" timeout "${seconds}" \\
                "${COMP_WORDS[0]}" complete "${COMP_LINE:0:${COMP_POINT}}" "${COMP_WORDBREAKS-}" 2>/dev/null) )
              ;;
          esac
        }
        """;

    @Parameters(index = "0", paramLabel = "bash|zsh", description = "Shell to complete in.")
    private Shell shell;

    @Spec
    private CommandSpec spec;

    @Override
    public void run()
    {
        final CommandLine root = spec.root().commandLine();
        final String script = AutoComplete.bash("millrace", root);
        final int registration = script.lastIndexOf("\ncomplete -F _complete_millrace ");
        final String live = LIVE.formatted(root.getSubcommands().values().stream()
            .filter(CompletionCommand::hasLiveNames).map(CommandLine::getCommandName).collect(Collectors.joining("|")));
        spec.commandLine().getOut().println(
            (Shell.zsh == shell ? "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" :
            "") + script.substring(0, registration) + live + script.substring(registration).replace(
            "complete -F _complete_millrace ", "complete -F _complete_millrace_live "));
    }

    private static boolean hasLiveNames(final CommandLine command)
    {
        return command.getCommandSpec().args().stream()
            .anyMatch((each) -> each.completionCandidates() instanceof LiveNames) ||
            command.getSubcommands().values().stream().anyMatch(CompletionCommand::hasLiveNames);
    }
}
