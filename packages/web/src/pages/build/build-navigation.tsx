import { useEffect, useRef } from 'react';
import { useNavigation } from '../../router/router.tsx';
import { accountEntries, entriesThatExist, type NavigationEntry } from '../../shell/navigation.ts';
import { sitePaths } from '../../site-paths.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';

const everywhere: readonly NavigationEntry[] = [
  { name: 'Overview', path: sitePaths.build },
  { name: 'Register an agent', path: sitePaths.registerAgent },
];

/** Pages that are about one agent. */
const agentPages = [
  { id: 'keys', name: 'Keys and endpoint', pathOf: sitePaths.buildAgent },
  { id: 'deliveries', name: 'Deliveries', pathOf: sitePaths.deliveries },
  { id: 'events', name: 'Events', pathOf: sitePaths.agentEvents },
] as const;

export type AgentPageId = (typeof agentPages)[number]['id'];

export function pathOfAgentPage(page: AgentPageId, idOrSlug: string): string {
  return agentPages.find(({ id }) => id === page)?.pathOf(idOrSlug) ?? sitePaths.build;
}

/** What developers have pages for; MCP and spending limits follow as rows of these lists. */
export function BuildNavigation({ agent, current }: { readonly agent?: OwnedAgent | undefined; readonly current?: AgentPageId }) {
  const { place } = useNavigation();
  const list = useRef<HTMLUListElement>(null);
  // On phones the list is a strip that may be longer than the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: where one is decides, and the agent's entries come later
  useEffect(() => {
    const here = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (list.current !== null && here != null) list.current.scrollLeft = here.offsetLeft - list.current.clientWidth / 4;
  }, [place.path, agent?.id]);
  const sell = entriesThatExist(accountEntries.filter(({ path }) => path === sitePaths.sell));
  return (
    <nav className="side" aria-label="Developer console">
      <ul ref={list}>
        <Group name="Build" />
        {everywhere.map(({ name, path }) => (
          <Entry key={path} name={name} path={path} current={place.path === path} />
        ))}
        {agent === undefined ? null : (
          <>
            <Group name={agent.name} />
            {agentPages.map(({ id, name, pathOf }) => (
              <Entry key={id} name={name} path={pathOf(agent.slug)} current={id === current} />
            ))}
          </>
        )}
        {sell.length === 0 ? null : <Group name="Sell" />}
        {sell.map(({ path }) => (
          <Entry key={path} name="Provider console" path={path} current={false} />
        ))}
      </ul>
    </nav>
  );
}

function Group({ name }: { readonly name: string }) {
  return <li className="grp">{name}</li>;
}

function Entry({ name, path, current }: { readonly name: string; readonly path: string; readonly current: boolean }) {
  return (
    <li>
      <a href={path} aria-current={current ? 'page' : undefined}>
        {name}
      </a>
    </li>
  );
}
