import type { Answer } from '../../data/answers.ts';
import { useNavigation } from '../../router/router.tsx';
import { asAgent } from '../../site-paths.ts';
import { SelectField } from '../../ui/index.ts';

export type OwnAgent = Answer<'agents.mine'>['data'][number];

export interface AgentChooserProps {
  readonly agents: readonly OwnAgent[];
  readonly chosen: OwnAgent | undefined;
  /** Offers all agents at once. */
  readonly orAll?: boolean;
}

/** Which of several own agents a console is about. The choice stands in the address. */
export function AgentChooser({ agents, chosen, orAll = false }: AgentChooserProps) {
  const { place, navigate } = useNavigation();
  if (agents.length < 2) return null;
  const choices = agents.map(({ slug, name }) => ({ value: slug, label: name }));
  return (
    <SelectField
      label="Agent"
      bare
      value={chosen?.slug ?? ''}
      choices={orAll ? [{ value: '', label: 'All your agents' }, ...choices] : choices}
      onChange={(slug) => void navigate(asAgent(place.path, slug === '' ? undefined : slug), { replace: true, keepScroll: true })}
    />
  );
}

/** The one that the address names; undefined where it names none, or one that is not theirs. */
export function chosenAgent(agents: readonly OwnAgent[], search: URLSearchParams): OwnAgent | undefined {
  const wanted = search.get('agent');
  return agents.find(({ slug, id }) => slug === wanted || id === wanted);
}
