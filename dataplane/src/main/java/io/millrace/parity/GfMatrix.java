package io.millrace.parity;

import java.util.Arrays;

/**
 * A matrix over {@link GaloisField}: outputs are its rows, sources its columns. Immutable; any thread.
 */
public final class GfMatrix
{
    private final int rows;
    private final int columns;
    private final byte[] coefficients;

    /**
     * A matrix of given coefficients.
     *
     * @param rows         1 to {@link ReedSolomon#SOURCES_MAX}.
     * @param columns      1 to {@link ReedSolomon#SOURCES_MAX}.
     * @param coefficients row by row; copied.
     * @throws IllegalArgumentException when a number is out of bounds or coefficients are too few or too many.
     */
    public GfMatrix(final int rows, final int columns, final byte[] coefficients)
    {
        Bounds.check("rows", rows, 1, ReedSolomon.SOURCES_MAX);
        Bounds.check("columns", columns, 1, ReedSolomon.SOURCES_MAX);
        Bounds.check("coefficients", coefficients.length, rows * columns, rows * columns);
        this.rows = rows;
        this.columns = columns;
        this.coefficients = coefficients.clone();
    }

    /**
     * {@return how many outputs the matrix gives}
     */
    public int rows()
    {
        return rows;
    }

    /**
     * {@return how many sources it takes}
     */
    public int columns()
    {
        return columns;
    }

    /**
     * {@return a coefficient, 0 to 255}
     *
     * @param row    from 0.
     * @param column from 0.
     * @throws IndexOutOfBoundsException when the matrix has no such row or column.
     */
    public int coefficient(final int row, final int column)
    {
        if (row < 0 || row >= rows || column < 0 || column >= columns)
        {
            throw new IndexOutOfBoundsException("row " + row + ", column " + column + " of " + rows + " x " + columns);
        }
        return coefficients[row * columns + column] & 0xff;
    }

    /**
     * The product of this matrix with another one.
     *
     * @param other with as many rows as this one has columns.
     * @return the product.
     * @throws IllegalArgumentException when the numbers differ.
     */
    public GfMatrix multiply(final GfMatrix other)
    {
        Bounds.check("rows of the other matrix", other.rows, columns, columns);
        final byte[] product = new byte[rows * other.columns];
        for (int row = 0; row < rows; row++)
        {
            for (int column = 0; column < other.columns; column++)
            {
                int sum = 0;
                for (int i = 0; i < columns; i++)
                {
                    sum ^= GaloisField.multiply(coefficient(row, i), other.coefficient(i, column));
                }
                product[row * other.columns + column] = (byte)sum;
            }
        }
        return new GfMatrix(rows, other.columns, product);
    }

    /**
     * The inverse, by Gauss and Jordan.
     *
     * @return a matrix of which the product with this one is the identity.
     * @throws IllegalArgumentException when the matrix is not square or has no inverse.
     */
    public GfMatrix inverse()
    {
        Bounds.check("columns of a matrix to invert", columns, rows, rows);
        final byte[] left = coefficients.clone();
        final byte[] right = new byte[rows * rows];
        for (int i = 0; i < rows; i++)
        {
            right[i * rows + i] = 1;
        }
        for (int pivot = 0; pivot < rows; pivot++)
        {
            int row = pivot;
            while (row < rows && 0 == left[row * rows + pivot])
            {
                row++;
            }
            if (row == rows)
            {
                throw new IllegalArgumentException("matrix of " + rows + " rows has no inverse");
            }
            swap(left, row, pivot);
            swap(right, row, pivot);
            final int scale = GaloisField.inverse(left[pivot * rows + pivot] & 0xff);
            addScaled(left, pivot, pivot, scale ^ 1);
            addScaled(right, pivot, pivot, scale ^ 1);
            for (int other = 0; other < rows; other++)
            {
                if (other != pivot)
                {
                    final int factor = left[other * rows + pivot] & 0xff;
                    addScaled(left, other, pivot, factor);
                    addScaled(right, other, pivot, factor);
                }
            }
        }
        return new GfMatrix(rows, rows, right);
    }

    private void swap(final byte[] matrix, final int a, final int b)
    {
        for (int i = 0; i < rows; i++)
        {
            final byte value = matrix[a * rows + i];
            matrix[a * rows + i] = matrix[b * rows + i];
            matrix[b * rows + i] = value;
        }
    }

    private void addScaled(final byte[] matrix, final int target, final int source, final int factor)
    {
        for (int i = 0; i < rows; i++)
        {
            matrix[target * rows + i] ^= (byte)GaloisField.multiply(matrix[source * rows + i] & 0xff, factor);
        }
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof final GfMatrix matrix && rows == matrix.rows &&
            Arrays.equals(coefficients, matrix.coefficients);
    }

    @Override
    public int hashCode()
    {
        return Arrays.hashCode(coefficients);
    }

    @Override
    public String toString()
    {
        return "GfMatrix " + rows + " x " + columns + " " + Arrays.toString(coefficients);
    }
}
