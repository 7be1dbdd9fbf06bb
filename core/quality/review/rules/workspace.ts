// What the agent asks for of its callers' files, against what its code does.
import { code, locateInCode, type ReviewedProject } from '../project.ts';
import type { ReviewRule } from '../rule.ts';

const WRITES = /\.\s*(?:write|delete|remove|move|put)\s*\(/;
const REQUESTS = /\.\s*request_?(?:Scope|scope|Access|access)\s*\(|\.\s*open_?(?:View|view)\s*\(/;
const DECLARED = /workspace_?access|allowed_?modes/i;
const WIDE = /\.\s*(?:request_?(?:Access|access)|open_?(?:View|view))\s*\(\s*\[\s*["'`]\*\*(?:\/\*)?["'`]/;

const uses = (project: ReviewedProject, pattern: RegExp): boolean => code(project).some(({ lines }) => lines.some((line) => pattern.test(line)));

export const grantWiderThanWrites: ReviewRule = {
  id: 'grant-wider-than-writes',
  *find(project) {
    const { workspace_access: access } = project.card;
    const place = locateInCode(project, DECLARED);
    if (!access.enabled) return;
    if (access.allowed_modes.includes('read_write_overlay') && !uses(project, WRITES)) {
      const message = 'The card asks for read_write_overlay, but the code writes no file: ask only for read_only';
      yield { ...place, severity: 'warning', title: 'Grant wider than writes', message };
    }
    if (!uses(project, REQUESTS) && !uses(project, /workspace/)) {
      const message = 'The card asks for files of its callers, and nothing in the code reads one: leave workspace_access out';
      yield { ...place, severity: 'warning', title: 'Grant without use', message };
    }
    if (uses(project, WIDE)) {
      const message = 'The code asks for all files (**): ask for the patterns that the skill needs, so that people can say yes';
      yield { ...locateInCode(project, WIDE), severity: 'warning', title: 'Grant of all files', message };
    }
  },
};

/** A skill that changes data for its callers should declare the scope that it needs. */
const CHANGES = /^(?:delete|remove|drop|purge|refund|pay|charge|transfer|send|publish|deploy|create|update|cancel|approve|grant|revoke|reset)(?:[-_A-Z]|$)/;

export const missingScopes: ReviewRule = {
  id: 'missing-scopes',
  *find(project) {
    const scoped = project.card.skills.some(({ scopes }) => scopes.length > 0);
    for (const { id, scopes } of project.card.skills) {
      if (scopes.length > 0 || !CHANGES.test(id)) continue;
      const place = locateInCode(project, new RegExp(String.raw`\b${id.replaceAll(/[^A-Za-z0-9_]/g, '.')}\b`));
      const message = `By its name the skill ${id} changes something, and it names no scope: every user who may call the agent may do it. Give it scopes`;
      // Where other skills have scopes, this one was forgotten.
      yield { ...place, severity: scoped ? 'warning' : 'info', title: 'Skill without a scope', message };
    }
  },
};
