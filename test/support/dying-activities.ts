// Activities whose process dies after their work: each is asked again, and has to notice that it was done.

type Activities = Record<string, (...args: never[]) => Promise<unknown>>;

/**
 * Those that fail once with each of their arguments while `dies`, after they have done their work. `before`:
 * what comes first.
 */
export function dyingOnce<T extends Activities>(activities: T, { dies, before }: { dies: () => boolean; before?: (name: string) => Promise<void> }): T {
  const done = new Set<string>();
  const wrap =
    (name: string, work: (...args: never[]) => Promise<unknown>) =>
    async (...args: never[]): Promise<unknown> => {
      await before?.(name);
      const result = await work(...args);
      const key = JSON.stringify([name, args]);
      if (!dies() || done.has(key)) return result;
      done.add(key);
      throw new Error('the process died here');
    };
  // Safe: each function is replaced by one of the same shape.
  return Object.fromEntries(Object.entries(activities).map(([name, work]) => [name, wrap(name, work)])) as T;
}
