// Named endpoints in an agent's OpenAPI document: one operation for each method.
import type { SkillCard } from './card.ts';
import { callsOf, type EndpointCall, type EndpointMethod, type Endpoints, sourceName } from './endpoints.ts';

type Json = Record<string, unknown>;

interface Around {
  skills: readonly SkillCard[];
  /** Refusals, the same for all. */
  responses(): Json;
  /** Moves a schema's definitions to the document's components. */
  hoist(schema: Json, prefix: string): Json;
}

/** Paths by endpoint; methods whose skill is not among these are left out. */
export function endpointPaths(endpoints: Endpoints, around: Around): Record<string, Json> {
  const paths = Object.entries(endpoints).map(([name, endpoint]): [string, Json] => {
    const operations = callsOf(endpoint).flatMap(({ method, call }) => {
      const skill = around.skills.find(({ id }) => id === call.skill);
      return skill ? [[method, operation(name, method, call, skill, around)] as const] : [];
    });
    return [`/endpoints/${name}`, Object.fromEntries(operations)];
  });
  return Object.fromEntries(paths.filter(([, operations]) => Object.keys(operations).length > 0));
}

function operation(name: string, method: EndpointMethod, call: EndpointCall, skill: SkillCard, { responses, hoist }: Around): Json {
  const operationId = `${method}_${name}`;
  const { properties, required, ...rest } = skill.input_schema;
  const arguments_ = Object.entries(Object(properties)).map(([argument, schema]) => {
    const source = call.arguments[argument] ?? (method === 'delete' ? { in: 'query' as const } : { in: 'body' as const });
    const due = Array.isArray(required) && required.includes(argument);
    return { source, name: sourceName(argument, source), due, schema };
  });
  const inBody = arguments_.filter(({ source }) => source.in === 'body');
  const due = inBody.filter((one) => one.due).map((one) => one.name);
  const body = {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(inBody.map((one) => [one.name, one.schema])),
    ...(due.length > 0 && { required: due }),
  };
  // Each with the definitions that its schema may refer to.
  const definitions = rest['$defs'] === undefined ? {} : { $defs: rest['$defs'] };
  const parameters = arguments_
    .filter(({ source }) => source.in === 'query' || source.in === 'header')
    .map(({ source, name: parameter, due: isDue, schema }) => ({
      name: parameter,
      in: source.in,
      required: isDue,
      schema: hoist({ ...Object(schema), ...definitions }, `${operationId}.Input`),
    }));
  return {
    operationId,
    summary: skill.description || skill.id,
    ...(skill.tags.length > 0 && { tags: [...skill.tags] }),
    ...(parameters.length > 0 && { parameters }),
    ...(inBody.length > 0 && { requestBody: { required: due.length > 0, content: { 'application/json': { schema: hoist(body, `${operationId}.Input`) } } } }),
    responses: {
      200: { description: 'The result', content: { 'application/json': { schema: result(hoist(skill.output_schema, `${operationId}.Output`)) } } },
      ...responses(),
    },
  };
}

/** An object is the answer as it is; anything else is its member `result`. */
function result(schema: Json): Json {
  if (schema['type'] === 'object') return schema;
  if (typeof schema['type'] !== 'string') return { type: 'object' };
  return { type: 'object', properties: { result: schema }, required: ['result'] };
}
