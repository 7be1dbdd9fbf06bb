import type { Knex } from 'knex';

/** Which workflow code is current is said by a person or by `up`, and images are started on a host that has them. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- The version that was made current last: what a Temporal server that lost its own record is told again.
    create table workflow_code (
      only_one boolean primary key default true check (only_one),
      build_id text not null,
      set_at timestamptz not null default now()
    );
    -- Which hosts have an image.
    create table node_images (
      image text not null,
      node text not null,
      made_at timestamptz not null default now(),
      primary key (image, node)
    );
    create index node_images_node on node_images (node);
    insert into node_images (image, node)
      select distinct d.image, i.node from instances i join deployments d using (deploy_id) where d.image is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table node_images; drop table workflow_code');
}
