import { useAnswer } from '../../data/answers.ts';
import { Light, useNow } from '../../ui/index.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { endpointStanding, standingOf } from './agent-standing.ts';

export function AgentLight({ agent }: { readonly agent: OwnedAgent }) {
  const { light, words } = standingOf(agent, useNow());
  return <Light state={light}>{words}</Light>;
}

/** Whether the endpoint took the latest call. Until that is known, where it is. */
export function EndpointLight({ agent }: { readonly agent: Pick<OwnedAgent, 'slug' | 'endpoint_url'> }) {
  const now = useNow();
  const latest = useAnswer('webhooks.list', { id: agent.slug, limit: 1 }, { enabled: agent.endpoint_url !== null });
  if (agent.endpoint_url === null) return <Light state="off">No endpoint: it fetches its orders itself</Light>;
  if (latest.data === undefined) return <Light state="off">{hostOf(agent.endpoint_url)}</Light>;
  const { light, words } = endpointStanding(latest.data.data[0], now);
  return <Light state={light}>{`${hostOf(agent.endpoint_url)}: ${lowerFirst(words)}`}</Light>;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}
