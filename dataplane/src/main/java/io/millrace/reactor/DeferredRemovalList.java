package io.millrace.reactor;

import java.util.Arrays;

/**
 * Elements that are visited one after the other by a loop whose body may add elements and remove any of them, including
 * those that the loop has not reached yet. A removed element leaves a gap, which answers null; nothing moves until the
 * gaps are {@link #compact closed} between two loops. A loop reads {@link #limit()} and {@link #get} again in each
 * step:
 *
 * <pre>
 *   for (int i = 0; i &lt; list.limit(); i++)
 *   {
 *       final E element = list.get(i);
 *       if (null != element) ...
 *   }
 *   list.compact();
 * </pre>
 *
 *
 * Grows to the most elements there were; nothing else allocates. Single-threaded.
 *
 * @param <E> of the elements.
 */
public final class DeferredRemovalList<E>
{
    private static final int CAPACITY_INITIAL = 8;

    private E[] elements = newArray(CAPACITY_INITIAL);
    private int limit;
    private int gaps;

    /**
     * Makes an empty list.
     */
    public DeferredRemovalList()
    {
    }

    /**
     * {@return end of the places, gaps included}
     */
    public int limit()
    {
        return limit;
    }

    /**
     * {@return the element at a place; null where one was removed}
     *
     * @param place from 0 to {@link #limit()}, exclusive.
     */
    public E get(final int place)
    {
        return elements[place];
    }

    /**
     * {@return how many elements there are}
     */
    public int size()
    {
        return limit - gaps;
    }

    /**
     * Adds an element at the end, where a loop that runs now reaches it.
     *
     * @param element to add, which is not null.
     */
    public void add(final E element)
    {
        if (limit == elements.length)
        {
            elements = Arrays.copyOf(elements, 2 * limit);
        }
        elements[limit++] = element;
    }

    /**
     * Removes the element at a place; nothing at a gap.
     *
     * @param place from 0 to {@link #limit()}, exclusive.
     */
    public void removeAt(final int place)
    {
        if (null != elements[place])
        {
            elements[place] = null;
            gaps++;
        }
    }

    /**
     * Removes an element.
     *
     * @param element to look for, by identity.
     * @return false when it is not in the list.
     */
    public boolean remove(final E element)
    {
        final int place = indexOf(element);
        if (place >= 0)
        {
            removeAt(place);
        }
        return place >= 0;
    }

    /**
     * {@return place of an element, by identity; -1 when it is not in the list}
     *
     * @param element to look for, which is not null.
     */
    public int indexOf(final E element)
    {
        for (int place = 0; place < limit; place++)
        {
            if (element == elements[place])
            {
                return place;
            }
        }
        return -1;
    }

    /**
     * Closes the gaps; the order stays. Between loops.
     */
    public void compact()
    {
        if (0 != gaps)
        {
            int kept = 0;
            for (int place = 0; place < limit; place++)
            {
                if (null != elements[place])
                {
                    elements[kept++] = elements[place];
                }
            }
            Arrays.fill(elements, kept, limit, null);
            limit = kept;
            gaps = 0;
        }
    }

    @SuppressWarnings("unchecked")
    private static <E> E[] newArray(final int length)
    {
        return (E[])new Object[length];
    }
}
