// Fields of an agent that look like a setting and are none: a class may have any field, so nothing
// else would say that it has no effect.
import { closest } from '../../../contract/wire/nearest.ts';
import { type Agent, SETTINGS } from '../authoring/agent.ts';
import type { DeclarationProblem } from '../authoring/errors.ts';
import { isResource } from '../authoring/resource.ts';
import { isSkill, SKILL_OPTIONS } from '../authoring/skill.ts';

const METHODS = ['startup', 'shutdown', 'health', 'configure'];
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  resources: ['cpu', 'memory', 'gpu', 'maxRuntimeSeconds'],
  egress: ['allowHosts', 'allowInternalServices', 'denyInternetByDefault'],
  workspaceAccess: ['enabled', 'maxFiles', 'allowedModes', 'requireReason', 'denyPatterns', 'requireHumanApproval', 'maxTotalSizeBytes'],
};

const areNames = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every((one) => /^[A-Z][A-Z0-9_]*$/.test(String(one)));
const areWords = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
const isAmount = (value: unknown): boolean => typeof value === 'string' && /^\d+(?:\.\d+)?(?:m|[KMG]i?)?$/.test(value);

/** Other words for settings, and which values show that they are meant. */
const OTHER_WORDS: readonly [names: RegExp, value: (value: unknown) => boolean, meant: string][] = [
  [/^(?:secrets?|api_?keys?)$/i, areNames, 'requiredSecrets'],
  [/^(?:env|environment|env_?vars)$/i, areNames, 'requiredEnv'],
  [/^tools$/i, areWords, 'toolsUsed'],
  [/^allow(?:ed)?_?hosts$/i, areWords, 'egress = { allowHosts: […] }'],
  [/^(?:memory|cpu)$/i, isAmount, "resources = { cpu: '100m', memory: '256Mi' }"],
  [/^(?:max_?runtime|timeout)_?(?:seconds)?$/i, (value) => typeof value === 'number', 'resources = { maxRuntimeSeconds: … }'],
];

/** Each with the setting that was meant, if it is known. */
export function misnamedIn(agent: Agent): (DeclarationProblem & { meant?: string })[] {
  const fields = Object.entries(agent).flatMap(([field, value]) => {
    if (isSkill(value)) return unknownIn(value.declaration, SKILL_OPTIONS, field, 'a skill');
    const options = OPTIONS[field];
    if (options) return unknownIn(value, options, field, field);
    if (SETTINGS.some((name) => name === field) || isResource(value) || value === undefined) return [];
    const meant = settingFor(field, value, agent);
    if (meant === undefined) return [];
    const own = 'A field of your own is #private, or has another name';
    return [{ attribute: field, meant, message: `is not a setting of an agent and has no effect; did you mean ${meant}? ${own}` }];
  });
  const proto: object = Object.getPrototypeOf(agent);
  const methods = Object.getOwnPropertyNames(proto).flatMap((name) => {
    const meant = METHODS.includes(name) ? undefined : METHODS.find((known) => plain(known) === plain(name).replace(/^on(?=startup|shutdown)/, ''));
    return meant === undefined ? [] : [{ attribute: name, message: `is never called; did you mean ${meant}()?` }];
  });
  return [...fields, ...methods];
}

function settingFor(field: string, value: unknown, agent: Agent): string | undefined {
  const other = OTHER_WORDS.find(([names, fits]) => names.test(field) && fits(value));
  if (other) return other[2];
  const same = SETTINGS.find((name) => plain(name) === plain(field));
  if (same !== undefined) return same;
  const meant = closest(field, SETTINGS, lettersThatMayDiffer);
  if (meant === undefined) return undefined;
  // A short word is near to many: `stats` is no misspelt `state`, `resource` may be the author's own.
  if (meant.length < 8) return typeof value === 'string' && Reflect.get(agent, meant) === undefined ? meant : undefined;
  const options = OPTIONS[meant];
  return options && !Object.keys(Object(value)).some((key) => options.includes(key)) ? undefined : meant;
}

function unknownIn(value: unknown, known: readonly string[], field: string, of: string): DeclarationProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const meant = known.find((name) => plain(name) === plain(key)) ?? closest(key, known) ?? known.find((name) => plain(name).startsWith(plain(key)));
      const remedy = meant === undefined ? `it takes ${known.join(', ')}` : `did you mean ${meant}?`;
      return { attribute: `${field}.${key}`, message: `is not an option of ${of}; ${remedy}` };
    });
}

const lettersThatMayDiffer = (name: string): number => (name.length < 12 ? 1 : 2);
const plain = (name: string): string => name.toLowerCase().replaceAll('_', '');
