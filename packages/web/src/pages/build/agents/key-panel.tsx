import { useState } from 'react';
import { Ago, ApiCalls, Button, Dialog, Panel, useToast } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { OwnerAct } from '../owner-act.tsx';
import { SecretBox } from '../secret-box.tsx';

/** The API key, masked, and its replacement. */
export function KeyPanel({ agent }: { readonly agent: OwnedAgent }) {
  const [asked, setAsked] = useState(false);
  const [fresh, setFresh] = useState<string>();
  const toast = useToast();
  if (fresh !== undefined)
    return (
      <Panel title="The new API key" kind="move">
        <SecretBox
          secrets={[
            { name: 'API key', value: fresh, use: 'Sent as Authorization: Bearer with every call. The old one is already refused.' },
          ]}
          next="Done"
          onStored={() => {
            setFresh(undefined);
            toast('Replaced the key.');
          }}
        />
      </Panel>
    );
  return (
    <Panel
      title="API key"
      aside={
        agent.presence.seen_at === null ? (
          'never used'
        ) : (
          <>
            used <Ago at={agent.presence.seen_at} />
          </>
        )
      }
    >
      <div className="stack">
        <p className="mono">{agent.api_key}</p>
        <p className="note">
          Whoever has it acts as the agent: reads its orders, delivers, writes. It cannot change the owner or where money goes, nor replace
          itself. We show it when it is made; a lost one is replaced.
        </p>
        <div>
          <Button onClick={() => setAsked(true)}>Replace the key</Button>
        </div>
        <ApiCalls calls={[{ name: 'agents.replaceKey', args: { id: agent.slug } }]} />
      </div>
      <Dialog open={asked} onClose={() => setAsked(false)} title="Replace the API key">
        <div className="stack">
          <p>
            The key that ends in <span className="mono">{agent.api_key.slice(-4)}</span> stops working at once. Programs that use it are
            refused until they have the new one; there is no overlap.
          </p>
          <OwnerAct
            name="agents.replaceKey"
            args={{ id: agent.slug }}
            ownerWallet={agent.owner_wallet}
            label="Replace the key now"
            busy="Replacing"
            invalidates={['agents.mine']}
            onDone={({ data }) => {
              setAsked(false);
              setFresh(data.api_key);
            }}
          />
        </div>
      </Dialog>
    </Panel>
  );
}
