/**
 * An address as the header Location takes it: headers carry ASCII, and browsers would encode the rest alike.
 */
export function inAscii(url: string): string {
  return url.replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
}
