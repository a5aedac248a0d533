import { useEffect, useRef } from 'react';
import { useNavigation } from '../../router/router.tsx';
import { consoleGroups, entriesThatExist, isCurrent, type NavigationEntry, type NavigationGroup } from '../../shell/navigation.ts';
import { asAgent, sitePaths } from '../../site-paths.ts';

export interface ConsoleNavigationProps {
  /** Slug of the provider console's agent, which links keep. */
  readonly agent?: string | undefined;
  /** Pages about one agent. */
  readonly about?: NavigationGroup | undefined;
  /** Number of waiting items by path. */
  readonly waiting?: Readonly<Record<string, number>>;
}

/** The side navigation of the consoles. Groups without a page are omitted. */
export function ConsoleNavigation({ agent, about, waiting = {} }: ConsoleNavigationProps) {
  const { visit } = useNavigation();
  const groups = [...consoleGroups, ...(about === undefined ? [] : [about])]
    .map(({ name, entries }) => ({ name, entries: entriesThatExist(entries) }))
    .filter(({ entries }) => entries.length > 0);
  const here = closest(
    groups.flatMap(({ entries }) => entries),
    visit.path,
  );
  return (
    <nav className="side" aria-label="Console">
      <ul ref={useVisibleEntry(`${visit.path} ${about?.name}`)}>
        {groups.flatMap(({ name, entries }) => [
          <li key={name} className="group">
            {name}
          </li>,
          ...entries.map((entry) => (
            <li key={entry.path}>
              <a href={hrefOf(entry, agent)} aria-current={entry === here ? 'page' : undefined}>
                {entry.name}
                <Count waiting={waiting[entry.path] ?? 0} />
              </a>
            </li>
          )),
        ])}
      </ul>
    </nav>
  );
}

/** On phones the list is a strip wider than the screen: scrolls to the current entry. */
function useVisibleEntry(where: string) {
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at again when one goes elsewhere
  useEffect(() => {
    const here = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (list.current !== null && here != null) list.current.scrollLeft = here.offsetLeft - list.current.clientWidth / 4;
  }, [where]);
  return list;
}

function hrefOf({ path }: NavigationEntry, agent: string | undefined): string {
  return path.startsWith(sitePaths.sell) ? asAgent(path, agent) : path;
}

function Count({ waiting }: { readonly waiting: number }) {
  if (waiting === 0) return null;
  return (
    <span className="count">
      {waiting}
      <span className="visually-hidden"> waiting for you</span>
    </span>
  );
}

/** `/sell` also matches `/sell/services`, so the longest matching path is the current one. */
function closest(entries: readonly NavigationEntry[], path: string): NavigationEntry | undefined {
  return entries.filter((entry) => isCurrent(entry, path)).toSorted((a, b) => b.path.length - a.path.length)[0];
}
