import { Light, useNow } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { endpointStanding, presenceStanding } from '../agent-standing.ts';
import { useLatestDelivery } from './use-deliveries.ts';

export function AgentLight({ agent }: { readonly agent: OwnedAgent }) {
  const { light, words } = presenceStanding(agent, useNow());
  return <Light state={light}>{words}</Light>;
}

export interface EndpointLightProps {
  readonly agent: OwnedAgent;
  /** False: shows only its host, which saves a request per agent in long lists. */
  readonly ask?: boolean;
}

/** Whether the endpoint accepted the latest call. Until that is known, shows its host. */
export function EndpointLight({ agent, ask = true }: EndpointLightProps) {
  const now = useNow();
  const latest = useLatestDelivery(agent.slug, ask && agent.endpoint_url !== null);
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
