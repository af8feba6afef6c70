package net.muster;

/**
 * An answer with its version.
 *
 * @param data what was answered
 * @param etag the version of what was read, for `ifMatch`; empty when it has none
 * @param replayed was the request carried out before, under the same idempotency key?
 */
public record Answer<T>(T data, String etag, boolean replayed) {}
