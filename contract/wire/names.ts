// Names that more than one document shares.
import { z } from 'zod';

/**
 * An agent's name is the first label of its host name, so the rules of DNS labels hold (63 characters, no
 * hyphen at the ends).
 */
export const AgentName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'use lower-case letters, digits and inner hyphens, e.g. "text-kit"');

/**
 * `<agent>--dev` is the address of what the agent's dev box serves; no agent can have a name that ends so.
 */
export const BOX_SUFFIX = '--dev';

/** What a request may name: also agents that are older than the rule above. The column has the same check. */
export const AGENT_SLUG = '[a-z0-9-]{1,128}';
export const AgentSlug = z.string().regex(new RegExp(`^${AGENT_SLUG}$`), 'use 1 to 128 lower-case letters, digits and "-"');

/** Skill ids are also MCP tool names and URL path segments. */
export const SKILL_NAME = '[A-Za-z][A-Za-z0-9_-]{0,63}';
export const SkillName = z.string().regex(new RegExp(`^${SKILL_NAME}$`), 'start with a letter, then letters, digits, _ or - (64 at most)');

/**
 * By this tool MCP clients without forms answer what a skill asks; a skill of that name would never be
 * reached.
 */
export const ANSWER_TOOL = 'answer_question';
export const ANSWER_TOOL_TAKEN = `"${ANSWER_TOOL}" is the tool by which MCP clients answer what a skill asks: give the skill another name`;

/** Semantic version 2.0.0. */
export const Semver = z
  .string()
  .regex(
    /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/,
    'use a semantic version such as "0.1.0"',
  );

/** `module:Class`; the module is a path inside the project, its extension may be left out. */
export const Entrypoint = z
  .string()
  .max(256)
  .regex(/^(?![/.])[A-Za-z0-9_\-./]+:[A-Za-z_$][A-Za-z0-9_$]*$/, 'use "module:Class", e.g. "agent:Greeter" for class Greeter of agent.ts')
  .refine((value) => !value.split(/[/:]/).includes('..'), 'stay inside the project: no ".."');

/** 64 lower-case hexadecimal characters. */
export const Sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

/** RFC 3339 in UTC with milliseconds, as Date.prototype.toISOString gives it. */
export const Timestamp = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, 'use RFC 3339 in UTC with milliseconds');
