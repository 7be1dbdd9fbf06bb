import type { z } from 'zod';
import type { AgentSearchOut } from '../../../contract/agents/agents.ts';
import { requireUser } from '../../actors.ts';
import type { Ctx } from '../../ctx.ts';
import { presentAgent } from './present.ts';
import type { AgentView } from './select.ts';

interface SearchIn {
  q: string;
  tag?: string[] | undefined;
  skill?: string | undefined;
  limit: number;
}

/**
 * Full text first (every word, prefixes too), trigram similarity for what is misspelt; an exact name wins. Among equals the
 * more called come first. Reads the listing only: no agent is woken.
 */
export async function searchAgents(ctx: Ctx, i: SearchIn): Promise<z.infer<typeof AgentSearchOut>[]> {
  const user = requireUser(ctx);
  const { rows } = await ctx.db.raw<{ rows: (AgentView & { score: number })[] }>(
    `with wanted as (select :q::text as q, nullif(to_tsquery('simple', :prefixes)::text, '')::tsquery as words)
     select a.*, l.deploy_id as last_deploy_id, l.state as last_state, l.error as last_error, l.created_at as last_created_at,
            (case when a.name = w.q then 10 else 0 end)
            + coalesce(ts_rank(to_tsvector('simple', a.search_text), w.words), 0)
            + word_similarity(w.q, a.search_text) as score
     from agents a
     cross join wanted w
     left join lateral (select deploy_id, state, error, created_at from deployments d where d.agent_id = a.agent_id order by number desc limit 1) l on true
     where a.deleted_at is null
       and (a.owner_id = :owner or (a.visibility = 'public' and a.live_deploy_id is not null))
       and (:q = '' or to_tsvector('simple', a.search_text) @@ w.words or w.q <% a.search_text)
       and a.tags @> :tags and (:skill::text is null or a.skills @> array[:skill::text])
     order by score desc, a.call_count desc, a.name
     limit :limit`,
    { q: i.q, prefixes: prefixQuery(i.q), owner: user.user_id, tags: i.tag ?? [], skill: i.skill ?? null, limit: i.limit },
  );
  return rows.map((a) => ({ ...presentAgent(ctx.config, user.user_id, a), score: Number(a.score) }));
}

/** `pars url` → `'pars':* & 'url':*`; words are letters and digits only, so nothing of tsquery's own syntax gets through. */
function prefixQuery(q: string): string {
  const words = q.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((w) => `'${w}':*`).join(' & ');
}
