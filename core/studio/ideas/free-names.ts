import type { Knex } from 'knex';

/** Numbers that are tried at once. */
const A_ROUND = 20;

/** The names; those that an agent has, or had, get the first number at the end that is free. */
export async function freeNames(db: Knex, names: readonly string[]): Promise<Map<string, string>> {
  const free = new Map<string, string>();
  let left = [...names];
  for (let from = 1; left.length > 0; from += A_ROUND) {
    const numbers = Array.from({ length: A_ROUND }, (_, at) => from + at);
    const tried = new Map(left.map((name) => [name, numbers.map((number) => (number === 1 ? name : `${name}-${number}`))]));
    const rows = await db('agents')
      .whereRaw('name = any(:all)', { all: [...tried.values()].flat() })
      .distinct<{ name: string }[]>('name');
    const taken = new Set(rows.map(({ name }) => name));
    for (const [name, all] of tried) {
      const freeName = all.find((one) => !taken.has(one));
      if (freeName !== undefined) free.set(name, freeName);
    }
    left = left.filter((name) => !free.has(name));
  }
  return free;
}
