import { useNavigation } from '../../router/router.tsx';
import { consoleGroups, entriesThatExist, isCurrent, type NavigationEntry } from '../../shell/navigation.ts';
import { asAgent } from '../../site-paths.ts';

export interface ConsoleNavigationProps {
  /** Slug of the agent the console is about; kept when going on. */
  readonly agent: string | undefined;
  /** By path: how many things wait there. */
  readonly waiting?: Readonly<Record<string, number>>;
}

/** The side of the consoles. Groups without a page are left out. */
export function ConsoleNavigation({ agent, waiting = {} }: ConsoleNavigationProps) {
  const { place } = useNavigation();
  const groups = consoleGroups.map(({ name, entries }) => ({ name, entries: entriesThatExist(entries) }));
  const all = groups.flatMap(({ entries }) => entries);
  const here = closest(all, place.path);
  return (
    <nav className="side" aria-label="Console">
      <ul>
        {groups.flatMap(({ name, entries }) =>
          entries.length === 0
            ? []
            : [
                <li key={name} className="grp">
                  {name}
                </li>,
                ...entries.map((entry) => (
                  <li key={entry.path}>
                    <a href={asAgent(entry.path, agent)} aria-current={entry === here ? 'page' : undefined}>
                      {entry.name}
                      <Count waiting={waiting[entry.path] ?? 0} />
                    </a>
                  </li>
                )),
              ],
        )}
      </ul>
    </nav>
  );
}

function Count({ waiting }: { readonly waiting: number }) {
  if (waiting === 0) return null;
  return (
    <span className="count">
      {waiting}
      <span className="vh"> waiting for you</span>
    </span>
  );
}

/** `/sell` holds `/sell/services`; only the longest that fits is where one is. */
function closest(entries: readonly NavigationEntry[], path: string): NavigationEntry | undefined {
  return entries.filter((entry) => isCurrent(entry, path)).toSorted((a, b) => b.path.length - a.path.length)[0];
}
