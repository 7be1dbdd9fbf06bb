// What an SDK offers its authors, in the words both languages share: names in snake_case, members by their
// exported type.

export interface Member {
  /** Null: a value, not something that is called. */
  parameters: readonly string[] | null;
  asynchronous: boolean;
}

/** Exported names; of types and classes their public members. */
export type Api = ReadonlyMap<string, ReadonlyMap<string, Member>>;

export const snakeCase = (name: string): string => (/^[A-Z]/.test(name) ? name : name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase());
