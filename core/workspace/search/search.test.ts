import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testContext, type TestContext } from '#test/support/context.ts';
import { matchesAny } from '#contract/wire/patterns.ts';
import { bucketOf } from '../grant/bucket.ts';
import { pickFiles } from './pick.ts';
import { type FileSearch, searchFiles } from './search.ts';
import { snippetOf } from './snippet.ts';
import { roughlyVisible } from './visible.ts';

let t: TestContext;
let ada: string;
let ben: string;
let paths: string[];
const SHA = 'a'.repeat(64);

beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [(await t.user('ada')).actor.user_id, (await t.user('ben')).actor.user_id];
  await t.ctx.db('blobs').insert({ sha256: SHA, size_bytes: 1 });
  const few: [string, string | null][] = [
    ['reports/2026/quarterly-report.md', 'Revenue of the third quarter grew by 12 %.\n\nHosting costs fell.'],
    ['reports/2026/q3.md', 'This is the quarterly report of the third quarter. Revenue grew.'],
    ['quarterly/notes.txt', 'Nothing about it here; see the report.'],
    ['invoices/2026-03 Hosting.pdf', null],
    ['invoices/2026-04 Hosting.pdf', null],
    ['src/InvoiceParser.ts', 'export function parseInvoice(text: string): Invoice { return lines(text); }'],
    ['src/invoice_parser.test.ts', 'import { parseInvoice } from "./InvoiceParser.ts";'],
    ['docs/Übersicht.md', 'Die Übersicht über alle Verträge und Rechnungen.'],
    ['docs/契約.md', '契約 の 一覧'],
    ['.env.local', 'HOSTING_TOKEN=abc'],
    ['budget.xlsx', null],
    ['archive/budget.xlsx', null],
    ['archive/budget-2024.xlsx', null],
    ['o\'brien/100%_done"; drop table files; --.txt', 'quoted names'],
  ];
  await add(ada, few);
  // What else a person has lying about, and another person's files of the same names.
  const folders = ['photos/2019', 'photos/2020/summer', 'music', 'work/clients/acme', 'work/clients/globex', 'mail', 'src/lib', 'src/app/components'];
  const nouns = ['meeting', 'plan', 'draft', 'image', 'track', 'contract', 'offer', 'minutes', 'slide', 'index', 'helper', 'button'];
  const ends = ['jpg', 'mp3', 'md', 'txt', 'ts', 'pdf'];
  const many = Array.from({ length: 4_000 }, (_, n): [string, string | null] => [
    `${folders[n % 8]}/${nouns[n % 12]}-${n}.${ends[n % 6]}`,
    n % 3 === 0 ? `${nouns[(n * 7) % 12]} number ${n} about ${nouns[(n * 5) % 12]} and the weather of day ${n % 365}` : null,
  ]);
  await add(ada, many);
  await add(ben, [...few, ['secret/quarterly-plan.md', 'only for ben: quarterly revenue']]);
  paths = [...few, ...many].map(([path]) => path);
  await t.ctx.db.raw('analyze files, file_words');
});
afterAll(() => t.close());

async function add(owner_id: string, files: [string, string | null][]): Promise<void> {
  const rows = files.map(([path, content], n) => ({
    bucket: bucketOf(owner_id),
    path,
    owner_id,
    sha256: SHA,
    size_bytes: 100 + n,
    mime_type: 'text/plain',
    file_type: /\.(?:ts|js)$/.test(path) ? 'code' : /\.(?:jpg)$/.test(path) ? 'image' : content === null ? 'document' : 'text',
    content,
  }));
  await t.ctx.db.batchInsert('files', rows, 500);
}

const search = (query: string, more: Partial<FileSearch> = {}) =>
  searchFiles(t.ctx, { bucket: bucketOf(ada), query, types: [], limit: 20, allow: ['**'], deny: [], ...more });
const found = async (query: string, more: Partial<FileSearch> = {}) => (await search(query, more)).map(({ path }) => path);

