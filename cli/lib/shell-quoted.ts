// A word as a shell reads it: quoted where it must be.
export function shellQuoted(word: string): string {
  return /^[A-Za-z0-9_./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
