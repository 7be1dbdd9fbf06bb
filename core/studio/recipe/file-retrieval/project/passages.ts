// Documents cut into passages, and the passages that say most about a question (BM25).

export interface Settings {
  /** What its documents are about; asked together with each question. */
  subject: string;
  file_types: readonly ('text' | 'document' | 'code' | 'data')[];
  /** Documents that are read for one question. */
  max_files: number;
}

export interface Passage {
  path: string;
  /** Of its first line, from 1. */
  line: number;
  text: string;
}

export interface Ranked extends Passage {
  score: number;
}

const MAX_PASSAGE = 1_500;
const MAX_PASSAGES_OF_ONE = 500;
/** How soon repeated words count less, and how much the length of a passage matters. */
const [SATURATION, LENGTH] = [1.2, 0.75];

/** A passage is what stands between blank lines; a long one is cut. */
export function passagesOf(path: string, content: string): Passage[] {
  const passages: Passage[] = [];
  let [text, line] = ['', 1];
  const close = (): void => {
    if (text !== '') passages.push({ path, line, text });
    text = '';
  };
  for (const [at, raw] of content.split('\n').entries()) {
    const one = raw.trim().slice(0, MAX_PASSAGE);
    if (one === '' || text.length + one.length > MAX_PASSAGE) close();
    if (one === '') continue;
    if (text === '') line = at + 1;
    text = text === '' ? one : `${text} ${one}`;
    if (passages.length >= MAX_PASSAGES_OF_ONE) return passages;
  }
  close();
  return passages;
}

/** Best first, without those that share no word with the question. */
export function bestPassages(question: string, passages: readonly Passage[], most: number): Ranked[] {
  const wanted = new Set(stemsOf(question));
  const counted = passages.map((passage) => ({ passage, stems: stemsOf(`${passage.path} ${passage.text}`) }));
  const average = counted.reduce((sum, { stems }) => sum + stems.length, 0) / Math.max(1, counted.length);
  const having = new Map([...wanted].map((stem) => [stem, counted.filter(({ stems }) => stems.includes(stem)).length]));
  const scoreOf = (stems: readonly string[]): number =>
    [...wanted].reduce((sum, stem) => {
      const times = stems.filter((one) => one === stem).length;
      const rare = Math.log(1 + (counted.length - (having.get(stem) ?? 0) + 0.5) / ((having.get(stem) ?? 0) + 0.5));
      return sum + (rare * times * (SATURATION + 1)) / (times + SATURATION * (1 - LENGTH + (LENGTH * stems.length) / average));
    }, 0);
  return counted
    .map(({ passage, stems }) => ({ ...passage, score: Number(scoreOf(stems).toFixed(3)) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1) || a.line - b.line)
    .slice(0, most);
}

/** Words by their beginnings: `holiday` and `holidays` are one. */
function stemsOf(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return words.map((word) => (word.length > 5 ? word.slice(0, Math.max(5, word.length - 2)) : word));
}
