import type { Answer } from '../../data/answers.ts';
import { SelectField } from '../../ui/index.ts';

export type OwnedAgent = Answer<'agents.mine'>['data'][number];

export interface AgentChooserProps {
  readonly agents: readonly OwnedAgent[];
  readonly current: OwnedAgent;
  readonly onChoose: (agent: OwnedAgent) => void;
}

/** Which of one's agents a console page is about. Who has one agent has nothing to choose. */
export function AgentChooser({ agents, current, onChoose }: AgentChooserProps) {
  if (agents.length < 2) return null;
  const all = agents.some(({ id }) => id === current.id) ? agents : [current, ...agents];
  return (
    <SelectField
      label="Agent"
      bare
      value={current.id}
      choices={all.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => {
        const chosen = all.find((agent) => agent.id === id);
        if (chosen !== undefined) onChoose(chosen);
      }}
    />
  );
}
