// What a browser calls itself, in words that a person knows it by. It may lie: nothing is decided by it.
const BROWSERS = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** `Firefox on Linux`, `Browser` */
export function browserName(userAgent: string | null): string {
  const find = (among: typeof BROWSERS | typeof SYSTEMS): string | undefined => among.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const system = find(SYSTEMS);
  return `${find(BROWSERS) ?? 'Browser'}${system === undefined ? '' : ` on ${system}`}`;
}
