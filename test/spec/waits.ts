// Where tests let time pass, and why no result depends on how long it takes: each timer of a test or of what
// it starts, by file. The list only shrinks: waits.test.ts fails where a file has more, and where it has
// fewer than are said here.

const polls = 'Looks again until it is so; the group ends what never comes.';
const outlasts = 'Outlasts a limit that the test has set: the longer it takes, the surer.';
const subject = 'The timer is what is tested, or the work of a program under test, whose end is awaited.';
const givesUp = 'Gives up on what has no end, after the test has what it needs.';
const absence = 'Looks for what must not come: a slow machine sees less, and never something else.';
const asked = 'The API says how long to wait before asking again.';
const seeded = 'The kill test: what it does comes at moments of a seed, and what it proves holds whenever that is.';

interface Waits {
  timers: number;
  why: string;
}

/** By path. */
export const WAITS: Readonly<Record<string, Waits>> = {
  'activities/long-running.test.ts': { timers: 1, why: subject },
  'api/http/uncaught.parts.test.ts': { timers: 2, why: subject },
  'api/ingress/certificates.outside.test.ts': { timers: 1, why: polls },
  'api/routes/run/run-load.parts.test.ts': { timers: 1, why: subject },
  'api/slow-bodies.test.ts': { timers: 1, why: subject },
  'cli/chat/local.parts.test.ts': { timers: 1, why: polls },
  'cli/commands/simulate/simulate.test.ts': { timers: 1, why: polls },
  'cli/project/image/build.parts.test.ts': { timers: 1, why: polls },
  'cli/project/reload-in-place.parts.test.ts': { timers: 1, why: polls },
  'cli/project/reload.parts.test.ts': { timers: 2, why: polls },
  'cli/project/sdk.parts.test.ts': { timers: 1, why: absence },
  'cli/test/terminal.ts': { timers: 1, why: polls },
  'core/runs/call/call.test.ts': { timers: 1, why: subject },
  'core/studio/protocol-simulation/test/world.ts': { timers: 1, why: subject },
  'drivers/runtime/test/templates/prober/agent.ts': { timers: 4, why: subject },
  'host/agents/durable.vm.test.ts': { timers: 1, why: givesUp },
  'host/box/box.vm.test.ts': { timers: 1, why: subject },
  'host/egress/database.test.ts': { timers: 2, why: absence },
  'host/guest/agent.parts.test.ts': { timers: 1, why: subject },
  'host/host.vm.test.ts': {
    timers: 3,
    why: 'A caller leaves an answer, and a hog is left, while the machine is at work: either comes out the same sooner or later. One looks at tiers again.',
  },
  'host/microvm/engine.vm.test.ts': { timers: 1, why: absence },
  'host/microvm/test/abandon.ts': { timers: 1, why: subject },
  'host/microvm/test/guest-server.ts': { timers: 1, why: subject },
  'host/microvm/test/machines.ts': { timers: 1, why: polls },
  'host/sandbox/test/registry.ts': { timers: 1, why: polls },
  'sdk/typescript/runtime/handoff.test.ts': { timers: 1, why: outlasts },
  'sdk/typescript/runtime/mcp/accept.test.ts': { timers: 1, why: outlasts },
  'sdk/typescript/runtime/mcp/elicitation.test.ts': { timers: 1, why: outlasts },
  'sdk/typescript/runtime/mcp/quick.test.ts': { timers: 1, why: outlasts },
  'sdk/typescript/runtime/stream.test.ts': { timers: 1, why: outlasts },
  'sdk/typescript/runtime/waiting.test.ts': { timers: 1, why: outlasts },
  'sdk/typescript/runtime/watchdog/timers.test.ts': { timers: 2, why: subject },
  'sdk/typescript/runtime/watchdog/watchdog.test.ts': { timers: 1, why: subject },
  'sdk/typescript/runtime/write-needs-approval.test.ts': { timers: 1, why: outlasts },
  'sdk/typescript/sidecar/service/service.test.ts': { timers: 1, why: subject },
  'stack/setup/setup.test.ts': { timers: 1, why: subject },
  'stack/supervisor.parts.test.ts': { timers: 9, why: subject },
  'stack/watch/watch.parts.test.ts': { timers: 1, why: subject },
  'test/chaos/agents.ts': { timers: 2, why: seeded },
  'test/chaos/databases.ts': { timers: 1, why: seeded },
  'test/chaos/faults.ts': { timers: 2, why: seeded },
  'test/chaos/host/instance.ts': { timers: 1, why: seeded },
  'test/chaos/host/main.ts': { timers: 1, why: seeded },
  'test/chaos/models.ts': { timers: 2, why: seeded },
  'test/chaos/operations.ts': { timers: 2, why: seeded },
  'test/chaos/persistent.ts': { timers: 2, why: seeded },
  'test/chaos/studio.ts': { timers: 1, why: seeded },
  'test/chaos/trial.ts': { timers: 3, why: seeded },
  'test/chaos/ways-in.ts': { timers: 3, why: seeded },
  'test/chaos/world.ts': { timers: 2, why: seeded },
  'test/dashboard/figures.outside.test.ts': { timers: 2, why: subject },
  'test/e2e/dashboard.test.ts': { timers: 1, why: polls },
  'test/e2e/protocol-tasks.test.ts': { timers: 1, why: subject },
  'test/e2e/studio.test.ts': { timers: 1, why: polls },
  'test/e2e/templates/keeper/agent.ts': { timers: 1, why: subject },
  'test/engine/own-server.ts': { timers: 1, why: polls },
  'test/fuzz/raw-http.ts': { timers: 1, why: givesUp },
  'test/openapi/run.ts': { timers: 1, why: givesUp },
  'test/protocols/conformance-agent.ts': { timers: 5, why: subject },
  'test/releases/looks.ts': { timers: 1, why: asked },
  'test/releases/play.ts': { timers: 1, why: polls },
  'test/support/acme-server.ts': { timers: 1, why: polls },
  'test/support/api-process.ts': { timers: 1, why: polls },
  'test/support/dns.ts': { timers: 1, why: subject },
  'test/support/durable/agent.ts': { timers: 4, why: subject },
  'test/support/durable/runs.ts': { timers: 1, why: polls },
  'test/support/keeper-databases.ts': { timers: 1, why: polls },
  'test/support/keeper-temporal.ts': { timers: 2, why: polls },
  'test/support/pebble.ts': { timers: 1, why: polls },
  'test/support/s3-server.ts': { timers: 1, why: polls },
  'test/support/scripted-runtime.ts': { timers: 1, why: subject },
  'test/tiers/orphans.ts': { timers: 1, why: subject },
  'test/weak-agents/agents.ts': { timers: 3, why: subject },
  'worker/outage.test.ts': { timers: 1, why: outlasts },
  'workflows/dag-run.parts.test.ts': { timers: 1, why: outlasts },
  'workflows/upkeep.parts.test.ts': { timers: 1, why: subject },
};

/** Lines that compare a stop watch, by path. What they prove is a least time, which a timer gives. */
export const STOP_WATCHES: Readonly<Record<string, string>> = {
  'drivers/mail/mail.parts.test.ts': 'An unknown address is answered no sooner than others.',
  'drivers/workflows/schedules.parts.test.ts': 'The Temporal server was down for longer than its catch-up window, by its own clock.',
};
