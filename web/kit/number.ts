/**
 * "1,234,567", "-1,234.5": at most three decimals. By hand, for the browser's own way takes tens of
 * milliseconds when a page first asks for it.
 */
export function number(value: number): string {
  const [whole = '', ...decimals] = String(Number(value.toFixed(3))).split('.');
  // Those that JavaScript writes with an exponent stay so.
  return [whole.includes('e') ? whole : whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...decimals].join('.');
}
