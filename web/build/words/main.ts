// Messages of the dashboard, for who edits or translates them: `npm run words [-- COMMAND]`.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdits } from './apply.ts';
import { catalogueOf, ROOT } from './catalogue.ts';
import { catalogueText, readTranslations, stateOf, translationsIn, WORDS } from './language.ts';

const USAGE = `npm run words                      write web/words/en.json from the source
npm run words -- check LANGUAGE    list what web/words/LANGUAGE.json lacks, and what of it cannot be used
npm run words -- edit FILE         write other English into the source: FILE is as a language is, in English`;
const MOST_LISTED = 40;

const [, , command, argument = ''] = process.argv;
if (command === undefined) write();
else if (command === 'check' && argument !== '') check(argument);
else if (command === 'edit' && argument !== '') edit(argument);
else {
  say(USAGE);
  process.exitCode = 2;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function write(): void {
  const catalogue = catalogueOf();
  writeFileSync(join(WORDS, 'en.json'), catalogueText(catalogue));
  say(`web/words/en.json: ${Object.values(catalogue).reduce((sum, area) => sum + Object.keys(area).length, 0)} messages`);
}

function check(code: string): void {
  const { missing, faults } = stateOf(code, readTranslations(code), catalogueOf());
  for (const fault of faults) say(fault);
  for (const one of missing.slice(0, MOST_LISTED)) say(`not translated: ${one}`);
  say(`${faults.length} that cannot be used, ${missing.length} not translated`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

function edit(file: string): void {
  const { files, faults, unknown } = applyEdits(translationsIn(readFileSync(file, 'utf8')));
  for (const one of faults) say(one);
  for (const one of unknown) say(`no message: ${one}`);
  if (files.length > 0) execFileSync(process.execPath, [join(ROOT, 'node_modules/oxfmt/bin/oxfmt'), ...files], { cwd: ROOT, stdio: 'ignore' });
  write();
  say(`changed: ${files.join(', ') || 'nothing'}`);
  process.exitCode = faults.length + unknown.length > 0 ? 1 : 0;
}
