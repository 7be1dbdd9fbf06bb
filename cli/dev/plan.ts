// What a sync does, from three trees: what both sides had when they last agreed, what is here, what is in the
// box. Pure, so that it can be tried on any trees. Nothing is lost: where both changed a file, the newer one
// keeps the name and the other is saved beside it.
import { type Base, markOf, type Tree } from './tree.ts';

export interface Conflict {
  path: string;
  /** Whose content keeps the name. */
  kept: 'here' | 'box';
  /** Where the other content goes, on both sides. */
  saved: string;
}

export interface Plan {
  /** Written into the box. */
  push: string[];
  /** Written here. */
  pull: string[];
  removeInBox: string[];
  removeHere: string[];
  conflicts: Conflict[];
}

export interface Sides {
  base: Base;
  here: Tree;
  box: Tree;
  /** Milliseconds to add to a time of the box to have it by the clock here. */
  skewMs?: number;
  /** Names the copies that are saved. */
  now?: number;
}

export function planSync({ base, here, box, skewMs = 0, now = Date.now() }: Sides): Plan {
  const plan: Plan = { push: [], pull: [], removeInBox: [], removeHere: [], conflicts: [] };
  const taken = new Set([...here.keys(), ...box.keys(), ...base.keys()]);
  for (const path of [...taken].toSorted()) {
    const [was, mine, theirs] = [base.get(path), here.get(path), box.get(path)];
    const [hereMark, boxMark] = [mine && markOf(mine), theirs && markOf(theirs)];
    if (hereMark === boxMark) continue;
    if (boxMark === was) {
      if (mine) plan.push.push(path);
      else plan.removeInBox.push(path);
    } else if (hereMark === was) {
      if (theirs) plan.pull.push(path);
      else plan.removeHere.push(path);
    } else if (!theirs) plan.push.push(path); // changed here, removed there: the change wins
    else if (!mine) plan.pull.push(path);
    else if (mine.sha256 === theirs.sha256) plan.push.push(path); // only the modes differ
    else {
      const newerSide = theirs.mtime + skewMs > mine.mtime ? 'box' : 'here';
      const saved = beside(path, newerSide === 'here' ? 'box' : 'here', now, taken);
      taken.add(saved);
      plan.conflicts.push({ path, kept: newerSide, saved });
    }
  }
  return plan;
}

const isRules = (path: string): boolean => /(?:^|\/)\.(?:git|svc)ignore$/.test(path);

/**
 * Ignore files go before all else: what one side has begun to ignore is gone from its tree, and would be
 * removed from the other.
 */
export function rulesFirst(plan: Plan): Plan & { areRules: boolean } {
  const only = {
    push: plan.push.filter(isRules),
    pull: plan.pull.filter(isRules),
    removeInBox: plan.removeInBox.filter(isRules),
    removeHere: plan.removeHere.filter(isRules),
  };
  const rules = { ...only, conflicts: plan.conflicts.filter(({ path }) => isRules(path)) };
  return isEmpty(rules) ? { ...plan, areRules: false } : { ...rules, areRules: true };
}

export function isEmpty(plan: Plan): boolean {
  return plan.push.length + plan.pull.length + plan.removeInBox.length + plan.removeHere.length + plan.conflicts.length === 0;
}

/** `agent.ts` → `agent.box-20261126-231502.ts`, an unused name. */
function beside(path: string, side: 'here' | 'box', now: number, taken: ReadonlySet<string>): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const slash = path.lastIndexOf('/') + 1;
  const dot = path.lastIndexOf('.');
  const cut = dot > slash ? dot : path.length;
  for (let n = 0; ; n++) {
    const name = `${path.slice(0, cut)}.${side}-${stamp}${n === 0 ? '' : `-${n}`}${path.slice(cut)}`;
    if (!taken.has(name)) return name;
  }
}
