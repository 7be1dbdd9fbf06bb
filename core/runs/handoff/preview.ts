const maxPreview = 2_000;

/** Arguments as a person is shown them before they decide. */
export function previewOf(args: unknown): string {
  const text = JSON.stringify(args ?? null, null, 2);
  return text.length > maxPreview ? `${text.slice(0, maxPreview)}\n… (${text.length} characters)` : text;
}
