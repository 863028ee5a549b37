/**
 * RDMA devices through libibverbs of rdma-core: its calls, among them those that C has as inline functions over tables
 * of function pointers, and its structures by address. The library may be missing: see
 * {@link io.millrace.bindings.verbs.VerbsCalls#capability}.
 */
package io.millrace.bindings.verbs;
