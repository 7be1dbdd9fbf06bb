// Secrets by the name they are given and by looking random.
import { entropy, isPlaceholder } from '#contract/wire/placeholder.ts';
import { isSensitive } from '#contract/wire/sensitive.ts';
import { type SourceFile, written } from '../project.ts';
import { perLine, type ReviewRule } from '../rule.ts';

const NAME = String.raw`([A-Za-z0-9_.-]{0,40}(?:secret|token|passw(?:or)?d|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|credential)s?(?:[_-][A-Za-z0-9_-]{1,20})?)`;
const QUOTED = new RegExp(
  String.raw`${NAME}["']?\s{0,4}(?::\s{0,4}[A-Za-z][A-Za-z_.]{0,30}\s{0,4})?(?:=>|:=|=|:)\s{0,4}(["'\x60])([^"'\x60\s]{12,200})\2`,
  'i',
);
const BARE = new RegExp(String.raw`^\s{0,8}(?:export\s+)?${NAME}\s{0,4}[=:]\s{0,4}([^\s"'\x60#]{12,200})\s*(?:#.*)?$`, 'i');
const SETTINGS = /(?:^|\/)\.env(?:\.[a-z]+)?$|\.(?:ini|properties|toml|ya?ml|conf|cfg)$/i;

/** A name of something (a variable, a path, an address, a kind) is no value of a secret. */
const NAMES_SOMETHING = /^(?:[a-z]+:\/\/|\/|\.|process\.|os\.|env\.)|^[A-Za-z]+\d{0,2}(?:[-_./:][A-Za-z]+\d{0,2})*$/;

function isSecret(value: string): boolean {
  const mixed = /\d/.test(value) && /[A-Za-z]/.test(value);
  return mixed && !NAMES_SOMETHING.test(value) && !isPlaceholder(value) && entropy(value) >= 3.2;
}

/** Checksums and public identifiers look random, too. */
const PUBLIC = /public|publishable|integrity|checksum|sha\d|digest|client[_-]?id|example/i;

const isTemplate = ({ path }: SourceFile): boolean => /\.(?:example|sample|template|dist|tmpl)$|example/i.test(path);

export const secretValue: ReviewRule = {
  id: 'secret-value',
  *find(project) {
    const files = written(project).filter((file) => !isTemplate(file) && !/\.(?:md|txt|rst)$/.test(file.path));
    yield* perLine(files, (line, { path }) => {
      const quoted = QUOTED.exec(line);
      const bare = quoted ? null : SETTINGS.test(path) ? BARE.exec(line) : null;
      const name = quoted?.[1] ?? bare?.[1] ?? '';
      const value = quoted?.[3] ?? bare?.[2] ?? '';
      if (value === '' || PUBLIC.test(name) || !isSecret(value)) return undefined;
      const severity = isSensitive(path) ? 'critical' : 'warning';
      const message = `The value of ${name} looks like a secret. If it is one, revoke it, store the new one with svc secrets set, and read it with ctx.secret`;
      return { severity, title: 'A value that looks like a secret', message };
    });
  },
};
