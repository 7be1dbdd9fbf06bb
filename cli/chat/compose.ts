// The Compose file of `svc chat`: the resources svc.yaml declares, and the agent in its image.
import { stringify } from 'yaml';
import type { LocalResources } from '#contract/wire/manifest.ts';

export interface ComposeOptions {
  agent: string;
  resources: LocalResources;
  /** Image the agent's layers are put on. */
  baseImage: string;
  /** Where the agent is reached on this machine. */
  host: string;
  port: number;
  /** Read where it is there. */
  envFile: string;
  /** Folder that stands for the caller's workspace. */
  workspace: string | undefined;
}

export interface Resource {
  kind: 'postgres' | 'pgvector' | 'qdrant';
  service: string;
  /** Setting that has its address. */
  env: string;
  /** Its port inside. */
  port: number;
  /** For those who reach it at that host and port. */
  url: (host: string, port: number) => string;
}

/** Only for this machine: reached on loopback. */
const PASSWORD = 'local';

const postgres = (kind: 'postgres' | 'pgvector', service: string, image: string, env: string) => ({
  resource: { kind, service, env, port: 5432, url: (host: string, port: number) => `postgres://svc:${PASSWORD}@${host}:${port}/svc` },
  definition: {
    image,
    environment: { POSTGRES_USER: 'svc', POSTGRES_PASSWORD: PASSWORD, POSTGRES_DB: 'svc' },
    volumes: [`${service}:/var/lib/postgresql/data`],
    healthcheck: { test: ['CMD-SHELL', 'pg_isready -U svc -d svc -h 127.0.0.1'], interval: '2s', timeout: '3s', retries: 30 },
  },
});

const KINDS = {
  postgres: postgres('postgres', 'database', 'postgres:17-alpine', 'DATABASE_URL'),
  pgvector: postgres('pgvector', 'vector-store', 'pgvector/pgvector:pg17', 'VECTOR_STORE_URL'),
  qdrant: {
    resource: {
      kind: 'qdrant' as const,
      service: 'vector-store',
      env: 'VECTOR_STORE_URL',
      port: 6333,
      url: (host: string, port: number) => `http://${host}:${port}`,
    },
    definition: {
      image: 'qdrant/qdrant:v1.15.5',
      volumes: ['vector-store:/qdrant/storage'],
      // The image has no program that speaks HTTP.
      healthcheck: { test: ['CMD', 'bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/6333'], interval: '2s', timeout: '3s', retries: 30 },
    },
  },
};

function declared({ database, databases = [], vector_store: vectors }: LocalResources) {
  const more = databases.map(({ name, branch, variable }) => postgres('postgres', `database-${name}-${branch}`, KINDS.postgres.definition.image, variable));
  return [...(database ? [KINDS[database]] : []), ...more, ...(vectors ? [KINDS[vectors]] : [])];
}

export function resourcesOf(resources: LocalResources): Resource[] {
  return declared(resources).map(({ resource }) => resource);
}

export function composeFile(options: ComposeOptions): string {
  const { agent, resources, host, port, envFile, workspace } = options;
  const parts = declared(resources);
  // A port of the machine's choice: another project may have the usual one.
  const services = parts.map(({ resource, definition }) => [resource.service, { ...definition, ports: [`127.0.0.1::${resource.port}`] }]);
  const self = {
    build: { context: './image', dockerfile_inline: dockerfile(options) },
    image: `${agent}:local`,
    init: true,
    environment: { PORT: '8000', ...Object.fromEntries(parts.map(({ resource }) => [resource.env, resource.url(resource.service, resource.port)])) },
    env_file: [{ path: `../${envFile}`, required: false }],
    ports: [`${host}:${port}:8000`],
    ...(workspace === undefined ? {} : { volumes: [`${workspace}:/workspace`] }),
    ...(parts.length === 0 ? {} : { depends_on: Object.fromEntries(parts.map(({ resource }) => [resource.service, { condition: 'service_healthy' }])) }),
  };
  const file = {
    name: `svc-${agent}`,
    services: { ...Object.fromEntries(services), agent: self },
    ...(parts.length === 0 ? {} : { volumes: Object.fromEntries(parts.map(({ resource }) => [resource.service, {}])) }),
  };
  return `# Written by "svc chat" at each start. Keep it in .svc: its paths are relative to it.\n${stringify(file, { lineWidth: 0 })}`;
}

/** ADD unpacks the layers that `svc build` made. */
function dockerfile({ baseImage }: ComposeOptions): string {
  return [
    `FROM ${baseImage}`,
    'ADD base.tar.gz /',
    'ADD app.tar.gz /',
    'ENV HOME=/tmp NODE_ENV=production PYTHONDONTWRITEBYTECODE=1 SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
    'USER 65532:65532',
    'WORKDIR /app',
    'EXPOSE 8000',
    'ENTRYPOINT ["/usr/local/bin/node", "--enable-source-maps", "/app/.svc/serve.mjs"]',
    '',
  ].join('\n');
}
