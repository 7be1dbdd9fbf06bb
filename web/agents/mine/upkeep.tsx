export function Upkeep(_: { way?: string }) {
  return <p>Upkeep</p>;
}
