import { isCurrent, type NavigationEntry } from './navigation.ts';

interface EntriesProps {
  readonly entries: readonly NavigationEntry[];
  readonly here: string;
  /** Number of new items behind an entry, by its path. */
  readonly marks?: Readonly<Record<string, number>>;
}

export function Entries({ entries, here, marks = {} }: EntriesProps) {
  return entries.map((entry) => {
    const mark = marks[entry.path] ?? 0;
    return (
      <a key={entry.path} href={entry.path} aria-current={isCurrent(entry, here) ? 'page' : undefined}>
        {entry.name}
        {mark === 0 ? null : (
          <span className="mark">
            {mark}
            <span className="visually-hidden"> unread</span>
          </span>
        )}
      </a>
    );
  });
}
