// What a file has instead of the agent that its entrypoint names, and what to write.
import { basename, relative } from 'node:path';
import type { Problem } from '../../../contract/wire/author-process.ts';
import { Agent, type AgentClass } from '../authoring/agent.ts';
import { isSkill } from '../authoring/skill.ts';
import { placeOfClass } from './places.ts';

const MOST_NAMED = 8;

export function isAgentClass(value: unknown): value is AgentClass {
  return typeof value === 'function' && value.prototype instanceof Agent;
}

export function missingClass(module: Readonly<Record<string, unknown>>, file: string, className: string): Problem {
  const name = basename(file);
  const agents = Object.keys(module).filter((key) => isAgentClass(module[key]));
  const [first] = agents;
  if (first !== undefined) {
    const [its, write] = agents.length === 1 ? ['its agent is', 'write'] : ['its agents are', 'choose one, for example'];
    const entrypoint = `${relative(process.cwd(), file).replace(/\.[^./]+$/, '')}:${first}`;
    return {
      file,
      ...placeOfClass(file, className),
      of: 'entrypoint',
      message: `${name} has no ${className}; ${its} ${agents.map((key) => shown(key, module[key])).join(' and ')}: ${write} "entrypoint: ${entrypoint}"`,
    };
  }
  const place = placeOfClass(file, className);
  if (place.line !== undefined) return { file, ...place, message: `${className} is not exported: write "export class ${className} extends Agent"` };
  const others = Object.keys(module);
  const listed = others.slice(0, MOST_NAMED).map((key) => `${key} (${kindOf(module[key])})`);
  const exports = others.length === 0 ? 'it exports nothing' : `it exports ${listed.join(', ')}${others.length > MOST_NAMED ? ' …' : ''}`;
  const server = others.find((key) => kindOf(module[key]) === 'an HTTP server');
  const remedy =
    server === undefined
      ? `write "export class ${className} extends Agent { … }" with Agent from '@svc/sdk'`
      : 'make an agent of it with "svc init NAME --from ." in a folder without svc.yaml';
  return { file, message: `${name} has no agent; ${exports}: ${remedy}` };
}

export function notAnAgent(value: unknown, file: string, className: string): Problem {
  const write =
    value instanceof Agent
      ? `it is an instance; export its class instead: "export class ${className} extends Agent"`
      : `it is ${kindOf(value)}; write "class ${className} extends Agent" with Agent from '@svc/sdk'`;
  return { file, ...placeOfClass(file, className), message: `${className} is not an agent: ${write}` };
}

function shown(key: string, value: unknown): string {
  return key === 'default' && typeof value === 'function' && value.name !== '' && value.name !== 'default' ? `default (${value.name})` : key;
}

function kindOf(value: unknown): string {
  if (isSkill(value)) return 'a skill, which belongs into a class';
  if (typeof value === 'function') {
    if ('listen' in value && 'use' in value) return 'an HTTP server';
    return /^class\b/.test(String(value)) ? 'a class that does not extend Agent' : 'a function';
  }
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
