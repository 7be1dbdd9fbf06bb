import type { z } from 'zod';
import type { ConsumerSetupOut, SetupInvocationOut } from '#contract/agents/consumer-setup.ts';
import { setupPath } from './fields.ts';
import { missingOf, type ResolvedField } from './resolve.ts';

export function presentSetup(agent: string, found: readonly ResolvedField[]): z.infer<typeof ConsumerSetupOut> {
  const missing = missingOf(found).map(({ field }) => field.name);
  return {
    agent,
    complete: missing.length === 0,
    missing,
    fields: found.map((one) => ({
      name: one.field.name,
      kind: one.field.kind,
      type: one.field.type,
      title: one.field.title ?? null,
      description: one.field.description,
      required: one.field.required,
      scope: one.field.scope,
      default: one.field.default ?? null,
      source: one.source,
      value: shown(one),
      updated_at: one.updatedAt?.toISOString() ?? null,
    })),
  };
}

export function presentInvocation(agent: string, found: readonly ResolvedField[]): z.infer<typeof SetupInvocationOut> {
  const missing = missingOf(found).map(({ field }) => field.name);
  return {
    agent,
    ready: missing.length === 0,
    missing,
    path: setupPath(agent),
    fields: found.map((one) => ({ name: one.field.name, kind: one.field.kind, required: one.field.required, source: one.source, value: shown(one) })),
  };
}

function shown({ field, value }: ResolvedField): string | number | boolean | null {
  return field.kind === 'secret' ? null : (value ?? null);
}
