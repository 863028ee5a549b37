/**
 * How two ends of a control session come to trust each other, and go on doing so. Both sides use it.
 *
 * <p>A session that has to prove itself goes: the client sends OpenSession; the data plane answers Challenge with a
 * nonce of its own; the client sends ProveIdentity with its nonce and a {@link
 * io.millrace.control.session.SessionProof} under the shared secret; the data plane answers SessionOpened with a
 * proof of its own. From SessionOpened on each message of either side travels in a {@link
 * io.millrace.control.session.MessageSeal}, under a key of that session and direction.
 *
 * <p>What this holds off, over UDP:
 * <ul>
 * <li>Somebody without the secret who opens a session, or plays the data plane. The proof binds both nonces, so that
 * an old one is worth nothing, and everything that OpenSession said: role, names, and where the answers go.</li>
 * <li>Somebody on the path who injects, changes, repeats or reflects messages of an open session: the seal does not
 * fit, its counter was used, or it is of the other direction. Such a message is dropped and counted.</li>
 * </ul>
 *
 * <p>What it does not: reading (nothing is encrypted: names of volumes and hosts can be seen, the secret cannot),
 * holding messages back (a call then runs into its time-out), and flooding. Who can read the secret's file is
 * trusted; who loses it loses all sessions to come, and those that were recorded can be checked but not changed. Over
 * IPC the permissions of the Aeron directory decide who gets in, and messages are not sealed unless the client names
 * a key.
 */
package io.millrace.control.session;
