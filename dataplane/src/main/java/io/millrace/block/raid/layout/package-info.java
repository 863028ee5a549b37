/**
 * Where the blocks of an array lie on its members: levels and the mapping of their strips. Pure arithmetic; immutable.
 */
package io.millrace.block.raid.layout;
