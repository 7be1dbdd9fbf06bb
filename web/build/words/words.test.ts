// reads: web/
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogueOf, filesWithMessages, ROOT } from './catalogue.ts';
import { messagesOf, namesOf } from './find.ts';
import { type Element, faultOf, read } from './icu.ts';
import { catalogueText, languageOf, readTranslations, stateOf, WORDS } from './language.ts';
import { BUILT, SOURCE, type Style } from './styles.ts';
import { translated } from './write.ts';

const catalogue = catalogueOf();
/**
 * Keys of the keyboard, components, kinds of errors, and types of Cedar that are called as something on a
 * page.
 */
const NAMES = /: (?:Home|End|Part|Table|Error)$|^web\/policy\/rules\/parts\.tsx: Run$|^contract\//;

const found = (text: string): string[] => messagesOf('one.tsx', text).map(({ english }) => english);

/** `text` with its messages as `words` says them. */
function written(text: string, words: Record<string, string>, style: Style = BUILT): string {
  const translate = ({ english }: { english: string }): Element[] | undefined => (words[english] === undefined ? undefined : read(words[english]));
  return translated(text, messagesOf('one.tsx', text), translate, style);
}

test('a text with its elements and values is one message; attributes are messages of their own', () => {
  expect(
    found('<Text title="Why it failed">Calls <Anchor to="/agents" title="Open it">{target.agent}</Anchor> at <When at={at} />.\n  Twice. {/* no */}</Text>'),
  ).toEqual(['Why it failed', 'Calls <anchor>{agent}</anchor> at {when}. Twice.', 'Open it']);
});

test('values are called as the source calls them, and a number chooses a plural', () => {
  expect(found('const lead = `${number(changes.length)} ${changes.length === 1 ? "file differs" : "files differ"}.`;')).toEqual([
    '{changes} {changes, plural, one {file differs} other {files differ}}.',
  ]);
  expect(found('const open = (count) => count === 1 ? "One decision waits." : `${count} decisions wait.`;')).toEqual([
    '{count, plural, one {One decision waits.} other {{count} decisions wait.}}',
  ]);
  expect(found('<Text>{isOpen ? "Hide" : "Show"} the rest{isMore && ", and more"}</Text>')).toEqual([
    '{if_isOpen, select, yes {Hide} other {Show}} the rest{if_isMore, select, yes {, and more} other {}}',
  ]);
});

test('a number with its noun is a plural', () => {
  expect(found("const RULE = { least: (n) => `At least ${count(n, 'item')}`, goal: () => plural(goals, 'criterion', 'criteria') + ' of ' + name };")).toEqual([
    'At least {n} {n, plural, one {item} other {items}}',
    '{goals} {goals, plural, one {criterion} other {criteria}} of {name}',
  ]);
});

test('what no reader sees is no message', () => {
  expect(found("const a = cx('menu'); if (state === 'Needs you') go('/runs', 'Enter key');")).toEqual(['Enter key']);
  expect(found("const a = <Box className='Big box' style={{ flex: '1 1 auto' }}><code>svc deploys list</code></Box>;")).toEqual([]);
  expect(found("throw new TypeError('a page that is rendered changes nothing');")).toEqual([]);
  expect(found("// words: code\nconst KEYS = ['Needs you', 'Done well'];")).toEqual([]);
});

test('words of tables, of functions and of facts are messages', () => {
  expect(found("const WHY = { bounced: 'It could not be delivered', late: 'late' };")).toEqual(['It could not be delivered']);
  expect(found("// words: shown\nconst WHY = { bounced: 'bounced', late: 'late' };")).toEqual(['bounced', 'late']);
  expect(found('<Facts of={{ State: state, "Live since": isLive ? "today" : null, ...(tags && { Tags: tags }) }} />')).toEqual([
    'State',
    'Live since',
    'today',
    'Tags',
  ]);
  expect(found("const COLUMNS = [{ head: 'Next', cell: ({ at }) => at ?? 'never' }];")).toEqual(['Next', 'never']);
});

