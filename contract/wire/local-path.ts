// Paths on one's own origin, as they may come from elsewhere.

export const LOCAL_PATH = /^\/(?![/\\])[^\\\u0000-\u0020\u007f]*$/;

/** A path on this origin, so that nobody is sent elsewhere after signing in. */
export function isLocalPath(value: string): boolean {
  // Browsers drop tabs and line ends and read "\" as "/", so none of these may come in.
  if (!LOCAL_PATH.test(value) || !value.isWellFormed()) return false;
  const url = URL.parse(value, 'https://origin.invalid');
  return url?.origin === 'https://origin.invalid';
}
