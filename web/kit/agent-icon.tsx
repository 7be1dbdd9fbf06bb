// An agent's picture, drawn from its name: the same everywhere, and nothing is loaded from elsewhere.
const SIDE = 5;

/** FNV-1a: spread well for names that differ in one letter. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}

/** The cells that are drawn: the left three columns from the name, the others their mirror. */
export function cellsOf(name: string): { x: number; y: number }[] {
  const bits = hashOf(`${name}/cells`);
  const drawn = (x: number, y: number): boolean => ((bits >>> ((x < 3 ? x : SIDE - 1 - x) * SIDE + y)) & 1) === 1;
  return Array.from({ length: SIDE * SIDE }, (_, at) => ({ x: at % SIDE, y: Math.floor(at / SIDE) })).filter(({ x, y }) => drawn(x, y));
}

export function AgentIcon({ name, size = 22 }: { name: string; size?: number }) {
  const hue = hashOf(name) % 360;
  return (
    <svg viewBox="0 0 9 9" width={size} height={size} aria-hidden style={{ flexShrink: 0 }}>
      <rect width="9" height="9" rx="2.2" fill={`hsl(${hue} 55% 42%)`} />
      {cellsOf(name).map(({ x, y }) => (
        <rect key={`${x} ${y}`} x={2 + x} y={2 + y} width="1.02" height="1.02" fill="#fff" />
      ))}
    </svg>
  );
}
