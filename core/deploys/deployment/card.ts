// The card an agent serves is checked before it gets traffic: it must be the agent that svc.yaml announced.
import { MAX_CARD_LENGTH } from '#contract/wire/limits.ts';
import type { Fault } from '../../kernel/errors.ts';
import { AgentCard } from '#contract/wire/card.ts';
import type { Manifest } from '#contract/wire/manifest.ts';
import { callsOf } from '#contract/wire/endpoints.ts';
import { ANSWER_TOOL, ANSWER_TOOL_TAKEN } from '#contract/wire/names.ts';
import { cpuMillis, memoryMib } from '#contract/wire/resources.ts';
import { unsupportedIn } from '#contract/wire/unsupported.ts';
import { ANY_HOST, type StartInput } from '#drivers/runtime/port.ts';
import { storable } from '../../kernel/storable.ts';
import { requiredNames, secretMissing } from '../../agents/secret/warnings.ts';

/** What an agent gets before its card is known: the defaults of the second specification document. */
const defaultResources: StartInput['resources'] = { memory_mib: 256, cpu_millis: 100 };

/** The most one agent may ask of this platform. */
const ceiling: StartInput['resources'] = { memory_mib: 4096, cpu_millis: 4000 };
const maxRuntimeSeconds = 86_400;

export interface CardCheck {
  card: AgentCard;
  fault?: Fault;
  warnings: Fault[];
  resources: StartInput['resources'];
  egress: StartInput['egress'];
  /** The card asks for other limits than the instance was started with. */
  differs: boolean;
}

type Started = Pick<StartInput, 'resources' | 'egress'>;
const none: Started = { resources: defaultResources, egress: { allow_hosts: [], allow_internal_services: [] } };

/** Throws nothing: an unusable card is a fault for the deployment's owner. */
export function checkCard(value: unknown, manifest: Manifest, started: Started = none): CardCheck {
  const parsed = AgentCard.safeParse(plain(value));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const message = `The agent's card is not valid at ${issue?.path.join('.') || 'its top'}: ${issue?.message}`;
    return { card: emptyCard(manifest), fault: { code: 'card_invalid', message }, warnings: [], ...started, differs: false };
  }
  const card = parsed.data;
  const { resources: asked, egress } = card.runtime;
  const resources = { memory_mib: memoryMib(asked.memory), cpu_millis: cpuMillis(asked.cpu) };
  const fault = mismatch(card, manifest) ?? tooLarge(resources) ?? tooLong(asked.max_runtime_seconds) ?? unsupported(card);
  const allow_hosts = egress.deny_internet_by_default ? egress.allow_hosts : [...egress.allow_hosts, ANY_HOST];
  const wanted = { allow_hosts, allow_internal_services: egress.allow_internal_services };
  return {
    card,
    ...(fault ? { fault } : {}),
    warnings: requiredNames(card).map(secretMissing),
    resources,
    egress: wanted,
    differs: JSON.stringify([resources, wanted]) !== JSON.stringify([started.resources, allowed(started.egress)]),
  };
}

/** Without what the account's policy says. */
function allowed({ allow_hosts, allow_internal_services }: Started['egress']): Started['egress'] {
  return { allow_hosts, allow_internal_services };
}

function mismatch(card: AgentCard, manifest: Manifest): Fault | undefined {
  for (const field of ['name', 'version'] as const) {
    if (card[field] !== manifest[field]) {
      return { code: 'card_mismatch', message: `svc.yaml says ${field} ${manifest[field]}, the agent's class says ${card[field]}: make them the same` };
    }
  }
  if (card.skills.some(({ id }) => id === ANSWER_TOOL)) return { code: 'skill_name_taken', message: ANSWER_TOOL_TAKEN };
  if (card.skills.length > 0) return unmapped(card, manifest);
  return { code: 'no_skills', message: 'The agent has no skills: declare at least one with skill(…)' };
}

/** An endpoint of svc.yaml that could never be called. */
function unmapped({ skills }: AgentCard, { endpoints = {} }: Manifest): Fault | undefined {
  for (const [name, endpoint] of Object.entries(endpoints)) {
    for (const { method, call } of callsOf(endpoint)) {
      const where = `svc.yaml maps ${method} of endpoint ${name}`;
      const skill = skills.find(({ id }) => id === call.skill);
      if (!skill) return { code: 'card_mismatch', message: `${where} to skill ${call.skill}, which the agent does not have: name one of its skills` };
      const known = Object.keys(Object(skill.input_schema['properties']));
      const argument = Object.keys(call.arguments).find((one) => !known.includes(one));
      if (argument !== undefined)
        return { code: 'card_mismatch', message: `${where} with argument ${argument}, which skill ${skill.id} does not take: name one of its arguments` };
    }
  }
  return undefined;
}

function tooLarge(resources: StartInput['resources']): Fault | undefined {
  if (resources.memory_mib <= ceiling.memory_mib && resources.cpu_millis <= ceiling.cpu_millis) return undefined;
  return {
    code: 'resources_too_large',
    message: `The card asks for ${resources.memory_mib} MiB and ${resources.cpu_millis}m; the most is ${ceiling.memory_mib} MiB and ${ceiling.cpu_millis}m`,
  };
}

function tooLong(seconds: number): Fault | undefined {
  if (seconds <= maxRuntimeSeconds) return undefined;
  return { code: 'resources_too_large', message: `The card asks for max_runtime_seconds ${seconds}; the most is ${maxRuntimeSeconds}` };
}

/**
 * The guest wrote it: of any size and depth, with characters that the database refuses. Undefined, which is
 * no card, when too large.
 */
function plain(value: unknown): unknown {
  try {
    const storableValue = storable(value);
    return JSON.stringify(storableValue).length > MAX_CARD_LENGTH ? undefined : storableValue;
  } catch {
    return undefined;
  }
}

function unsupported(card: AgentCard): Fault | undefined {
  const problems = unsupportedIn(card);
  if (problems.length === 0) return undefined;
  return {
    code: 'option_unsupported',
    message: `The card asks for what is not done here: ${problems.map(({ option, message }) => `${option}: ${message}`).join('; ')}`,
  };
}

function emptyCard(manifest: Manifest): AgentCard {
  return AgentCard.parse({ name: manifest.name, version: manifest.version, description: '', skills: [] });
}
