/*
 * SPDK, and the functions of native/spdk that take SPDK's callbacks. spdk.includes says which of the symbols are taken.
 */
#include <spdk/bdev.h>
#include <spdk/env.h>

#include <millrace_spdk.h>
