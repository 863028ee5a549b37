package io.millrace.lab.guest;

import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the contract of block devices on namespaces of a drive that our driver has, and says for each how many tests
 * passed. Lines begin with CONTRACT.
 */
public final class ContractRun
{
    private ContractRun()
    {
    }

    /**
     * Runs it and ends with exit code 1 when a test failed, or none was found.
     *
     * @param args the drive's address, then namespaces; one that ends with {@code +} is driven with interrupts.
     */
    public static void main(final String[] args)
    {
        System.setProperty(NvmeDriveContract.ADDRESS, args[0]);
        boolean isGood = args.length > 1;
        for (int i = 1; i < args.length; i++)
        {
            final boolean hasInterrupts = args[i].endsWith("+");
            System.setProperty(NvmeDriveContract.NSID, args[i].replace("+", ""));
            System.setProperty(NvmeDriveContract.INTERRUPTS, String.valueOf(hasInterrupts));
            isGood &= run(NvmeDriveContract.class, "namespace " + args[i]);
        }
        System.exit(isGood ? 0 : 1);
    }

    /** Runs the tests of a class, and says how many passed, and of those that did not the name and the reason. */
    static boolean run(final Class<?> tests, final String name)
    {
        final Launcher launcher = LauncherFactory.create();
        final LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(tests))
            // The others on the class path would start, slowly, to find nothing.
            .filters(EngineFilter.includeEngines("junit-jupiter")).build();
        final SummaryGeneratingListener listener = new SummaryGeneratingListener();
        launcher.execute(request, listener);
        final TestExecutionSummary summary = listener.getSummary();
        for (final TestExecutionSummary.Failure failure : summary.getFailures())
        {
            say("failed " + name + " " + failure.getTestIdentifier().getDisplayName());
            failure.getException().printStackTrace();
        }
        final long found = summary.getTestsFoundCount();
        final long passed = summary.getTestsSucceededCount();
        say(name + " passed " + passed + " of " + found);
        System.out.println(name + ": " + (summary.getTimeFinished() - summary.getTimeStarted()) + " ms");
        // A whole class or engine that failed has no tests that were found.
        return found > 0 && found == passed && 0 == summary.getTotalFailureCount();
    }

    static void say(final String line)
    {
        System.out.println("CONTRACT " + line);
    }
}
