// Reading what other people's agents send: any of it may be anything.
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Without recursion: a document of a mebibyte may be hundreds of thousands of lists deep. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let row: unknown[] = [value];
  for (let level = 0; row.length > 0; level += 1) {
    if (level > levels) return true;
    row = row.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}
