// Settings that the code reads and the card does not declare: no user is asked for them, so they are missing.
import { code } from '../project.ts';
import { perLine, type ReviewRule } from '../rule.ts';

const READS =
  /ctx\.secret\s*\(\s*["'`]([A-Za-z_][A-Za-z0-9_]{1,63})["'`]|process\.env(?:\.([A-Z][A-Z0-9_]{1,63})\b|\[["'`]([A-Z][A-Z0-9_]{1,63})["'`]\])(?!\s*(?:\?\?|\|\|))|os\.environ\[["']([A-Z][A-Z0-9_]{1,63})["']\]/g;
/** Set by the platform, the language or the system. */
const PREDEFINED =
  /^(?:SVC_.*|NODE_ENV|NODE_OPTIONS|PATH|HOME|HOSTNAME|TZ|LANG|PWD|TMPDIR|PORT|CI|DATABASE_URL|VECTOR_STORE_URL|HTTPS?_PROXY|NO_PROXY|PYTHON[A-Z]*)$/;

export const undeclaredSecret: ReviewRule = {
  id: 'undeclared-secret',
  *find(project) {
    const { card } = project;
    const known = new Set([...card.required_secrets, ...card.required_env, ...(card.consumer_setup ?? []).map(({ name }) => name)]);
    const reportedNames = new Set<string>();
    yield* perLine(code(project), (line) => {
      const names = [...line.matchAll(READS)].flatMap(([, ...groups]) => groups.filter((name) => name !== undefined));
      const name = names.find((one) => !known.has(one) && !PREDEFINED.test(one) && !reportedNames.has(one));
      if (name === undefined) return undefined;
      reportedNames.add(name);
      const message = `The code reads ${name}, which the card does not name: no deploy warns when it is missing. Add it to the secrets that the agent requires`;
      return { severity: 'info', title: 'Setting that the card does not declare', message };
    });
  },
};
