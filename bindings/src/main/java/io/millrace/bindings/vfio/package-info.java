/**
 * How the kernel hands devices to a process ({@code linux/vfio.h}): constants, and the structures that its calls take,
 * by address. Structures are zeroed by the caller; each call of {@link io.millrace.bindings.linux.Files#ioctl} that
 * takes one wants its size in its first field, which {@code init} writes. Set-up only; stateless.
 */
package io.millrace.bindings.vfio;
