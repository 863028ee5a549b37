/**
 * How two ends of a control session come to trust each other, and go on doing so. Both sides use it.
 *
 * <p>A session that has to prove itself goes: the client sends OpenSession with an X25519 key made for this session;
 * the data plane answers Challenge with a nonce and such a key of its own; the client sends ProveIdentity with its
 * nonce and a {@link io.millrace.control.session.SessionProof} under the shared secret; the data plane answers
 * SessionOpened with a proof of its own. From SessionOpened on each message of either side travels in a {@link
 * io.millrace.control.session.MessageSeal}, under a key of that session and direction.
 *
 * <p>What this holds off, over UDP:
 * <ul>
 * <li>Somebody without the secret who opens a session, or plays the data plane. The proof binds both nonces, so that
 * an old one is worth nothing, and everything that OpenSession said: role, names, and where the answers go.</li>
 * <li>Somebody on the path who injects, changes, repeats or reflects messages of an open session: the seal does not
 * fit, its counter was used, or it is of the other direction. Such a message is dropped and counted.</li>
 * <li>Somebody who reads along, now or with the secret later: messages are encrypted under keys that come of both
 * X25519 keys and the secret, and those are forgotten with the session. Who takes a key out of the opening breaks the
 * proof.</li>
 * </ul>
 *
 * <p>What it does not: hide that there is a session, between which addresses, when and how much is sent (a message has
 * its length and 16 bytes), and what the opening says: names of key, client and data plane, role, and where the answers
 * go. Nor does it hold off who holds messages back (a call then runs into its time-out), and flooding. Who can read the
 * secret's file is trusted; who loses it loses all sessions to come, those that were recorded stay closed. Over IPC the
 * permissions of the Aeron directory decide who gets in, and messages are not sealed unless the client names a key.
 */
package io.millrace.control.session;
