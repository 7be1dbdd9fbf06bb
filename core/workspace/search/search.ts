// Search over the names and the contents of one bucket's files. Best first: the exact name, then all words in
// the name, in name and folders, anywhere in the file; then files with some of the words; then names spelt
// alike. Within each by how often and where the words stand.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { FileMatch } from '#contract/run/run-context.ts';
import { FileType } from '#contract/wire/card.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import { snippetOf } from './snippet.ts';
import { roughlyVisible, type Visibility, visibleIn } from './visible.ts';
import { tellingWords, tsquery, wordsOf } from '../../agents/search/words.ts';

export interface FileSearch extends Visibility {
  bucket: string;
  /** Empty: the newest files. */
  query: string;
  /** Empty: all. */
  types: readonly z.infer<typeof FileType>[];
  limit: number;
  /** Only files that this pattern matches too. */
  within?: string;
}

interface FileHit {
  path: string;
  file_type: string;
  size_bytes: number;
  /** 0 to 1 */
  score: number;
}

/** SQL: rows of `files f` (and `file_words w`) with their score; :bucket and what it binds are given. */
interface Stage {
  from: string;
  where: string;
  score: string;
  bindings: Record<string, string>;
}

const PAGE = 500;
/** Rows looked at for one stage, when what may be seen is little of what matches. */
const MAX_PAGES = 40;
/** Characters of a content that the snippet is sought in. */
const SNIPPET_FROM = 65_536;

/** Files that `allow` matches and `deny` does not, best first; the summary is a few words of the content. */
export async function searchFiles(ctx: Pick<Ctx, 'db'>, i: FileSearch): Promise<z.infer<typeof FileMatch>[]> {
  const words = wordsOf(i.query);
  const hits = new Map<string, FileHit>();
  if (i.allow.length > 0) {
    for (const stage of stagesOf(i.query.trim(), words)) {
      if (hits.size >= i.limit) break;
      await collect(ctx.db, i, stage, hits);
    }
  }
  return present(ctx.db, i.bucket, [...hits.values()], words);
}

function stagesOf(query: string, words: readonly string[]): Stage[] {
  if (query === '') return [{ from: '', where: 'true', score: `extract(epoch from f.updated_at)::float8 / 1e11`, bindings: {} }];
  if (words.length === 0) return [];
  const some = tellingWords(words);
  const from = 'join file_words w on w.bucket = f.bucket and w.path = f.path';
  const rank = (parameter: string): string => `least(ts_rank('{0.1,0.2,0.6,1}', w.words, :${parameter}::tsquery, 1), 0.99)`;
  const all: Stage = {
    from,
    where: 'w.bucket = :bucket and w.words @@ :all::tsquery',
    // Knex takes a question mark for a binding: the regular expressions have none.
    score: `(case when :exact in (lower(f.path collate "default"), lower(regexp_replace(f.path collate "default", '^.*/', '')),
                                  lower(regexp_replace(f.path collate "default", '^.*/|\\.[^./]*$', '', 'g'))) then 5
                  when w.words @@ :inName::tsquery then 4 when w.words @@ :inPath::tsquery then 3 else 2 end + ${rank('all')}) / 6`,
    bindings: {
      all: tsquery(words, '&'),
      inName: tsquery(words, '&', 'A'),
      inPath: tsquery(words, '&', 'AB'),
      exact: query.toLowerCase().normalize('NFC'),
    },
  };
  const any: Stage = {
    from,
    where: 'w.bucket = :bucket and w.words @@ :some::tsquery',
    score: `(1 + ${rank('some')}) / 6`,
    bindings: { some: tsquery(some, '|') },
  };
  const alike: Stage = { from: '', where: ':text <% f.path', score: 'word_similarity(:text, f.path) * 0.99 / 6', bindings: { text: words.join(' ') } };
  return words.length > 1 ? [all, any, alike] : [all, alike];
}

/** Reads page after page of a stage, best first, until enough may be seen. */
async function collect(db: Knex, i: FileSearch, stage: Stage, found: Map<string, FileHit>): Promise<void> {
  const regions = i.within === undefined ? [i] : [i, { allow: [i.within], deny: [] }];
  const visible = regions.map(visibleIn);
  const rough = roughlyVisible('f.path', regions);
  let after: FileHit | undefined;
  for (let page = 0; page < MAX_PAGES && found.size < i.limit; page += 1) {
    const { rows }: { rows: FileHit[] } = await db.raw(
      `select * from (
         select f.path, f.file_type, f.size_bytes, (${stage.score})::float8 as score
         from files f ${stage.from}
         where f.bucket = :bucket and ${stage.where} ${i.types.length > 0 ? 'and f.file_type = any(:types)' : ''} ${rough.sql}
       ) found
       ${after ? 'where score < :score or (score = :score and path > :path)' : ''}
       order by score desc, path limit ${PAGE}`,
      {
        bucket: i.bucket,
        ...stage.bindings,
        ...rough.bindings,
        ...(i.types.length > 0 ? { types: [...i.types] } : {}),
        ...(after ? { score: after.score, path: after.path } : {}),
      },
    );
    for await (const row of inTurns(rows))
      if (found.size < i.limit && !found.has(row.path) && visible.every((sees) => sees(row.path))) found.set(row.path, row);
    after = rows.at(-1);
    if (rows.length < PAGE) return;
  }
}

async function present(db: Knex, bucket: string, found: readonly FileHit[], words: readonly string[]): Promise<z.infer<typeof FileMatch>[]> {
  const contents = await db('files')
    .where({ bucket })
    .whereIn(
      'path',
      found.map(({ path }) => path),
    )
    .select<{ path: string; content: string | null }[]>('path', db.raw(`left(content, ${SNIPPET_FROM}) as content`));
  const contentOf = new Map(contents.map(({ path, content }) => [path, content]));
  return found.map(({ path, file_type, size_bytes, score }) => ({
    path,
    file_type: FileType.parse(file_type),
    score: Number(score.toFixed(4)),
    summary: snippetOf(contentOf.get(path) ?? null, words),
    size_bytes,
  }));
}
