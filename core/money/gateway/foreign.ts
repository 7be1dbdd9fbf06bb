// What a request may not name when the caller pays: things that lie at the provider in the caller's account,
// and services that cost more than tokens.
import { BadRequest } from '../../kernel/errors.ts';
import { type Body, isObject } from './wire.ts';

/** Each names something stored at the provider. */
const STORED = new Set(['previous_response_id', 'conversation', 'file_id', 'file_ids', 'vector_store_ids', 'container', 'container_id', 'mcp_servers']);
/** Of the request itself. */
const DEARER = [
  'background',
  'service_tier',
  'speed',
  'inference_geo',
  'web_search_options',
  'search_parameters',
  'plugins',
  'preset',
  'provider',
  'prediction',
  'audio',
];
/** Those that the agent carries out itself; all others cost more than tokens, or may. */
const OWN_TOOL =
  /^(?:function|custom|apply_patch|computer|namespace|tool_search|(?:bash|text_editor|computer|memory|tool_search_tool_regex|tool_search_tool_bm25)_\d{8})$/;
/** Fields in which a request names other models to a router with several providers. */
const OTHER_MODELS = ['models', 'fallbacks'];

/**
 * The one model that is named is the one that is allowed, priced and counted. @throws BadRequest
 * model_request_invalid
 */
export function refuseOtherModels(body: Body): void {
  for (const name of OTHER_MODELS)
    if (body[name] !== undefined && body[name] !== null)
      throw new BadRequest('model_request_invalid', `"${name}" is not taken: svc.yaml declares which models may answer instead (models.fallbacks)`);
}

/** @throws BadRequest model_request_invalid */
export function refuseForeign(body: Body): void {
  for (const name of DEARER) if (body[name] !== undefined && body[name] !== null && body[name] !== false && body[name] !== 'default') throw refused(name);
  if (isObject(body['prompt'])) throw refused('prompt');
  const { tools } = body;
  for (const tool of Array.isArray(tools) ? tools : [])
    if (isObject(tool) && typeof tool['type'] === 'string' && !OWN_TOOL.test(tool['type'])) throw refused(`tools: ${tool['type']}`);
  for (const name of STORED) if (body[name] !== undefined && body[name] !== null) throw refused(name);
  // The wire lets an item of the account come without its type.
  const { input } = body;
  for (const item of Array.isArray(input) ? input : [])
    if (isObject(item) && typeof item['id'] === 'string' && typeof item['type'] !== 'string' && typeof item['role'] !== 'string')
      throw refused('item_reference');
  // Not the schemas of tools and answers: a property of theirs may have any name.
  walk([body['messages'], body['input'], body['system']], 0);
}

function walk(value: unknown, depth: number): void {
  if (depth > 32) throw new BadRequest('model_request_invalid', 'The request is nested too deeply');
  if (Array.isArray(value)) for (const one of value) walk(one, depth + 1);
  else if (isObject(value)) {
    if (value['type'] === 'item_reference') throw refused('item_reference');
    for (const [name, one] of Object.entries(value)) {
      // What the model wrote and was answered is anybody's text.
      if (name === 'input' && value['type'] === 'tool_use') continue;
      if (STORED.has(name) && one !== undefined && one !== null) throw refused(name);
      walk(one, depth + 1);
    }
  }
}

function refused(what: string): BadRequest {
  return new BadRequest(
    'model_request_invalid',
    `"${what}" is not taken where the caller pays: it uses what lies in their account at the provider, or costs more than tokens. Send the content itself`,
  );
}
