// What JSON and URLs can say and neither PostgreSQL nor canonical JSON can: refused at the door, or every
// verb would have to.
import type { Invalid } from '#core/kernel/errors.ts';

const MAX_DEPTH = 200;
/** One is enough to refuse; a few help. */
const MAX_ISSUES = 10;
const MAX_PATH_SHOWN = 20;

type Step = string | number;
interface Place {
  key: Step;
  depth: number;
  up: Place | undefined;
}

/** U+0000, half characters and bottomless nesting in an input, each with its place. */
export function unfitText(value: unknown): Invalid['issues'] {
  const issues: Invalid['issues'] = [];
  const open: { value: unknown; at: Place | undefined }[] = [{ value, at: undefined }];
  const tell = (at: Place | undefined, message: string): void => void issues.push({ path: pathOf(at), message });
  for (let next = open.pop(); next && issues.length < MAX_ISSUES; next = open.pop()) {
    const { at } = next;
    if (typeof next.value === 'string') {
      const wrong = wrongWith(next.value);
      if (wrong !== undefined) tell(at, wrong);
    } else if (typeof next.value === 'object' && next.value !== null) {
      const depth = (at?.depth ?? 0) + 1;
      if (depth > MAX_DEPTH) tell(at, `is nested deeper than ${MAX_DEPTH} levels`);
      else {
        const listed = Array.isArray(next.value);
        for (const [name, member] of Object.entries(next.value)) {
          // As a member it would become the prototype of whatever it is copied into.
          const wrong = listed ? undefined : name === '__proto__' ? 'may not be __proto__' : wrongWith(name);
          if (wrong !== undefined) tell(at, `a member's name ${wrong}`);
          open.push({ value: member, at: { key: listed ? Number(name) : name, depth, up: at } });
        }
      }
    }
  }
  return issues;
}

function pathOf(at: Place | undefined): Step[] {
  const path: Step[] = [];
  for (let place = at; place; place = place.up) path.unshift(place.key);
  return path.slice(0, MAX_PATH_SHOWN);
}

function wrongWith(text: string): string | undefined {
  if (text.includes('\0')) return 'holds the character U+0000: take it out';
  return text.isWellFormed() ? undefined : 'holds half of a surrogate pair: send whole characters';
}