test('a translation moves what stands in a message, and has the plurals of its language', () => {
  expect(written('<p>Calls <b>{agent}</b> at <When at={at} />.</p>', { 'Calls <b>{agent}</b> at {when}.': '{when}: ruft <b>{agent}</b>' })).toBe(
    '<p><When at={at} />{": ruft "}<b>{agent}</b></p>',
  );
  expect(
    written('const a = ` ${number(n)} ${n === 1 ? "call" : "calls"}`;', {
      '{n} {n, plural, one {call} other {calls}}': '{n, plural, one {# вызов} few {# вызова} other {# вызовов}}',
    }),
  ).toBe('const a = ` ${svcPlural(n, { "one": () => `${number(n)} вызов`, "few": () => `${number(n)} вызова`, "other": () => `${number(n)} вызовов` })}`;');
  expect(written('<A title="Open" />', { Open: 'Öffnen: "`$"' })).toBe('<A title={"Öffnen: \\"`$\\""} />');
});

test('messages inside a message are translated with it', () => {
  expect(
    written('<p>Waits for <A title="Open it">{who ?? "nobody"}</A></p>', {
      'Waits for <a>{who}</a>': 'Auf <a>{who}</a>',
      'Open it': 'Öffnen',
      nobody: 'niemanden',
    }),
  ).toBe('<p>{"Auf "}<A title={"Öffnen"}>{who ?? "niemanden"}</A></p>');
});

test('other English is written as a person writes it', () => {
  expect(
    written(
      '<p title="Old one">Old <b>{n}</b> {n === 1 ? "call" : "calls"}</p>',
      { 'Old one': 'New one', 'Old <b>{n}</b> {n, plural, one {call} other {calls}}': '<b>{n}</b> new {n, plural, one {run} other {runs}}' },
      SOURCE,
    ),
  ).toBe('<p title="New one"><b>{n}</b>{" "}new{" "}{n === 1 ? "run" : "runs"}</p>');
});

test('a translation that lost something is named, and not used', () => {
  expect(faultOf('Calls {agent}', 'Ruft {agent}', 'de')).toBeUndefined();
  expect(faultOf('{n} {n, plural, one {call} other {calls}}', '{n, plural, one {# Ruf} other {# Rufe}}', 'de')).toBeUndefined();
  expect(faultOf('Calls {agent}', 'Ruft', 'de')).toBe('lacks {agent}');
  expect(faultOf('Calls {agent}', 'Ruft {agent} {skill}', 'de')).toBe('has {skill}, which the English does not have');
  expect(faultOf('Open <a>it</a>', '<a>Es</a> <a>öffnen</a>', 'de')).toBe('has <a> twice');
  expect(faultOf('{n, plural, one {call} other {calls}}', '{n, plural, one {Aufruf} few {Aufrufe} other {Aufrufe}}', 'de')).toBe(
    'has the plural form "few": de has one, other',
  );
  expect(faultOf('Calls', 'Ruft {', 'de')).toMatch(/^cannot be read/);
  const german = languageOf('de', () => ({ shared: { Open: 'Öffnen', Runs: 'Läufe {x}' }, agents: { Open: 'Offen' } }));
  expect([german.translate('runs', 'Open'), german.translate('agents', 'Open')]).toEqual([read('Öffnen'), read('Offen')]);
  expect(german.translate('runs', 'Runs')).toBeUndefined();
});

test('web/words/en.json has the messages of the source, and each is a message of ICU MessageFormat', () => {
  expect(readFileSync(join(WORDS, 'en.json'), 'utf8') === catalogueText(catalogue), 'npm run words writes it').toBe(true);
  const all = Object.values(catalogue).flatMap(Object.keys);
  expect(all.length).toBeGreaterThan(3000);
  expect(all.filter((english) => faultOf(english, english, 'en') !== undefined)).toEqual([]);
});

test('no message is also a name by which the source knows something', () => {
  const words = new Set(Object.values(catalogue).flatMap(Object.keys));
  const known = filesWithMessages().flatMap((file) => namesOf(file, readFileSync(join(ROOT, file), 'utf8')).map((name) => `${file}: ${name}`));
  const isAlike = (line: string): boolean => /: \p{Lu}\p{Ll}+(?: |$)/u.test(line) && words.has(line.slice(line.indexOf(': ') + 2));
  expect(known.filter((line) => isAlike(line) && !NAMES.test(line))).toEqual([]);
});

test('each language can be used as far as it goes', () => {
  const codes = globSync('*.json', { cwd: WORDS }).map((file) => basename(file, '.json'));
  expect(codes.filter((code) => code !== 'en').flatMap((code) => stateOf(code, readTranslations(code), catalogue).faults)).toEqual([]);
});
