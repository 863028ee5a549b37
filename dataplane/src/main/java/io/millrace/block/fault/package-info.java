/**
 * A device that wraps another one and injects planned faults: errors, delays, torn and lost writes, requests that never
 * end. For tests, and for operators who rehearse failures.
 * <p>
 * A {@link io.millrace.block.fault.FaultPlan} is immutable; what it decides depends on its seed, on the number of the
 * channel (in order of opening) and on the requests that came through that channel before, and on nothing else.
 * Everything runs on the submitting reactor.
 */
package io.millrace.block.fault;
