// The sample agent of docs/authoring/databases.md: it keeps notes in a table.
import { Agent, skill, z } from '@svc/sdk';
import pg from 'pg';

// region agent
export class Notes extends Agent {
  name = 'notes';
  description = 'Keeps notes in a database.';
  version = '0.1.0';
  #pool: pg.Pool | undefined;

  override async startup(): Promise<void> {
    this.#pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 4 });
    // A connection that was idle ends while the agent sleeps; the pool opens another.
    this.#pool.on('error', () => undefined);
    await this.#pool.query('create table if not exists notes (id serial primary key, text text not null)');
  }

  override async shutdown(): Promise<void> {
    await this.#pool?.end();
  }

  add = skill({ description: 'Keeps a note.', input: z.object({ text: z.string().min(1) }), output: z.object({ id: z.int() }) }, async (ctx, { text }) => {
    const { rows } = await this.#database.query<{ id: number }>('insert into notes (text) values ($1) returning id', [text]);
    return { id: rows[0]?.id ?? 0 };
  });

  list = skill({ description: 'Lists the notes.', output: z.object({ notes: z.array(z.string()) }) }, async () => {
    const { rows } = await this.#database.query<{ text: string }>('select text from notes order by id');
    return { notes: rows.map(({ text }) => text) };
  });

  get #database(): pg.Pool {
    if (!this.#pool) throw new Error('startup has not run');
    return this.#pool;
  }
}
// endregion
