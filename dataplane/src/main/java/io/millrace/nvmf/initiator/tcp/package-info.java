/**
 * NVMe/TCP for hosts: a connection and what it is made of, over the flyweights that both sides share. Everything here
 * is one reactor's.
 */
package io.millrace.nvmf.initiator.tcp;
