import { useState } from 'react';
import { ApiCalls, Button, Dialog, Panel, RadioRows, Time, useToast } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { OwnerAct } from '../owner-act.tsx';
import { WebhookSecretBox } from '../webhook-secret-box.tsx';
import type { WebhookSettings } from './webhook-settings.ts';

const overlaps = [
  { value: '24', label: '24 hours' },
  { value: '1', label: '1 hour' },
  { value: '168', label: '7 days' },
  { value: '0', label: 'None: it leaked' },
] as const;

/** The secret that signs webhooks, and its replacement without a gap. */
export function WebhookSecretPanel({ agent, settings }: { readonly agent: OwnedAgent; readonly settings: WebhookSettings }) {
  const [asked, setAsked] = useState(false);
  const [hours, setHours] = useState<string>(overlaps[0].value);
  const [fresh, setFresh] = useState<string>();
  const toast = useToast();
  const args = { id: agent.slug, overlap_hours: Number(hours) };
  if (fresh !== undefined)
    return (
      <WebhookSecretBox
        title="The new webhook secret"
        secret={fresh}
        onStored={() => {
          setFresh(undefined);
          toast('Replaced the secret.');
        }}
      />
    );
  return (
    <Panel title="Webhook secret" aside={settings.has_secret ? 'set' : 'none yet'}>
      <div className="stack">
        <p className="note">
          {settings.has_secret
            ? 'Every call is signed with it. We show it when it is made; the agent reads it again with its API key.'
            : 'It is made when the endpoint is set for the first time.'}
        </p>
        {settings.previous_secret_until === null ? null : (
          <p>
            Two signatures until <Time at={settings.previous_secret_until} />: with the new secret and with the one before. Change your
            receiver over by then.
          </p>
        )}
        <div>
          <Button disabledReason={settings.has_secret ? undefined : 'Set an endpoint first.'} onClick={() => setAsked(true)}>
            Replace the secret
          </Button>
        </div>
        <ApiCalls calls={[{ name: 'webhooks.rotateSecret', args }]} />
      </div>
      <Dialog open={asked} onClose={() => setAsked(false)} title="Replace the webhook secret">
        <div className="stack">
          <p>
            For the time you choose every call carries two signatures, <code>v1=new,v1=old</code>. A receiver that takes either changes over
            without a refused call.
          </p>
          <RadioRows legend="The old one signs for another" across rows={overlaps} value={hours} onChange={setHours} />
          <OwnerAct
            name="webhooks.rotateSecret"
            args={args}
            ownerWallet={agent.owner_wallet}
            label="Replace the secret now"
            busy="Replacing"
            invalidates={['webhooks.settings']}
            onDone={({ data }) => {
              setAsked(false);
              setFresh(data.webhook_secret);
            }}
          />
        </div>
      </Dialog>
    </Panel>
  );
}
