// Fields whose values the platform knows: agents, their skills, people, time zones, keys to models, one's own
// files. What is not in the list may be typed.
import { Autocomplete, TagsInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { matchesAny } from '#contract/wire/patterns.ts';
import { read } from '../../api/query.ts';
import { number } from '../../kit/number.ts';
import { TimeZoneSelect } from '../../kit/time-zone.tsx';
import { inputProps, useForm, useIssue } from '../form-context.ts';
import { listOf } from '../schema.ts';
import type { OwnProps } from './own-part.tsx';
import type { OwnKind } from './kinds.ts';

const AGENT_NAME = /^[a-z0-9][a-z0-9-]{0,127}$/;

export function Picker({ kind, ...props }: OwnProps & { kind: OwnKind }) {
  switch (kind) {
    case 'agent':
      return <AgentPicker {...props} />;
    case 'agents':
      return <AgentsPicker {...props} />;
    case 'skill':
    case 'skills':
      return <SkillPicker {...props} isList={kind === 'skills'} />;
    case 'person':
    case 'people':
      return <PersonPicker {...props} isList={kind === 'people'} />;
    case 'time-zone':
      return <TimeZoneSelect value={typeof props.value === 'string' ? props.value : ''} onChange={props.onChange} error={useIssueOf(props)} />;
    case 'credential':
      return <CredentialPicker {...props} />;
    case 'patterns':
      return <PatternsPicker {...props} />;
    default:
      return <Many {...props} data={[]} />;
  }
}

const useIssueOf = ({ path }: OwnProps): string | undefined => useIssue(path);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown): string[] => listOf(value).filter((one) => typeof one === 'string');

function useAgents(words: string): string[] {
  const [query] = useDebouncedValue(words, 150);
  return (useQuery({ ...read('agents', 'search', { query: { q: query, limit: 8 } }), placeholderData: (before) => before }).data ?? []).map(({ name }) => name);
}

function AgentPicker(props: OwnProps) {
  const { value, onChange } = props;
  return (
    <Autocomplete
      {...inputProps(props, useIssueOf(props))}
      placeholder="Search agents"
      data={useAgents(textOf(value))}
      // The API has searched: also by words that are not in the name.
      filter={({ options }) => options}
      value={textOf(value)}
      onChange={(name) => onChange(name === '' ? undefined : name)}
    />
  );
}

function AgentsPicker(props: OwnProps) {
  const [words, setWords] = useState('');
  return <Many {...props} data={useAgents(words)} onSearch={setWords} placeholder="Search agents" />;
}

/** Of the agent beside it, else of the one that the page is of. */
function SkillPicker({ isList, ...props }: OwnProps & { isList: boolean }) {
  const { about } = useForm();
  const { value, onChange, beside } = props;
  const [agent] = useDebouncedValue(textOf(beside?.['agent']) || textOf(beside?.['name']) || (about?.['name'] ?? ''), 150);
  const card = useQuery({ ...read('agents', 'get', { params: { name: agent } }), enabled: AGENT_NAME.test(agent), retry: false });
  const skills = (card.data?.card?.skills ?? []).map(({ id }) => id);
  const issue = useIssueOf(props);
  if (isList) return <Many {...props} data={skills} placeholder="Choose skills" />;
  return <Autocomplete {...inputProps(props, issue)} data={skills} value={textOf(value)} onChange={(skill) => onChange(skill === '' ? undefined : skill)} />;
}

/** Members of the organization by their addresses; the API answers with their ids. */
function PersonPicker({ isList, ...props }: OwnProps & { isList: boolean }) {
  const { about } = useForm();
  const slug = about?.['slug'] ?? '';
  const members = useQuery({ ...read('organizations', 'members', { params: { slug }, query: { limit: 100 } }), enabled: slug !== '' });
  const active = (members.data?.items ?? []).filter(({ state }) => state === 'active');
  const addressOf = (id: string): string => active.find(({ user_id }) => user_id === id)?.email ?? id;
  const data = active.map(({ email }) => email);
  const { value, onChange } = props;
  const issue = useIssueOf(props);
  if (isList) return <Many {...props} value={textsOf(value).map(addressOf)} data={data} placeholder="Choose people" />;
  return <Autocomplete {...inputProps(props, issue)} data={data} value={addressOf(textOf(value))} onChange={(one) => onChange(one === '' ? undefined : one)} />;
}

function CredentialPicker(props: OwnProps) {
  const { value, onChange } = props;
  const { data } = useQuery(read('llmCreds', 'list', {}));
  const names = (data?.items ?? []).map(({ name }) => name);
  return (
    <Autocomplete {...inputProps(props, useIssueOf(props))} data={names} value={textOf(value)} onChange={(name) => onChange(name === '' ? undefined : name)} />
  );
}

const MOST_FILES = 1000;
const SHOWN_FILES = 3;

/** Patterns of paths, with what they match now of the reader's own files. */
function PatternsPicker(props: OwnProps) {
  const { data } = useQuery(read('files', 'list', { query: { limit: MOST_FILES } }));
  const patterns = textsOf(props.value);
  const paths = (data?.items ?? []).map(({ path }) => path);
  const matches = patterns.length === 0 ? [] : paths.filter((path) => matchesAny(patterns, path));
  const more = matches.length > SHOWN_FILES ? ', …' : '';
  const preview =
    data === undefined || patterns.length === 0
      ? undefined
      : matches.length === 0
        ? 'Matches none of your files now.'
        : `Matches ${number(matches.length)} of your ${number(paths.length)}${data.next_cursor === null ? '' : ' first'} files: ${matches.slice(0, SHOWN_FILES).join(', ')}${more}`;
  return <Many {...props} data={paths.slice(0, 50)} placeholder="reports/**" below={preview} />;
}

type ManyProps = OwnProps & { data: string[]; onSearch?: (words: string) => void; placeholder?: string; below?: string | undefined };

/** Several texts, each added by Enter or a comma. */
function Many({ data, onSearch, placeholder, below, ...props }: ManyProps) {
  const { value, onChange, required, path } = props;
  const given = textsOf(value);
  const issue = useIssue(path);
  const common = inputProps(props, issue);
  return (
    <TagsInput
      {...common}
      description={[common.description, below].filter(Boolean).join(' ') || undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={data}
      value={given}
      placeholder={given.length === 0 ? (placeholder ?? 'Type, then Enter') : ''}
      onChange={(texts) => onChange(texts.length === 0 && !required ? undefined : texts)}
      {...(onSearch && { onSearchChange: onSearch, filter: ({ options }) => options })}
      acceptValueOnBlur
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${props.label}` }}
    />
  );
}
