// Skills whose callers, people and models, cannot know what to send and what comes back.
import { locateInCode } from '../project.ts';
import type { ReviewRule } from '../rule.ts';

const TYPES = ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'];
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTyped = (schema: unknown): boolean => isObject(schema) && TYPES.some((key) => key in schema);

/** Names of arguments that take anything. */
function untyped(schema: Record<string, unknown>): string[] {
  const properties = schema['properties'];
  return isObject(properties) ? Object.keys(properties).filter((name) => !isTyped(properties[name])) : [];
}

export const untypedSchema: ReviewRule = {
  id: 'untyped-schema',
  *find(project) {
    for (const { id, input_schema, output_schema, description } of project.card.skills) {
      const place = locateInCode(project, new RegExp(String.raw`\b${id.replaceAll(/[^A-Za-z0-9_]/g, '.')}\b`));
      const open = untyped(input_schema);
      if (open.length > 0) {
        const message = `The skill ${id} takes anything for ${open.slice(0, 10).join(', ')}: give each argument a type`;
        yield { ...place, severity: 'warning', title: 'Argument without a type', message };
      }
      if (input_schema['additionalProperties'] === true && !isObject(input_schema['properties'])) {
        yield { ...place, severity: 'warning', title: 'Arguments without a schema', message: `The skill ${id} takes any arguments: declare them` };
      }
      if (!isTyped(output_schema)) {
        yield {
          ...place,
          severity: 'info',
          title: 'Result without a type',
          message: `The skill ${id} does not say what it answers: declare its result, so that callers can use it`,
        };
      }
      if (description.trim() === '') {
        yield {
          ...place,
          severity: 'info',
          title: 'Skill without a description',
          message: `The skill ${id} has no description, by which people and models choose it`,
        };
      }
    }
  },
};
