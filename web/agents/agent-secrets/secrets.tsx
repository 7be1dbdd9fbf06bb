export function Secrets(_: { way?: string }) {
  return <p>Secrets</p>;
}
