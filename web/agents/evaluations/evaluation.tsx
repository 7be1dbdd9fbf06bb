export function Evaluation(_: { way?: string }) {
  return <p>Evaluation</p>;
}
