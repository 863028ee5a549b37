package io.millrace.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class GaloisFieldTest
{
    @Test
    void shouldMultiplyAsATextbookDoes()
    {
        for (int a = 0; a < 256; a++)
        {
            for (int b = 0; b < 256; b++)
            {
                assertEquals(SlowField.product(a, b), GaloisField.multiply(a, b), a + " times " + b);
            }
        }
    }

    @Test
    void shouldGiveOneWhenAnElementMeetsItsInverse()
    {
        for (int a = 1; a < 256; a++)
        {
            assertEquals(1, SlowField.product(a, GaloisField.inverse(a)), "inverse of " + a);
        }
        assertEquals("element 0 has no inverse: must be 1 to 255",
            assertThrows(IllegalArgumentException.class, () -> GaloisField.inverse(0)).getMessage());
    }

    @Test
    void shouldRaiseTwoToAnyPower()
    {
        int power = 1;
        for (int i = 0; i < 600; i++)
        {
            assertEquals(power, GaloisField.power(i), "2 to the " + i);
            assertEquals(1, SlowField.product(power, GaloisField.power(-i)), "2 to the -" + i);
            power = SlowField.product(power, 2);
        }
    }
}
