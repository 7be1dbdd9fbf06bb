// Colors of terminals on the dark ground of a log.

/** The ground, as log.module.css has it. */
const GROUND = [20, 23, 28] as const;
const ENOUGH = 4.6;
const STEP = 0.1;

/** The color itself, or a lighter one that is read at a contrast of 4.5:1. @param rgb "187, 0, 0" */
export function readableColor(rgb: string): string {
  let parts = rgb.split(',').map((part) => Math.min(255, Math.max(0, Number.parseInt(part, 10) || 0)));
  for (let tries = 0; tries < 12 && contrast(parts) < ENOUGH; tries += 1) parts = parts.map((part) => Math.round(part + (255 - part) * STEP));
  return `rgb(${parts.join(', ')})`;
}

export function contrast(parts: readonly number[]): number {
  return (luminance(parts) + 0.05) / (luminance(GROUND) + 0.05);
}

/** WCAG 2. */
function luminance(parts: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = parts.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
