// What the pages show is true: samples are tested files, commands and links exist, the short pages stay short.
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { Cli } from 'clipanion';
import { describe, expect, test } from 'vitest';
import { commands } from '#cli/all-commands.ts';
import manifest from '../package.json' with { type: 'json' };
import { commandsOf, headingsOf, linksOf, pages, readPage, regionOf, regionsOf, ROOT, samplesOf, withSamples } from './pages.ts';

const cli = new Cli({ binaryName: 'svc' });
for (const command of commands) cli.register(command);
const paths = new Set(commands.flatMap(({ paths = [] }) => paths.map((path) => path.join(' '))));

/** What is wrong with a command line after `svc`, as the tool itself reads it; undefined: nothing. */
function problemOf(line: string): string | undefined {
  // A command alone is a name in a sentence.
  if (paths.has(line) || line === '--help') return undefined;
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([word, double, single]) => double ?? single ?? word);
  try {
    cli.process(words);
    return undefined;
  } catch (error) {
    return `svc ${line}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

describe.each(pages())('%s', (path) => {
  const page = readPage(path);

  test('shows its samples as the files have them (node docs/pages.ts writes them)', () => {
    expect(page).toBe(withSamples(page));
  });

  test('shows code of an agent only as samples', () => {
    const blocks = page.match(/^```(?:ts|typescript|py|python)$/gm) ?? [];
    expect(samplesOf(page).filter((sample) => /\.(?:ts|py)(?:#|$)/.test(sample))).toHaveLength(blocks.length);
  });

  test('links to what is there', () => {
    const broken = linksOf(path, page).filter(
      (link) =>
        !existsSync(join(ROOT, link.path)) ||
        (link.fragment !== undefined && link.path.endsWith('.md') && !headingsOf(readPage(link.path)).includes(link.fragment)),
    );
    expect(broken).toEqual([]);
  });

  test('shows commands that the tool has', () => {
    const lines = ['svc', 'npx svc'].flatMap((program) => commandsOf(page, program));
    expect(lines.flatMap((line) => problemOf(line) ?? [])).toEqual([]);
  });

  test('shows npm scripts that the repository has', () => {
    const scripts = [...page.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });
});

test('every region of the samples is shown', () => {
  const shown = new Set(pages().flatMap((path) => samplesOf(readPage(path))));
  const files = globSync('docs/samples/**/*.{ts,py}', { cwd: ROOT });
  const regions = files.flatMap((file) => regionsOf(readPage(file)).map((name) => `${file}#${name}`));
  expect(regions.length).toBeGreaterThan(20);
  expect(regions.filter((region) => !shown.has(region))).toEqual([]);
});

test('pages that must stay short are short', () => {
  const lines = (path: string): number => readPage(path).trimEnd().split('\n').length;
  expect(lines('docs/glossary.md')).toBeLessThanOrEqual(80);
  expect(lines('README.md')).toBeLessThanOrEqual(120);
  const decisions = pages().filter((path) => /^docs\/decisions\/\d/.test(path));
  expect(decisions).toHaveLength(11);
  for (const path of decisions) expect(lines(path), path).toBeLessThanOrEqual(40);
});

test('a wrong command, option, region or sample is found', () => {
  expect(problemOf('call greeter greet name="Ada L"')).toBeUndefined();
  expect(problemOf('receipt verify x --agent greeter')).toBeUndefined();
  expect(problemOf('dance')).toMatch(/^svc dance: /);
  expect(problemOf('deploy --fast')).toMatch(/--fast/);
  expect(problemOf('call greeter')).toMatch(/^svc call greeter: /);
  expect(commandsOf('```sh\nnpx svc up | svc call a b  # c\n```\n`svc chat`', 'svc')).toEqual(['call a b', 'chat']);
  const file = 'x\n  // region a\n  one\n    two\n  // endregion\n';
  expect(regionOf('f', file, 'a')).toBe('one\n  two');
  expect(() => regionOf('f', file, 'b')).toThrow('f has no region b');
  const page = '<!-- sample: f#a -->\n```ts\nold\n```\n<!-- end of sample -->';
  expect(withSamples(page, () => file)).toBe(page.replace('old', 'one\n  two'));
});
