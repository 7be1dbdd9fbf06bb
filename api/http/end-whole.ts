// A small answer in one write to its connection.
import type { ServerResponse } from 'node:http';

/** Above this, copying the bytes costs more than a second write. */
const SMALL_BYTES = 16_384;

/**
 * Ends the response with these bytes. Node joins headers with text only: as latin1, each byte is one
 * character and stays what it is.
 */
export function endWhole(response: ServerResponse, body: Buffer): void {
  if (body.length <= SMALL_BYTES) response.end(body.toString('latin1'), 'latin1');
  else response.end(body);
}
