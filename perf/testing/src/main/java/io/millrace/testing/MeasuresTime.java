package io.millrace.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Marks a class of tests that hold a rate, a duration or a share of a CPU against a bound, and that a test beside them
 * could make fail or pass. Maven runs the classes of a module beside each other, and then these, one after the other.
 * A timeout that only ends a test which hangs is no such bound.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("measures-time")
public @interface MeasuresTime
{
}
