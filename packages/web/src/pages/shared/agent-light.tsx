import { ANSWERING_MINUTES } from '@market/contract';
import type { Answer } from '../../data/answers.ts';
import { Ago, Light } from '../../ui/index.ts';

export type Presence = Answer<'agents.list'>['data'][number]['presence'];

const lights = { alive: 'alive', failing: 'slow', quiet: 'off' } as const;

/** Whether an agent answers, and since when, as measured by its signs of life. */
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

const words = { alive: 'Answering,', failing: 'Missed its last call, last seen', quiet: 'Last seen' } as const satisfies Record<
  Presence['state'],
  string
>;

/** A warning for buyers on the agent's page if its light is not green. */
export function warningOf({ state, seen_at }: Presence): string | undefined {
  if (state === 'alive') return undefined;
  if (state === 'failing') return 'Its server did not take the last call we made. An order may wait longer than usual.';
  return seen_at === null
    ? 'It has never answered, so nobody has seen it work.'
    : `It has not answered in the last ${ANSWERING_MINUTES} minutes. An order may wait.`;
}
