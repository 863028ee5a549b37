package io.millrace.control.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Kind;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ResourceKindsTest
{
    @Test
    void shouldKnowTheKindOfEveryTypeAndTheTypeOfEveryKind()
    {
        final Set<Kind> rest = EnumSet.complementOf(EnumSet.of(Kind.NULL_VAL, Kind.SBE_UNKNOWN));
        for (final Class<?> type : Resource.class.getPermittedSubclasses())
        {
            assertTrue(rest.remove(Resource.kindOf(type.asSubclass(Resource.class))), type + " has a kind of its own");
        }
        assertEquals(Set.of(), rest);
    }

    @Test
    void shouldHaveNoKindOfAnyResource()
    {
        assertThrows(IllegalArgumentException.class, () -> Resource.kindOf(Resource.class));
    }
}
