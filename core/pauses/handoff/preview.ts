/** The arguments as the approval shows them: whole, for what runs is what was shown. */
export function argsPreview(args: unknown): string {
  return JSON.stringify(args ?? null, null, 2);
}
