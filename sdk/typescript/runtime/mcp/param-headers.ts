// Arguments that a client of 2026 repeats as headers (`x-mcp-header` in a skill's schema, for proxies to
// route by): the package compares the two, which it does only for servers of its own kind.
import { McpServer, type Implementation, type McpServerOptions } from '@modelcontextprotocol/server';
import type { SkillCard } from '../../../../contract/wire/card.ts';

/** The input schemas of the skills that declare such headers, by the skills' names. */
export function withHeaders(skills: readonly SkillCard[]): ReadonlyMap<string, Record<string, unknown>> {
  return new Map(skills.filter(({ input_schema: schema }) => declares(schema)).map(({ id, input_schema: schema }) => [id, schema]));
}

export class HeaderCheckingServer extends McpServer {
  readonly #schemas: ReadonlyMap<string, Record<string, unknown>>;

  constructor(info: Implementation, options: McpServerOptions, schemas: ReadonlyMap<string, Record<string, unknown>>) {
    super(info, options);
    this.#schemas = schemas;
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#schemas.get(name);
  }
}

function declares({ properties }: Record<string, unknown>): boolean {
  if (typeof properties !== 'object' || properties === null) return false;
  return Object.values(properties).some((property: unknown) => typeof property === 'object' && property !== null && 'x-mcp-header' in property);
}
