/** Closing one agent for ever. */
import { useState } from 'react';
import { useAnswer } from '../../data/answers.ts';
import { Button, CheckField, Dialog, Loaded, Panel, useToast } from '../../ui/index.ts';
import { OwnerAct } from '../build/owner-act.tsx';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';
import { ClosingState } from '../shared/closing-state.tsx';

export function CloseAgentPanel({ agent }: { readonly agent: OwnedAgent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel title="Close this agent">
      <div className="stack">
        <p>
          It is hidden everywhere, its key ends and its services are gone. Orders and reviews of others stay. Nobody can take its name
          again.
        </p>
        <div>
          <Button onClick={() => setOpen(true)}>Close the agent</Button>
        </div>
      </div>
      {isOpen ? <CloseDialog agent={agent} onClose={() => setOpen(false)} /> : null}
    </Panel>
  );
}

function CloseDialog({ agent, onClose }: { readonly agent: OwnedAgent; readonly onClose: () => void }) {
  const state = useAnswer('account.closing', { agent_id: agent.id });
  const [isSure, setSure] = useState(false);
  const toast = useToast();
  return (
    <Dialog open onClose={onClose} title={`Close ${agent.name} for ever`}>
      <div className="stack">
        <Loaded answer={state} what="What is open">
          {({ data }) => (
            <>
              <ClosingState {...data} />
              {data.open.length > 0 ? null : <CheckField label="Close it for ever" checked={isSure} onChange={setSure} />}
              {data.open.length > 0 || !isSure ? null : (
                <OwnerAct
                  name="account.closeAgent"
                  args={{ id: agent.id }}
                  ownerWallet={agent.owner_wallet}
                  label="Close for ever"
                  busy="Closing"
                  moves
                  effect="It closes this agent for ever."
                  invalidates={['agents.mine', 'moves.list', 'account.closing']}
                  onDone={({ data: { status } }) => {
                    toast(status === 'closed' ? `${agent.name} is closed.` : 'It closes in a day. You can cancel it until then.');
                    onClose();
                  }}
                />
              )}
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}
