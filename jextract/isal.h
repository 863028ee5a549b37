/*
 * libisal: parity of RAID and erasure codes. isal.includes says which of the symbols are taken.
 */
#include <isa-l/raid.h>
#include <isa-l/erasure_code.h>
