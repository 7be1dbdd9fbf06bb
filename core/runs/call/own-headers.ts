/**
 * Name and value in turn: the platform's own word in place of what already stands there under the same name.
 * Two of one name are none to an agent.
 */
export function withOwn(headers: readonly string[], own: Readonly<Record<string, string>>): string[] {
  const others: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (!Object.hasOwn(own, name.toLowerCase())) others.push(name, headers[at + 1] ?? '');
  }
  return [...others, ...Object.entries(own).flat()];
}
