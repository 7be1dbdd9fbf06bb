// Extractive digest: a sentence is worth what its rarer, often repeated words are worth; no model, same
// answer every time.

const COMMON = new Set(
  'the a an and or but of in on at to for with by from as is are was were be been it its this that these those he she they we you i not no so if then than there their his her our your has have had will would can could may might do does did which who what when where how'.split(
    ' ',
  ),
);

export function bestSentences(text: string, count: number): { chosen: string[]; of: number } {
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)]
    .map(({ segment }) => segment.trim().replaceAll(/\s+/g, ' '))
    .filter(Boolean);
  const words = sentences.map(wordsOf);
  const frequency = new Map<string, number>();
  for (const word of words.flat()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const weights = words.map((list) => (list.length === 0 ? 0 : list.reduce((sum, word) => sum + (frequency.get(word) ?? 0), 0) / Math.sqrt(list.length)));
  const best = new Set(
    weights
      .map((weight, index) => ({ weight, index }))
      .toSorted((a, b) => b.weight - a.weight || a.index - b.index)
      .slice(0, count)
      .map(({ index }) => index),
  );
  return { chosen: sentences.filter((_, index) => best.has(index)), of: sentences.length };
}

function wordsOf(sentence: string): string[] {
  return (sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !COMMON.has(word));
}
