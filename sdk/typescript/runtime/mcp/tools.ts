// Skills as MCP tools, their outcomes as tool results.
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { SkillCard } from '../../../../contract/wire/card.ts';
import type { ArtifactRef } from '../../../../contract/wire/events.ts';
import { withIntegerBounds } from '../../../../contract/wire/integer-bounds.ts';
import { SkillInputError, type SvcError } from '../../authoring/errors.ts';
import { detailOf } from '../http.ts';

export function toTool(skill: SkillCard): Tool {
  return {
    name: skill.id,
    ...(skill.name !== skill.id && { title: skill.name }),
    description: skill.description,
    // Results are not bounded here: a client checks them, and 2^60 arrives as it is.
    inputSchema: { ...withIntegerBounds(skill.input_schema), type: 'object' },
    outputSchema: skill.output_schema['type'] === 'object' ? { ...skill.output_schema, type: 'object' } : wrapped(skill.output_schema),
    ...annotated(skill.policy),
  };
}

function annotated({ idempotent, read_only: readOnlyHint, destructive: destructiveHint }: SkillCard['policy']): Pick<Tool, 'annotations'> {
  const annotations = {
    ...(idempotent && { idempotentHint: true }),
    ...(readOnlyHint !== undefined && { readOnlyHint }),
    ...(destructiveHint !== undefined && { destructiveHint }),
  };
  return Object.keys(annotations).length > 0 ? { annotations } : {};
}

/** @param inline bytes of artifacts by their addresses, where they are in memory */
export function success(result: unknown, artifacts: readonly ArtifactRef[], inline: ReadonlyMap<string, Uint8Array> = new Map()): CallToolResult {
  const value = result ?? null;
  const files = artifacts.flatMap((artifact) => blocksOf(artifact, inline.get(artifact.uri)));
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }, ...files], structuredContent: structured(value) };
}

type Block = CallToolResult['content'][number];

/** Pictures and sound are shown beside the link to them; text is carried whole; anything else is a link. */
function blocksOf({ name, uri, mime_type: mimeType, size_bytes: size }: ArtifactRef, bytes: Uint8Array | undefined): Block[] {
  const link: Block = { type: 'resource_link', name, uri, mimeType, size };
  if (!bytes) return [link];
  const [type = ''] = mimeType.split('/');
  if (type === 'image' || type === 'audio') return [{ type, data: Buffer.from(bytes).toString('base64'), mimeType }, link];
  if (type !== 'text' && !/^application\/(?:json|xml|yaml)\b/.test(mimeType)) return [link];
  return [{ type: 'resource', resource: { uri, mimeType, text: new TextDecoder().decode(bytes) } }];
}

/** A model reads the text and tries again, so it says what to mend; programs find the same in `_meta`. */
export function failure(error: SvcError, requestId: string): CallToolResult {
  const issues = (error instanceof SkillInputError ? error.issues : []).map((issue) => `\n- ${issue.path.join('.') || '(top)'}: ${issue.message}`);
  const text = `${error.code}: ${error.message}${issues.join('')} (request ${requestId})`;
  return { isError: true, content: [{ type: 'text', text }], _meta: { 'svc/error': detailOf(error, requestId) } };
}

// Structured content is an object by the protocol; other results are carried as its one member `result`.
function structured(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { result: value };
}

function wrapped(schema: Record<string, unknown>): Tool['outputSchema'] {
  // Without a declared output the result may be an object itself: then anything goes.
  if (Object.keys(schema).length === 0) return { type: 'object' };
  return { type: 'object', properties: { result: schema as object }, required: ['result'] }; // a JSON Schema by declare()
}
