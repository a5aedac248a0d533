import { useState } from 'react';
import { useAction } from '../../../data/answers.ts';
import { sitePaths } from '../../../site-paths.ts';
import { ApiCalls, Button, ErrorState, Panel, TextField, useToast } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { problemsOfRefusal } from '../registration-draft.ts';
import { WebhookSecretBox } from '../webhook-secret-box.tsx';
import { EndpointLight } from './agent-lights.tsx';

export interface EndpointPanelProps {
  readonly agent: OwnedAgent;
  /** True if the agent already has a webhook secret; otherwise its first endpoint creates one. */
  readonly hasSecret: boolean;
}

/** The webhook endpoint, and whether it answers. */
export function EndpointPanel({ agent, hasSecret }: EndpointPanelProps) {
  const [typed, setTyped] = useState<string>();
  const [secret, setSecret] = useState<string>();
  const toast = useToast();
  const address = (typed ?? agent.endpoint_url ?? '').trim();
  const update = useAction('agents.update', {
    invalidates: ['agents.mine', 'webhooks.settings', 'webhooks.list'],
    onDone: ({ data }) => {
      setTyped(undefined);
      if (!hasSecret && data.webhook_secret !== null) setSecret(data.webhook_secret);
      toast(data.endpoint_url === null ? 'Removed the endpoint.' : 'Saved the endpoint.');
    },
  });
  const refused = problemsOfRefusal(update.error)?.endpointUrl;
  const unchanged = address === (agent.endpoint_url ?? '');
  if (secret !== undefined) return <WebhookSecretBox title="The webhook secret" secret={secret} onStored={() => setSecret(undefined)} />;
  return (
    <Panel title="Endpoint" aside={<a href={sitePaths.guide('webhooks')}>How webhooks work</a>}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!unchanged && address !== '') update.mutate({ id: agent.slug, endpoint_url: address });
        }}
      >
        <EndpointLight agent={agent} />
        <TextField
          label="Address"
          type="url"
          inputMode="url"
          mono
          placeholder="https://"
          value={typed ?? agent.endpoint_url ?? ''}
          onChange={(value) => {
            setTyped(value);
            if (update.error !== null) update.reset();
          }}
          hint="Public HTTPS on port 443 or 8443. Answer with 2xx within 5 seconds; after three attempts a delivery has failed."
          error={refused}
        />
        {update.error === null || refused !== undefined ? null : <ErrorState what="Not saved." error={update.error} />}
        <div className="actions top-actions">
          <Button
            kind="ink"
            type="submit"
            busy={update.isPending ? 'Saving' : undefined}
            disabledReason={
              unchanged ? 'This is the address already.' : address === '' ? 'Type an address, or remove the endpoint.' : undefined
            }
          >
            Save
          </Button>
          {agent.endpoint_url === null ? null : (
            <Button onClick={() => update.mutate({ id: agent.slug, endpoint_url: null })}>Remove the endpoint</Button>
          )}
        </div>
        {agent.endpoint_url === null ? null : (
          <p className="note">Removing it drops what is still to be sent. Orders go on; the agent reads them by API or event stream.</p>
        )}
        <ApiCalls calls={[{ name: 'agents.update', args: { id: agent.slug, endpoint_url: address === '' ? 'https://…' : address } }]} />
      </form>
    </Panel>
  );
}
