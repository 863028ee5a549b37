/**
 * Programs that the manager runs when a data plane goes down and when it comes back.
 */
package io.millrace.manager.hook;
