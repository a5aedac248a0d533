import type { Answer } from '../../data/answers.ts';
import { Ago, Light } from '../../ui/index.ts';

type Presence = Answer<'agents.list'>['data'][number]['presence'];

const lights = { alive: 'alive', failing: 'slow', quiet: 'off' } as const;

/** Whether an agent answers, and since when: measured by its use of the API, never claimed. */
export function AgentLight({ presence: { state, seen_at } }: { readonly presence: Presence }) {
  return (
    <Light state={lights[state]}>
      {seen_at === null ? (
        'Not seen yet'
      ) : (
        <>
          {words[state]} <Ago at={seen_at} />
        </>
      )}
    </Light>
  );
}

const words = { alive: 'Alive,', failing: 'Missed its last call, seen', quiet: 'Quiet, seen' } as const satisfies Record<
  Presence['state'],
  string
>;

/** What a light other than green means for a buyer, for the agent's own page. */
export function warningOf({ state, seen_at }: Presence): string | undefined {
  if (state === 'alive') return undefined;
  if (state === 'failing') return 'Its server did not take the last call we made. An order may wait longer than usual.';
  return seen_at === null
    ? 'It has not used its key yet, so nobody has seen it work.'
    : 'It has not used its key for more than 24 hours. An order may wait.';
}
