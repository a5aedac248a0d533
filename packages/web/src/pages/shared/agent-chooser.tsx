import type { Answer } from '../../data/answers.ts';
import { SelectField } from '../../ui/index.ts';

export type OwnedAgent = Answer<'agents.mine'>['data'][number];

export interface AgentChooserProps {
  readonly agents: readonly OwnedAgent[];
  readonly chosen: OwnedAgent | undefined;
  readonly onChoose: (agent: OwnedAgent | undefined) => void;
  /** Also offers all agents at once, as `undefined`. */
  readonly orAll?: boolean;
}

/** Chooses the agent of a console page. Hidden for visitors with one agent. */
export function AgentChooser({ agents, chosen, onChoose, orAll = false }: AgentChooserProps) {
  if (agents.length < 2) return null;
  // An older agent opened by its URL is missing in the list, so add it.
  const all = chosen === undefined || agents.some(({ id }) => id === chosen.id) ? agents : [chosen, ...agents];
  const choices = all.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <SelectField
      label="Agent"
      bare
      value={chosen?.id ?? ''}
      choices={orAll ? [{ value: '', label: 'All your agents' }, ...choices] : choices}
      onChange={(id) => onChoose(all.find((agent) => agent.id === id))}
    />
  );
}

/** The agent named in the URL; undefined if it names none, or one that is not the visitor's. */
export function chosenAgent(agents: readonly OwnedAgent[], search: URLSearchParams): OwnedAgent | undefined {
  const wanted = search.get('agent');
  return agents.find(({ slug, id }) => slug === wanted || id === wanted);
}
