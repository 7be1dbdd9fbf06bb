// Parts that several areas name, in one object: what two of them name alike is a mistake that must not start.

type Intersection<U> = (U extends unknown ? (part: U) => void : never) extends (all: infer I) => void ? I : never;

/** All members of all parts. @throws where two parts have a member of the same name */
export function merge<const P extends readonly object[]>(...parts: P): Intersection<P[number]> {
  const all: Record<string, unknown> = {};
  for (const part of parts) {
    for (const [name, member] of Object.entries(part)) {
      if (Object.hasOwn(all, name)) throw new Error(`${name} is named twice: each name is of one area`);
      all[name] = member;
    }
  }
  return merged(all);
}

// Safe: `all` has every member of every part, and none of them replaced another.
function merged<I>(all: object): I {
  return all as I;
}
