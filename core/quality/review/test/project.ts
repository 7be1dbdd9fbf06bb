// A project for a rule to look at.
import { AgentCard } from '#contract/wire/card.ts';
import { parseManifest } from '#contract/wire/manifest.ts';
import { type ReviewedProject, sourceFiles } from '../project.ts';
import type { ReviewRule } from '../rule.ts';

export interface Sample {
  files?: Record<string, string>;
  card?: Record<string, unknown>;
  more?: Partial<ReviewedProject>;
}

export function project({ files = {}, card = {}, more = {} }: Sample): ReviewedProject {
  const all = Object.entries(files).map(([path, content]) => ({ path, content }));
  return {
    files: sourceFiles(all),
    paths: Object.keys(files),
    card: AgentCard.parse({ name: 'sample', version: '1.0.0', description: '', skills: [], ...card }),
    manifest: parseManifest({ name: 'sample', version: '1.0.0', entrypoint: 'agent:Sample' }),
    now: new Date('2026-11-24T00:00:00Z'),
    ...more,
  };
}

/** Where it finds something: `path:line`, or `card`. */
export function places(rule: ReviewRule, sample: Sample): string[] {
  return [...rule.find(project(sample))].map(({ path, line }) => (path === null ? 'card' : `${path}:${line}`));
}
