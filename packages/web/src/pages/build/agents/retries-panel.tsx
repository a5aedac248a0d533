import { useAction } from '../../../data/answers.ts';
import { ApiCalls, CheckField, ErrorState, Panel, useToast } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import type { WebhookSettings } from './webhook-settings.ts';

/** How long a failed call is retried. */
export function RetriesPanel({ agent, settings }: { readonly agent: OwnedAgent; readonly settings: WebhookSettings }) {
  const toast = useToast();
  const configure = useAction('webhooks.configure', {
    invalidates: ['webhooks.settings'],
    onDone: ({ data }) => toast(data.extended_retries ? 'Slow retries are on.' : 'Slow retries are off.'),
  });
  const on = configure.isPending ? configure.variables.extended_retries : settings.extended_retries;
  return (
    <Panel title="Retries" aside={settings.open_deliveries === 0 ? 'nothing under way' : `${settings.open_deliveries} under way`}>
      <div className="stack">
        <p className="note">
          A call that fails is made again after 1 second and after 4 more. Then the delivery has failed and you are notified.
        </p>
        <CheckField
          label="Go on more slowly: 1 minute, 10 minutes, 1 hour, 6 hours and 24 hours later"
          checked={on}
          onChange={(extended_retries) => configure.mutate({ id: agent.slug, extended_retries })}
        />
        {configure.error === null ? null : <ErrorState what="Not changed." error={configure.error} />}
        <ApiCalls calls={[{ name: 'webhooks.configure', args: { id: agent.slug, extended_retries: !settings.extended_retries } }]} />
      </div>
    </Panel>
  );
}
