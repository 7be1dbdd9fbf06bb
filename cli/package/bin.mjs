#!/usr/bin/env node
// Starts the published tool. Plain JavaScript: an old Node must be able to say that it is too old.
const [major = 0] = process.versions.node.split('.').map(Number);

if (major >= 24) {
  // Help, completion and version need none of the tool: half a second of loading on a slow machine.
  const { answered } = await import('./dist/prepared.js');
  if (!answered()) {
    const { keepCompiled } = await import('./keep-compiled.mjs');
    keepCompiled();
    await import('./dist/svc.js');
  }
} else {
  console.error(`svc needs Node 24 or newer, and this is Node ${process.versions.node}. Install it from https://nodejs.org`);
  process.exitCode = 1;
}
