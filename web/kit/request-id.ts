/**
 * Names one change: sent again under the same id it is the same change. `crypto.randomUUID` does not exist on
 * plain http.
 */
export function newRequestId(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `req_${hex}`;
}
