/**
 * As semantic versions order; parts that are missing count as 0, so that Python's and Go's compare, too.
 * Below, equal, above: -1, 0, 1.
 */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [parse(one), parse(other)];
  return compareParts(a.numbers, b.numbers, '0') || comparePre(a.pre, b.pre);
}

function parse(version: string): { numbers: string[]; pre: string[] } {
  const [main = '', ...pre] = version.replace(/^v/, '').replace(/\+.*$/, '').split('-');
  // Python writes a pre-release without a separator: 1.0rc1.
  const [, numbers = main, tail = ''] = /^([0-9.]*)((?:a|b|rc|dev|\.dev|\.post).*)?$/.exec(main) ?? [];
  const isPost = tail.startsWith('.post');
  return {
    numbers: [...numbers.split('.').filter(Boolean), ...(isPost ? ['0', '1'] : [])],
    pre: [...pre.join('-').split('.'), ...(isPost ? [] : tail.split('.'))].filter(Boolean),
  };
}

function compareParts(one: readonly string[], other: readonly string[], missing: string): number {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const [a, b] = [one[at] ?? missing, other[at] ?? missing];
    const order = /^\d+$/.test(a) && /^\d+$/.test(b) ? Math.sign(Number(a) - Number(b)) : a === b ? 0 : a < b ? -1 : 1;
    if (order !== 0) return order;
  }
  return 0;
}

/** A version without a pre-release is above those with one. */
function comparePre(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return Math.sign(other.length - one.length);
  return compareParts(one, other, '');
}
