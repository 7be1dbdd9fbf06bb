const maxPreview = 2_000;

/** The arguments as the approval shows them. */
export function previewOf(args: unknown): string {
  const text = JSON.stringify(args ?? null, null, 2);
  return text.length > maxPreview ? `${text.slice(0, maxPreview)}\n… (${text.length} characters)` : text;
}
