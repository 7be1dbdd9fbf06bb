// Cursors of lists.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** Of a list without pages. @throws ProtocolError for any cursor: it was never given one */
export function refuseCursor(params: { cursor?: string | undefined } | undefined): void {
  if (params?.cursor !== undefined) throw unknownCursor();
}

export function unknownCursor(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'this is no cursor of this list: take nextCursor of the page before, unchanged');
}
