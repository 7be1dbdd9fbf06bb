// Gauges of the durable state, read from the database at each scrape. The database being down is itself a
// figure.
import { Gauge, type Registry } from 'prom-client';
import type { Measured } from '#core/platform/index.ts';

/** Two scrapes at the same moment cost one query. */
const freshMs = 2_000;

export function durableGauges(registry: Registry, measure: () => Promise<Measured>): void {
  let last: { at: number; figures: Promise<Measured | undefined> } | undefined;
  const figures = (): Promise<Measured | undefined> => {
    if (!last || performance.now() - last.at > freshMs) last = { at: performance.now(), figures: measure().catch(() => undefined) };
    return last.figures;
  };
  const gauge = <T extends string>(name: string, help: string, labelNames: T[], fill: (gauge: Gauge<T>, m: Measured) => void): void => {
    const made: Gauge<T> = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        made.reset();
        const m = await figures();
        if (m) fill(made, m);
      },
    });
  };
  new Gauge({
    name: 'svc_database_up',
    help: '1 when the figures below could be read.',
    registers: [registry],
    async collect() {
      this.set((await figures()) === undefined ? 0 : 1);
    },
  });
  gauge('svc_outbox_unsent', 'Messages to workflows that wait to be sent.', [], (g, m) => g.set(m.outbox.unsent));
  gauge('svc_outbox_oldest_seconds', 'Age of the oldest unsent message.', [], (g, m) => g.set(m.outbox.oldest_seconds));
  gauge('svc_waits_open', 'Pauses for a person, by kind.', ['kind'], (g, m) => {
    for (const [kind, count] of Object.entries(m.waits)) g.set({ kind }, count);
  });
  gauge('svc_waits_overdue', 'Open pauses a minute past their deadline.', [], (g, m) => g.set(m.waits_overdue));
  gauge('svc_wait_undelivered_seconds', 'How long the oldest decision waits to reach its skill.', [], (g, m) => g.set(m.wait_undelivered_seconds));
  gauge('svc_runs_open', 'Runs with a row that have not ended, by state.', ['state'], (g, m) => {
    for (const [state, count] of Object.entries(m.runs)) g.set({ state }, count);
  });
  gauge('svc_jobs_open', 'Jobs that have not ended, by kind and state.', ['kind', 'state'], (g, m) => {
    for (const { kind, state, count } of m.jobs) g.set({ kind, state }, count);
  });
  gauge('svc_certificates_overdue', 'Certificates of custom domains that should have been renewed a day ago.', [], (g, m) => g.set(m.certificates_overdue));
  gauge('svc_job_queued_seconds', 'How long the oldest queued job has been waiting.', [], (g, m) => g.set(m.job_queued_seconds));
}
