/**
 * Namespaces of other NVMe-oF targets as block devices.
 * <p>
 * A {@link io.millrace.remote.RemoteDevice} has one controller for each of its paths and, through it, one I/O queue for
 * each reactor, which is used on that reactor alone. It knows no transport: the poll groups that it is given have them.
 * <p>
 * <b>What is submitted again, and when.</b> A request whose path is lost is submitted again on the best path there is.
 * <ul>
 * <li>Reads, compares, verifies and flushes at once: doing them twice changes nothing, and the transport has let go of
 * their memory before it gives them back.</li>
 * <li>Requests that change data only when the controller that had them cannot execute them any more. The host cannot
 * see what became of them, so they may still be on their way to the device; were one acknowledged through another
 * controller and overwritten, the late first try would bring old data back. The device waits until the controller has
 * confirmed that it was reset, which is asked of it where its admin queue is still there, or until the time has passed
 * by which a controller that lost its host has ended its commands (two or three keep-alive time-outs and its quiesce
 * time, {@link io.millrace.nvme.identify.ControllerInfo#commandEndMs}). For the same reason such a request does not
 * end before, neither when it waits for too long nor when its channel is closed: its submitter may overwrite the blocks
 * then. A close resets controllers that have not answered a write within 5 s, and takes at most 6 s more than that
 * time.</li>
 * <li>A command that a controller has answered is done there; one that it refused because of its path (asymmetric
 * access, internal path error) is submitted again on another path at once.</li>
 * </ul>
 * Other requests are not held up meanwhile: order between requests that overlap in time is their submitter's.
 */
package io.millrace.remote;
