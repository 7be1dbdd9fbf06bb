import { getRouteApi } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { Facts, Page } from '../../kit/page.tsx';

const route = getRouteApi('/agents/$name');

export function Agent() {
  const { name } = route.useParams();
  const agent = useRead('agents', 'get', { params: { name } });
  return (
    <Page title={name} lead={agent.description}>
      <Facts of={{ Version: agent.version }} />
    </Page>
  );
}
