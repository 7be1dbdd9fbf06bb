import type { Knex } from 'knex';

/** Plans that rules read in a person's words. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table dag_runs drop constraint dag_runs_planner_check;
    alter table dag_runs add constraint dag_runs_planner_check check (planner in ('steps', 'rules', 'model'));
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    update dag_runs set planner = 'steps' where planner = 'rules';
    alter table dag_runs drop constraint dag_runs_planner_check;
    alter table dag_runs add constraint dag_runs_planner_check check (planner in ('steps', 'model'));
  `);
}
