// Custom domains: host names of people's own at which their agents answer.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant } from '../shared.ts';
import { CERTIFICATE_STATES, DNS_RECORD_STATES, DOMAIN_STATES } from '../states.ts';

/** Of one agent. */
export const MAX_DOMAINS = 50;

/** As a person writes it; core/agents/domain/hostname.ts decides what it may be. */
const Hostname = z
  .string()
  .min(1)
  .max(253)
  .meta({ description: 'Such as `shop.example.com`, or `*.example.com` for every name one level below. Other letters than a-z may be used.' });

const AgentCustomDomainIn = z.strictObject({ hostname: Hostname.meta({ examples: ['shop.example.com'] }) }).meta({ id: 'AgentCustomDomainIn' });

const DomainRecord = z
  .strictObject({
    purpose: z.enum(['ownership', 'routing', 'certificate']).meta({
      description: 'ownership: proves that the name is yours. routing: leads its visitors here. certificate: asked for by the certificate authority.',
    }),
    type: z.enum(['TXT', 'CNAME', 'A']).meta({ description: 'A: with AAAA for IPv6 addresses.' }),
    name: z.string().meta({ description: 'Where the record belongs; punycode.' }),
    value: z.string().meta({ description: 'The value that the record must have.' }),
    state: z.enum(DNS_RECORD_STATES).meta({ description: 'unanswered: the name servers did not answer. unchecked: not looked up yet.' }),
    seen: z.array(z.string()).meta({ description: 'What the name servers answered at the last look, 20 values at most.' }),
  })
  .meta({ id: 'AgentCustomDomainRecord' });

const DomainCertificate = z
  .strictObject({
    state: z.enum(CERTIFICATE_STATES),
    not_after: Instant.nullable().meta({ description: 'End of the served certificate; null: none is served.' }),
    renew_at: Instant.nullable().meta({ description: 'When the next one is asked for.' }),
    problem: z.string().nullable().meta({ description: 'Why there is no certificate, or no newer one, yet.' }),
  })
  .meta({ id: 'AgentCustomDomainCertificate' });

export const AgentCustomDomainOut = z
  .strictObject({
    hostname: z.string().meta({ description: 'Punycode: how it is compared and looked up.' }),
    display_name: z.string().meta({ description: 'In its own letters.' }),
    state: z.enum(DOMAIN_STATES).meta({
      description:
        'pending: its proof is looked for. active: the agent answers there. suspended: the proof is gone, it is looked for once a day. failed: not proved in time; verify it to begin again.',
    }),
    url: z.string().meta({ description: 'Address of the agent there.' }),
    records: z.array(DomainRecord).meta({ description: 'What has to be in the DNS, and what was seen there.' }),
    problem: z.string().nullable().meta({ description: 'What is missing, in a sentence; null: nothing.' }),
    certificate: DomainCertificate.nullable().meta({ description: 'null: none has been asked for; the platform may leave https to a proxy of its operator.' }),
    created_at: Instant,
    prove_until: Instant.meta({ description: 'A pending domain that is not proved by then has failed.' }),
    proved_at: Instant.nullable().meta({ description: 'When the proof was last seen.' }),
    looked_at: Instant.nullable().meta({ description: 'When the DNS was last asked.' }),
  })
  .meta({ id: 'AgentCustomDomainOut' });

const DomainParams = AgentParams.extend({ hostname: Hostname });

export const domains = group({
  domains: {
    at: 'GET /v1/agents/{name}/domains',
    summary: "The agent's custom domains, by name",
    description: 'As of the last DNS lookup. A pending domain names the missing record and what the lookup found.',
    scope: 'authenticated',
    params: AgentParams,
    out: z.array(AgentCustomDomainOut),
    errors: [401, 403, 404, 500],
  },
  addDomain: {
    at: 'POST /v1/agents/{name}/domains',
    summary: 'Add a host name of yours at which the agent answers',
    description: `The answer names the DNS records to create. The platform looks for the proof for three days. An agent has at most ${MAX_DOMAINS} domains. Several agents may wait for one name; the first that proves it gets it.`,
    scope: 'authenticated',
    params: AgentParams,
    body: AgentCustomDomainIn,
    out: AgentCustomDomainOut,
    status: 201,
    errors: [400, 401, 402, 403, 404, 409, 500],
  },
  verifyDomain: {
    at: 'POST /v1/agents/{name}/domains/{hostname}/verify',
    summary: 'Look at the DNS now',
    description: 'A domain that failed gets three more days. 502: the name servers did not answer.',
    scope: 'authenticated',
    params: DomainParams,
    out: AgentCustomDomainOut,
    errors: [400, 401, 402, 403, 404, 500, 502],
  },
  removeDomain: {
    at: 'DELETE /v1/agents/{name}/domains/{hostname}',
    summary: 'Remove a custom domain',
    description: 'The agent does not answer there any more, at once; its certificate is revoked right after.',
    scope: 'authenticated',
    params: DomainParams,
    status: 204,
    errors: [400, 401, 403, 404, 502],
  },
});
