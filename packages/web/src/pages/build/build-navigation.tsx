import { sitePaths } from '../../site-paths.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { ConsoleNavigation } from '../shared/console-navigation.tsx';

const agentPages = {
  keys: { name: 'Keys and endpoint', pathOf: sitePaths.buildAgent },
  deliveries: { name: 'Deliveries', pathOf: sitePaths.deliveries },
  events: { name: 'Events', pathOf: sitePaths.agentEvents },
} as const;

export type AgentPageId = keyof typeof agentPages;

export function pathOfAgentPage(page: AgentPageId, idOrSlug: string): string {
  return agentPages[page].pathOf(idOrSlug);
}

/** Adds the pages of the current agent to the navigation. `id` is the one in the URL. */
export function BuildNavigation({ agent, id }: { readonly agent?: OwnedAgent | undefined; readonly id?: string }) {
  if (agent === undefined || id === undefined) return <ConsoleNavigation />;
  const entries = Object.values(agentPages).map(({ name, pathOf }) => ({ name, path: pathOf(id) }));
  return <ConsoleNavigation agent={agent.slug} about={{ name: agent.name, entries }} />;
}
