// Documents cut into passages, and the passages that say most about a question (BM25, by MiniSearch).
import MiniSearch from 'minisearch';

export interface Passage {
  path: string;
  /** Of its first line, from 1. */
  line: number;
  text: string;
}

export interface Ranked extends Passage {
  score: number;
}

/** A passage is what stands between blank lines. */
export function passagesOf(path: string, content: string): Passage[] {
  const passages: Passage[] = [];
  let lines: string[] = [];
  content.split('\n').forEach((line, at, all) => {
    if (line.trim() !== '') lines.push(line.trim());
    if ((line.trim() === '' || at === all.length - 1) && lines.length > 0) {
      const end = line.trim() === '' ? at : at + 1;
      passages.push({ path, line: end - lines.length + 1, text: lines.join(' ') });
      lines = [];
    }
  });
  return passages;
}

export function bestPassages(question: string, passages: readonly Passage[], most: number): Ranked[] {
  const index = new MiniSearch<Passage & { id: number }>({ fields: ['text', 'path'], searchOptions: { boost: { text: 2 }, prefix: true, fuzzy: 0.15 } });
  index.addAll(passages.map((passage, id) => ({ id, ...passage })));
  return index
    .search(question)
    .slice(0, most)
    .flatMap(({ id, score }) => {
      const passage = passages[Number(id)];
      return passage ? [{ ...passage, score: Number(score.toFixed(3)) }] : [];
    });
}
