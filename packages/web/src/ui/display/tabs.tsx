/** A real tablist: arrow keys move, Home and End jump. Without scripts all panels are shown, one below the other. */
import './tabs.css';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';

export interface Tab {
  readonly id: string;
  readonly name: ReactNode;
  readonly content: ReactNode;
}

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly first?: string;
  /** `code`: the bar of a code panel. */
  readonly kind?: 'page' | 'code';
  /** Shown at the right end of the bar. */
  readonly aside?: (selected: string) => ReactNode;
}

export function Tabs({ label, tabs, first, kind = 'page', aside }: TabsProps) {
  const base = useId();
  const [selected, setSelected] = useState(first ?? tabs[0]?.id ?? '');
  const move = (event: KeyboardEvent, index: number) => {
    const next = targetOf(event.key, index, tabs.length);
    const tab = next === undefined ? undefined : tabs[next];
    if (tab === undefined) return;
    event.preventDefault();
    setSelected(tab.id);
    document.getElementById(`${base}-tab-${tab.id}`)?.focus();
  };
  return (
    <div className={kind === 'code' ? 'code tabbed' : 'tabbed'}>
      <div className={kind === 'code' ? 'bar' : 'tabs'}>
        <div role="tablist" aria-label={label}>
          {tabs.map(({ id, name }, index) => (
            <button
              key={id}
              id={`${base}-tab-${id}`}
              type="button"
              role="tab"
              aria-selected={id === selected}
              aria-controls={`${base}-panel-${id}`}
              tabIndex={id === selected ? 0 : -1}
              onClick={() => setSelected(id)}
              onKeyDown={(event) => move(event, index)}
            >
              {name}
            </button>
          ))}
        </div>
        {aside?.(selected)}
      </div>
      {tabs.map(({ id, content }) => (
        <div key={id} id={`${base}-panel-${id}`} role="tabpanel" aria-labelledby={`${base}-tab-${id}`} hidden={id !== selected}>
          {content}
        </div>
      ))}
    </div>
  );
}

function targetOf(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (index + 1) % count;
  if (key === 'ArrowLeft') return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
