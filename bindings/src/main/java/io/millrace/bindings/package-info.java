/**
 * The interface to C: native libraries and their availability, and raw memory.
 * <p>
 * The one module that touches {@link java.lang.foreign.Linker}. Nothing here keeps state or owns a thread; callers
 * may be on any thread. Functions that can be called per I/O answer the result or the negated {@code errno}, as the
 * kernel does; set-up code turns that into a {@link io.millrace.bindings.NativeException} with {@code
 * NativeException.check}.
 */
package io.millrace.bindings;
