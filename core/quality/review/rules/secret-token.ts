// Finds secrets in the source by their form.
import { secretIn } from '#contract/wire/secret-shapes.ts';
import { written } from '../project.ts';
import { perLine, type ReviewRule } from '../rule.ts';

const IN_ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s:/@"'`]{1,80}):([^\s/@"'`]{6,120})@([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+)/i;

const remedy = 'Revoke it: it is in the source and in earlier deploys. Store the new one with svc secrets set';

function kindOf(lines: readonly string[], at: number): string | undefined {
  const kind = secretIn(lines, at);
  if (kind !== undefined) return kind;
  const [, user = '', password = '', host = ''] = IN_ADDRESS.exec(lines[at] ?? '') ?? [];
  if (password !== '' && ![user, password, host].some(isPlaceholderWord)) return 'a password in an address';
  return undefined;
}

const isPlaceholderWord = (text: string): boolean =>
  /^(?:user(?:name)?|pass(?:word)?|secret|postgres|root|admin|token|example.*|.*\.example|.*\.test|.*\.local)$/i.test(text) ||
  /example\.|[<${}*]|placeholder|change|your/i.test(text);

export const secretToken: ReviewRule = {
  id: 'secret-token',
  *find(project) {
    yield* perLine(written(project), (_line, file, at) => {
      const kind = kindOf(file.lines, at);
      return kind === undefined ? undefined : { severity: 'critical', title: 'Secret in the source', message: `This line holds ${kind}. ${remedy}` };
    });
  },
};
