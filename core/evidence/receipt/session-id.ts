/** `ags_…` of the same UUID. */
export function sessionIdOf(receiptId: string): string {
  return receiptId.replace(/^rcp_/, 'ags_');
}

export function receiptIdOf(sessionId: string): string {
  return sessionId.replace(/^ags_/, 'rcp_');
}
