// A description as a page shows it: its first line under the name, the rest in the overview.
const LEAD = 240;

export function leadOf(description: string): string | undefined {
  const line = firstOf(description).replace(/^#+\s*/, '');
  return line === '' ? undefined : line.length > LEAD ? `${line.slice(0, LEAD)}…` : line;
}

/** What the lead does not say; all of it where the lead had to be cut. */
export function restOf(description: string): string {
  const first = firstOf(description);
  return first.length > LEAD ? description : description.trim().slice(first.length).trim();
}

function firstOf(description: string): string {
  return description.trim().split('\n')[0]?.trimEnd() ?? '';
}
