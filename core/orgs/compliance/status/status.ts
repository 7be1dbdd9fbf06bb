// What is met of each framework: a control is as good as the evidence that is named for it.
import { type Control, controlsOf, FRAMEWORK_TITLES } from '#contract/orgs/controls.ts';
import type { ComplianceStatusOut, ControlOut, EvidenceOut } from '#contract/orgs/compliance.ts';
import type { ComplianceFramework, ControlState } from '#contract/states.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { exportRows, presentExport } from '../export/read.ts';
import { organizationFor } from '../../organization/find.ts';
import { lastPurge } from '../retention/read.ts';
import { evidenceOf } from './evidence.ts';
import { complianceFacts } from './facts.ts';

export async function complianceStatus(ctx: Ctx, i: { slug: string }): Promise<ComplianceStatusOut> {
  const { organization_id, slug } = await organizationFor(ctx.db, ctx.actor, 'compliance.read', i.slug);
  const { policy, frameworks, evidence } = await assess(ctx, { organization_id, slug });
  const [newest] = await exportRows(ctx.db, organization_id).orderBy('e.created_at', 'desc').limit(1);
  return {
    policy,
    frameworks,
    evidence,
    next_actions: nextActions(evidence, frameworks),
    last_purge: await lastPurge(ctx.db, organization_id),
    last_export: newest ? presentExport(newest) : null,
    checked_at: new Date(ctx.clock()).toISOString(),
  };
}

type Frameworks = ComplianceStatusOut['frameworks'];

export async function assess(
  ctx: Ctx,
  { organization_id, slug }: { organization_id: string; slug: string },
): Promise<{ policy: ComplianceStatusOut['policy']; frameworks: Frameworks; evidence: EvidenceOut[] }> {
  const facts = await complianceFacts(ctx, organization_id);
  const controls = facts.policy.frameworks.map((framework) => ({ framework, of: controlsOf(framework) }));
  const evidence = evidenceOf(slug, facts, new Set(controls.flatMap(({ of }) => of.flatMap((one) => [...one.evidence]))));
  return { policy: facts.policy, evidence, frameworks: controls.map(({ framework, of }) => presentFramework(framework, of, evidence)) };
}

function presentFramework(framework: ComplianceFramework, of: readonly Control[], evidence: readonly EvidenceOut[]): Frameworks[number] {
  const controls = of.map((control) => presentControl(control, evidence));
  const counts = { met: 0, partly: 0, not_met: 0, not_applicable: 0 };
  for (const { state } of controls) counts[state] += 1;
  return { framework, title: FRAMEWORK_TITLES[framework], counts, controls };
}

function presentControl({ control_id, reference, title, evidence: names, outside }: Control, evidence: readonly EvidenceOut[]): ControlOut {
  const about = { control_id, reference, title, evidence: [...names] };
  if (names.length === 0) return { ...about, state: 'not_applicable', reason: `The platform has no evidence of it. ${outside ?? ''}`.trim() };
  const controlEvidence = names.flatMap((name) => evidence.filter((one) => one.name === name));
  const counted = controlEvidence.filter(({ state }) => state !== 'not_applicable');
  const worst = counted.find(({ state }) => state === 'not_met') ?? counted.find(({ state }) => state === 'partly') ?? counted[0] ?? controlEvidence[0];
  return { ...about, state: together(counted.map(({ state }) => state)), reason: worst ? `${worst.title}: ${worst.reason}` : '' };
}

function together(states: readonly ControlState[]): ControlState {
  if (states.length === 0) return 'not_applicable';
  if (states.every((state) => state === 'met')) return 'met';
  return states.every((state) => state === 'not_met') ? 'not_met' : 'partly';
}

/** What closes gaps of most controls first. */
function nextActions(evidence: readonly EvidenceOut[], frameworks: Frameworks): string[] {
  const uses = (name: string): number => frameworks.flatMap(({ controls }) => controls).filter((control) => control.evidence.includes(name)).length;
  const open = evidence.filter(({ next_action }) => next_action !== null).toSorted((a, b) => uses(b.name) - uses(a.name));
  return [...new Set(open.flatMap(({ next_action }) => next_action ?? []))];
}
