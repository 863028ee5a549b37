package io.millrace.block.fault;

import io.millrace.block.BlockStatus;

/**
 * A loss of power, which fails the requests that were outstanding. Immutable; told apart by identity.
 *
 * @param status     that they end with.
 * @param ruleNumber of the rule, from 1; 0 of a loss without one.
 */
record PowerLoss(BlockStatus status, int ruleNumber)
{
}
