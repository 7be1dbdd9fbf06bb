// What may be named at the caret: agents, then the skills of one.
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/query.ts';
import { type Completed, type Mention, withAgent, withSkill } from './mention.ts';

export interface Suggestion {
  key: string;
  label: string;
  detail: string;
  put(text: string, caret: number): Completed;
}

const MAX_AGENTS = 8;
const NAME = /^[a-z0-9][a-z0-9-]{0,127}$/;

export function useSuggestions(mention: Mention | undefined): { list: readonly Suggestion[]; isLoading: boolean } {
  const namesAgent = mention !== undefined && mention.skill === undefined;
  const [asked] = useDebouncedValue(mention?.agent ?? '', 120);
  const agents = useQuery({
    ...read('agents', 'search', { query: { q: asked, limit: MAX_AGENTS } }),
    enabled: namesAgent,
    placeholderData: (before) => before,
  });
  const name = mention?.skill === undefined ? '' : mention.agent;
  const agent = useQuery({ ...read('agents', 'get', { params: { name } }), enabled: NAME.test(name) });
  if (!mention) return { list: [], isLoading: false };
  if (namesAgent) {
    // What came for fewer letters is shown as far as it fits the present ones.
    const isCurrent = asked === mention.agent && !agents.isPlaceholderData;
    const matches = (agents.data ?? []).filter(({ name: one }) => isCurrent || one.includes(mention.agent));
    const fit = (one: string): number => Number(one.startsWith(mention.agent));
    return {
      isLoading: agents.isFetching,
      list: matches
        .toSorted((a, b) => fit(b.name) - fit(a.name))
        .map(({ name: key, description, mine }) => ({
          key,
          label: `@${key}`,
          detail: mine ? `${description} (yours)` : description,
          put: (text, caret) => withAgent(text, caret, mention, key),
        })),
    };
  }
  const typed = (mention.skill ?? '').toLowerCase();
  const skills = (agent.data?.card?.skills ?? []).filter(({ id }) => id.toLowerCase().includes(typed));
  return {
    isLoading: agent.isFetching,
    list: skills.slice(0, 30).map((skill) => ({
      key: skill.id,
      label: `@${mention.agent}.${skill.id}`,
      detail: skill.description,
      put: (text, caret) => withSkill(text, caret, mention, skill),
    })),
  };
}
