// What forms are made of: the JSON Schemas of the contract's bodies and queries, made at build time, a module
// for each group. The browser loads those of the groups whose forms it shows, and no zod.
import type { Plugin } from 'vite';
import { z } from 'zod';
import { contract } from '#contract/index.ts';
import { isSchema, type Group, type RouteSpec } from '#contract/kit.ts';
import { FORMS, withLabels } from './words/contract-words.ts';
import { type Language, plainly } from './words/language.ts';

const ALL = 'virtual:request-schemas';
const ONE = `${ALL}/`;
const groups: Record<string, Group> = contract;

/** `virtual:request-schemas` has a loader for each group; each gives `{ <route>: { body?, query? } }`. */
export function requestSchemas(language: Language | undefined): Plugin {
  return {
    name: 'svc:request-schemas',
    resolveId: (id) => (id.startsWith(ALL) ? `\0${id}` : undefined),
    load(id) {
      if (id === `\0${ALL}`) {
        const loaders = Object.keys(groups).map((name) => `${JSON.stringify(name)}: () => import(${JSON.stringify(ONE + name)})`);
        return `export const loaders = {${loaders.join(',\n')}};`;
      }
      const group = id.startsWith(`\0${ONE}`) ? groups[id.slice(ONE.length + 1)] : undefined;
      return group && `export const schemas = ${JSON.stringify(schemasOf(group, language))};`;
    },
  };
}

function schemasOf(group: Group, language: Language | undefined): Record<string, { body?: unknown; query?: unknown }> {
  return Object.fromEntries(
    Object.entries(group).map(([route, { body, query }]: [string, RouteSpec]) => [
      route,
      {
        ...(body && isSchema(body) && { body: language ? withLabels(jsonSchema(body), (text) => plainly(language, FORMS, text)) : jsonSchema(body) }),
        ...(query && { query: jsonSchema(query) }),
      },
    ]),
  );
}

function jsonSchema(schema: z.core.$ZodType): unknown {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-2020-12' });
}
