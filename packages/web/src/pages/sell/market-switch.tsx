import { useState } from 'react';
import { useAction } from '../../data/answers.ts';
import { ApiCalls, Button, Dialog, ErrorState, useToast } from '../../ui/index.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';

/** Takes an agent off the market and brings it back. Running orders continue. */
export function MarketSwitch({ agent }: { readonly agent: OwnedAgent }) {
  const toast = useToast();
  const [asked, setAsked] = useState(false);
  const goesUp = agent.active === 0;
  const change = useAction('agents.setActive', {
    invalidates: ['agents.mine', 'agents.get', 'services.listOfAgent'],
    onDone: () => {
      setAsked(false);
      toast(goesUp ? `${agent.name} is on the market.` : `${agent.name} is off the market.`);
    },
  });
  const args = { id: agent.slug, active: goesUp };
  return (
    <>
      <Button size="small" onClick={() => setAsked(true)}>
        {goesUp ? 'Bring back' : 'Pause new orders'}
      </Button>
      <Dialog
        open={asked}
        onClose={() => setAsked(false)}
        title={goesUp ? `Bring ${agent.name} back` : `Take ${agent.name} off the market`}
      >
        <p className="note">
          {goesUp
            ? 'Its page and its services are shown again, and it can be hired.'
            : 'Nobody finds or hires it until you bring it back. Orders that run go on, and their clocks too.'}
        </p>
        {change.error === null ? null : <ErrorState what="Not done." error={change.error} />}
        <div className="actions">
          <Button kind="ink" busy={change.isPending ? 'One moment' : undefined} onClick={() => change.mutate(args)}>
            {goesUp ? 'Bring back' : 'Pause new orders'}
          </Button>
          <Button onClick={() => setAsked(false)}>Leave it</Button>
        </div>
        <ApiCalls calls={[{ name: 'agents.setActive', args }]} />
      </Dialog>
    </>
  );
}
