package io.millrace.manager.plane;

/**
 * What a manager does with a data plane.
 *
 * <pre>
 *   DOWN --session--&gt; EXAMINING --lineage fits--&gt; TAKING --term taken--&gt; SERVING
 *                        |   ^                                          |   ^
 *        another lineage |   | a person decided      on connect, events |   |
 *                        v   |                                 and time v   |
 *                       FOREIGN                                       COMPARING
 *   any --session lost--&gt; DOWN        any --a later manager--&gt; FENCED
 * </pre>
 */
enum PlaneMode
{
    /** There is no session. */
    DOWN,
    /** Leadership and version of the data plane are read. */
    EXAMINING,
    /** It holds state of another lineage: it is only inspected until an operator decides. */
    FOREIGN,
    /** A term above all others is persisted and taken on the data plane. */
    TAKING,
    /** Changes are sent as they arrive. */
    SERVING,
    /** The actual state is compared with the desired state, and the difference is applied. */
    COMPARING,
    /** Another manager is active: the data plane is only inspected. */
    FENCED
}