describe('search ranks over names and contents', () => {
  test('the exact name, then words in the name, then in its folders, then in the content', async () => {
    expect(await found('budget.xlsx')).toEqual(['budget.xlsx', 'archive/budget.xlsx', 'archive/budget-2024.xlsx']);
    expect((await found('budget')).slice(0, 3).sort()).toEqual(['archive/budget-2024.xlsx', 'archive/budget.xlsx', 'budget.xlsx']);
    const report = await search('quarterly report');
    // Both words in the name; then in folder and content, more often in the one than in the other.
    expect(report.slice(0, 3).map(({ path }) => path)).toEqual(['reports/2026/quarterly-report.md', 'reports/2026/q3.md', 'quarterly/notes.txt']);
    expect(await found('acme')).toHaveLength(20);
    for (const path of await found('acme', { limit: 5 })) expect(path).toMatch(/^work\/clients\/acme\//);
    expect(report.map(({ score }) => score)).toEqual(report.map(({ score }) => score).toSorted((a, b) => b - a));
    for (const { score } of report) expect(score).toBeGreaterThan(0);
    expect((await found('reports 2026 quarterly'))[0]).toBe('reports/2026/quarterly-report.md');
  });
  test('beginnings of words, camel case and snake case, letters of any script, misspelt names', async () => {
    expect((await found('invo')).slice(0, 2)).toEqual(expect.arrayContaining(['src/InvoiceParser.ts', 'src/invoice_parser.test.ts']));
    expect((await found('parser')).slice(0, 2).sort()).toEqual(['src/InvoiceParser.ts', 'src/invoice_parser.test.ts']);
    expect((await found('InvoiceParser.ts'))[0]).toBe('src/InvoiceParser.ts');
    expect(await found('übersicht')).toEqual(['docs/Übersicht.md']);
    expect(await found('ÜBERSICHT')).toEqual(['docs/Übersicht.md']);
    expect((await found('契約'))[0]).toBe('docs/契約.md');
    expect((await found('quartely'))[0]).toMatch(/quarterly/);
    expect(await found('hosting 2026-04')).toEqual(expect.arrayContaining(['invoices/2026-04 Hosting.pdf']));
    expect((await found('hosting 2026-04'))[0]).toBe('invoices/2026-04 Hosting.pdf');
  });

  test('whole sentences: files with some of the words, those with more of them first', async () => {
    expect((await found('please find the invoice of the parser for me')).slice(0, 2).sort()).toEqual(['src/InvoiceParser.ts', 'src/invoice_parser.test.ts']);
  });

  test('with a few words of the content around the first hit', async () => {
    const [first] = await search('hosting costs');
    expect(first).toMatchObject({ path: 'reports/2026/quarterly-report.md', file_type: 'text', summary: expect.stringContaining('Hosting costs fell.') });
    expect((await search('budget'))[0]?.summary).toBeNull();
  });

  test('without words: the newest; of one type: that type', async () => {
    expect(await search('')).toHaveLength(20);
    for (const { file_type } of await search('meeting', { types: ['image'] })) expect(file_type).toBe('image');
    expect(await found('parser', { types: ['code'] })).toHaveLength(2);
    expect(await found('parser', { types: ['audio'] })).toEqual([]);
  });

  test('queries are words, never syntax', async () => {
    for (const query of [
      "'",
      "'; drop table files; --",
      'a & | ! <-> :*',
      '\\',
      '%',
      '_',
      '((',
      '"',
      '\u0000',
      '\ud800',
      '🙂',
      'x'.repeat(1000),
      'a '.repeat(500),
    ])
      await search(query);
    expect((await found('100% done'))[0]).toContain('100%_done');
  });
});

describe('search shows no more than the grant', () => {
  test('another bucket does not exist', async () => {
    expect(await found('quarterly plan')).not.toContain('secret/quarterly-plan.md');
    expect(await searchFiles(t.ctx, { bucket: 'usr:nobody', query: 'plan', types: [], limit: 5, allow: ['**'], deny: [] })).toEqual([]);
  });

  test('only what is allowed and not denied, and as many as asked for, however little of what matches that is', async () => {
    expect(await found('meeting', { allow: [] })).toEqual([]);
    expect(await found('hosting', { deny: ['**/.env*', 'invoices/**'] })).toEqual(['reports/2026/quarterly-report.md']);
    expect(await found('quarterly', { allow: ['reports/2026/q3.md'] })).toEqual(['reports/2026/q3.md']);
    // 500 and more match before the ones that may be seen.
    const some = await found('meeting', { allow: ['work/clients/*/*-39?6.*', 'mail/*3.txt', '**/*-11?2*'], limit: 100 });
    const expected = paths.filter((path) => path.includes('meeting') && matchesAny(['work/clients/*/*-39?6.*', 'mail/*3.txt', '**/*-11?2*'], path));
    expect(some).toEqual(expect.arrayContaining(expected));
    const rare = await found('plan', { deny: Array.from('12345678', (digit) => `**/plan-${digit}*`), limit: 3 });
    expect(rare.length).toBe(3);
    for (const path of rare) expect(path).not.toMatch(/\/plan-[1-8]/);
  });

  test('the condition in SQL never hides what the patterns show', async () => {
    const piece = fc.constantFrom('docs', 'reports', '2026', '*', '**', '?', '*.md', 'q3.*', '100%*', 'InvoiceParser.ts', 'src', 'b*x', '*_*', '.env*');
    const pattern = fc.array(piece, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(fc.array(pattern, { maxLength: 3 }), fc.array(pattern, { maxLength: 2 }), async (allow, deny) => {
        const rough = roughlyVisible('path', [{ allow, deny }]);
        const rows = await t.ctx
          .db('files')
          .where({ bucket: bucketOf(ada) })
          .whereRaw(`true ${rough.sql}`, rough.bindings)
          .pluck('path');
        const shown = new Set<string>(rows);
        for (const path of paths.slice(0, 14)) if (matchesAny(allow, path) && !matchesAny(deny, path)) expect(shown).toContain(path);
      }),
      { numRuns: 60 },
    );
  });
});

describe('files for a purpose', () => {
  const pick = (purpose: string, hints: string[], more: Partial<Parameters<typeof pickFiles>[1]> = {}) =>
    pickFiles(t.ctx, { bucket: bucketOf(ada), purpose, hints, fileTypes: [], maxFiles: 3, allow: ['**'], deny: [], ...more });

  test('what a hint names comes first, then what hints and purpose agree on', async () => {
    const picked = await pick('summarize the revenue of the quarter', ['reports/2026/q3.md', 'quarterly report']);
    expect(picked.map(({ path }) => path).slice(0, 2)).toEqual(['reports/2026/q3.md', 'reports/2026/quarterly-report.md']);
    expect(picked[0]?.score).toBe(1);
    expect((await pick('', ['invoices/*'])).map(({ path }) => path).sort()).toEqual(['invoices/2026-03 Hosting.pdf', 'invoices/2026-04 Hosting.pdf']);
  });

  test('never more files or bytes than allowed, never what is denied, nothing where nothing fits', async () => {
    expect(await pick('', ['**'], { maxFiles: 2 })).toHaveLength(2);
    expect(await pick('', ['reports/**'], { maxTotalBytes: 101 })).toHaveLength(1);
    expect((await pick('', ['.env.local', 'hosting token'], { deny: ['**/.env*'] })).map(({ path }) => path)).not.toContain('.env.local');
    expect(await pick('zzzzqqqq', ['xyzzyxyzzy'])).toEqual([]);
  });
});

describe('an index answers', () => {
  test('by bucket and word, by bucket and letters: what a search costs does not grow with what others store', async () => {
    const bucket = bucketOf(ada);
    const tx = await t.ctx.db.transaction();
    try {
      const byWords = `select 1 from file_words w where w.bucket = '${bucket}' and w.words @@ '''quarterly'':* & ''report'':*'::tsquery`;
      const byLetters = `select 1 from files f where f.bucket = '${bucket}' and 'quartely' <% f.path`;
      // Of a few thousand rows a scan may be cheaper, and so may reading all of a bucket: what matters is
      // that there is another way.
      await tx.raw('set local enable_seqscan = off');
      for (const sql of [byWords, byLetters]) expect(await explain(tx, sql)).toMatch(/Index Cond: \(+bucket = /);
      await tx.raw('alter table file_words drop constraint file_words_pkey');
      await tx.raw('alter table files drop constraint files_pkey');
      expect(await explain(tx, byWords)).toMatch(/Bitmap Index Scan on file_words_words .*\n\s+Index Cond: \(\(bucket = .* AND \(words @@/);
      expect(await explain(tx, byLetters)).toMatch(/Bitmap Index Scan on files_path_trigram .*\n\s+Index Cond: \(\(bucket = .* AND \(path %> /);
    } finally {
      await tx.rollback();
    }
  });

  async function explain(db: typeof t.ctx.db, sql: string): Promise<string> {
    const { rows }: { rows: Record<string, string>[] } = await db.raw(`explain ${sql}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  }
});

describe('snippets', () => {
  test('are one short line', () => {
    const text = `${'filler words '.repeat(50)}\n\tneedle\u202e here\0 ${'more words '.repeat(50)}`;
    expect(snippetOf(text, ['needle'])).toMatch(/^… .*needle here .* …$/);
    expect(Array.from(snippetOf(text, ['needle']) ?? '').length).toBeLessThan(210);
    expect(snippetOf('short', ['none'])).toBe('short');
    expect(snippetOf('  \n', ['x'])).toBeNull();
    expect(snippetOf(null, [])).toBeNull();
  });
});
